"""Each set of restrictions that is named gives an option if lifted, no part does, none is left out."""

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
from p2ce import Status
from p2ce.errors import InvalidArgument
from p2ce.result import Relaxations, Restriction
from p2ce.rules import change_at_most_one, together
from tests.populations import loans
from tests.properties.amount import examples
from tests.run.infeasible import MODELS, RESTRICTIONS, THRESHOLD, Infeasible, find_infeasible, texts

infeasible = st.builds(
    find_infeasible,
    st.sampled_from(MODELS),
    st.integers(0, 10_000),
    st.lists(st.sampled_from(sorted(RESTRICTIONS)), min_size=1, max_size=3, unique=True).map(tuple),
    st.booleans(),
    st.integers(1, 2),
)


def accepts(case: Infeasible, option: p2ce.result.Counterfactual) -> bool:
    """Evaluate the user's own model."""
    row = pd.DataFrame([option.values])[list(case.frame.columns)].astype(case.frame.dtypes)
    model = case.model
    score = model.predict_proba(row)[0, 1] if hasattr(model, "predict_proba") else model(row)[0]
    return bool(score >= THRESHOLD)


@examples(6)  # each explains up to 48 relaxed problems
@given(case=infeasible)
def test_exactly_the_smallest_sets_are_named(case: Infeasible) -> None:
    why = case.why()
    opens: dict[frozenset[str], p2ce.Explanation] = {}
    sizes: dict[frozenset[str], tuple[frozenset[str], int, bool]] = {}
    for lifting in case.liftings():
        found = case.explain(*lifting)
        assert found.status in (p2ce.Status.OPTIMAL, p2ce.Status.NO_RECOURSE)
        sizes[case.texts(*lifting)] = lifting
        if len(found):
            opens[case.texts(*lifting)] = found
    smallest = {
        lifted
        for lifted in opens
        if not any(_is_less(sizes[other], sizes[lifted]) for other in opens if other != lifted)
    }
    # Steps and ranges of the data can be lifted as well, which gives further relaxations.
    known = frozenset().union(*sizes)
    relaxations = [relaxation for relaxation in why if known.issuperset(texts(relaxation.restrictions))]
    assert {texts(relaxation.restrictions) for relaxation in relaxations} == smallest
    assert why.complete
    assert not why.undecided
    assert known <= texts(why.considered)
    for relaxation in relaxations:
        cheapest = opens[texts(relaxation.restrictions)][0]
        assert relaxation.counterfactual == cheapest
        assert relaxation.proven
        assert accepts(case, relaxation.counterfactual)
        fixed = {feature.name for feature in case.policy().features if feature.fixed}
        assert not fixed & set(relaxation.counterfactual.changes)


def _is_less(one: tuple[frozenset[str], int, bool], other: tuple[frozenset[str], int, bool]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1] and one[2] >= other[2]


@examples(3)
@given(case=infeasible, seconds=st.floats(0.0, 0.4))
def test_a_short_time_claims_nothing_wrong(case: Infeasible, seconds: float) -> None:
    full, part = case.why(), case.why(time_limit=seconds)
    smallest = {texts(relaxation.restrictions) for relaxation in full}
    for relaxation in part:
        if relaxation.proven:
            assert texts(relaxation.restrictions) in smallest
        assert accepts(case, relaxation.counterfactual)
    if part.complete:
        assert {texts(relaxation.restrictions) for relaxation in part} == smallest
    else:
        assert part.undecided


@cache
def narrow() -> p2ce.Policy:
    """Leave people little room: what helps is out of range or the wrong way."""
    policy = p2ce.Policy.infer(loans.people(), protect=None).fix("Rate", "Years", "Owns")
    return policy.within(Income=(10, 20)).increase_only("Debt")


@cache
def loan_explainer(**changed: Any) -> p2ce.Explainer:
    return loans.explainer(policy=narrow(), max_changes=1, plausibility=None, **changed)


@cache
def stuck() -> p2ce.Explanation:
    """Return someone's proof that there is no option."""
    explainer = loan_explainer()
    results = (explainer.explain(row) for _, row in loans.rejected().iterrows())
    return next(explanation for explanation in results if explanation.status is p2ce.Status.NO_RECOURSE)


def test_it_reads_well_and_survives_json() -> None:
    why = loan_explainer().relaxations(stuck())
    assert why.considered == (
        Restriction(kind="changes", most=1, instead=2),
        Restriction(kind="direction", feature="Debt", direction="up"),
        Restriction(kind="range", feature="Income", low=10, high=20, wider_low=10, wider_high=59),
    )
    assert why.complete
    assert why.person == stuck().person
    assert why.dtypes == stuck().dtypes
    assert why.objectives == stuck().objectives
    assert all(list(relaxation.counterfactual.costs) == list(why.objectives) for relaxation in why)
    assert Relaxations.from_dict(json.loads(json.dumps(why.to_dict()))) == why
    assert len(why.to_frame()) == len(why)


