"""Show explanations in a notebook: a small table that fits both a light and a dark page."""

import html
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from p2ce.problem.display import Display
from p2ce.result.grid_words import claims_none, grid_in_brief, says_its_grid
from p2ce.result.number_text import (
    readable,
    readable_cost,
    readable_count,
    readable_prediction,
    readable_score,
)
from p2ce.result.one_hot_groups import groups_of, level_names, whole_changes
from p2ce.result.outcome_text import LEAD, is_range, lead_in_words, narrowed, wanted_ends, wanted_in_words
from p2ce.result.status import Status
from p2ce.tables.cells import is_missing
from p2ce.visible import visible_line

if TYPE_CHECKING:
    from p2ce.result.counterfactual import Counterfactual
    from p2ce.result.explanation import Explanation
    from p2ce.result.explanations import Explanations

LANGUAGE = "en"
MOST_OPTIONS = 10
MOST_PEOPLE = 10
SHORT, LONGEST, LONGEST_MESSAGE = 24, 120, 600  # letters: kept on one line, most of a value, of a sentence
BOX = 'style="margin:.3em 0;line-height:1.5"'
TABLE = 'style="border-collapse:collapse;margin:.4em 0;color:inherit"'
# Half transparent, so that lines and shades are seen on any background.
HEAD = "padding:.25em .7em;border-bottom:1px solid rgba(128,128,128,.6);font-weight:600;vertical-align:bottom"
CELL = "padding:.25em .7em;border-bottom:1px solid rgba(128,128,128,.25);vertical-align:top"
MARKED = "padding:.05em .35em;border-radius:.3em;background:rgba(70,130,220,.2)"
SMALL = 'style="font-size:.9em;opacity:.8;margin:.2em 0"'
LEFT, RIGHT = "text-align:left", "text-align:right"


def explanation_html(explanation: "Explanation") -> str:
    """Give the status line, a table of the first options with their changes marked, and the proof line."""
    parts = [f"<p {BOX}>{_status(explanation.status)}: {_headline(explanation)}</p>"]
    if len(explanation):
        parts.append(_options(explanation))
    if len(explanation) > MOST_OPTIONS:
        more = f"{len(explanation) - MOST_OPTIONS:,} more options: to_frame() has them all."
        parts.append(f"<p {SMALL}>{more}</p>")
    if explanation.certificate is not None:
        parts.append(f"<p {SMALL}>{_shown(_proof(explanation), LONGEST_MESSAGE)}</p>")
    if says_its_grid(explanation):
        parts.append(f"<p {SMALL}>Grid: {_shown(grid_in_brief(explanation), LONGEST_MESSAGE)}</p>")
    return f"<div>{''.join(parts)}</div>"


def explanations_html(explanations: "Explanations") -> str:
    """Give how many people there are, and a row for the first few; the others are not even built."""
    count = len(explanations)
    people = f"{count:,} {'person' if count == 1 else 'people'}"
    parts = [f"<p {BOX}><strong>{people}</strong></p>"]
    listed = [(explanations.labels[place], explanations[place]) for place in range(min(count, MOST_PEOPLE))]
    if count and count <= MOST_PEOPLE:
        counts = ", ".join(f"{many} {status}" for status, many in sorted(explanations.statuses.items()))
        parts = [f"<p {BOX}><strong>{people}</strong>: {_shown(counts)}</p>"]
    if listed:
        rows = [
            (_shown(label), _status(one.status), f"{len(one):,}", _now(one), _first(one))
            for label, one in listed
        ]
        parts.append(_table(("person", "status", "options", "now", "first option"), rows, words=(0, 1, 4)))
    if count > MOST_PEOPLE:
        rest = f"{count - MOST_PEOPLE:,} more people: summary() lists all."
        parts.append(f"<p {SMALL}>{rest}</p>")
    return f"<div>{''.join(parts)}</div>"


def _options(explanation: "Explanation") -> str:
    options = explanation.counterfactuals[:MOST_OPTIONS]
    predicted = any(option.prediction is not None for option in explanation.counterfactuals)
    judged = any(option.plausibility is not None for option in explanation.counterfactuals)
    ends = wanted_ends(narrowed(explanation)) if is_range(explanation.target) else ()
    heads = [
        "",
        "change",
        *explanation.objectives,
        "score",
        *(["prediction"] if predicted else []),
        *(["plausibility"] if judged else []),
    ]
    rows = []
    for number, option in enumerate(options, start=1):
        row = [
            str(number),
            "<br>".join(_changes(option, explanation)) or "–",
            *(readable_cost(option.costs[name]) for name in explanation.objectives),
            _shown(readable_score(option.displayed_score, explanation.threshold)),
        ]
        if predicted:
            row.append(_shown(readable_prediction(option.displayed_prediction, *ends)))
        if judged:
            row.append("–" if option.plausibility is None else readable_score(option.plausibility, 0.0))
        rows.append(row)
    return _table(heads, rows, words=(1,))


