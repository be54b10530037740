"""An explainer that prunes by an estimate: what its certificate says, and when it is calibrated anew."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.explainer import problems_of
from p2ce.result.certificate import Status
from tests.populations import loans

SMALL = {"sample_size": 12, "background": 4, "rows_per_candidate": 2}


class Counted:
    """A model in which features do things together; it counts the rows that it evaluates."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        self.rows += len(rows)
        margin = (
            rows["Income"] / 12.0 - rows["Debt"] * (1.0 + rows["Rate"]) + rows["Owns"] * rows["Years"] / 4
        )
        return np.asarray(1.0 / (1.0 + np.exp(4.5 - margin.to_numpy(dtype=np.float64))))


def explainer(model: Any = None, **changed: Any) -> p2ce.Explainer:
    arguments = {"policy": loans.few(), "plausibility": None, "bound": p2ce.ShapEstimate(**SMALL), **changed}
    return p2ce.Explainer(Counted() if model is None else model, loans.people(), **{"target": 1, **arguments})


def rejected() -> pd.DataFrame:
    return loans.rejected_by(Counted())


def same(found: Any, other: Any) -> bool:
    """Compare all that was found, whatever the problem was."""
    return [one.to_dict(problem=False) for one in found] == [one.to_dict(problem=False) for one in other]


def test_the_certificate_says_how_often_by_whom_and_from_what() -> None:
    found = explainer(bound=p2ce.ShapEstimate(**SMALL | {"miss_rate": 0.1})).explain(rejected().iloc[0])
    certificate = found.certificate
    assert found.status is Status.HEURISTIC
    assert not certificate.proven
    assert certificate.bound == "shap"
    assert certificate.estimate.sample_size == 12
    assert certificate.estimate.miss_rate == pytest.approx(
        1 / 13
    )  # the first below one in ten that 12 people bear out
    assert certificate.estimate.method == "sampling"
    assert np.isfinite(certificate.estimate.residual)
    assert certificate.pruned.keys() >= {"estimate"}
    assert certificate.model_family == "black box (Counted)"
    again = p2ce.Explanation.from_dict(found.to_dict())
    assert again.certificate == certificate


def test_proofs_have_no_rate() -> None:
    certificate = explainer(bound="auto").explain(rejected().iloc[0]).certificate
    assert certificate.proven
    assert certificate.estimate is None
    assert "estimate" not in certificate.pruned


def test_nothing_found_proves_that_nothing_is_there_only_if_nothing_was_pruned() -> None:
    for found in explainer(at_least=1.0).explain_many(rejected().iloc[:20]):
        assert len(found) == 0
        pruned_any = found.certificate.pruned["estimate"] > 0
        assert found.status is (Status.HEURISTIC if pruned_any else Status.NO_RECOURSE)
        assert found.certificate.unproven_because == ("estimate" if pruned_any else None)


def test_it_is_calibrated_once() -> None:
    model = Counted()
    made = explainer(model)
    cold = model.rows
    made.warm_up()
    warm = model.rows
    assert warm > cold
    made.warm_up()
    again = model.rows - warm
    assert again < (warm - cold) / 4
    person = rejected().iloc[0]
    model.rows = 0
    made.explain(person)
    once = model.rows
    made.explain(person)
    assert model.rows == 2 * once
    assert once < warm - cold


def test_an_override_is_calibrated_for_its_own_problem() -> None:
    spec = p2ce.ShapEstimate(**SMALL)
    model = Counted()
    made = explainer(model, bound=spec)
    person = rejected().iloc[0]
    usual = made.explain(person)
    model.rows = 0
    assert same([made.explain(person)], [usual])
    at_once = model.rows
    fixed = loans.few().fix("Income")
    for changed in ({"max_changes": 1}, {"max_changes": None}, {"policy": fixed}):
        model.rows = 0
        found = made.explain(person, **changed)
        assert model.rows > 2 * at_once
        expected = explainer(**{"bound": spec, **changed}).explain(person)
        assert same([found], [expected])
        assert found.status is Status.HEURISTIC
        assert found.certificate.estimate.sample_size == 12
    assert same([made.explain(person)], [usual])
    assert same([made.explain(person, max_changes=3)], [usual])


SEARCHES: dict[str, dict[str, Any]] = {
    "auto": {"bound": "auto"},
    "shap": {"bound": p2ce.ShapEstimate(**SMALL)},
    "paper": {"bound": "auto", "method": p2ce.paper.P2CE(background=20)},
}


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("search", SEARCHES)
def test_explainers_travel_with_their_estimate(search: str, warm: bool) -> None:
    model = Counted()
    made = explainer(model, **SEARCHES[search])
    people = rejected().iloc[:6]
    expected = made.explain_many(people) if warm else None
    copied = pickle.loads(pickle.dumps(made))
    if warm:
        assert (problems_of(copied).own.estimate is None) == (search != "shap")
        assert (problems_of(copied).own.attributions is None) == (search != "paper")
    found = copied.explain_many(people)
    assert same(found, made.explain_many(people) if expected is None else expected)


def test_whoever_is_not_solved_to_the_end_does_not_flatter_the_estimate(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = explainer(bound=p2ce.ShapEstimate(**SMALL, max_evaluations=1)).explain_many(rejected().iloc[:10])
    assert "could not be solved to the end" in caplog.text
    assert all(one.certificate.pruned["estimate"] == 0 for one in found)
    assert all(one.certificate.proven for one in found)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_reference_with_hardly_anybody_rejected(count: int) -> None:
    people = loans.people()
    score = Counted()(people)
    few_rejected = pd.concat([people[score >= 0.5], people[score < 0.5].iloc[:count]])
    spec = p2ce.ShapEstimate(**SMALL)
    made = p2ce.Explainer(
        Counted(), few_rejected, target=1, policy=loans.few(), plausibility=None, bound=spec
    )
    whole = p2ce.Explainer(Counted(), few_rejected, target=1, policy=loans.few(), plausibility=None)
    for _, person in rejected().iloc[5:9].iterrows():
        found = made.explain(person)
        if not found.certificate.proven:
            assert found.status is Status.HEURISTIC
            assert found.certificate.estimate.sample_size == count - 1
        if count < 2:
            assert found.certificate.proven
            assert found.counterfactuals == whole.explain(person).counterfactuals
