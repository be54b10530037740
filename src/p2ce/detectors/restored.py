"""Take a detector that was read before, such as the forest of a saved explainer, as it is."""

from p2ce.detectors.parsed_detector import DetectorAdapter, DetectorRequest
from p2ce.errors import UnsupportedDetector


def recognises(detector: object) -> bool:
    """Tell what reading gave."""
    return isinstance(detector, DetectorAdapter)


def read(detector: DetectorAdapter, request: DetectorRequest) -> DetectorAdapter:
    """Give it back, if it looks at these columns; its threshold was set when it was read first."""
    if set(detector.columns) != set(request.codebook.names):
        raise UnsupportedDetector(
            f"This detector was read for the columns {', '.join(detector.columns)}, the reference frame has "
            f"{', '.join(request.codebook.names)}. Read it again."
        )
    return detector
