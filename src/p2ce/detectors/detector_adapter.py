"""State what parsing a detector takes, `DetectorRequest`, and what it gives, `DetectorAdapter`."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.scores.score import FlatScore
from p2ce.tables.codebook import Codebook


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorRequest:
    """What a detector is parsed for: data like ``reference``, in which ``nullable`` may have missing values.

    ``contamination`` is the share of the reference that is to be implausible, None for the detector's own
    threshold. ``random_state`` seeds a forest that is fitted here and brings no seed of its own.
    """

    reference: pd.DataFrame
    codebook: Codebook  # of the reference
    codes: FloatArray  # (n, d) the reference as the codebook encodes it
    nullable: frozenset[str] = frozenset()
    random_state: int | None = None
    contamination: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorAdapter:
    """A detector in the form that the solver takes, beside the detector itself.

    A row is plausible when the detector's decision value is at least 0. ``evaluate`` computes that value
    with the user's own detector, on frames of the own column types; it is None for the forest of this
    library, whose compiled score is the detector. ``report`` computes it from compiled scores. ``score``
    takes rows of codes (p2ce.tables.codebook) in the order of ``columns``; it is None for a black box. Rows
    are also compared with the instance's own value, so the width of the error band must cover rounding at
    every score, not only at the threshold.
    """

    family: str
    score: FlatScore | None
    columns: tuple[str, ...]
    evaluate: Callable[[pd.DataFrame], FloatArray] | None
    report: Callable[[FloatArray], FloatArray]
    tolerance: float = 1e-9  # how far two results of ``evaluate`` on a row may differ, by its precision
    # Parses the same detector, with the same threshold, for missing values in other columns; None where the
    # score holds for missing values in every column.
    again: "Callable[[frozenset[str]], DetectorAdapter] | None" = None
