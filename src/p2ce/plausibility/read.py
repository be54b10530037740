"""Find which detector is meant, and read it."""

from types import ModuleType
from typing import Any

import pandas as pd

from p2ce.errors import InvalidReference, UnsupportedDetector
from p2ce.plausibility import isolation_forest
from p2ce.plausibility.isolation_forest import IsolationForest
from p2ce.plausibility.reading import ReadDetector

__all__ = ["FAMILIES", "IsolationForest", "ReadDetector", "read_detector"]

FAMILIES: tuple[ModuleType, ...] = (isolation_forest,)


def read_detector(
    detector: Any, *, reference: pd.DataFrame, random_state: int | None = None
) -> ReadDetector | None:
    """Read a detector as a compiled score; None stays None and means that every point is plausible.

    ``random_state`` seeds a forest that is fitted here and brings no seed of its own.
    """
    if detector is None:
        return None
    if reference.shape[0] == 0:
        raise InvalidReference("The reference frame has no rows. Pass the rows that the model was fitted on.")
    for family in FAMILIES:
        if family.recognises(detector):
            found: ReadDetector = family.read(detector, reference, random_state)
            return found
    if isinstance(detector, type):
        raise UnsupportedDetector(
            f"plausibility got the class {detector.__name__}. Pass an instance: {detector.__name__}()."
        )
    raise UnsupportedDetector(
        f"{type(detector).__module__}.{type(detector).__name__} cannot be read exactly. Supported are "
        "p2ce.IsolationForest(contamination=0.05), a fitted scikit-learn IsolationForest, and None."
    )
