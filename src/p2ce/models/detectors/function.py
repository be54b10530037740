"""Evaluate a function of rows: a value of at least 0 is plausible, and so is True."""

from collections.abc import Callable
from typing import Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.models.detectors import autoencoder
from p2ce.models.detectors.black_box_detector import black_box_detector, columns_of
from p2ce.models.detectors.detector_adapter import DetectorAdapter, DetectorRequest


def recognises(detector: object) -> bool:
    """Return whether a detector is callable, but neither a class nor an autoencoder."""
    return callable(detector) and not isinstance(detector, type) and not autoencoder.recognises(detector)


def parse(detector: Any, request: DetectorRequest) -> DetectorAdapter:
    """Adapt a function whose values are higher for more plausible rows; see `black_box_detector`."""
    columns, named = columns_of(detector, request.reference)
    return black_box_detector(
        _signed(detector, request.contamination),
        request,
        name=getattr(detector, "__name__", None) or type(detector).__name__,
        call="detector(rows)",
        columns=columns,
        named=named,
    )


def _signed(function: Callable[[Any], Any], contamination: float | None) -> Callable[[Any], Any]:
    """Convert True and False to 1 and -1, which lie on either side of the threshold 0."""

    def values(rows: Any) -> Any:
        found = function(rows)
        found = np.asarray(found.detach().cpu().numpy() if hasattr(found, "detach") else found)
        if found.dtype.kind != "b":
            return found
        if contamination is not None:
            raise InvalidArgument(
                f"contamination={echoed(contamination)} sets a threshold, but the detector returns True or "
                "False and has no threshold. Remove contamination, or return a number."
            )
        return np.where(found, 1.0, -1.0)

    return values
