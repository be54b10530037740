"""Evaluate detectors with a decision function, by the convention of scikit-learn or of PyOD, and densities.

A density estimate such as KernelDensity has score_samples but no decision function, and so no threshold.
"""

from copy import copy
from typing import Any

from p2ce.base.calls.library import library_class
from p2ce.errors import NotFitted, UnsupportedDetector
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.detectors.black_box_detector import (
    DEFAULT_CONTAMINATION,
    black_box_detector,
    detector_columns,
)

CALL = "detector.decision_function"
_LOCAL = frozenset({"LocalOutlierFactor"})
_PIPELINE = frozenset({"Pipeline"})


def recognises(detector: object) -> bool:
    """Return whether a detector has a decision function, or would have one with other settings."""
    if isinstance(detector, type):
        return False
    scores = any(callable(getattr(detector, name, None)) for name in ("decision_function", "score_samples"))
    return scores or _is_local(_last_step(detector))


def parse(detector: Any, request: ParseRequest) -> Adapter:
    """Adapt decision values: plausible from 0 up, or up to ``threshold_`` if higher means abnormal.

    The threshold of log-densities is a percentile of the reference, the 5th by default.
    """
    last = _last_step(detector)
    if _is_local(last) and not last.novelty:
        raise UnsupportedDetector(
            "LocalOutlierFactor(novelty=False) only scores the rows that it was fitted on. "
            "Fit LocalOutlierFactor(novelty=True)."
        )
    if not callable(getattr(detector, "decision_function", None)):
        columns, named = detector_columns(detector, request.reference)
        return black_box_detector(
            detector.score_samples,
            request,
            name=type(detector).__name__,
            call="detector.score_samples",
            columns=columns,
            named=named,
            default_contamination=DEFAULT_CONTAMINATION,
        )
    if hasattr(detector, "classes_"):
        raise UnsupportedDetector(
            f"{type(detector).__name__} is a classifier: its decision function separates classes, not "
            "plausible from implausible rows. Pass an outlier detector."
        )
    name, (columns, named) = type(detector).__name__, detector_columns(detector, request.reference)
    abnormal = _is_pyod(detector)  # higher is more abnormal there
    if abnormal and not hasattr(detector, "threshold_"):
        raise NotFitted(f"This {name} is not fitted. Call .fit(X) on it.")
    if _is_local(detector) and named:
        detector, named = _without_names(detector), False
    return black_box_detector(
        detector.decision_function,
        request,
        name=name,
        call=CALL,
        columns=columns,
        named=named,
        sign=-1.0 if abnormal else 1.0,
        least=-float(detector.threshold_) if abnormal else 0.0,
    )


def _without_names(detector: Any) -> Any:
    """Copy a LocalOutlierFactor that was fitted on a frame, as if it had been fitted on an array.

    Otherwise it warns at every call: even for the right frame, it passes an array to its own methods.
    """
    other = copy(detector)  # shallow: the copy shares all fitted attributes, and none is changed
    del other.feature_names_in_
    return other


def _last_step(detector: Any) -> Any:
    """Return the last step of a pipeline, or the detector itself; a pipeline is still called as a whole."""
    if library_class(detector, root="sklearn", names=_PIPELINE) is None:
        return detector
    return detector.steps[-1][1]


def _is_local(detector: object) -> bool:
    return library_class(detector, root="sklearn", names=_LOCAL) is not None


def _is_pyod(detector: object) -> bool:
    """Return whether a detector follows PyOD's convention, by its package or its documented attributes."""
    if any(kind.__module__.partition(".")[0] == "pyod" for kind in type(detector).__mro__):
        return True
    return hasattr(detector, "threshold_") and hasattr(detector, "decision_scores_")
