"""Evaluate an estimate of density, such as KernelDensity: rows are plausible where other people are."""

from typing import Any

from p2ce.detectors.black_box_detector import DEFAULT_CONTAMINATION, black_box_detector, columns_of
from p2ce.detectors.detector_adapter import DetectorAdapter, DetectorRequest


def recognises(detector: object) -> bool:
    """Tell an object that scores samples and leaves the threshold to us."""
    if isinstance(detector, type) or callable(getattr(detector, "decision_function", None)):
        return False
    return callable(getattr(detector, "score_samples", None))


def parse(detector: Any, request: DetectorRequest) -> DetectorAdapter:
    """Evaluate log-densities; the threshold is a percentile of the reference, the 5th by default."""
    columns, named = columns_of(detector, request.reference)
    return black_box_detector(
        detector.score_samples,
        request,
        name=type(detector).__name__,
        call="detector.score_samples",
        columns=columns,
        named=named,
        default_contamination=DEFAULT_CONTAMINATION,
    )
