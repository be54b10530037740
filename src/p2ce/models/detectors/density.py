"""Evaluate a density estimate, such as KernelDensity: rows in dense regions are plausible."""

from typing import Any

from p2ce.models.detectors.black_box_detector import DEFAULT_CONTAMINATION, black_box_detector, columns_of
from p2ce.models.detectors.detector_adapter import DetectorAdapter, DetectorRequest


def recognises(detector: object) -> bool:
    """Return whether a detector has score_samples but no decision_function, and so no threshold."""
    if isinstance(detector, type) or callable(getattr(detector, "decision_function", None)):
        return False
    return callable(getattr(detector, "score_samples", None))


def parse(detector: Any, request: DetectorRequest) -> DetectorAdapter:
    """Adapt log-densities; the threshold is a percentile of the reference, the 5th by default."""
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
