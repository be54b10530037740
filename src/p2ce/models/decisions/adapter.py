"""The input of parsing a model or a detector, `ParseRequest`, and its result, `Adapter`.

A detector is a score with the threshold 0: both are parsed, called and verified alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.scores.combined.combination import ReportedNumber
from p2ce.engine.scores.score import Score
from p2ce.errors import BrokenPlugin
from p2ce.tables.codebook import Codebook, codebook_of

PROBABILITY = "probability"
DECISION = "decision"
LEAD = "lead"  # how far the target is ahead of what it must beat: a class, or the ends of a range
NOT_GIVEN = Codebook(())
NO_CODES: FloatArray = np.zeros((0, 0))
# One call of the user's object: frame → (n,), or one column per class: frame → (n, classes).
Evaluate: TypeAlias = Callable[[pd.DataFrame], FloatArray]
EvaluateAll: TypeAlias = Callable[[pd.DataFrame], Any]


def _left_out() -> FloatArray:
    return NO_CODES


def never_called(_frame: pd.DataFrame) -> FloatArray:
    """Stand for the call of a detector that is its score: the forest that this library fits."""
    raise AssertionError("the forest of this library is its score")


def _no_wrapped_model(model: Any, _request: "ParseRequest") -> "Adapter":
    raise BrokenPlugin(
        f"request.parse() parses a model inside another one, and no detector; got {type(model).__name__}. "
        "Build the Adapter of a wrapped detector in parse() of its family."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRequest:
    """What a model or a detector is parsed for, on data like ``reference``.

    A model's number for ``target`` must be ``at_least`` or ``at_most`` so much. The target is a class, or the
    wanted range (low, high) for a regressor. It is None if the caller named none, which only functions allow.
    Without either limit, the target must win if there are more than two classes.

    ``nullable`` holds the columns in which values may be missing: a family must parse the missing-value
    behaviour there, and may skip it elsewhere.

    ``contamination`` is the share of the reference that a detector calls implausible; None keeps its own
    threshold. ``random_state`` seeds a forest that is fitted here and has no own seed.
    """

    reference: pd.DataFrame
    codebook: Codebook = NOT_GIVEN  # by default that of the reference
    # (n, d) by default the reference, as the codebook encodes it
    codes: FloatArray = field(default_factory=_left_out)
    nullable: frozenset[str] = frozenset()
    target: Any = 1
    at_least: float | None = None
    at_most: float | None = None
    scale: str | None = None  # PROBABILITY or DECISION if the user chose one; None for the model's default
    score_tolerance: float = 0.0  # by how much a black box may score a row differently from call to call
    margin: float = 0.0  # from ``at_least`` or ``at_most`` inwards, or from the ends of the range
    # (d,) per reference column: the largest magnitude that a value will have; by default, any.
    reach: FloatArray = field(default_factory=_left_out)
    # Parses any family; a Pipeline parses its last step.
    parse: "Callable[[Any, ParseRequest], Adapter]" = _no_wrapped_model
    random_state: int | None = None
    contamination: float | None = None

    def __post_init__(self) -> None:
        if self.codebook is NOT_GIVEN:
            object.__setattr__(self, "codebook", codebook_of(self.reference))
        if self.codes is NO_CODES:
            object.__setattr__(self, "codes", self.codebook.encode(self.reference))
        if self.reach is NO_CODES:
            object.__setattr__(self, "reach", np.full(self.reference.shape[1], np.inf))


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A model or detector in the form that the solver needs, together with the calls of the object itself.

    A row is accepted, or plausible, if ``evaluate`` returns at least ``threshold``, which is 0 for detectors.
    ``evaluate`` is one call of the user's own object for a frame that has the reference's columns in any
    order.

    ``score`` is the parsed object: a function of rows of codes (see ``Codebook``) in the order of
    ``columns``. It is None for a black box. ``report`` converts values of ``score`` to the scale of
    ``evaluate``, up to rounding. If the certified thresholds only hold for values up to some magnitude per
    column, ``reach`` holds these magnitudes. A caller that needs more must parse the model again with a
    larger reach. A detector has none. Rows are also compared with the instance's own plausibility, so the
    width of a detector's error band must cover rounding at every score, not only at the threshold.

    Some decisions need several scores, all of which must reach their thresholds: a class must beat every
    other class, or a prediction must lie between two ends. ``also`` holds the further scores, and
    ``evaluate`` returns the least lead. If all scores together are necessary but not sufficient, ``decides``
    is False: the model itself is evaluated on the rows that pass them.

    ``number`` is what ``evaluate`` may return for values of the scores (n, scores). It never falls in any of
    them, so the model can be a member of an ensemble. It is None where the scores do not determine it.
    """

    family: str
    score: Score | None
    also: tuple[Score, ...] = ()
    decides: bool = True
    columns: tuple[str, ...]
    scale: str = DECISION
    threshold: float = 0.0
    classes: tuple[Any, ...] = ()
    evaluate: Evaluate
    # With at_most, `evaluate` returns minus what the model reports, and the threshold is minus the limit.
    negated: bool = False
    report: Callable[[FloatArray], FloatArray] | None  # None if one score does not determine it
    number: ReportedNumber | None = None
    tolerance: float = 1e-9  # how far report(score) may be from evaluate, given the family's precision
    score_tolerance: float = 0.0  # as the request states it, for a black box; the threshold includes it
    reach: FloatArray | None = None
    # False if nothing is certified for rows with categories that are not in the reference.
    knows_unseen_categories: bool = True
    # The request's, extended by labels that only the model's library knows; None if there are none.
    codebook: Codebook | None = None
    # The prediction that is displayed with a lead: the predicted number, or the target's probability.
    predict: Evaluate | None = None
    black_box_because: str = ""  # why it is a black box; "" if it is parsed, or a black box by choice
    # Parses the same detector, with the same threshold, for missing values in other columns. None if the
    # score is valid for missing values in every column.
    again: "Callable[[frozenset[str]], Adapter] | None" = None

    def __post_init__(self) -> None:
        tolerance: Any = self.tolerance
        if not isinstance(tolerance, int | float | np.floating) or not tolerance >= 0:
            raise BrokenPlugin(
                f"The adapter of {self.family} needs a tolerance of 0 or more, got {echoed(tolerance)}. "
                "Pass how far report(score) may be from evaluate."
            )

    @property
    def scores(self) -> tuple[Score, ...]:
        """All scores that must reach their thresholds; none for a black box."""
        return () if self.score is None else (self.score, *self.also)

    @property
    def is_black_box(self) -> bool:
        """Whether the object itself must be evaluated to decide about cells, in part or entirely."""
        return self.score is None or not self.decides

    @property
    def is_its_score(self) -> bool:
        """Whether the compiled score is the object itself, so nothing of the user's is called."""
        return self.evaluate is never_called
