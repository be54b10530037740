"""Each set of restrictions that is named opens a way, no part of it does, and none is left out."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.errors import InvalidArgument
from p2ce.result import WhyNone
from p2ce.rules import exclusive, together
from tests.explain.refusals import MODELS, RESTRICTIONS, THRESHOLD, Refusal, find_refusal
from tests.populations import loans
from tests.properties.amount import examples

refusals = st.builds(
    find_refusal,
    st.sampled_from(MODELS),
    st.integers(0, 10_000),
    st.lists(st.sampled_from(sorted(RESTRICTIONS)), min_size=1, max_size=4, unique=True).map(tuple),
    st.booleans(),
    st.integers(1, 2),
)


def accepts(refusal: Refusal, option: p2ce.Counterfactual) -> bool:
    """Ask the user's own model about an option."""
    row = pd.DataFrame([option.values])[list(refusal.frame.columns)].astype(refusal.frame.dtypes)
    model = refusal.model
    score = model.predict_proba(row)[0, 1] if hasattr(model, "predict_proba") else model(row)[0]
    return bool(score >= THRESHOLD)


@examples(12)
@given(refusal=refusals)
def test_exactly_the_smallest_sets_open_a_way(refusal: Refusal) -> None:
    why = refusal.why()
    opens: dict[frozenset[str], p2ce.Explanation] = {}
    sizes: dict[frozenset[str], tuple[frozenset[str], int, bool]] = {}
    for lifting in refusal.liftings():
        found = refusal.explain(*lifting)
        assert found.status in (p2ce.Status.OPTIMAL, p2ce.Status.NO_RECOURSE)
        sizes[refusal.texts(*lifting)] = lifting
        if len(found):
            opens[refusal.texts(*lifting)] = found
    smallest = {
        texts
        for texts in opens
        if not any(_is_less(sizes[other], sizes[texts]) for other in opens if other != texts)
    }
    # Steps and ranges of the data can be lifted as well, which gives further openings, and takes none away.
    known = frozenset().union(*sizes)
    relaxations = [relaxation for relaxation in why if known.issuperset(relaxation.restrictions)]
    assert {frozenset(relaxation.restrictions) for relaxation in relaxations} == smallest
    assert why.complete
    assert not why.undecided
    assert known <= set(why.considered)
    for relaxation in relaxations:
        cheapest = opens[frozenset(relaxation.restrictions)][0]
        assert relaxation.counterfactual == cheapest
        assert relaxation.proven
        assert accepts(refusal, relaxation.counterfactual)
        fixed = {feature.name for feature in refusal.actions().features if feature.fixed}
        assert not fixed & set(relaxation.counterfactual.changes)


def _is_less(one: tuple[frozenset[str], int, bool], other: tuple[frozenset[str], int, bool]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1] and one[2] >= other[2]


@examples(5)
@given(refusal=refusals)
def test_no_time_leaves_everything_undecided(refusal: Refusal) -> None:
    why = refusal.why(time_limit=0)
    assert not why.relaxations
    assert not why.complete
    alone = [text for text in why.considered if not text.endswith(f"(instead {refusal.max_changes + 2})")]
    assert sorted(why.undecided) == sorted((text,) for text in alone)


@examples(5)
@given(refusal=refusals, seconds=st.floats(0.0, 0.4))
def test_a_short_time_claims_nothing_wrong(refusal: Refusal, seconds: float) -> None:
    full, part = refusal.why(), refusal.why(time_limit=seconds)
    smallest = {frozenset(relaxation.restrictions) for relaxation in full}
    open_sets = [set(texts) for texts in part.undecided]
    for relaxation in part:
        if relaxation.proven:
            assert frozenset(relaxation.restrictions) in smallest
        assert accepts(refusal, relaxation.counterfactual)
    if part.complete:
        assert {frozenset(relaxation.restrictions) for relaxation in part} == smallest
    else:
        assert open_sets


@cache
def narrow() -> p2ce.ActionSet:
    """Leave people little room: what helps is out of range or the wrong way."""
    actions = p2ce.ActionSet.infer(loans.people()).fix("Rate", "Years", "Owns")
    return actions.within(Income=(10, 20)).increase_only("Debt")


@cache
def loan_explainer(**changed: Any) -> p2ce.Explainer:
    return loans.explainer(actions=narrow(), max_changes=1, plausibility=None, **changed)


