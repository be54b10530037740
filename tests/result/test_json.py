"""Results survive JSON whatever they hold; other data end in one error, or in an object that works."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression

import p2ce
from p2ce import Limits, Policy, errors
from p2ce.result import Explanation, Explanations, ProblemRecord, Relaxations, Status
from p2ce.result.schema import FILE, json_schema, result_schema_text
from p2ce.rules import implies, linked, predicate
from tests.hostile.plain_data import HUGE_TEXT, mutations, nested, rejected_or, tame
from tests.optional import mostly_slow
from tests.populations import loans
from tests.properties.amount import examples
from tests.result.examples import FULL, PROBLEM, WHY, explanation, explanations, whys

SCHEMA = jsonschema.Draft202012Validator(json_schema())
MANY = Explanations([FULL, explanation(), FULL], ids=["ann", 2, ("north", 3)])
HELD: dict[str, Any] = {
    "Explanation": FULL,
    "Explanations": MANY,
    "Relaxations": WHY,
    "ProblemRecord": PROBLEM,
}


def order_of(data: Any) -> Any:
    """List the keys of everything, in their order."""
    if isinstance(data, dict):
        return [(key, order_of(value)) for key, value in data.items()]
    return [order_of(value) for value in data] if isinstance(data, list) else None


def check_round_trip(held: Any) -> None:
    """Check that JSON, also with sorted keys, gives the same again, in the same order, by the schema."""
    data = held.to_dict()
    text = json.dumps(data, allow_nan=False)
    SCHEMA.validate(json.loads(text))
    back = type(held).from_json(text)
    assert back == held
    assert json.dumps(back.to_dict()) == text
    sorted_text = json.dumps(data, sort_keys=True)
    again = type(held).from_json(sorted_text)
    assert again == held
    assert json.dumps(again.to_dict(), sort_keys=True) == sorted_text
    for old, new in zip(_explanations(held), _explanations(again), strict=True):
        for name in ("person", "dtypes"):
            assert list(getattr(new, name)) == list(getattr(old, name))
        assert [order_of([one.values, one.changes, one.costs]) for one in _options(new)] == [
            order_of([one.values, one.changes, one.costs]) for one in _options(old)
        ]
        if getattr(old, "problem", None) is not None:
            assert list(new.problem.features) == list(old.problem.features)


def _explanations(held: Any) -> list[Any]:
    return list(held) if isinstance(held, Explanations) else [held]


def _options(held: Any) -> Iterator[Any]:
    return (one.counterfactual for one in held) if isinstance(held, Relaxations) else iter(held)


@examples(40)
@given(explanations())
def test_an_explanation_survives_json(one: Explanation) -> None:
    check_round_trip(one)
    back = Explanation.from_dict(one.to_dict(times=True))
    assert (back.elapsed, type(back.status)) == (one.elapsed, Status)
    if one.problem is not None:
        assert back.problem.to_dict() == one.problem.to_dict()
        assert back.problem.rules == one.problem.rules
    assert [option.number for option in back] == list(range(1, len(one) + 1))


@examples(30)
@given(whys())
def test_a_reason_for_no_option_survives_json(why: Relaxations) -> None:
    check_round_trip(why)


@examples(20)
@given(st.lists(explanations(), max_size=3))
def test_many_explanations_survive_json(some: list[Explanation]) -> None:
    many = Explanations([*some, *some[:1]], ids=[*range(len(some)), ("a", None)][: len(some) + bool(some)])
    check_round_trip(many)
    back = Explanations.from_dict(many.to_dict())
    assert [one.problem is back[0].problem for one in back] == [
        one.problem is many[0].problem for one in many
    ]


def gappy() -> pd.DataFrame:
    """People with labels, missing values and a column of single precision."""
    people = loans.people()
    debt = people["Debt"].where(people["Income"] % 4 > 0)
    home = pd.Categorical(np.where(people["Owns"], "own", "rent"), categories=["own", "rent", "free"])
    return people.assign(Debt=debt, Home=home)


def real_explanations() -> Iterator[Any]:
    """Explain people by explainers of every kind of result."""
    people, refused = loans.people(), loans.rejected().head(6)
    yield loans.explainer(plausibility=loans.detector()).explain_many(people.head(6))  # some favourable
    strict = (
        Policy.infer(people, protect=None)
        .fix("Rate", "Years", "Owns")
        .within(Income=(10, 20))
        .increase_only("Debt")
    )
    stuck = loans.explainer(policy=strict, max_changes=1, plausibility=None)
    for one in stuck.explain_many(refused):
        yield one
        if one.status is Status.NO_RECOURSE:
            yield stuck.relaxations(one)
    own = predicate(lambda rows: rows["Income"] > 0, name="own check")
    ruled = (
        Policy.infer(people, protect=None)
        .with_rules(linked("Income", "Years", counts="each"), own)
        .with_rules(implies({"Owns": True}, {"Debt": (None, 2)}))
        .display(Debt={"decimals": 0, "name": {"en": "debt"}})
    )
    yield loans.explainer(policy=ruled).explain_many(refused)
    yield loans.explainer().explain(refused.iloc[0], time_limit=0)
    yield loans.explainer(model=[loans.forest(), loans.forest()]).explain(refused.iloc[0])
    with_gaps = gappy()
    model = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype", random_state=0)
    unseen = with_gaps.head(3).assign(Home=pd.Categorical(["castle"] * 3))
    policy = Policy.infer(with_gaps, protect=None).allow_missing("Debt").keep_missing("Home")
    labelled = p2ce.Explainer(model.fit(with_gaps, loans.label()), with_gaps, target=1, policy=policy)
    yield labelled.explain_many(with_gaps.head(4))
    yield labelled.explain_many(unseen)
    line = LinearRegression().fit(people, 3.0 * loans.label())
    yield p2ce.Explainer(line, people, target=(2.0, math.inf)).explain(refused.iloc[0])


def test_real_explanations_survive_json() -> None:
    statuses = set()
    for held in real_explanations():
        check_round_trip(held)
        statuses |= {one.status for one in _explanations(held) if isinstance(one, Explanation)}
    assert {Status.OPTIMAL, Status.NO_RECOURSE, Status.ACCEPTED, Status.TIME_LIMIT} <= statuses


def test_the_published_schema_is_the_one_of_the_code() -> None:
    assert FILE.read_text(encoding="utf-8") == result_schema_text()  # else: python -m p2ce.result.schema
    SCHEMA.check_schema(json_schema())


@pytest.mark.parametrize("every", mostly_slow([1, 11], 11))
@pytest.mark.parametrize("name", HELD)
def test_no_mutation_ends_in_anything_but_one_error(name: str, every: int) -> None:
    read, data = type(HELD[name]).from_dict, HELD[name].to_dict()
    for _, changed in islice(mutations(data), 0, None, every):
        rejected_or(lambda changed=changed: read(changed))


def uses(held: Any) -> list[Any]:
    """List all that can be done with what was parsed."""
    found = [lambda: str(held), lambda: repr(held), held.to_dict]
    if hasattr(held, "to_frame"):
        found.append(lambda: held.to_frame(kind="pandas"))
    if hasattr(held, "_repr_html_"):
        found.append(held._repr_html_)
    if isinstance(held, Explanation):
        audiences = ("applicant", "officer", "auditor")
        found += [lambda who=who: p2ce.to_text(held, audience=who) for who in audiences]
        found += [held.pick, lambda: p2ce.to_html(held), lambda: p2ce.to_markdown(held)]
    return found


@pytest.mark.parametrize(
    ("name", "every"),
    mostly_slow(
        [("Explanation", 11), ("Explanations", 7), ("Relaxations", 3), *((name, 101) for name in HELD)],
        *((name, 101) for name in HELD),
        several=True,
    ),
)
def test_whatever_is_accepted_can_be_shown(name: str, every: int) -> None:
    read, data = type(HELD[name]).from_dict, HELD[name].to_dict()
    for _, changed in islice(mutations(data), 0, None, every):
        held = rejected_or(lambda changed=changed: read(changed))
        for use in uses(held) if held is not None else ():
            rejected_or(use)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("counterfactuals", 0, "costs", "changes"), "much", r"a number.*counterfactuals\[0\]\.costs"),
        (("counterfactuals", 0, "costs"), {}, r"counterfactuals\[0\]\.costs has no entry 'mean_distance'"),
        (("certificate", "cells"), -1, r"whole number.*certificate\.cells"),
        (("certificate", "grid"), "round", r"enum value.*certificate\.grid"),
        (("certificate", "rules", 0), {"rule": "linked"}, r"a rule such as.*certificate\.rules\[0\]"),
        (
            ("problem", "features", "LoanAmount", "name"),
            "Age",
            r"lists the feature 'Age' under the name 'LoanAmount'",
        ),
        (("columns",), ["Age", "Age"], "columns must be a list of different names"),
        (("dtypes", "Debt"), "int64", "dtypes has other columns"),
        (("target",), [True, 3], r"a number, got True.*target"),
    ],
)
def test_an_error_names_the_place_and_what_was_expected(path: Any, value: Any, place: str) -> None:
    data = json.loads(json.dumps(FULL.to_dict()))
    held = data
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = value
    with pytest.raises(errors.InvalidArgument, match=place):
        Explanation.from_dict(data)
    del data["problem"]
    many = {**MANY.to_dict(), "people": [data], "problem_of": [None], "labels": [1]}
    if path[0] != "problem":
        with pytest.raises(errors.InvalidArgument, match=place.replace("counterf", r"people\[0\].counterf")):
            Explanations.from_dict(many)


@pytest.mark.parametrize("data", [{}, {"format": "other"}, [1], {"format": "p2ce.explanation/1"}])
@pytest.mark.parametrize("name", ["Explanation", "Explanations", "Relaxations"])
def test_other_formats_are_rejected(name: str, data: Any) -> None:
    with pytest.raises(errors.InvalidArgument, match=r"expects a dict with format.*to_dict"):
        type(HELD[name]).from_dict(data)


def test_json_is_parsed_within_limits() -> None:
    text = json.dumps(FULL.to_dict())
    assert Explanation.from_json(text.encode()) == FULL
    with pytest.raises(errors.LimitExceeded, match=r"explanation_bytes is 100.*--limit explanation-bytes="):
        Explanation.from_json(text, limits=Limits(explanation_bytes=100))
    with pytest.raises(errors.LimitExceeded, match="explanation_depth is 3"):
        Explanation.from_json(text, limits=Limits(explanation_depth=3))


@pytest.mark.parametrize(
    "text",
    ["", "{", "NaN", "[" * 10**5, "1" * 10**5, '{"a":' * 10**5, "\ud800", b"\xff\xfe", HUGE_TEXT, 7, None],
)
def test_what_is_no_json(text: Any) -> None:
    with pytest.raises((errors.InvalidArgument, errors.LimitExceeded)) as caught:
        Explanation.from_json(text)
    assert tame(str(caught.value))


def test_half_of_a_surrogate_pair_is_one_line() -> None:
    """A cell of the person's own may hold one, and so may words, which are displayed by its code."""
    half = "a\ud800b"
    for change in (
        {"dtypes": {half: "int64"}, "columns": [half], "person": {half: 1}},
        {"scale": half},
        {half: 1},
    ):
        data = {**FULL.to_dict(), **change}
        for attempt in (Explanation.from_dict, lambda data: Explanation.from_json(json.dumps(data))):
            with pytest.raises(errors.InvalidArgument) as caught:
                attempt(data)
            assert tame(str(caught.value))
    for change in ({"message": half}, {"problem": {"policy": half}}, {"person": {"a": half}}):
        str(Explanation.from_json(json.dumps({**FULL.to_dict(), **change}))).encode()


