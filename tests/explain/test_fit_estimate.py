"""An explainer that prunes by an estimate: what its certificate says, and when it is calibrated anew."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import p2ce
from p2ce.errors import InvalidArgument
from p2ce.result.status import Status
from tests.populations import loans

CHOICES = {
    "Income": [12, 24, 36, 48],
    "Debt": [-3.0, -1.0, 1.0, 3.0],
    "Rate": [0.0, 0.5, 1.0],
    "Years": [0, 5, 10],
}
SMALL = {"people": 12, "background": 4, "rows": 2}


class Counted:
    """A model in which features do things together; it counts the rows that it is asked about."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        self.rows += len(rows)
        margin = (
            rows["Income"] / 12.0 - rows["Debt"] * (1.0 + rows["Rate"]) + rows["Owns"] * rows["Years"] / 4
        )
        return np.asarray(1.0 / (1.0 + np.exp(4.5 - margin.to_numpy(dtype=np.float64))))


def few() -> p2ce.ActionSet:
    return p2ce.ActionSet.infer(loans.people()).values(CHOICES)


def explainer(model: Any = None, **changed: Any) -> p2ce.Explainer:
    asked = {"actions": few(), "plausibility": None, "bound": p2ce.ShapEstimate(**SMALL), **changed}
    return p2ce.Explainer(Counted() if model is None else model, loans.people(), **asked)


def refused() -> pd.DataFrame:
    people = loans.people()
    return people[Counted()(people) < 0.5]


def same(found: Any, other: Any) -> bool:
    """Compare all that was found, whatever was asked for it."""
    return [one.to_dict(question=False) for one in found] == [one.to_dict(question=False) for one in other]


def test_the_certificate_says_how_often_by_whom_and_from_what() -> None:
    found = explainer(bound=p2ce.ShapEstimate(**SMALL | {"miss_rate": 0.1})).explain(refused().iloc[0])
    certificate = found.certificate
    assert found.status is Status.HEURISTIC
    assert not certificate.proven
    assert certificate.bound == "shap"
    assert certificate.sample_size == 12
    assert certificate.miss_rate == pytest.approx(
        1 / 13
    )  # the first below one in ten that 12 people bear out
    assert certificate.explainer == "sampling"
    assert np.isfinite(certificate.residual)
    assert certificate.pruned.keys() >= {"estimate"}
    assert certificate.model_family == "black box (Counted)"
    again = p2ce.Explanation.from_dict(found.to_dict())
    assert again.certificate == certificate


def test_proofs_have_no_rate() -> None:
    certificate = explainer(bound="auto").explain(refused().iloc[0]).certificate
    assert certificate.proven
    assert (certificate.miss_rate, certificate.sample_size, certificate.explainer) == (None, None, None)
    assert certificate.residual is None
    assert "estimate" not in certificate.pruned


def test_nothing_found_proves_that_nothing_is_there_only_if_nothing_was_dropped() -> None:
    for found in explainer(threshold=1.0).explain_many(refused().iloc[:20]):
        assert len(found) == 0
        dropped = found.certificate.pruned["estimate"] > 0
        assert found.status is (Status.HEURISTIC if dropped else Status.NO_RECOURSE)
        assert found.certificate.unproven_because == ("estimate" if dropped else None)


def test_people_who_are_accepted_need_no_estimate() -> None:
    people = loans.people()
    accepted = people[Counted()(people) >= 0.5]
    assert set(explainer().explain_many(accepted.iloc[:5]).statuses) == {Status.ALREADY_FAVOURABLE}


def test_it_is_calibrated_once() -> None:
    model = Counted()
    asking = explainer(model)
    made = model.rows
    asking.warm_up()
    warm = model.rows
    assert warm > made
    asking.warm_up()
    again = model.rows - warm
    assert again < (warm - made) / 4
    person = refused().iloc[0]
    model.rows = 0
    asking.explain(person)
    once = model.rows
    asking.explain(person)
    assert model.rows == 2 * once
    assert once < warm - made


def test_seeds_decide_and_nothing_else() -> None:
    people = refused().iloc[:10]
    found = explainer().explain_many(people)
    assert same(explainer().explain_many(people), found)
    one_by_one = explainer()
    for one, (_, row) in zip(found, people.iterrows(), strict=True):
        alone = one_by_one.explain(row)
        assert alone.counterfactuals == one.counterfactuals
        assert alone.certificate.residual == one.certificate.residual
    other = explainer(random_state=5).explain_many(people)
    assert other[0].certificate.residual != found[0].certificate.residual
    own = p2ce.ShapEstimate(**SMALL, random_state=5)
    assert same(explainer(bound=own, random_state=7).explain_many(people), other)


def test_an_override_is_calibrated_for_its_own_question() -> None:
    spec = p2ce.ShapEstimate(**SMALL)
    model = Counted()
    asking = explainer(model, bound=spec)
    person = refused().iloc[0]
    usual = asking.explain(person)
    model.rows = 0
    assert same([asking.explain(person)], [usual])
    at_once = model.rows
    fixed = few().fix("Income")
    for changed in ({"max_changes": 1}, {"max_changes": None}, {"actions": fixed}):
        model.rows = 0
        found = asking.explain(person, **changed)
        assert model.rows > 2 * at_once
        expected = explainer(**{"bound": spec, **changed}).explain(person)
        assert same([found], [expected])
        assert found.status is Status.HEURISTIC
        assert found.certificate.sample_size == 12
    assert same([asking.explain(person)], [usual])
    assert same([asking.explain(person, max_changes=3)], [usual])


