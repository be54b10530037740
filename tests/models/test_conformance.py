"""Does every family decide, report and bound as its own library does, whatever it predicts?"""

import warnings
from typing import Any

import numpy as np
import pytest

from p2ce.models.decisions.decision import sum_of
from p2ce.models.parse_model import FAMILIES
from p2ce.testing import check_model
from tests.models.family_cases import CASES, NUMBER, SEVERAL, TWO, Case
from tests.models.laws import assert_conforms

ENSEMBLES = ("AdaBoost", "bagging", "calibrated", "optbinning", "stacking", "voting")
DECIDING = ("gradient boosting", "histogram boosting", "linear models")
of = {kind: [case for case in CASES if case.predicts == kind] for kind in (TWO, SEVERAL, NUMBER)}
WITH_DECISION_VALUES = [
    case for case in of[TWO] + of[SEVERAL] if case.family.endswith(DECIDING) and (case.front or case.edge)
]


def beside(scores: np.ndarray) -> list[float]:
    """Take scores of the reference, and their neighbours: the thresholds at which rounding counts."""
    chosen = np.unique(np.asarray(scores, dtype=np.float64))[[5, -5]]
    return [float(chosen[0]), float(np.nextafter(chosen[1], np.inf))]


def numbers_of(model: Any, rows: Any) -> np.ndarray:
    """Return what a regressor predicts, or a function such as a scorecard's points."""
    return np.asarray(getattr(model, "predict", model)(rows), dtype=np.float64).reshape(-1)


def allowed(case: Case) -> dict[str, object]:
    return {"nullable": case.nullable or None, "undecided": case.undecided, "edge": case.edge}


@pytest.mark.parametrize("case", of[TWO], ids=str)
def test_one_class_of_two_reaches_a_threshold(case: Case) -> None:
    model, frame, _ = case.fitted()
    assert_conforms(model, frame, target=0, **allowed(case))
    found, _ = assert_conforms(model, frame, target=1, **allowed(case))
    assert found.columns == tuple(frame.columns)
    scores = found.evaluate(frame)
    thresholds = beside(scores) if len(np.unique(scores)) > 20 else [0.3]
    for target, threshold in enumerate(thresholds[::-1]):
        terms = {**allowed(case), "undecided": 1.0 if threshold != 0.3 else case.undecided, "edge": False}
        assert_conforms(model, frame, target=target, at_least=threshold, **terms)


@pytest.mark.parametrize("case", of[TWO], ids=str)
def test_the_probability_of_one_class_of_two_stays_at_most_at_a_limit(case: Case) -> None:
    """The limit is a probability that the model reports, or the next float below one."""
    model, frame, _ = case.fitted()
    reported = assert_conforms(model, frame, target=1, **allowed(case))[0].evaluate(frame)
    limits = [-limit for limit in beside(-reported)] if len(np.unique(reported)) > 20 else [0.3]
    for limit in limits:
        terms = {**allowed(case), "undecided": 1.0, "edge": False}
        found, rows = assert_conforms(model, frame, target=1, at_most=limit, **terms)
        index = list(found.classes).index(1)
        assert ((found.evaluate(rows) >= found.threshold) == (-found.evaluate(rows) <= limit)).all()
        assert found.negated
        assert index == 1


@pytest.mark.parametrize("case", of[SEVERAL], ids=str)
def test_one_class_of_several_wins_or_reaches_a_probability(case: Case) -> None:
    model, frame, _ = case.fitted()
    for target in model.classes_.tolist():
        found, _ = assert_conforms(model, frame, target=target, **allowed(case))
        assert found.scale == "lead"
    if not hasattr(model, "predict_proba") or case.name in ("log loss", "modified Huber"):
        return
    own = model.predict_proba(case.given(frame))[:, -1]
    for threshold in (0.6, beside(own)[0], 1e-300):
        terms = {**allowed(case), "undecided": 1.0, "edge": False, "at_least": threshold}
        found, _ = assert_conforms(model, frame, target=target, **terms)


@pytest.mark.parametrize("case", of[SEVERAL], ids=str)
def test_the_probabilities_of_several_classes_add_up_to_a_limit(case: Case) -> None:
    """The limit is a sum that the model reports, or the next float beyond one."""
    model, frame, _ = case.fitted()
    if not hasattr(model, "predict_proba") or case.name in ("log loss", "modified Huber", "lines"):
        return  # the model evaluates the sum
    if case.family in ENSEMBLES:
        return
    target = model.classes_.tolist()[1:]
    own = sum_of(model.predict_proba(case.given(frame)), tuple(range(1, len(model.classes_))))
    terms = {**allowed(case), "undecided": 1.0, "edge": False}
    for threshold in (0.6, *beside(own), 1e-300, 1.0):
        if threshold <= 1.0:
            assert_conforms(model, frame, target=target, at_least=threshold, **terms)
    for limit in (0.6, *(-one for one in beside(-own))):
        assert_conforms(model, frame, target=target, at_most=limit, **terms)


@pytest.mark.parametrize("case", WITH_DECISION_VALUES, ids=str)
def test_a_decision_value_reaches_a_threshold(case: Case) -> None:
    model, frame, _ = case.fitted()
    values = np.asarray(model.decision_function(case.given(frame)), dtype=np.float64)
    target = model.classes_.tolist()[-1]
    for threshold in (None, *beside(values[:, -1] if values.ndim == 2 else values)):
        terms = {**allowed(case), "undecided": max(case.undecided, 0.02), "edge": False}
        assert_conforms(model, frame, target=target, scale="decision", at_least=threshold, **terms)
        assert_conforms(model, frame, target=target, scale="decision", at_most=threshold or 0.5, **terms)


@pytest.mark.parametrize("case", of[NUMBER], ids=str)
def test_a_predicted_number_lies_in_a_range(case: Case) -> None:
    model, frame, _ = case.fitted()
    predicted = np.sort(numbers_of(model, case.given(frame)))
    low, high = float(predicted[90]), float(predicted[200])
    for target in ((low, high), (None, high), (float(np.nextafter(low, np.inf)), None)):
        # Rows with the very prediction of an end are left to a model that rounds in its own order.
        tied = 3.0 * float(np.isin(predicted, [low, high]).mean()) if case.undecided else 0.0
        terms = {**allowed(case), "undecided": min(1.0, case.undecided + tied)}
        assert_conforms(model, frame, target=target, **terms)


@pytest.mark.parametrize("case", [case for case in CASES if case.front], ids=str)
def test_bounds_hold_and_fronts_equal_brute_force(case: Case) -> None:
    model, frame, _ = case.fitted()
    if case.predicts == NUMBER:
        predicted = numbers_of(model, frame)
        target = (float(np.quantile(predicted, 0.6)), None)
    else:
        target = model.classes_.tolist()[-1] if hasattr(model, "classes_") else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = check_model(model, frame, target=target, rows=200, boxes=15, cells=150, people=1)
    assert report.rows > 0


def test_every_family_has_a_case() -> None:
    models = [case.fitted()[0] for case in {case.family: case for case in CASES}.values()]
    tried = {family.__name__ for family in FAMILIES for model in models if family.recognises(model)}
    elsewhere = {
        "p2ce.models.families.torch.family",
        "p2ce.models.families.sklearn.own_threshold",
    }  # separate tests
    assert tried | elsewhere == {family.__name__ for family in FAMILIES}
