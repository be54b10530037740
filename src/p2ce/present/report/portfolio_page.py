"""Lay out the report on many people: all in all, a row for each, and a section for as many as fit."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from p2ce.errors import InvalidArgument
from p2ce.present.charts.cost_data import cost_data, shared_objectives
from p2ce.present.charts.lever_data import lever_data
from p2ce.present.relaxation_sentences import check_why
from p2ce.present.report.certificate_section import certificate_section, proof_of
from p2ce.present.report.footer_section import disclaimer_section, footer_parts
from p2ce.present.report.option_cards import options_parts
from p2ce.present.report.page_parts import Cell, Figure, Fold, Page, Part, Section, Table, Text
from p2ce.present.report.person_page import changes_figure, standing_parts
from p2ce.present.report.policy_section import policy_section
from p2ce.present.report.reader import LOOKS, Reader
from p2ce.present.report.relaxation_section import why_parts
from p2ce.present.report.svg_portfolio import draw_costs, draw_levers
from p2ce.present.write_text import what_to_do
from p2ce.result import Explanation, Explanations, Question, Status, WhyNone
from p2ce.visible import echoed, shortened

ALL_IN_FULL = 200  # people; of more than these, only the first have a section
FIRST_IN_FULL = 50
MOST_OTHERS = 10  # options of a person that are listed besides the cards
LONGEST_MESSAGE = 160
LONGEST_LABEL, SHORT_LABEL = 60, 16  # a short one is kept on one line
LEVERS = 10


def page_of_many(
    explanations: Explanations, reader: Reader, *, title: str | None, why: Mapping[Any, WhyNone]
) -> Page:
    """Put together the summary, the table of all, and the sections."""
    labels, count = reader.labels, len(explanations)
    entries = list(explanations)
    _check_whys(explanations, entries, why)
    questions = list({id(one.question): one.question for one in entries if one.question is not None}.values())
    parts: list[Part] = []
    if not entries:
        parts.append(Text(text=labels("nobody"), kind="lead"))
    else:
        full = count if count <= ALL_IN_FULL else FIRST_IN_FULL
        parts.append(_summary(entries, reader))
        parts += _charts(explanations, entries, reader)
        parts.append(_people(explanations, entries, full, reader))
        parts.append(_sections(explanations, entries, full, why, reader))
    # People of one explainer share its policy.
    if len(questions) == 1:
        parts.append(policy_section(questions[0], reader))
    parts.append(disclaimer_section(reader))
    return Page(
        title=title or labels("title_many", count=labels.count(count)),
        language=reader.language,
        above=labels("above_many"),
        parts=tuple(parts),
        footer=_footer(questions, reader),
    )


def _check_whys(explanations: Explanations, entries: list[Explanation], why: Mapping[Any, WhyNone]) -> None:
    """Raise if an entry of `why` belongs to no person here, or to another person than its label says."""
    if not why:
        return
    explained = set()
    for label, entry in zip(explanations.labels, entries, strict=True):
        mine = _why_of(label, why)
        if mine is not None:
            check_why(entry, mine)
            explained.add(label)
    if unknown := [label for label in why if label not in explained]:
        raise InvalidArgument(
            f"why has an entry for {echoed(unknown[0])}, which is no label of these people. "
            "Its keys are the labels of explanations, as explanations.labels lists them."
        )


def _why_of(label: Any, why: Mapping[Any, WhyNone]) -> WhyNone | None:
    return why.get(label) if isinstance(label, Hashable) else None


def _footer(questions: list[Question], reader: Reader) -> tuple[Part, ...]:
    if len(questions) < 2:
        return footer_parts(questions[0] if questions else None, reader)
    return tuple(part for one in questions[:5] for part in footer_parts(one, reader))


def _summary(entries: list[Explanation], reader: Reader) -> Section:
    labels = reader.labels
    counts = Counter(one.status for one in entries)
    speaker = reader.speaker(entries[0])
    rows = [
        (
            Cell(text=reader.status_name(status)),
            Cell(text=labels.count(counts[status])),
            Cell(text=labels("percent", number=speaker.figure(100 * counts[status] / len(entries), 1))),
        )
        for status in Status
        if counts[status]
    ]
    table = Table(
        caption=labels("summary_caption"),
        columns=(labels("col_status"), labels("col_people"), labels("col_share")),
        rows=rows,
        caption_shown=False,
        kind="narrow",
    )
    return Section(title=labels("summary_heading"), parts=(table,))


def _charts(explanations: Explanations, entries: list[Explanation], reader: Reader) -> list[Part]:
    labels = reader.labels
    if not any(len(one) and one.objectives for one in entries):
        return []
    levers = lever_data(explanations, LEVERS, language=reader.language)
    # People of several explainers may have no objective in common.
    parts: list[Part] = [_costs(explanations, reader)] if shared_objectives(entries) else []
    if levers.levers:
        lever_table = Table(
            caption=labels("levers_table"),
            columns=(labels("col_lever"), labels("col_share")),
            rows=[(Cell(text=lever.name), Cell(text=lever.text)) for lever in levers.levers],
        )
        drawn = Figure(
            caption=labels("levers_figure"),
            drawings=(draw_levers(levers),),
            wide=True,
            instead=lever_table,
        )
        note: list[Part] = [Text(text=levers.note, kind="note")] if levers.note else []
        parts.append(Section(title=labels("levers_heading"), parts=(drawn, *note), kind="half"))
    return parts


def _costs(explanations: Explanations, reader: Reader) -> Section:
    labels = reader.labels
    costs = cost_data(explanations, language=reader.language)
    rows = [
        (Cell(text=bar.text.rsplit(":", 1)[0]), Cell(text=labels.count(bar.people)))
        for bar in costs.bars
        if bar.people
    ]
    columns = (labels("col_cost"), labels("col_people"))
    figure = Figure(
        caption=labels("costs_figure", objective=reader.speaker(explanations[0]).objective(costs.objective)),
        drawings=(draw_costs(costs),),
        wide=True,
        instead=Table(caption=labels("costs_table"), columns=columns, rows=rows),
    )
    note = (Text(text=costs.note, kind="note"),) if costs.note else ()
    return Section(title=labels("costs_heading"), parts=(figure, *note), kind="half")


def _people(explanations: Explanations, entries: list[Explanation], full: int, reader: Reader) -> Section:
    labels = reader.labels
    rows = []
    for place, entry in enumerate(entries):
        rows.append(
            (
                _label(explanations.labels[place], _anchor(place) if place < full else ""),
                Cell(text=reader.status(entry)),
                Cell(text=labels.count(len(entry))),
                Cell(text=reader.today(entry, reader.speaker(entry))),
                Cell(text=_cheapest(entry, reader)),
            )
        )
    table = Table(
        caption=labels("people_caption"),
        columns=(
            *(labels(key) for key in ("col_person", "col_status", "col_options", "col_today")),
            _cheapest_in(entries, reader),
        ),
        rows=rows,
        words=frozenset({1, 4}),
        caption_shown=False,
        kind="people",
        search=(labels("search"), labels("search_none")),
    )
    return Section(title=labels("people_heading"), parts=(table,))


def _cheapest_in(entries: list[Explanation], reader: Reader) -> str:
    """Name the column of first options, with the objective that comes first for everybody."""
    first = {one.objectives[:1] for one in entries if len(one)}
    if len(first) != 1 or not (named := first.pop()):
        return reader.labels("col_cheapest")
    return reader.labels("col_cheapest_in", objective=reader.speaker(entries[0]).objective(named[0]))


def _label(label: Any, link: str) -> Cell:
    shown = shortened(label, LONGEST_LABEL)
    return Cell(text=shown, link=link, kind="short" if len(shown) <= SHORT_LABEL else "")


def _cheapest(entry: Explanation, reader: Reader) -> str:
    if entry.status is Status.ERROR:
        return shortened(entry.message or "", LONGEST_MESSAGE)
    return what_to_do(entry[0], entry, language=reader.language) if len(entry) else reader.labels("none")


def _sections(
    explanations: Explanations,
    entries: list[Explanation],
    full: int,
    why: Mapping[Any, WhyNone],
    reader: Reader,
) -> Section:
    labels = reader.labels
    parts: list[Part] = []
    if full < len(entries):
        count = labels.count(len(entries))
        parts.append(Text(text=labels("sections_cut", shown=full, count=count), kind="notice"))
    for place, entry in enumerate(entries[:full]):
        label = explanations.labels[place]
        parts.append(
            Section(
                title=labels("person", label=shortened(label, 120)),
                parts=_person(entry, _why_of(label, why), reader),
                anchor=_anchor(place),
                status=reader.status(entry),
                status_kind=LOOKS[entry.status],
                kind="person",
            )
        )
    return Section(title=labels("sections_heading"), parts=tuple(parts))


def _person(entry: Explanation, why: WhyNone | None, reader: Reader) -> tuple[Part, ...]:
    parts: list[Part] = [*standing_parts(entry, reader)]
    if len(entry):
        parts += options_parts(entry, reader, most=None if reader.is_auditor else MOST_OTHERS)
        figure = changes_figure(entry, reader)
        if figure is not None:
            parts.append(Fold(title=reader.labels("changes_heading"), parts=(figure,), on_paper=False))
    elif why is not None:
        parts += why_parts(entry, why, reader)
    if entry.status is not Status.ERROR:
        # The sentence; its numbers only where everything is wanted.
        parts += (
            certificate_section(entry, reader).parts
            if reader.is_auditor
            else (Text(text=proof_of(entry, reader)),)
        )
    return tuple(parts)


def _anchor(place: int) -> str:
    return f"person-{place + 1}"
