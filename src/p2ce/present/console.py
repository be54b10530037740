"""Show results in Python: for str(), terminals and notebooks. The texts are in English."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from p2ce.base.visible import visible_line
from p2ce.portfolio.audits.audit_result import Audit
from p2ce.present.changes import changes_of, flag_text
from p2ce.present.highlights import best_text
from p2ce.present.render import render, render_words
from p2ce.present.rule_sentences import restriction_line, rules_text, violation_text
from p2ce.present.standing import points_text
from p2ce.present.views.audit_facts import amounts
from p2ce.present.views.audit_view import view_of_audit
from p2ce.present.views.many_view import view_of_many
from p2ce.present.views.view import View, view, why_view
from p2ce.present.wording import wording_for
from p2ce.result import (
    Counterfactual,
    Evaluation,
    Explanation,
    Explanations,
    Flag,
    ModelFacts,
    Pick,
    Relaxations,
    RelaxationsOfMany,
    Restriction,
    Violation,
)
from p2ce.result.picks import ONLY
from p2ce.result.target import is_strict_limit

AUDIENCE, LANGUAGE = "officer", "en"
MOST_PEOPLE = 10
BOUNDS = {
    "tree leaves": "parsed; proven by bounds from the leaves of its trees",
    "linear leaves": "parsed; proven by bounds from the linear models in the leaves of its trees",
    "additive": "parsed; proven by bounds of its sum",
    "network": "parsed; proven by bounds of the network",
    "combined": "parsed; proven by the combined bounds of its parts",
    "complete": "black box; proven by evaluating every combination that may matter",
    "none": "proven by cost alone",
}
OUTPUTS = {"probability": "probability", "decision": "decision value"}


def explanation_text(explanation: Explanation) -> str:
    """Write the current outcome, a table of the options, and what is proven."""
    seen = _view(explanation)
    return render("terminal.jinja", "txt", seen, table=_table(seen)).strip("\n")


def explanation_html(explanation: Explanation) -> str:
    """Write the same for a notebook, with the first options."""
    return render("notebook.html.jinja", "html", _view(explanation), total=None)


def explanations_html(explanations: Explanations) -> str:
    """Write the number of people, and a row for the first few. The others are not even built."""
    first = explanations[:MOST_PEOPLE]
    seen = view_of_many(first, audience=AUDIENCE, language=LANGUAGE, sections=0)
    return render("notebook.html.jinja", "html", seen, total=len(explanations))


def counterfactual_text(option: Counterfactual) -> str:
    """Write the changes of one counterfactual on one line."""
    changes = (f"{one.name}: {one.before} → {one.after}" for one in changes_of(option, wording_for(None)))
    return visible_line("; ".join(changes))


def pick_text(pick: Pick) -> str:
    """Write why an option was chosen."""
    return visible_line(best_text(pick.reasons, wording_for(None)) or wording_for(None).best_at(ONLY))


def why_text(why: Relaxations) -> str:
    """Write the minimal sets of restrictions to relax."""
    wording = wording_for(None, LANGUAGE, dtypes=why.dtypes)
    seen = why_view(why, wording, AUDIENCE)
    costs = (amounts(one.counterfactual.costs, wording.numbers.cost) for one in why)
    priced = (f"{text} ({cost})" for text, cost in zip(seen.relaxations, costs, strict=True))
    shown = replace(seen, relaxations=tuple(priced))
    return render_words("relaxations.jinja", wording.words, why=shown).strip("\n")


def whys_text(whys: RelaxationsOfMany) -> str:
    """Write which restrictions bind for how many people, a line for each."""
    wording = wording_for(None, LANGUAGE)
    count = wording.numbers.count
    people, helped = count(len(whys)), count(sum(len(why) > 0 for why in whys.values()))
    lines = [wording.say("limits_lead", people=people, helped=helped)]
    lines += [
        wording.say(
            "whys_line",
            limit=restriction_line(one.restriction, wording),
            count=count(one.in_some),
            people=people,
            alone=count(one.alone),
        )
        for one in whys.binding
    ]
    return "\n- ".join(map(visible_line, lines))


def restriction_in_words(restriction: Restriction) -> str:
    """Write a restriction in one line."""
    return visible_line(restriction_line(restriction, wording_for(None)))


def violation_line(violation: Violation) -> str:
    """Write which restriction is violated, and how."""
    return visible_line(violation_text(violation, wording_for(None)))


def flag_line(flag: Flag) -> str:
    """Write what a reviewer should look at."""
    return visible_line(flag_text(flag, wording_for(None)))


def evaluation_text(evaluation: Evaluation) -> str:
    """Write the result of evaluating a proposal."""
    wording = wording_for(None)
    plausibility, today = evaluation.plausibility, evaluation.plausibility_today
    return render_words(
        "evaluation.jinja",
        wording.words,
        evaluation=evaluation,
        score=wording.numbers.prediction(float(evaluation.score)),
        points=None
        if evaluation.points is None or evaluation.points.person is None
        else points_text(evaluation.points.person, evaluation.points, wording),
        plausibility=None if plausibility is None else wording.numbers.score(plausibility, 0.0),
        today=None if today is None else wording.numbers.score(today, 0.0),
        broken=[violation_text(one, wording) for one in evaluation.broken],
    ).strip("\n")


def facts_text(facts: ModelFacts) -> str:
    """Write how a model is supported and how large the grid is, one line for each fact."""
    lines = [(name, visible_line(text)) for name, text in facts_lines(facts)]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name.ljust(width)}  {text}" for name, text in lines)


def audit_text(audit: Audit) -> str:
    """Write what stands out, and a line for each group."""
    return render("audit_text.jinja", "txt", view_of_audit(audit, LANGUAGE)).strip("\n")


def _view(explanation: Explanation) -> View:
    return view(explanation, audience=AUDIENCE, language=LANGUAGE)


def _table(seen: View) -> list[str]:
    """Align the options: words on the left, numbers on the right."""
    judged = any(option.plausibility for option in seen.options)
    header = [
        "",
        "change",
        *seen.explanation.objectives,
        seen.output_name.lower(),
        *(["plausibility"] if judged else []),
    ]
    rows = [header]
    for option in seen.options:
        rows.append(
            [
                option.mark,
                "; ".join(f"{one.name}: {one.before} → {one.after}" for one in option.changes),
                *(cost.text for cost in option.costs),
                option.output,
                *([option.plausibility or "–"] if judged else []),
            ]
        )
    cells: list[list[Any]] = [[visible_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def facts_lines(facts: ModelFacts) -> Iterator[tuple[str, str]]:
    """Return the name of each line, and its text."""
    yield "parsed as", facts.family
    yield "proof", BOUNDS.get(facts.bound, facts.bound)
    if facts.black_box_because:
        yield "because", facts.black_box_because
    yield "columns", f"{len(facts.columns)}"
    if facts.classes:
        yield "classes", ", ".join(map(str, facts.classes))
    yield "target", _target(facts)
    yield "objectives", ", ".join(facts.objectives)
    yield "grid", _grid(facts)
    yield "detector", "none: options may be implausible" if facts.detector is None else facts.detector
    for sentence in rules_text(facts.rules, wording_for(None)):
        yield "rule", sentence


def combinations_text(cells: int) -> str:
    """Write a number of combinations.

    >>> combinations_text(211_899), combinations_text(10**12)
    ('211,899', '1.0e+12')
    """
    return f"{cells:,}" if cells < 10**9 else f"{Decimal(cells):.1e}"


def _grid(facts: ModelFacts) -> str:
    features, most = len(facts.alternatives), facts.max_changes
    moving = f"{features} feature{'s' * (features != 1)} may change"
    limit = "any number of changes" if most is None else f"at most {most} change{'s' * (most != 1)}"
    return f"{moving}; about {combinations_text(facts.cells)} combinations with {limit}"


def _target(facts: ModelFacts) -> str:
    output = OUTPUTS.get(facts.scale)
    if output is None:
        return f"{facts.target}"
    strict = is_strict_limit(facts.at_least, facts.at_most)
    if facts.at_most is not None:
        return f"{output} of {facts.target} {'less than' if strict else 'at most'} {facts.at_most:g}"
    return f"{output} of {facts.target} {'more than' if strict else 'at least'} {facts.at_least:g}"
