"""Lay out the report on one person."""

import math

import numpy as np

from p2ce.present.charts.change_data import change_data
from p2ce.present.charts.front_data import front_data
from p2ce.present.report.certificate_section import certificate_section
from p2ce.present.report.footer_section import disclaimer_section, footer_parts
from p2ce.present.report.option_cards import CARDS, options_section
from p2ce.present.report.page_parts import Figure, Page, Part, Section, Text
from p2ce.present.report.policy_section import policy_section
from p2ce.present.report.reader import LOOKS, Reader
from p2ce.present.report.relaxation_section import why_section
from p2ce.present.report.svg_changes import draw_changes
from p2ce.present.report.svg_front import draw_front
from p2ce.present.write_text import current_outcome, picked
from p2ce.result import Explanation, Status, WhyNone


def page_of_one(explanation: Explanation, reader: Reader, *, title: str | None, why: WhyNone | None) -> Page:
    """Put together all sections that have content for this explanation."""
    parts: list[Part] = [*standing_parts(explanation, reader)]
    if len(explanation):
        parts.append(options_section(explanation, reader))
    if why is not None and not len(explanation):
        parts.append(why_section(explanation, why, reader))
    if len(explanation):
        parts += _drawings(explanation, reader)
    if explanation.status not in (Status.ERROR, Status.ALREADY_FAVOURABLE) or explanation.certificate:
        parts.append(certificate_section(explanation, reader))
    if explanation.question is not None:
        parts.append(policy_section(explanation.question, reader))
    parts.append(disclaimer_section(reader))
    return Page(
        title=title or default_title(explanation, reader),
        language=reader.language,
        above=reader.labels.for_audience("above", reader.audience),
        status=reader.status(explanation),
        status_kind=LOOKS[explanation.status],
        parts=tuple(parts),
        footer=footer_parts(explanation.question, reader),
    )


def default_title(explanation: Explanation, reader: Reader) -> str:
    """Give the title of the page: the result in a few words."""
    if explanation.status is Status.ERROR:
        return reader.labels("title_error")
    found = "favourable" if explanation.status is Status.ALREADY_FAVOURABLE else "none"
    key = "title_options" if len(explanation) else f"title_{found}"
    return reader.labels.for_audience(key, reader.audience)


def standing_parts(explanation: Explanation, reader: Reader) -> tuple[Part, ...]:
    """Say where the person stands; for a row that could not be explained, why not."""
    if explanation.status is Status.ERROR:
        return (Text(text=explanation.message or reader.labels("status_ERROR"), kind="notice"),)
    said = " ".join(current_outcome(explanation, audience=reader.audience, language=reader.language))
    # It announces a list in running text; here the list has a heading of its own.
    return (Text(text=f"{said[:-1]}." if said.endswith(":") else said, kind="lead"),) if said else ()


def changes_figure(explanation: Explanation, reader: Reader) -> Figure | None:
    """Draw what the chosen options change, the population behind; nothing where nothing changes."""
    with np.errstate(all="ignore"):  # costs that are not finite give no order, but no failure either
        data = change_data(explanation, picked(explanation, CARDS), language=reader.language)
    if not data.features:
        return None
    people = 0 if explanation.question is None else explanation.question.people
    caption = reader.labels("changes_figure_plain")
    if data.has_population and people:
        caption = reader.labels("changes_figure", count=reader.labels.count(people))
    return Figure(caption=caption, drawings=draw_changes(data, reader.speaker(explanation), reader.labels))


def _drawings(explanation: Explanation, reader: Reader) -> list[Part]:
    parts: list[Part] = []
    changes = changes_figure(explanation, reader)
    if changes is not None:
        parts.append(Section(title=reader.labels("changes_heading"), parts=(changes,)))
    costs = [option.costs[name] for option in explanation for name in explanation.objectives]
    if not all(math.isfinite(cost) for cost in costs):
        return parts
    data = front_data(explanation, language=reader.language)
    drawn = draw_front(data, reader.labels)
    if drawn is not None:
        caption = reader.labels("front_figure" if len(data.axes) == 2 else "front_lines")
        legend = [(point.pick, str(point.number), point.why) for point in data.picks]
        others = len(data.points) - len(legend)
        more = [(None, "", reader.labels.counted("others", others))] if others else []
        figure = Figure(caption=caption, drawings=(drawn,), wide=True, legend=(*legend, *more))
        parts.append(Section(title=reader.labels("front_heading"), parts=(figure,)))
    return parts
