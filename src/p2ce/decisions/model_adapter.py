"""State what parsing a model takes, `Request`, and what it gives, `ModelAdapter`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.scores.score import Score
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
    """What a model is parsed for: reach ``threshold`` for class ``target``, on data like ``reference``.

    ``target`` is a class, or for a regressor the wanted range (low, high); None where the caller named none,
    which only functions allow. Without a threshold, one class of
    more than two must win. ``nullable`` names the columns in which a value may be missing: a family states
    the missing-value behaviour of the model there, and may leave it out elsewhere.
    """

    reference: pd.DataFrame
    target: Any = 1
    threshold: float | None = None
    scale: str | None = None  # PROBABILITY or DECISION where the user chose, None for what the model offers
    margin: float = 0.0  # on top of the threshold, or inwards from the ends of the range
    codebook: Codebook = NOT_GIVEN  # of the reference, unless given
    nullable: frozenset[str] = frozenset()
    reach: FloatArray  # (d,) per reference column: the largest magnitude that a value will have
    parse: Callable[[Any, "Request"], "ModelAdapter"]  # parses any family; a Pipeline parses its last step

    def __post_init__(self) -> None:
        if self.codebook is NOT_GIVEN:
            object.__setattr__(self, "codebook", codebook_of(self.reference))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAdapter:
    """A model in the form that the solver takes, beside the model itself.

    ``score`` is the parsed model, or None for a black box. ``evaluate`` is the user's own scoring method, one
    call, for a frame that holds the reference's columns in any order. ``report`` turns values of ``score``
    into the scale of ``evaluate``, up to rounding. ``reach`` is given where the certified thresholds hold
    only for values up to that magnitude per column; a caller who needs more parses the model again with a
    larger reach.

    Some decisions take several scores, all of which must reach their thresholds: a class must beat every
    other, a prediction must lie between two ends. ``also`` holds the further ones; then ``evaluate`` gives
    the least lead. Where all of them together are necessary but not sufficient, ``decides`` is False: the
    model itself is evaluated on what passes them.
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
    report: Callable[[FloatArray], FloatArray] | None  # None where one score alone does not determine it
    tolerance: float  # how far report(score) may be from evaluate, by the family's precision
    reach: FloatArray | None = None
    # False where nothing is certified about rows with categories that the reference does not have.
    knows_unseen_categories: bool = True
    # What the model predicts, shown beside a lead: the predicted number, the target's probability.
    predict: Evaluate | None = None
    black_box_because: str = ""  # why it is a black box; "" where it is parsed, or a black box by choice

    @property
    def scores(self) -> tuple[Score, ...]:
        """All scores that have to reach their thresholds; none for a black box."""
        return () if self.score is None else (self.score, *self.also)

    @property
    def is_black_box(self) -> bool:
        """Whether the model itself decides about cells, in part or wholly."""
        return self.score is None or not self.decides
