"""The input of parsing a detector, `DetectorRequest`, and its result, `DetectorAdapter`."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.score import FlatScore
from p2ce.tables.codebook import Codebook


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorRequest:
    """The data that a detector is parsed for: like ``reference``, with missing values in ``nullable``.

    ``contamination`` is the share of the reference that counts as implausible; None keeps the detector's own
    threshold. ``random_state`` seeds a forest that is fitted here and has no own seed.
    """

    reference: pd.DataFrame
    codebook: Codebook  # of the reference
    codes: FloatArray  # (n, d) the reference as the codebook encodes it
    nullable: frozenset[str] = frozenset()
    random_state: int | None = None
    contamination: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorAdapter:
    """A detector in the form that the solver needs, together with the calls of the detector itself.

    A row is plausible when the detector's decision value is at least 0. ``evaluate`` computes that value
    with the user's own detector, on frames with their original column types. It is None for the forest of
    this library, whose compiled score is the detector. ``report`` computes the value from compiled scores.
    ``score`` takes rows of codes (p2ce.tables.codebook) in the order of ``columns``; it is None for a black
    box. Rows are also compared with the instance's own value, so the width of the error band must cover
    rounding at every score, not only at the threshold.
    """

    family: str
    score: FlatScore | None
    columns: tuple[str, ...]
    evaluate: Callable[[pd.DataFrame], FloatArray] | None
    report: Callable[[FloatArray], FloatArray]
    tolerance: float = 1e-9  # how much two results of ``evaluate`` on a row may differ, given its precision
    # Parses the same detector, with the same threshold, for missing values in other columns. None if the
    # score is valid for missing values in every column.
    again: "Callable[[frozenset[str]], DetectorAdapter] | None" = None
