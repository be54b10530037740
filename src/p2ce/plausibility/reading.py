"""Say what reading a detector gives."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.score import CompiledScore


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDetector:
    """A detector in the form that the search understands, beside the detector itself.

    A row is plausible when the detector's decision value is at least 0. ``ask`` computes that value with
    the user's own detector; it is None for the forest of this library, whose compiled score is the
    detector. ``report`` computes it from compiled scores. ``score`` is None for a detector that can only
    be asked.
    """

    family: str
    score: CompiledScore | None
    columns: tuple[str, ...]
    ask: Callable[[pd.DataFrame], FloatArray] | None
    report: Callable[[FloatArray], FloatArray]
    tolerance: float = 1e-9  # how far two answers of ``ask`` about a row may differ, by its precision