def _changes(option: "Counterfactual", explanation: "Explanation") -> list[str]:
    """Write each change as people know it, with the new value marked."""
    lines = []
    groups = {} if explanation.question is None else groups_of(explanation.question.features)
    for name, (old, new) in whole_changes(option, groups).items():
        after = _value(name, option.rounded.get(name, new), explanation)
        kept = ";white-space:nowrap" if len(after) <= SHORT else ""
        marked = f'<strong style="{MARKED}{kept}">{_shown(after)}</strong>'
        before = _value(name, old, explanation, unit=False)
        lines.append(f"{_shown(_name(name, explanation))}: {_shown(before)} → {marked}")
    return lines


def _display(column: str, explanation: "Explanation") -> Display:
    feature = None if explanation.question is None else explanation.question.features.get(column)
    return Display() if feature is None else feature.display


def _name(column: str, explanation: "Explanation") -> str:
    return _display(column, explanation).name_in(LANGUAGE).removeprefix("the ") or column


def _value(column: str, value: Any, explanation: "Explanation", *, unit: bool = True) -> str:
    """Write a value by its name or in full; `unit` says whether a unit that follows it is written."""
    if isinstance(value, tuple) and explanation.question is not None:
        names = level_names(explanation.question.features, column, LANGUAGE)
        return ", ".join(names.get(str(level), str(level)) for level in value) or "none"
    display = _display(column, explanation)
    named = "" if is_missing(value) else display.value_name(value, LANGUAGE)
    text = named or _number(column, value, explanation)
    measure = display.unit_in(LANGUAGE, value)
    if named or not measure or isinstance(value, bool | str) or is_missing(value):
        return text
    if display.unit_first:
        return f"{measure} {text}"
    return f"{text} {measure}" if unit else text


def _number(column: str, value: Any, explanation: "Explanation") -> str:
    """Write a value in the style of its display; the 0 and 1 of a yes/no column are no and yes."""
    feature = None if explanation.question is None else explanation.question.features.get(column)
    text = readable(value, explanation.dtypes.get(column, ""))
    if feature is None or isinstance(value, bool | str) or is_missing(value):
        return text
    if feature.kind == "binary" and value in (0, 1):
        return readable(bool(value))
    digits = text.replace(",", "")
    if feature.display.style == "plain":
        return digits
    if feature.display.style == "percent" and digits.lstrip("-")[:1].isdigit():
        return f"{(Decimal(digits) * 100).normalize():,f} %"
    return text


def _status(status: Status) -> str:
    return f"<strong>{html.escape(status.value)}</strong>"


def _headline(explanation: "Explanation") -> str:
    if explanation.status is Status.ERROR:
        return _shown(explanation.message or "", LONGEST_MESSAGE)
    options = f"{len(explanation):,} option{'s' * (len(explanation) != 1)}"
    now = _now(explanation)
    today = "" if now == "–" else f" (now {now})"
    return f"{options} for {_shown(wanted_in_words(explanation), LONGEST_MESSAGE)}{today}"


def _proof(explanation: "Explanation") -> str:
    certificate = explanation.certificate
    assert certificate is not None  # the caller saw to it
    state = "Proven" if certificate.proven else "Not proven"
    if claims_none(explanation):
        state = "Proven on this grid"
    return (
        f"{state}: {certificate.method} search over {readable_count(certificate.cells)} cells, "
        f"{certificate.verified:,} points verified, {certificate.open_boxes:,} boxes open"
    )


def _now(explanation: "Explanation") -> str:
    if is_range(explanation.target) and explanation.person_prediction is not None:
        ends = wanted_ends(narrowed(explanation))
        return _shown(readable_prediction(explanation.person_prediction, *ends))
    score, threshold = explanation.person_score, explanation.threshold
    if score is None:
        return "–"
    return _shown(
        lead_in_words(score, threshold) if explanation.scale == LEAD else readable_score(score, threshold)
    )


def _first(explanation: "Explanation") -> str:
    if explanation.status is Status.ERROR:
        return _shown(explanation.message or "", LONGEST_MESSAGE)
    return "; ".join(_changes(explanation[0], explanation)) if len(explanation) else "–"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: tuple[int, ...]) -> str:
    """Make a table of cells that are markup already, under heads that are not."""

    def made(name: str, style: str, extra: str = "") -> Callable[[int, str], str]:
        def cell(place: int, content: str) -> str:
            side = LEFT if place in words else RIGHT
            return f'<{name}{extra} style="{style};{side}">{content}</{name}>'

        return cell

    head, cell = made("th", HEAD, ' scope="col"'), made("td", CELL)
    top = "".join(head(place, _shown(name)) for place, name in enumerate(heads))
    body = "".join(
        f"<tr>{''.join(cell(place, content) for place, content in enumerate(row))}</tr>" for row in rows
    )
    return f"<table {TABLE}><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _shown(content: Any, most: int = LONGEST) -> str:
    """Write anything as escaped text of one line, cut where it is very long."""
    text = visible_line(content)
    return html.escape(text if len(text) <= most else text[: most - 1] + "…")
