"""Law: whatever the model is and however it is passed, its front is that of evaluating every cell."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import LocalOutlierFactor

import p2ce
from tests.oracle import assert_is_front, rows_of
from tests.populations.small_models import COMPILED, EXTERNAL, Family, score_of
from tests.properties.amount import examples
from tests.properties.stated_problems import OBJECTIVES, numeric_problems

LIMITS = st.sampled_from([1, 2, 3, None])
CHOSEN = st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=3, unique=True)


MODELS = EXTERNAL | {name: COMPILED[name] for name in ("LightGBM", "logistic regression", "random forest")}


@pytest.mark.parametrize("name", MODELS)
@examples(3)
@given(data=st.data(), ties=st.booleans())
def test_a_model_passed_as_it_is_and_as_a_function_has_one_front(
    name: str, data: st.DataObject, ties: bool
) -> None:
    case = data.draw(numeric_problems({name: MODELS[name]}, objectives=CHOSEN, max_changes=LIMITS))
    own = case.explain(ties=ties)
    score = score_of(case.model)
    as_function = case.explain(model=lambda rows: score(rows), ties=ties)
    if own.status is p2ce.Status.ACCEPTED:
        assert as_function.status is own.status
        return
    truth = case.truth(own)
    assert_is_front(own, truth, ties=ties)
    assert_is_front(as_function, truth, ties=ties)
    # Options of equal cost come by steps moved, and the two may have other candidates between.
    in_order = [
        sorted(zip(rows_of(found, truth.columns), (option.score for option in found), strict=True))
        for found in (as_function, own)
    ]
    (rows, scores), (other_rows, others) = (
        zip(*found, strict=True) if found else ((), ()) for found in in_order
    )
    assert rows == other_rows
    # Columns of single precision are scored in it, and then the company in a batch moves the last digits.
    assert scores == pytest.approx(others, rel=1e-5)
    black_box_only = own.certificate.bound == "complete"
    assert black_box_only == ("black box" in own.certificate.model_family)
    # A sum that the model itself rounds too coarsely is not parsed.
    assert not black_box_only or not MODELS[name].is_parsed or (case.frame.dtypes != np.float64).any()
    assert as_function.certificate.model_family == "black box (<lambda>)"
    assert as_function.certificate.bound == "complete"
    assert as_function.certificate.pruned["model bound"] == 0  # nothing is known about a whole box


def scrambled(salt: int, share: float) -> Callable[[pd.DataFrame], np.ndarray]:
    """Return each row a number in [0, 1] of which nothing about its neighbours follows."""

    def score(rows: pd.DataFrame) -> np.ndarray:
        hashed = pd.util.hash_pandas_object(rows.astype("float64"), index=False).to_numpy()
        spread = ((hashed ^ np.uint64(salt)) * np.uint64(2654435761)) % np.uint64(1000)
        return 0.5 + share - spread / 1000.0

    return score


def _no_detector(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    return None, None


def _local_outliers(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    detector = LocalOutlierFactor(8, novelty=True, contamination=0.2).fit(frame.to_numpy(dtype=float))
    return detector, lambda rows: detector.decision_function(rows.to_numpy(dtype=float))


def _scrambled_detector(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    value = scrambled(salt + 1, 0.6)
    return (lambda rows: value(rows) - 0.5), (lambda rows: value(rows) - 0.5)


def _forest(frame: pd.DataFrame, salt: int) -> tuple[Any, Any]:
    """Parse the detector, although the model is a black box."""
    from sklearn.ensemble import IsolationForest

    forest = IsolationForest(n_estimators=10, contamination=0.2, random_state=salt % 100).fit(frame)
    return forest, forest.decision_function


DETECTORS = {
    "no detector": _no_detector,
    "local outliers": _local_outliers,
    "a function": _scrambled_detector,
    "a forest": _forest,
}
# Rows are proposed by dozens, so fronts move between waves even on grids as small as these.
SMALL = {"SMALL_BOX_CELLS": 4, "BATCH_CELLS": 4, "LEAST_QUOTA": 2}


def _black_box(family: Family) -> Family:
    """Pass the model as a function of which nothing is known but its scores."""

    def fit(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
        score = score_of(family.fit(frame, label, seed))
        return lambda rows: score(rows)

    return Family(fit=fit, is_parsed=False)


BLACK_BOXES = {
    "neighbours": _black_box(EXTERNAL["neighbours"]),
    "rbf machine": _black_box(EXTERNAL["rbf machine"]),
    "scrambled": Family(fit=lambda _, __, seed: scrambled(seed, 0.02 if seed % 2 else 0.2), is_parsed=False),
}


@pytest.mark.parametrize("detector", DETECTORS)
@pytest.mark.parametrize("name", BLACK_BOXES)
@examples(3)
@given(data=st.data(), ties=st.booleans(), in_steps=st.booleans())
def test_evaluating_what_may_matter_equals_evaluating_everything(
    name: str, detector: str, data: st.DataObject, ties: bool, in_steps: bool
) -> None:
    sizes = {"columns": st.integers(2, 4), "objectives": CHOSEN, "max_changes": LIMITS}
    case = data.draw(numeric_problems({name: BLACK_BOXES[name]}, **sizes))
    given, plausibility = DETECTORS[detector](case.frame, case.seed)
    case = replace(case, detector=given, plausibility=plausibility)
    with pytest.MonkeyPatch.context() as patch:
        for constant, value in SMALL.items() if in_steps else ():
            patch.setattr(f"p2ce.engine.solver.search_driver.{constant}", value)
        found = case.explain(ties=ties)
    if found.status is p2ce.Status.ACCEPTED:
        assert score_of(case.model)(case.row)[0] >= case.threshold
        return
    assert_is_front(found, case.truth(found), ties=ties)
    assert found.certificate.bound == "complete"
    assert (found.certificate.detector_family is None) == (plausibility is None)