UNPROVEN = {
    Status.TIME_LIMIT: "TIME_LIMIT: nothing is proven. Explain the person with a longer",
    Status.HEURISTIC: "HEURISTIC: nothing is proven, since an estimate",
    Status.ACCEPTED: "ACCEPTED: the person needs no change",
    Status.ERROR: "could not be explained",
}


@pytest.mark.parametrize("status", UNPROVEN, ids=str)
def test_only_a_proof_that_there_is_none_has_a_reason(status: Status) -> None:
    with pytest.raises(InvalidArgument, match=UNPROVEN[status]):
        loan_explainer().relaxations(replace(stuck(), status=status))


@pytest.mark.parametrize(
    ("because", "words"), [("estimate", "an estimate cut the search"), ("misprint", "ran as printed")]
)
def test_a_search_of_the_papers_that_proves_nothing_has_no_reason(because: str, words: str) -> None:
    certificate = replace(stuck().certificate, method="p2ce", unproven_because=because)
    by_paper = loan_explainer(method=p2ce.paper.P2CE(bound="tree"))
    unproven = replace(by_paper.explain(stuck().person), status=Status.HEURISTIC)
    with pytest.raises(InvalidArgument, match=f"{words}. Make an explainer with method='exact'"):
        by_paper.relaxations(replace(unproven, certificate=certificate))


def test_a_time_limit_is_a_number_of_seconds() -> None:
    with pytest.raises(InvalidArgument, match="time_limit must be a number of seconds"):
        loan_explainer().relaxations(stuck(), time_limit=-1)


def test_a_wrong_proof_is_noticed() -> None:
    explainer = loans.explainer(plausibility=None)
    explanation = explainer.explain(loans.rejected().iloc[0])
    forged = replace(explanation, status=p2ce.Status.NO_RECOURSE, counterfactuals=())
    # Without a limit there is nothing to lift here, and the start itself is looked at.
    with pytest.raises(InvalidArgument, match="here the person has options"):
        explainer.relaxations(forged)


def test_what_is_protected_is_never_named() -> None:
    policy = (
        narrow().protect("Owns").with_rules(together("Income", "Debt"), change_at_most_one("Income", "Owns"))
    )
    explainer = loans.explainer(policy=policy, max_changes=1, plausibility=None)
    why = explainer.relaxations(explainer.explain(stuck().person))
    assert "together" in [one.rule["rule"] for one in why.considered if one.rule is not None]
    assert not any("Owns" in text for text in texts(why.considered))


def test_a_missing_value_may_be_filled() -> None:
    people = loans.people().assign(Debt=lambda frame: frame["Debt"].where(frame["Income"] % 3 > 0))
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(people, loans.label())
    policy = (
        p2ce.Policy.infer(people, protect=None).fix("Income", "Rate", "Years", "Owns").keep_missing("Debt")
    )
    explainer = p2ce.Explainer(model, people, policy=policy, target=1, plausibility=None)
    lacking = people[people["Debt"].isna() & (model.predict(people) == 0)]
    whys = [explainer.relaxations(explainer.explain(row)) for _, row in lacking.head(12).iterrows()]
    assert all(
        why.considered == (Restriction(kind="missing", feature="Debt"),) and why.complete for why in whys
    )
    opened = [relaxation for why in whys for relaxation in why]
    assert opened
    assert all([one.kind for one in relaxation.restrictions] == ["missing"] for relaxation in opened)
    assert all(np.isnan(relaxation.counterfactual.changes["Debt"][0]) for relaxation in opened)


def test_values_that_the_model_rejects_are_no_relaxation() -> None:
    people = loans.people().assign(Years=lambda frame: 2 * frame["Years"])
    encoder = make_column_transformer((OneHotEncoder(), ["Years"]), remainder="passthrough")
    model = make_pipeline(encoder, LogisticRegression(max_iter=2_000)).fit(people, loans.label())
    # The encoder knows even years only; steps of one meet others as well.
    policy = p2ce.Policy.infer(people, protect=None).fix("Income", "Debt", "Rate", "Owns").step(Years=1)
    explainer = p2ce.Explainer(
        model, people, policy=policy.candidates(Years=[0, 2]), target=1, plausibility=None
    )
    results = [explainer.explain(row) for _, row in people[model.predict(people) == 0].head(30).iterrows()]
    why = explainer.relaxations(next(one for one in results if one.status is p2ce.Status.NO_RECOURSE))
    assert why.considered == ()


def test_a_model_that_changed_proves_nothing() -> None:
    model = DecisionTreeClassifier(max_depth=6, random_state=0).fit(loans.people(), loans.label())
    explainer = loans.explainer(model=model, policy=narrow(), max_changes=1, plausibility=None)
    results = [explainer.explain(row) for _, row in loans.rejected().iterrows()]
    explanation = next(one for one in results if one.status is p2ce.Status.NO_RECOURSE)
    assert len(explainer.relaxations(explanation))
    model.tree_.value[:, 0] = [1.0, 0.0]  # from now on it accepts no one
    why = explainer.relaxations(explanation)
    assert not why.complete
    assert not why.relaxations
    assert why.undecided
