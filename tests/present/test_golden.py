"""Texts, pages and what Python shows are, to the letter, those that were proofread.

After a wanted change: P2CE_WRITE_GOLDEN=1 pytest -n0 tests/present/test_golden.py, then read the difference.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from p2ce import to_markdown, to_text
from p2ce.present.languages import LANGUAGES
from p2ce.present.render import AUDIENCES
from p2ce.present.rule_sentences import (
    candidates_text,
    restriction_text,
    rule_text,
    rules_text,
    violation_text,
)
from p2ce.present.wording import wording_for
from p2ce.result import Evaluation, Explanations, Restriction, Violation
from tests.portfolio.audits.made_up import audited
from tests.present.cases import CASES, LINKED, PROBLEM, WHY, housed

MOST = 6  # options of a case; sixty say no more
FOR_AUDITORS = (
    "two options",
    "no option",
    "stopped early",
    "by an estimate",
    "failed",
    "a range with a margin",
)
FOLDER = Path(__file__).parent / "golden"
RULES: list[dict[str, Any]] = [
    LINKED,
    {**LINKED, "ratio": 0.5, "counts": "each"},
    {"rule": "change_at_most_one", "columns": ["LoanAmount", "Rate", "Savings"]},
    {"rule": "at_most_one_nonzero", "columns": ["Rate", "Savings"]},
    {"rule": "together", "columns": ["LoanAmount", "Rate"]},
    {"rule": "forbid", "column": "Housing", "transitions": [{"from": "own", "to": ["rent", "a, b"]}]},
    {"rule": "allow_only", "column": "LoanAmount", "transitions": [{"from": 1000, "to": [2000.5]}]},
    {"rule": "one_hot", "name": "Home", "columns": ["Home_own", "Home_rent"], "may_be_none": True},
    {"rule": "one_hot", "name": "Home", "columns": ["Home_own", "Home_rent"]},
    {
        "rule": "implies",
        "condition": {"Housing": "own", "Savings": {"from": 100}, "Rate": {"changes": True}},
        "consequence": {"LoanAmount": {"from": 500, "to": 1500}, "YearsInTown": {"to": 3}, "Sex": ["f", "m"]},
    },
    {
        "rule": "inequality",
        "text": "LoanAmount <= 2.5*Savings + 100",
        "left": [{"column": "LoanAmount", "factor": 1}],
        "right": [{"column": "Savings", "factor": 2.5}, {"factor": 100}],
        "equal": False,
    },
    {
        "rule": "implies",
        "condition": {"Rate": {"from": 0.05, "to": 0.1}},
        "consequence": {"Savings": {"from": 100}},
    },
    {"rule": "linked", "text": "as broken", "columns": ["Age", "Savings", "YearsInTown"]},
    {"rule": "predicate", "function": "bank.rules:affordable"},
    {"rule": "predicate", "name": "affordable", "columns": ["LoanAmount"]},
    {"rule": "mine", "text": "as its author wrote it", "columns": []},
]
RESTRICTIONS = [
    *WHY.considered,
    Restriction(kind="changes", most=2),
    Restriction(kind="direction", feature="Rate", direction="up"),
    Restriction(kind="range", feature="LoanAmount", low=500, high=900.5, wider_low=0, wider_high=18_000),
    Restriction(kind="range", feature="YearsInTown", low=1, high=3),
    Restriction(kind="values", feature="Housing", values=("own", "rent")),
    Restriction(kind="missing", feature="Savings"),
    Restriction(kind="known", feature="Savings"),
    Restriction(kind="fixed", feature="Age"),
    Restriction(kind="step", feature="Rate", step=0.0025),
    Restriction(kind="special", feature="Savings", value=-9),
    Restriction(kind="range", feature="Rate", low=0.05, high=0.1),
    Restriction(kind="range", feature="Rate", low=0.05, high=0.1, wider_low=0.0, wider_high=0.2),
]


def texts(audience: str, language: str) -> str:
    parts = []
    for name, (explanation, why) in CASES.items():
        if audience == "auditor" and name not in FOR_AUDITORS:
            continue  # the same facts again
        first = replace(explanation, counterfactuals=explanation.counterfactuals[:MOST])
        text = to_text(first, audience=audience, language=language, relaxations=why)
        parts.append(f"=== {name}\n{text}\n")
    return "\n".join(parts)


def rules_and_restrictions(language: str) -> str:
    problem = housed().problem
    wording = wording_for(problem, language)
    lines = ["=== rules", *(rule_text(rule, wording) for rule in RULES)]
    added = [LINKED, {**LINKED, "driver": "Rate", "ratio": 0.5}]
    each = [{**one, "follower": "Savings", "counts": "each"} for one in added]
    lines += ["=== rules together", *rules_text([*added, RULES[2], *each], wording)]
    lines += ["=== restrictions", *(restriction_text(one, wording) for one in RESTRICTIONS)]
    broken = [Violation(restriction=one, before=41, after=42) for one in RESTRICTIONS]
    broken += [Violation(restriction=RESTRICTIONS[0], changes=3)]
    lines += ["=== violations", *(violation_text(one, wording) for one in broken)]
    assert problem is not None
    lines += ["=== candidates"]
    lines += [f"{one.name}: {candidates_text(one, wording)}" for one in problem.features.values()]
    return "\n".join(lines) + "\n"


def page(audience: str, language: str) -> str:
    explanation, why = CASES["many options" if audience != "auditor" else "no option"]
    return to_markdown(explanation, audience=audience, language=language, relaxations=why)


def shown() -> str:
    """What Python and notebooks show of each kind of result."""
    parts = [str(CASES[name][0]) for name in ("many options", "no option", "failed", "a range")]
    parts += [str(WHY), str(CASES["two options"][0][0]), CASES["two options"][0].pick(1)[0].why]
    verdict = Evaluation(
        valid=True,
        score=0.53,
        plausible=False,
        plausibility=-0.0123,
        allowed=False,
        broken=(Violation(restriction=RESTRICTIONS[1], before=7_000, after=8_000.5),),
        on_grid=False,
        changes={},
        costs={},
        better=CASES["two options"][0].counterfactuals,
    )
    parts += [str(verdict), str(replace(verdict, valid=False, plausible=None, allowed=True, broken=()))]
    parts += [CASES["many options"][0]._repr_html_(), CASES["failed"][0]._repr_html_()]
    parts += [Explanations([one for one, _ in CASES.values()])._repr_html_()]
    return "\n---\n".join(parts) + "\n"


WRITTEN: dict[str, Callable[[], str]] = {
    **{
        f"{audience}.{language}.txt": lambda audience=audience, language=language: texts(audience, language)
        for audience in AUDIENCES
        for language in LANGUAGES
    },
    **{
        f"{audience}.{language}.md": lambda audience=audience, language=language: page(audience, language)
        for audience, language in (("auditor", "en"), ("officer", "es"), ("applicant", "pt"))
    },
    **{
        f"rules.{language}.txt": lambda language=language: rules_and_restrictions(language)
        for language in LANGUAGES
    },
    "people.md": lambda: to_markdown(
        Explanations([one for one, _ in CASES.values()][:8]), audience="officer", title="Eight people"
    ),
    "shown.txt": shown,
    "audit.en.md": lambda: to_markdown(audited()),
    **{
        f"audit.{language}.txt": lambda language=language: to_text(audited(), language=language)
        for language in LANGUAGES
    },
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_text_is_the_one_that_was_read(name: str) -> None:
    file, now = FOLDER / name, WRITTEN[name]()
    if os.environ.get("P2CE_WRITE_GOLDEN"):
        file.write_text(now, encoding="utf-8")
    assert now == file.read_text(encoding="utf-8")


def test_every_file_is_compared() -> None:
    assert {file.name for file in FOLDER.iterdir()} == set(WRITTEN)


def test_the_rules_of_the_question_are_among_those_tried() -> None:
    assert all(rule in RULES for rule in PROBLEM.rules)