@cache
def stuck() -> p2ce.Explanation:
    """Give somebody's proof that there is no option."""
    explainer = loan_explainer()
    answers = (explainer.explain(row) for _, row in loans.refused().iterrows())
    return next(answer for answer in answers if answer.status is p2ce.Status.NO_RECOURSE)


def test_it_reads_well_and_survives_json() -> None:
    why = loan_explainer().why_none(stuck())
    assert why.considered == (
        "at most 1 change (instead 2)",
        "Debt only increases",
        "Income within 10–20 (instead 10–59, as far as the data go)",
    )
    assert why.complete
    assert why.person == stuck().person
    assert why.dtypes == stuck().dtypes
    assert why.objectives == stuck().objectives
    assert all(list(relaxation.counterfactual.costs) == list(why.objectives) for relaxation in why)
    assert WhyNone.from_dict(json.loads(json.dumps(why.to_dict()))) == why
    assert len(why.to_frame()) == len(why)


def test_the_same_twice_and_from_a_stored_explanation() -> None:
    stored = p2ce.Explanation.from_dict(json.loads(json.dumps(stuck().to_dict())))
    assert loan_explainer().why_none(stored) == loan_explainer().why_none(stuck())


def test_the_limit_is_the_one_that_was_asked_for() -> None:
    explainer = loans.explainer(actions=narrow(), max_changes=3, plausibility=None)
    once = explainer.explain(stuck().person, max_changes=1)
    assert explainer.why_none(once) == loan_explainer().why_none(stuck())


def test_the_papers_algorithms_find_the_same_reasons() -> None:
    by_paper = loan_explainer(method=p2ce.paper.P2CE(bound="tree"))
    found = by_paper.why_none(by_paper.explain(stuck().person))
    expected = loan_explainer().why_none(stuck())
    assert found.considered == expected.considered
    assert [one.restrictions for one in found] == [one.restrictions for one in expected]
    assert [one.counterfactual.costs for one in found] == [one.counterfactual.costs for one in expected]


def test_only_a_proof_that_there_is_none_has_a_reason() -> None:
    explainer = loan_explainer()
    with pytest.raises(InvalidArgument, match=r"takes what explain\(\) returned, got dict"):
        explainer.why_none({"status": "NO_RECOURSE"})  # type: ignore[arg-type]
    for status, words in {
        p2ce.Status.TIME_LIMIT: "TIME_LIMIT: nothing is proven. Explain the person with a longer",
        p2ce.Status.HEURISTIC: "HEURISTIC: nothing is proven, since an estimate",
        p2ce.Status.ALREADY_FAVOURABLE: "ALREADY_FAVOURABLE: the person needs no change",
        p2ce.Status.ERROR: "could not be explained",
    }.items():
        with pytest.raises(InvalidArgument, match=words):
            explainer.why_none(replace(stuck(), status=status))
    for because, words in {"estimate": "an estimate cut the search", "misprint": "ran as printed"}.items():
        certificate = replace(stuck().certificate, method="p2ce", unproven_because=because)
        by_paper = loan_explainer(method=p2ce.paper.P2CE(bound="tree"))
        unproven = replace(by_paper.explain(stuck().person), status=p2ce.Status.HEURISTIC)
        with pytest.raises(InvalidArgument, match=f"{words}. Make an explainer with method='exact'"):
            by_paper.why_none(replace(unproven, certificate=certificate))
    free = loans.explainer(plausibility=None)
    with pytest.raises(InvalidArgument, match="OPTIMAL: it has options"):
        free.why_none(free.explain(loans.refused().iloc[0]))
    with pytest.raises(InvalidArgument, match="time_limit is a number of seconds"):
        explainer.why_none(stuck(), time_limit=-1)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"threshold": 0.4}, "threshold was more than 0.5, and is 0.4"),
        ({"objectives": "changes"}, "objectives was"),
        ({"plausibility": p2ce.IsolationForest(n_estimators=5)}, "detector was none"),
        ({"actions": None}, "its policy is another"),
        ({"reference": loans.people().drop(columns="Years")}, "its columns are others"),
    ],
    ids=lambda value: "",
)
def test_an_explanation_of_another_question_is_refused(changed: dict[str, Any], words: str) -> None:
    if "reference" in changed:
        people = changed["reference"]
        model = type(loans.forest())(5, random_state=0).fit(people, loans.label())
        changed = {"reference": people, "model": model, "actions": p2ce.ActionSet.infer(people)}
    asked = {"actions": narrow(), "max_changes": 1, "plausibility": None, **changed}
    with pytest.raises(InvalidArgument, match=words):
        loans.explainer(**asked).why_none(stuck())


