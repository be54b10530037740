"""Whatever data from_dict and from_json are given, the answer is an object that works, or one error."""

import json
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

import p2ce
from p2ce import Limits, errors
from p2ce.result import (
    Categories,
    Certificate,
    Distribution,
    Explanation,
    Explanations,
    Feature,
    Opening,
    Question,
    WhyNone,
)
from tests.hostile.plain_data import HUGE_TEXT, mutations, nested, rejected_or, tame
from tests.result.examples import CERTIFICATE, DTYPES, OBJECTIVES, PERSON, explanation, option

LOAN = Feature(
    name="LoanAmount",
    kind="whole",
    moves="down",
    candidates="7: 1000–4000, every 500",
    steps=(500.0, 500.0),
    display=p2ce.Display(name={"en": "loan amount"}, unit="EUR", values={1: "one"}),
    distribution=Distribution(edges=(0.0, 1000.0, 9000.0), shares=(0.4, 0.6)),
)
HOUSING = Feature(name="Housing", distribution=Distribution(labels=("own", "rent"), shares=(0.4, 0.6)))
QUESTION = Question(
    features={"LoanAmount": LOAN, "Housing": HOUSING},
    rules=("a rule",),
    policy="version: 1",
    people=7,
    versions={"p2ce": "1"},
    hashes={"model": "ab"},
    settings={"contamination": 0.05, "end": float("inf")},
)
ANSWER = replace(
    explanation(),
    question=QUESTION,
    categories={"Age": Categories(labels=("a", 1), dtype="object")},
    counterfactuals=(option(mean_distance=0.1, LoanAmount=6000),),
    certificate=replace(CERTIFICATE, open_costs={"changes": 1.0}, rules=("x",)),
)
WAY = Opening(restrictions=("a",), kinds=("range",), counterfactual=ANSWER[0], proven=True)
WHY = WhyNone(
    person=PERSON,
    openings=(WAY,),
    undecided=(("b",),),
    considered=("a", "b"),
    complete=False,
    objectives=OBJECTIVES,
    dtypes=DTYPES,
)
HELD: dict[str, Any] = {
    "Explanation": ANSWER,
    "Explanations": Explanations([ANSWER, explanation()], labels=["ann", 2]),
    "WhyNone": WHY,
    "Opening": WAY,
    "Certificate": ANSWER.certificate,
    "Question": QUESTION,
    "Feature": LOAN,
    "Distribution": HOUSING.distribution,
    "Categories": ANSWER.categories["Age"],
    "Counterfactual": ANSWER[0],
}


@pytest.mark.parametrize("name", HELD)
def test_no_mutation_ends_in_anything_but_one_error(name: str) -> None:
    read, data = type(HELD[name]).from_dict, HELD[name].to_dict()
    assert read(data) == HELD[name] or name == "Question"
    for _, changed in mutations(data):
        rejected_or(lambda changed=changed: read(changed))


def uses(held: Any) -> list[Any]:
    """List all that can be done with what was read."""
    found = [lambda: str(held), lambda: repr(held), held.to_dict]
    if hasattr(held, "to_frame"):
        found.append(lambda: held.to_frame(kind="pandas"))
    if hasattr(held, "_repr_html_"):
        found.append(held._repr_html_)
    if isinstance(held, Explanation):
        audiences = ("person", "officer", "auditor")
        found += [lambda who=who: p2ce.to_text(held, audience=who) for who in audiences]
        found += [held.pick, lambda: p2ce.to_html(held), lambda: p2ce.to_markdown(held)]
    return found


@pytest.mark.parametrize(("name", "every"), [("Explanation", 11), ("Explanations", 7), ("WhyNone", 3)])
def test_whatever_is_accepted_can_be_shown(name: str, every: int) -> None:
    read, data = type(HELD[name]).from_dict, HELD[name].to_dict()
    for _, changed in islice(mutations(data), 0, None, every):
        held = rejected_or(lambda changed=changed: read(changed))
        for use in uses(held) if held is not None else ():
            rejected_or(use)


def test_the_error_names_the_place() -> None:
    data = ANSWER.to_dict()
    data["counterfactuals"][0]["costs"]["changes"] = "dear"
    with pytest.raises(
        errors.InvalidArgument, match=r"counterfactuals\[0\]\.costs\.changes must be a number"
    ):
        Explanation.from_dict(data)
    many = {**HELD["Explanations"].to_dict(), "people": [ANSWER.to_dict(), data]}
    with pytest.raises(errors.InvalidArgument, match=r"people\[1\]\.counterfactuals\[0\]\.costs\.changes"):
        Explanations.from_dict(many)
    with pytest.raises(errors.InvalidArgument, match="has no entry 'cells'"):
        Certificate.from_dict(_without("cells"))


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in CERTIFICATE.to_dict().items() if key != name}


def test_json_is_read_within_limits() -> None:
    text = json.dumps(ANSWER.to_dict())
    assert Explanation.from_json(text) == ANSWER
    assert Explanation.from_json(text.encode()) == ANSWER
    assert WhyNone.from_json(json.dumps(WHY.to_dict())) == WHY
    many = HELD["Explanations"]
    assert Explanations.from_json(json.dumps(many.to_dict())) == many
    with pytest.raises(errors.LimitExceeded, match=r"answer_bytes is 100.*--limit answer-bytes="):
        Explanation.from_json(text, limits=Limits(answer_bytes=100))
    with pytest.raises(errors.LimitExceeded, match="answer_depth is 3"):
        Explanation.from_json(text, limits=Limits(answer_depth=3))


@pytest.mark.parametrize(
    "text",
    ["", "{", "NaN", "[" * 10**5, "1" * 10**5, '{"a":' * 10**5, "\ud800", b"\xff\xfe", HUGE_TEXT, 7, None],
)
def test_what_is_no_json(text: Any) -> None:
    with pytest.raises((errors.InvalidArgument, errors.LimitExceeded)) as caught:
        Explanation.from_json(text)
    assert tame(str(caught.value))


def test_deep_values_are_refused() -> None:
    deep: Any = {"tuple": [1]}
    for _ in range(10**4):
        deep = {"tuple": [deep]}
    for target in (deep, nested(10**4)):
        with pytest.raises((errors.InvalidArgument, errors.LimitExceeded)):
            Explanation.from_dict({**ANSWER.to_dict(), "target": target})