def test_deep_values_are_rejected() -> None:
    with pytest.raises(errors.LimitExceeded):
        Explanation.from_dict({**FULL.to_dict(), "target": nested(10**4)})
    knot: list[Any] = []
    knot += [knot, knot]  # a parser of YAML may make such data
    with pytest.raises(errors.LimitExceeded):
        Explanation.from_dict({**FULL.to_dict(), "target": knot})


def test_each_question_is_written_once() -> None:
    one, other = ProblemRecord(policy="one"), ProblemRecord(policy="other")
    many = Explanations([explanation(problem=each) for each in (one, one, other, None, one)])
    plain = many.to_dict()
    assert [each["policy"] for each in plain["problems"]] == ["one", "other"]
    assert plain["problem_of"] == [0, 0, 1, None, 0]
    back = Explanations.from_dict(plain)
    assert back[0].problem is back[4].problem
    with pytest.raises(errors.InvalidArgument, match=r"problem_of\[1\] is 2, which is not a problem"):
        Explanations.from_dict({**plain, "problem_of": [0, 2, 1, None, 0]})


def test_a_file_of_the_command_line_may_hold_the_reason_for_no_option() -> None:
    data = {**MANY.to_dict(), "relaxations": WHY.to_dict()}
    SCHEMA.validate(json.loads(json.dumps(data)))
    assert Explanations.from_dict(data) == MANY


def test_numpy_scalars_become_plain() -> None:
    one = explanation(target=np.int64(1), person_score=np.float64(0.31), at_least=np.float32(0.5))
    assert Explanation.from_json(json.dumps(one.to_dict())) == one == explanation()


def test_rounded_values_are_kept() -> None:
    back = Explanation.from_dict(FULL.to_dict())
    assert back[0].rounded == {"LoanAmount": 5900}
    assert back != replace(FULL, counterfactuals=(replace(FULL[0], rounded={}, rounded_score=None),))
