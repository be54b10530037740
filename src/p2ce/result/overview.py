"""Write one explanation as a small table for the terminal."""

from typing import TYPE_CHECKING

from p2ce.result.grid_words import claims_none, grid_in_brief, says_its_grid
from p2ce.result.number_text import (
    readable,
    readable_cost,
    readable_count,
    readable_prediction,
    readable_score,
)
from p2ce.result.outcome_text import LEAD, is_range, lead_in_words, narrowed, wanted_ends, wanted_in_words
from p2ce.result.status import Status
from p2ce.visible import visible_lines

if TYPE_CHECKING:
    from p2ce.result.counterfactual import Counterfactual
    from p2ce.result.explanation import Explanation


def overview(explanation: "Explanation") -> str:
    """Give the headline, a line per counterfactual and a line on the proof."""
    lines = [_headline(explanation)]
    if len(explanation):
        lines += ["", *_table(explanation)]
    certificate = explanation.certificate
    if certificate is not None:
        state = "proven" if certificate.proven else "not proven"
        if claims_none(explanation):
            state = "proven on this grid"
        proof = (
            f"{state}: {certificate.method} search over {readable_count(certificate.cells)} cells, "
            f"{_count(certificate.boxes, 'box')} examined, {_count(certificate.verified, 'point')} verified, "
            f"{_count(certificate.open_boxes, 'box')} open"
        )
        lines += ["", proof]
        if says_its_grid(explanation):
            lines.append(f"grid: {grid_in_brief(explanation)}")
        if certificate.rules:
            lines.append(f"rules kept to: {'; '.join(certificate.rules)}")
        if certificate.checked_rules:
            lines.append(f"rules checked on candidates: {'; '.join(certificate.checked_rules)}")
    return visible_lines(lines)


def _headline(explanation: "Explanation") -> str:
    if explanation.status is Status.ERROR:
        return f"{explanation.status}: {explanation.message}"
    options = f"{len(explanation)} option{'s' * (len(explanation) != 1)}"
    now = _standing(explanation)
    return f"{explanation.status}: {options} for {wanted_in_words(explanation)}{now and f' (now {now})'}"


def _standing(explanation: "Explanation") -> str:
    score, prediction = explanation.person_score, explanation.person_prediction
    if is_range(explanation.target) and prediction is not None:
        return readable_prediction(prediction, *wanted_ends(narrowed(explanation)))
    if score is None:
        return ""
    if explanation.scale == LEAD:
        return lead_in_words(score, explanation.threshold)
    return readable_score(score, explanation.threshold)


def _table(explanation: "Explanation") -> list[str]:
    ends = wanted_ends(narrowed(explanation)) if is_range(explanation.target) else ()
    predicted = any(option.prediction is not None for option in explanation)
    shown = ["prediction"] if predicted else []
    header = ["", "change", *explanation.objectives, "score", *shown, "plausibility"]
    rows = [header]
    for number, option in enumerate(explanation, start=1):
        rows.append(
            [
                str(number),
                changes_in_brief(option, explanation.dtypes),
                *(readable_cost(option.costs[name]) for name in explanation.objectives),
                readable_score(option.score, explanation.threshold),
                *([readable_prediction(option.prediction, *ends)] if predicted else []),
                "–" if option.plausibility is None else readable_score(option.plausibility, 0.0),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    # Words start on the left, numbers end on the right, as in any table.
    return [
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def changes_in_brief(option: "Counterfactual", dtypes: dict[str, str]) -> str:
    """Write the changes of one counterfactual on one line."""
    return "; ".join(
        f"{name}: {readable(old, dtypes.get(name, ''))} → {readable(new, dtypes.get(name, ''))}"
        for name, (old, new) in option.changes.items()
    )


def _count(number: int, what: str) -> str:
    plural = "es" if what.endswith("x") else "s"
    return f"{number:,} {what}{plural * (number != 1)}"
