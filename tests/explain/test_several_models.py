"""A list of models means that all of them accept; a margin means that they do so with room to spare."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import p2ce
from p2ce.result.outcome_text import shown_end
from p2ce.result.status import Status
from tests.oracle import assert_is_front, brute_force_front, no_cheaper
from tests.populations import loans
from tests.populations.small_models import COMPILED, EXTERNAL, Family, score_of
from tests.properties.amount import examples

Scorer = Callable[[pd.DataFrame], np.ndarray]
COLUMNS = list(loans.people().columns)
CHOICES = {
    "Income": [12, 24, 36, 48],
    "Debt": [-3.0, -1.0, 1.0, 3.0],
    "Rate": [0.0, 0.5, 1.0],
    "Years": [0, 5, 10],
}


def few() -> p2ce.ActionSet:
    return p2ce.ActionSet.infer(loans.people()).values(CHOICES)


def function(rows: pd.DataFrame) -> np.ndarray:
    """Accept in bands, which no other model here does."""
    return np.asarray(0.5 + 0.4 * np.sin(rows["Income"] / 9.0 - rows["Debt"]), dtype=np.float64)


MODELS: dict[str, Family] = {
    "LightGBM": COMPILED["LightGBM"],
    "network": EXTERNAL["tanh network"],
    "function": Family(fit=lambda *_: function),
    "neighbours": EXTERNAL["neighbours"],
    "machine": EXTERNAL["rbf machine"],
    "linear": COMPILED["scaled logistic regression"],
    "forest": COMPILED["random forest"],
    "naive Bayes": EXTERNAL["naive Bayes"],
}


@cache
def model(name: str, *, backwards: bool = False) -> Any:
    """Fit a model on other labels than its neighbours', so that they disagree."""
    people = loans.people()
    rng = np.random.default_rng(sorted(MODELS).index(name))
    label = np.where(rng.random(len(people)) < 0.15, 1 - loans.label(), loans.label())
    columns = COLUMNS[::-1] if backwards else COLUMNS
    return MODELS[name].fit(people[columns], label, 2)  # a seed that gives five neighbours: no ties


def scorer(fitted: Any) -> Scorer:
    """Score rows by a model in its own columns."""
    score = score_of(fitted)
    return lambda rows: score(rows[list(getattr(fitted, "feature_names_in_", rows))])


def usual(fitted: Any) -> float:
    if isinstance(fitted, KNeighborsClassifier | RandomForestClassifier):
        return float(np.nextafter(0.5, 1.0))  # votes: a tie goes to class 0
    return 0.0 if isinstance(fitted, SVC) else 0.5


def all_accept(fitted: Sequence[Any], thresholds: Sequence[float]) -> Scorer:
    """Give 1 to rows that every model accepts, else 0."""

    def accepted(rows: pd.DataFrame) -> np.ndarray:
        verdicts = [scorer(one)(rows) >= least for one, least in zip(fitted, thresholds, strict=True)]
        return np.all(verdicts, axis=0).astype(float)

    return accepted


def explainer(models: Any, **changed: Any) -> p2ce.Explainer:
    asked = {"actions": few(), "plausibility": None, "objectives": ["mean_distance", "changes"], **changed}
    return p2ce.Explainer(models, loans.people(), **asked)


def someone(number: int, refused: Scorer) -> dict[str, Any]:
    people = loans.people()
    some = people[refused(people) < 1.0]
    return some.iloc[number % len(some)].to_dict()


def assert_all_accept(
    found: p2ce.Explanation, person: dict[str, Any], accepted: Scorer, max_changes: int | None, ties: bool
) -> None:
    truth = brute_force_front(
        person,
        loans.people(),
        few(),
        accepts=lambda rows: accepted(rows) == 1.0,
        max_changes=max_changes,
        objectives=found.objectives,
    )
    assert_is_front(found, truth, ties=ties)


NAMES = st.lists(st.sampled_from(sorted(MODELS)), min_size=1, max_size=3, unique=True)