def test_attributions_of_the_paper_serve_every_question() -> None:
    """They are the model's, whatever somebody may change: an override computes none of them anew."""
    model = Counted()
    asking = explainer(model, **SEARCHES["paper"])
    person = refused().iloc[0]
    usual = asking.explain(person)
    for changed in ({"max_changes": 1}, {"max_changes": None}, {"actions": few().fix("Income")}):
        found = asking.explain(person, **changed)
        assert same([found], [explainer(**SEARCHES["paper"] | changed).explain(person)])
        assert found.certificate.explainer == "sampling"
        assert found.certificate.sample_size is None
    assert same([asking.explain(person)], [usual])


SEARCHES: dict[str, dict[str, Any]] = {
    "auto": {"bound": "auto"},
    "shap": {"bound": p2ce.ShapEstimate(**SMALL)},
    "paper": {"bound": "auto", "method": p2ce.paper.P2CE(background=20)},
}


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("search", SEARCHES)
def test_explainers_travel_with_their_estimate(search: str, warm: bool) -> None:
    model = Counted()
    asking = explainer(model, **SEARCHES[search])
    people = refused().iloc[:6]
    expected = asking.explain_many(people) if warm else None
    copied = pickle.loads(pickle.dumps(asking))
    if warm:
        assert (copied._problem.estimate is None) == (search != "shap")
        assert (copied._problem.attributions is None) == (search != "paper")
    found = copied.explain_many(people)
    assert same(found, asking.explain_many(people) if expected is None else expected)


def test_processes_share_one_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.explain.explain_many.LARGEST_BATCH", 4)
    people = loans.people()
    model = KNeighborsClassifier(7).fit(people, loans.label())
    asking = explainer(model)
    some = people[model.predict_proba(people)[:, 1] < 0.5].iloc[:9]
    expected = asking.explain_many(some)
    found = asking.explain_many(some, n_jobs=2)
    assert {one.certificate.residual for one in found} == {expected[0].certificate.residual}
    assert [[option.changes for option in one] for one in found] == [
        [option.changes for option in one] for one in expected
    ]


def test_without_time_to_calibrate_nothing_is_pruned() -> None:
    found = explainer(bound=p2ce.ShapEstimate(**SMALL, seconds=1e-9)).explain_many(refused().iloc[:10])
    complete = explainer(bound="auto").explain_many(refused().iloc[:10])
    for one, whole in zip(found, complete, strict=True):
        assert one.certificate.pruned["estimate"] == 0
        assert one.certificate.proven
        assert one.certificate.miss_rate is None
        assert (one.status, one.counterfactuals) == (whole.status, whole.counterfactuals)


def test_whoever_is_not_solved_to_the_end_does_not_flatter_the_estimate(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = explainer(bound=p2ce.ShapEstimate(**SMALL, evaluations=1)).explain_many(refused().iloc[:10])
    assert "could not be solved to the end" in caplog.text
    assert all(one.certificate.pruned["estimate"] == 0 for one in found)
    assert all(one.certificate.proven for one in found)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_reference_with_hardly_anybody_refused(count: int) -> None:
    people = loans.people()
    score = Counted()(people)
    few_refused = pd.concat([people[score >= 0.5], people[score < 0.5].iloc[:count]])
    spec = p2ce.ShapEstimate(**SMALL)
    asking = p2ce.Explainer(Counted(), few_refused, actions=few(), plausibility=None, bound=spec)
    whole = p2ce.Explainer(Counted(), few_refused, actions=few(), plausibility=None)
    for _, person in refused().iloc[5:9].iterrows():
        found = asking.explain(person)
        if not found.certificate.proven:
            assert found.status is Status.HEURISTIC
            assert found.certificate.sample_size == count - 1
        if count < 2:
            assert found.certificate.proven
            assert found.counterfactuals == whole.explain(person).counterfactuals


def test_a_model_that_accepts_nobody_has_no_front_to_miss() -> None:
    asking = explainer(lambda rows: np.zeros(len(rows)))
    found = asking.explain(refused().iloc[0])
    assert found.status is Status.NO_RECOURSE  # nothing was dropped but by cost
    assert found.certificate.proven


@pytest.mark.parametrize("name", ["permutation", "kernel", "exact"])
def test_the_explainers_of_shap_are_named(name: str) -> None:
    pytest.importorskip("shap")
    spec = p2ce.ShapEstimate(explainer=name, people=4, background=3, rows=1)
    found = explainer(bound=spec).explain(refused().iloc[0])
    assert found.status is Status.HEURISTIC
    assert found.certificate.explainer == name


def test_a_model_of_trees_is_explained_as_such() -> None:
    pytest.importorskip("shap")
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1).fit(loans.people(), loans.label())
    person = loans.people()[model.predict(loans.people()) == 0].iloc[0]
    found = explainer(model).explain(person)
    assert found.certificate.explainer == "tree"
    assert found.status is Status.HEURISTIC
    assert "black box" in found.certificate.model_family  # with an estimate, nothing is proven


@pytest.mark.parametrize("detector", ["forest", "function"])
def test_an_estimate_of_the_model_leaves_the_detector_alone(detector: str) -> None:
    given: Any = loans.detector() if detector == "forest" else lambda rows: 3.0 - rows["Debt"].abs()
    asking = explainer(plausibility=given)
    exact = explainer(plausibility=given, bound="auto")
    agreed = 0
    people = refused().iloc[:20]
    for one, whole in zip(asking.explain_many(people), exact.explain_many(people), strict=True):
        assert all(option.plausibility >= 0.0 for option in one)
        agreed += one.counterfactuals == whole.counterfactuals
    assert agreed >= 15


def test_bounds_that_are_none_are_refused() -> None:
    for wrong in ("shapp", "shap-paper", "SHAP", None, 3, "complete"):
        with pytest.raises(InvalidArgument, match=r"bound is one of 'auto', 'none', 'shap', or a"):
            explainer(bound=wrong)
