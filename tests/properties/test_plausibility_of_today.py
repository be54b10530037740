"""A person who is an outlier today may stay one: costs never rise, plausibility never falls."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.neighbors import LocalOutlierFactor

import p2ce
from p2ce.paper import P2CE, Mapocam
from tests.oracle import Accepts, assert_is_front, no_cheaper, plain
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, numeric_problems

CONTAMINATION = 0.4  # so that many are outliers


def _ours(frame: pd.DataFrame) -> tuple[Any, Accepts]:
    settings: dict[str, Any] = {"n_estimators": 10, "contamination": CONTAMINATION, "random_state": 0}
    fitted = SklearnForest(**settings).fit(frame.to_numpy(dtype=np.float64))
    return p2ce.PlausibilityForest(**settings), _on_arrays(fitted)


def _theirs(frame: pd.DataFrame) -> tuple[Any, Accepts]:
    fitted = SklearnForest(n_estimators=10, contamination=CONTAMINATION, random_state=0).fit(frame)
    return fitted, fitted.decision_function


def _black_box(frame: pd.DataFrame) -> tuple[Any, Accepts]:
    outliers = LocalOutlierFactor(8, novelty=True, contamination=CONTAMINATION)
    fitted = outliers.fit(frame.to_numpy(dtype=np.float64))
    return fitted, _on_arrays(fitted)


def _on_arrays(fitted: Any) -> Accepts:
    return lambda rows: fitted.decision_function(rows.to_numpy(dtype=np.float64))


DETECTORS = {"ours": _ours, "theirs": _theirs, "a black box": _black_box}


@pytest.mark.parametrize("kind", DETECTORS)
@examples(12)
@given(case=numeric_problems(constrained=st.just(True)))
def test_fronts_are_never_dearer_and_those_of_plausible_people_are_the_same(
    kind: str, case: StatedProblem
) -> None:
    detector, plausibility = DETECTORS[kind](case.frame)
    case = replace(case, detector=detector, plausibility=plausibility)
    for then, now in zip(case.explain_all(plausibility_of_today="ignore"), case.explain_all(), strict=True):
        if now.certificate is None:
            assert then == now
            continue
        today = now.certificate.plausibility_today
        assert then.certificate.plausibility_today is None
        assert all(option.plausibility >= min(0.0, today) for option in now)
        assert no_cheaper(then, now)
        if today >= 0.0:
            assert _data(then) == _data(now)
        alone = replace(case, people=({name: plain(value) for name, value in now.person.items()},))
        assert_is_front(now, alone.truth(now))


def _data(found: p2ce.Explanation) -> dict[str, Any]:
    """Return the explanation as data; a library may round scores differently in another batch."""
    data = found.to_dict(problem=False)
    data["certificate"].pop("plausibility_today")
    for scored, name in ((data, "person_score"), *((option, "score") for option in data["counterfactuals"])):
        scored[name] = None if scored[name] is None else round(scored[name], 12)
    return data


@pytest.mark.parametrize("kind", ["theirs", "a function"])
@examples(10)
@given(case=numeric_problems())
def test_a_change_that_the_detector_does_not_look_at_is_never_less_plausible(
    kind: str, case: StatedProblem
) -> None:
    first = case.frame.columns[0]
    # In single precision, where a row is rounded differently in another batch, and alone.
    noise = np.float32(1e-7)
    if kind == "theirs":
        detector: Any = SklearnForest(n_estimators=5, contamination=0.5, random_state=0)
        detector.fit(case.frame[[first]])
    else:
        mean = float(case.frame[first].mean())

        def detector(rows: pd.DataFrame) -> np.ndarray:
            far = -np.abs(rows[first].to_numpy(dtype=np.float32) - np.float32(mean)) - np.float32(0.25)
            return far * (1 + noise * np.float32(len(rows) % 3))

    case = replace(case, policy=case.policy.fix(first))
    free = case.explain_all(plausibility=None)
    for one, other in zip(case.explain_all(plausibility=detector), free, strict=True):
        if one.certificate is not None and one.certificate.plausibility_today < 0:
            assert [option.changes for option in one] == [option.changes for option in other]
            assert {option.admitted_by for option in one} <= {"as plausible as today"}


@examples(10)
@given(case=numeric_problems(), method=st.sampled_from([P2CE(), P2CE(partial_plausibility=False), Mapocam()]))
def test_the_papers_algorithms_ignore_it(case: StatedProblem, method: Mapocam) -> None:
    found = [
        case.explain(plausibility=_ours(case.frame)[0], method=method, plausibility_of_today=rule)
        for rule in ("counts", "ignore")
    ]
    assert found[0] == found[1]
    assert found[0].certificate is None or found[0].certificate.plausibility_today is None