@examples(40)
@given(
    names=NAMES,
    backwards=st.lists(st.booleans(), min_size=3, max_size=3),
    shift=st.lists(st.sampled_from([-0.1, 0.0, 0.1]), min_size=3, max_size=3),
    given_thresholds=st.booleans(),
    person=st.integers(0, 200),
    max_changes=st.sampled_from([1, 2, 3, None]),
    ties=st.booleans(),
)
def test_the_front_is_that_of_all_models_together(
    names: list[str],
    backwards: list[bool],
    shift: list[float],
    given_thresholds: bool,
    person: int,
    max_changes: int | None,
    ties: bool,
) -> None:
    fitted = [model(name, backwards=back) for name, back in zip(names, backwards, strict=False)]
    thresholds = [
        usual(one) + (by if given_thresholds else 0.0) for one, by in zip(fitted, shift, strict=False)
    ]
    accepted = all_accept(fitted, thresholds)
    row = someone(person, accepted)
    found = explainer(
        fitted,
        threshold=thresholds if given_thresholds else None,
        max_changes=max_changes,
        ties=ties,
    ).explain(row)
    assert_all_accept(found, row, accepted, max_changes, ties)
    # What is reported is the model that is hardest to please.
    terms = {(isinstance(one, SVC), shown_end(least)) for one, least in zip(fitted, thresholds, strict=True)}
    same = len(terms) == 1
    for option in found:
        frame = pd.DataFrame([option.values]).astype(loans.people().dtypes.to_dict())
        scores = [float(scorer(one)(frame)[0]) for one in fitted]
        room = [score - least for score, least in zip(scores, thresholds, strict=True)]
        assert option.score == pytest.approx(min(scores) if same else min(room), abs=1e-6)
        assert option.score >= found.threshold
    assert found.threshold == (max(thresholds) if same else 0.0)


@examples(15)
@given(names=st.permutations(sorted(MODELS)), person=st.integers(0, 200), count=st.integers(1, 2))
def test_one_more_model_never_lowers_a_cost(names: list[str], person: int, count: int) -> None:
    fitted = [model(name) for name in names[: count + 1]]
    row = someone(person, all_accept(fitted[:count], [usual(one) for one in fitted[:count]]))
    fewer = explainer(fitted[:count]).explain(row)
    more = explainer(fitted).explain(row)
    assert no_cheaper(more, fewer)
    assert fewer.status is not Status.NO_RECOURSE or more.status is Status.NO_RECOURSE


@examples(10)
@given(names=NAMES, person=st.integers(0, 200), turn=st.integers(0, 2))
def test_the_order_of_models_is_irrelevant(names: list[str], person: int, turn: int) -> None:
    fitted = [model(name) for name in names]
    row = someone(person, all_accept(fitted, [usual(one) for one in fitted]))
    turned = fitted[turn % len(fitted) :] + fitted[: turn % len(fitted)]
    found, other = explainer(fitted).explain(row), explainer(turned).explain(row)
    assert other.status is found.status
    assert [option.changes for option in other] == [option.changes for option in found]
    assert [option.score for option in other] == pytest.approx([option.score for option in found])


@pytest.mark.parametrize("name", MODELS)
def test_a_list_of_one_is_that_one(name: str) -> None:
    fitted = model(name)
    row = someone(3, all_accept([fitted], [usual(fitted)]))
    alone, listed = explainer(fitted).explain(row), explainer([fitted]).explain(row)
    twice = explainer((fitted, fitted)).explain(row)
    for other in (listed, twice):
        assert other.status is alone.status
        assert other.counterfactuals == alone.counterfactuals
    assert listed.certificate.to_dict() == alone.certificate.to_dict()


@examples(20)
@given(
    name=st.sampled_from(sorted(MODELS)),
    second=st.sampled_from([None, *sorted(MODELS)]),
    margin=st.sampled_from([0.0, 0.05, 0.2]),
    person=st.integers(0, 200),
)
def test_a_margin_is_a_higher_threshold_and_never_cheaper(
    name: str, second: str | None, margin: float, person: int
) -> None:
    fitted = [model(one) for one in (name, second) if one is not None]
    least = [shown_end(usual(one)) if margin else usual(one) for one in fitted]  # a margin settles ties
    row = someone(person, all_accept(fitted, [one + margin for one in least]))
    wider = explainer(fitted, margin=margin).explain(row)
    raised = explainer(fitted, threshold=[one + margin for one in least]).explain(row)
    assert wider.status is raised.status
    assert wider.counterfactuals == raised.counterfactuals
    assert wider.threshold == raised.threshold
    without = explainer(fitted).explain(row)
    if without.status is not Status.ALREADY_FAVOURABLE:
        assert no_cheaper(wider, without)


