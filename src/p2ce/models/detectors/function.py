"""Evaluate a function of rows: a value of at least 0 is plausible, and so is True."""

from typing import Any

from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.detectors import autoencoder
from p2ce.models.detectors.black_box_detector import black_box_detector, detector_columns


def recognises(detector: object) -> bool:
    """Return whether a detector is callable, but neither a class nor an autoencoder."""
    return callable(detector) and not isinstance(detector, type) and not autoencoder.recognises(detector)


def parse(detector: Any, request: ParseRequest) -> Adapter:
    """Adapt a function whose values are higher for more plausible rows; see `black_box_detector`."""
    columns, named = detector_columns(detector, request.reference)
    return black_box_detector(
        detector,
        request,
        name=getattr(detector, "__name__", None) or type(detector).__name__,
        call="detector(rows)",
        columns=columns,
        named=named,
    )
