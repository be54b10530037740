"""The input of parsing a model, `Request`, and its result, `ModelAdapter`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.score import Score
from p2ce.tables.codebook import Codebook, codebook_of

PROBABILITY = "probability"
DECISION = "decision"
LEAD = "lead"  # how far the target is ahead of what it must beat: a class, or the ends of a range
NOT_GIVEN = Codebook(())
# One call of the user's model: frame → (n,), or one column per class: frame → (n, classes).
Evaluate: TypeAlias = Callable[[pd.DataFrame], FloatArray]
EvaluateAll: TypeAlias = Callable[[pd.DataFrame], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a model is parsed for: ``target`` must reach ``threshold``, on data like ``reference``.

    ``target`` is a class, or the wanted range (low, high) for a regressor. It is None if the caller named
    none, which only functions allow. Without a threshold, the target must win if there are more than two
    classes. ``nullable`` holds the columns in which values may be missing: a family must parse the model's
    missing-value behaviour there, and may skip it elsewhere.
    """

    reference: pd.DataFrame
    target: Any = 1
    threshold: float | None = None
    scale: str | None = None  # PROBABILITY or DECISION if the user chose one; None for the model's default
    margin: float = 0.0  # added to the threshold, or inwards from the ends of the range
    codebook: Codebook = NOT_GIVEN  # by default that of the reference
    nullable: frozenset[str] = frozenset()
    reach: FloatArray  # (d,) per reference column: the largest magnitude that a value will have
    parse: Callable[[Any, "Request"], "ModelAdapter"]  # parses any family; a Pipeline parses its last step

    def __post_init__(self) -> None:
        if self.codebook is NOT_GIVEN:
            object.__setattr__(self, "codebook", codebook_of(self.reference))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAdapter:
    """A model in the form that the solver needs, together with the calls of the model itself.

    ``score`` is the parsed model, or None for a black box. ``evaluate`` is the user's own scoring method: one
    call for a frame that has the reference's columns in any order. ``report`` converts values of ``score`` to
    the scale of ``evaluate``, up to rounding. If the certified thresholds only hold for values up to some
    magnitude per column, ``reach`` holds these magnitudes. A caller that needs more must parse the model
    again with a larger reach.

    Some decisions need several scores, all of which must reach their thresholds: a class must beat every
    other class, or a prediction must lie between two ends. ``also`` holds the further scores, and
    ``evaluate`` returns the least lead. If all scores together are necessary but not sufficient, ``decides``
    is False: the model itself is evaluated on the rows that pass them.
    """

    family: str
    score: Score | None
    also: tuple[Score, ...] = ()
    decides: bool = True
    columns: tuple[str, ...]
    scale: str
    threshold: float
    classes: tuple[Any, ...]
    evaluate: Evaluate
    report: Callable[[FloatArray], FloatArray] | None  # None if one score does not determine it
    tolerance: float  # how far report(score) may be from evaluate, given the family's precision
    reach: FloatArray | None = None
    # False if nothing is certified for rows with categories that are not in the reference.
    knows_unseen_categories: bool = True
    # The request's, extended by labels that only the model's library knows; None if there are none.
    codebook: Codebook | None = None
    # The prediction that is displayed with a lead: the predicted number, or the target's probability.
    predict: Evaluate | None = None
    black_box_because: str = ""  # why it is a black box; "" if it is parsed, or a black box by choice

    @property
    def scores(self) -> tuple[Score, ...]:
        """All scores that must reach their thresholds; none for a black box."""
        return () if self.score is None else (self.score, *self.also)

    @property
    def is_black_box(self) -> bool:
        """Whether the model itself must be evaluated to decide about cells, in part or entirely."""
        return self.score is None or not self.decides