def test_whom_one_accepts_and_another_refuses_is_answered() -> None:
    first, second = model("LightGBM"), model("neighbours")
    people = loans.people()
    yes, no = scorer(first)(people) >= 0.5, scorer(second)(people) < 0.5
    torn = people[yes & no]
    assert len(torn) >= 3
    assert set(explainer(first).explain_many(torn).statuses) == {Status.ALREADY_FAVOURABLE}
    for models in ([first, second], [second, first]):
        found = explainer(models).explain_many(torn)
        assert Status.ALREADY_FAVOURABLE not in found.statuses
        for one in found:
            assert one.status in (Status.OPTIMAL, Status.NO_RECOURSE)
            assert one.person_score < 0.5
    both = people[(scorer(first)(people) >= 0.5) & (scorer(second)(people) >= 0.5)]
    assert set(explainer([first, second]).explain_many(both).statuses) == {Status.ALREADY_FAVOURABLE}


def test_the_certificate_names_every_model_and_bound() -> None:
    mixed = [model("LightGBM"), model("network"), model("function")]
    row = someone(0, all_accept(mixed, [0.5] * 3))
    found = explainer(mixed).explain(row)
    assert found.certificate.bound == "tree leaves, network, complete"
    assert found.certificate.model_family.count(" and ") == 2
    assert "black box (function)" in found.certificate.model_family


def test_a_proposal_has_to_please_all_of_them() -> None:
    fitted = [model("LightGBM"), model("linear"), model("function")]
    asking = explainer(fitted)
    row = someone(1, all_accept(fitted, [0.5] * 3))
    for option in asking.explain(row):
        assert asking.check(row, option.values).valid
        assert asking.check(row, option.values).score == pytest.approx(option.score)
    people = loans.people()
    verdict = all_accept(fitted, [0.5] * 3)(people)
    for position in range(0, len(people), 20):
        judged = asking.check(row, people.iloc[position].to_dict())
        assert judged.valid == bool(verdict[position])


@pytest.mark.parametrize("names", [("LightGBM", "linear"), ("linear", "function"), ("network", "linear")])
def test_someone_far_out_is_answered_by_several_models_too(names: tuple[str, str]) -> None:
    """Linear models are read anew for values that the reference does not show."""
    fitted = [model(name) for name in names]
    row = someone(2, all_accept(fitted, [0.5, 0.6])) | {"Debt": 1e9}
    found = explainer(fitted, threshold=[0.5, 0.6]).explain(row)
    assert_all_accept(found, row, all_accept(fitted, [0.5, 0.6]), 3, ties=False)


@pytest.mark.parametrize(
    "search",
    [{"bound": p2ce.ShapEstimate(people=10, background=4, rows=2)}, {"method": "p2ce"}],
    ids=["ours", "paper"],
)
def test_an_estimate_of_several_models_shows_what_all_accept(search: dict[str, Any]) -> None:
    fitted = [model("LightGBM"), model("function"), model("machine")]
    accepted = all_accept(fitted, [0.5, 0.5, 0.0])
    people = loans.people()
    some = people[accepted(people) < 1.0].iloc[:8]
    found = explainer(fitted, **search).explain_many(some)
    assert set(found.statuses) == {Status.HEURISTIC}
    exact = explainer(fitted).explain_many(some)
    for one, whole in zip(found, exact, strict=True):
        assert no_cheaper(one, whole)
        for option in one:
            frame = pd.DataFrame([option.values]).astype(people.dtypes.to_dict())
            assert accepted(frame)[0] == 1.0
    assert any(len(one) for one in found)
