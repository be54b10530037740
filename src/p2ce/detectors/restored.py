"""Take a detector that was parsed before, such as the forest of a saved explainer, as it is."""

from p2ce.detectors.detector_adapter import DetectorAdapter, DetectorRequest
from p2ce.errors import UnsupportedDetector


def recognises(detector: object) -> bool:
    """Tell what parsing gave."""
    return isinstance(detector, DetectorAdapter)


def parse(detector: DetectorAdapter, request: DetectorRequest) -> DetectorAdapter:
    """Return it back, if it looks at these columns; its threshold was set when it was first parsed."""
    if set(detector.columns) != set(request.codebook.names):
        raise UnsupportedDetector(
            f"This detector was parsed for the columns {', '.join(detector.columns)}, and the reference has "
            f"{', '.join(request.codebook.names)}. Parse it again."
        )
    return detector
