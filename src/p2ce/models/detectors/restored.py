"""Reuse a detector that is already parsed, such as the forest of a saved explainer."""

from p2ce.errors import UnsupportedDetector
from p2ce.models.detectors.detector_adapter import DetectorAdapter, DetectorRequest


def recognises(detector: object) -> bool:
    """Return whether a detector is the result of parsing."""
    return isinstance(detector, DetectorAdapter)


def parse(detector: DetectorAdapter, request: DetectorRequest) -> DetectorAdapter:
    """Return the detector if its columns match; its threshold was set when it was first parsed."""
    if set(detector.columns) != set(request.codebook.names):
        raise UnsupportedDetector(
            f"This detector was parsed for the columns {', '.join(detector.columns)}, but the reference has "
            f"{', '.join(request.codebook.names)}. Parse it again."
        )
    return detector