def test_another_model_is_noticed() -> None:
    other = type(loans.forest())(12, max_depth=5, random_state=3).fit(loans.people(), loans.label())
    explainer = loans.explainer(model=other, actions=narrow(), max_changes=1, plausibility=None)
    with pytest.raises(InvalidArgument, match="its model is another"):
        explainer.why_none(stuck())


def test_a_wrong_proof_is_noticed() -> None:
    explainer = loans.explainer(plausibility=None)
    answer = explainer.explain(loans.refused().iloc[0])
    forged = replace(answer, status=p2ce.Status.NO_RECOURSE, counterfactuals=())
    # Without a limit there is nothing to lift here, and the start itself is looked at.
    with pytest.raises(InvalidArgument, match="here the person has options"):
        explainer.why_none(forged)


def test_what_is_protected_is_never_named() -> None:
    actions = narrow().protect("Owns").rule(together("Income", "Debt"), exclusive("Income", "Owns"))
    explainer = loans.explainer(actions=actions, max_changes=1, plausibility=None)
    why = explainer.why_none(explainer.explain(stuck().person))
    assert "together" in " ".join(why.considered)
    assert not any("Owns" in text for text in why.considered)


def test_a_missing_value_may_be_filled() -> None:
    people = loans.people().assign(Debt=lambda frame: frame["Debt"].where(frame["Income"] % 3 > 0))
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(people, loans.label())
    actions = p2ce.ActionSet.infer(people).fix("Income", "Rate", "Years", "Owns").keep_missing("Debt")
    explainer = p2ce.Explainer(model, people, actions=actions, plausibility=None)
    lacking = people[people["Debt"].isna() & (model.predict(people) == 0)]
    whys = [explainer.why_none(explainer.explain(row)) for _, row in lacking.head(12).iterrows()]
    assert all(why.considered == ("Debt stays missing",) and why.complete for why in whys)
    opened = [relaxation for why in whys for relaxation in why]
    assert opened
    assert all(relaxation.kinds == ("missing",) for relaxation in opened)
    assert all(np.isnan(relaxation.counterfactual.changes["Debt"][0]) for relaxation in opened)


def test_nothing_to_lift() -> None:
    actions = p2ce.ActionSet.infer(loans.people()).fix("Income", "Debt", "Rate", "Owns")
    explainer = loans.explainer(actions=actions, plausibility=None)
    answers = [explainer.explain(row) for _, row in loans.refused().head(30).iterrows()]
    why = explainer.why_none(next(one for one in answers if one.status is p2ce.Status.NO_RECOURSE))
    assert why.considered == ()
    assert why.complete
    assert not len(why)


def test_values_that_the_model_refuses_are_no_way_out() -> None:
    people = loans.people().assign(Years=lambda frame: 2 * frame["Years"])
    encoder = make_column_transformer((OneHotEncoder(), ["Years"]), remainder="passthrough")
    model = make_pipeline(encoder, LogisticRegression(max_iter=2_000)).fit(people, loans.label())
    # The encoder knows even years only; steps of one meet others as well.
    actions = p2ce.ActionSet.infer(people).fix("Income", "Debt", "Rate", "Owns").step(Years=1)
    explainer = p2ce.Explainer(model, people, actions=actions.values(Years=[0, 2]), plausibility=None)
    answers = [explainer.explain(row) for _, row in people[model.predict(people) == 0].head(30).iterrows()]
    why = explainer.why_none(next(one for one in answers if one.status is p2ce.Status.NO_RECOURSE))
    assert why.considered == ()


def test_a_model_that_changed_proves_nothing() -> None:
    model = DecisionTreeClassifier(max_depth=6, random_state=0).fit(loans.people(), loans.label())
    explainer = loans.explainer(model=model, actions=narrow(), max_changes=1, plausibility=None)
    answers = [explainer.explain(row) for _, row in loans.refused().iterrows()]
    answer = next(one for one in answers if one.status is p2ce.Status.NO_RECOURSE)
    assert len(explainer.why_none(answer))
    model.tree_.value[:, 0] = [1.0, 0.0]  # from now on it accepts nobody
    why = explainer.why_none(answer)
    assert not why.complete
    assert not why.relaxations
    assert why.undecided
