"""Say what reading a model takes and gives, and settle columns, class and threshold the same way for all."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidReference, InvalidTarget, InvalidThreshold, UnsupportedModel, nearest
from p2ce.scores.score import Score
from p2ce.tables.codebook import Codebook, codebook_of
from p2ce.visible import echoed

PROBABILITY = "probability"
DECISION = "decision"
LEAD = "lead"  # how far the target is ahead of what it must beat: a threshold, a class, the ends of a range
NOT_GIVEN = Codebook(())
Evaluate: TypeAlias = Callable[[pd.DataFrame], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a model: reach ``threshold`` for class ``target``, on data like ``reference``.

    ``target`` is a class, or for a regressor the wanted range (low, high). Without a threshold, one class of
    more than two must win. ``may_miss`` names the columns in which a value may be missing: only there need
    a reading say what the model makes of it.
    """

    reference: pd.DataFrame
    target: Any = 1
    threshold: float | None = None
    scale: str | None = None  # PROBABILITY or DECISION where the user chose, None for what the model offers
    margin: float = 0.0  # on top of a threshold that the model brings with it; any other holds it already
    codebook: Codebook = NOT_GIVEN  # of the reference, unless given
    may_miss: frozenset[str] = frozenset()
    reach: FloatArray  # (d,) per reference column: the largest magnitude that a value will have
    read: Callable[
        [Any, "Request"], "ModelAdapter"
    ]  # reads any family; a pipeline needs it for its last step

    def __post_init__(self) -> None:
        if self.codebook is NOT_GIVEN:
            object.__setattr__(self, "codebook", codebook_of(self.reference))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAdapter:
    """A model in the form that the search understands, beside the model itself.

    ``score`` is the model as read, or None for a model that can only be asked. ``ask`` is the user's own
    scoring method, one call, for a frame that holds the reference's columns in any order. ``report``
    turns scores into the scale of ``ask``, up to rounding. ``reach`` is given where ``sure`` and
    ``maybe`` are proven only for values up to that magnitude per column; a caller who needs more reads
    the model again with a larger reach.

    Some decisions take several scores, all of which must reach their thresholds: a class must beat every
    other, a prediction must lie between two ends. ``also`` holds the further ones; then ``ask`` gives the
    least lead. Where all of them together are necessary but not sufficient, ``decides`` is False: what
    passes them is put to the model itself.
    """

    family: str
    score: Score | None
    also: tuple[Score, ...] = ()
    decides: bool = True
    columns: tuple[str, ...]
    scale: str
    threshold: float
    classes: tuple[Any, ...]
    ask: Evaluate
    report: Callable[[FloatArray], FloatArray] | None  # None where one score alone does not tell
    tolerance: float  # how far report(compiled score) may be from ask, by the family's precision
    reach: FloatArray | None = None
    # False where the scores prove nothing about people with labels that the reference does not have.
    knows_unseen_categories: bool = True
    # What the model predicts, to be shown beside a lead: the predicted number, the target's probability.
    predict: Evaluate | None = None
    black_box_because: str = ""  # why it can only be asked; "" where it is read, or asked by choice

    @property
    def scores(self) -> tuple[Score, ...]:
        """All scores that have to reach their thresholds; none for a model that can only be asked."""
        return () if self.score is None else (self.score, *self.also)

    @property
    def is_black_box(self) -> bool:
        """Whether the model itself decides about cells, in part or wholly."""
        return self.score is None or not self.decides


def columns_by_name(
    names: Sequence[object], reference: pd.DataFrame, *, subject: str = "model"
) -> tuple[str, ...]:
    """Check that model and reference have the same columns, in any order; give the model's order."""
    asked = [str(name) for name in names]
    known = [str(name) for name in reference.columns]
    missing = [name for name in asked if name not in known]
    extra = [name for name in known if name not in asked]
    if missing:
        raise InvalidReference(
            f"The {subject} was fitted on column {echoed(missing[0])}, which the reference frame does not "
            "have"
            + (f" (nor {len(missing) - 1} others)" if len(missing) > 1 else "")
            + f". {nearest(missing[0], known)} Pass the frame that the {subject} was fitted on."
        )
    if extra:
        shown = ", ".join(repr(name) for name in extra[:5])
        raise InvalidReference(
            f"The reference frame has {shown}, which the {subject} was not fitted on. "
            f"Drop what the {subject} does not see (the label, an index) and pass the rest."
        )
    return tuple(asked)


def columns_by_count(count: int, reference: pd.DataFrame, *, subject: str = "model") -> tuple[str, ...]:
    """Take the reference's order for a model that was fitted on a bare array."""
    if count != reference.shape[1]:
        raise InvalidReference(
            f"The {subject} was fitted on {count} unnamed columns, the reference frame has "
            f"{reference.shape[1]}. Pass a frame with exactly the {subject}'s columns, in its order."
        )
    return tuple(str(name) for name in reference.columns)


def binary_index(classes: Sequence[Any], target: Any, *, family: str) -> int:
    """Find the target among two classes: 0 or 1."""
    if len(classes) != 2:
        raise UnsupportedModel(
            f"{family} with {len(classes)} classes: only two classes can be read exactly here. "
            "Fit one model that separates the wanted class from the rest."
        )
    return class_index(classes, target)


def class_index(classes: Sequence[Any], target: Any) -> int:
    """Find the target among the classes."""
    for index, known in enumerate(classes):
        if not isinstance(target, list | tuple | dict) and np.ndim(target) == 0 and bool(known == target):
            return index
    shown = ", ".join(echoed(known, most=60) for known in classes)
    raise InvalidTarget(
        f"The model knows the classes {shown}; target={echoed(target)} is none of them. Pass one of these."
    )


def probability_threshold(threshold: float | None) -> float:
    """Check a threshold on a probability; one half by default."""
    asked = _number(0.5 if threshold is None else threshold)
    if not 0.0 <= asked <= 1.0:
        raise InvalidThreshold(
            f"The model reports probabilities, so the threshold must lie in [0, 1]; got {echoed(threshold)}."
        )
    return asked


def decision_threshold(threshold: float | None) -> float:
    """Check a threshold on a decision function; zero by default."""
    asked = _number(0.0 if threshold is None else threshold)
    if not math.isfinite(asked):
        raise InvalidThreshold(
            f"The model reports decision values, so the threshold must be finite; got {echoed(threshold)}."
        )
    return asked


def _number(threshold: object) -> float:
    if isinstance(threshold, bool | np.bool_):
        raise InvalidThreshold(f"The threshold must be a number; got {echoed(threshold)}.")
    try:
        return float(threshold)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidThreshold(f"The threshold must be a number; got {echoed(threshold)}.") from None


def plain_classes(classes: object) -> tuple[Any, ...]:
    """List classes as plain Python values."""
    return tuple(np.asarray(classes).tolist())


def feeder(columns: Sequence[str], reference: pd.DataFrame, *, named: bool) -> Callable[[pd.DataFrame], Any]:
    """Build the step that hands rows to the model as it was fitted: a frame in its order, or a bare array."""
    labels = {str(label): label for label in reference.columns}  # a frame may name its columns 0, 1, 2
    order = [labels[name] for name in columns]
    if named:
        wanted = pd.Index(order, tupleize_cols=False)
        # Picking columns takes a tenth of a millisecond, and most frames have the right ones already.
        return lambda frame: frame if frame.columns.equals(wanted) else frame[order]
    dtype = array_dtype(reference[order])
    return lambda frame: frame[order].to_numpy(dtype=dtype)


def array_dtype(frame: pd.DataFrame) -> np.dtype[Any]:
    """Choose the dtype of a frame as an array; a mixture with bools must not become an array of objects."""
    if any(coding.is_category for coding in codebook_of(frame)):
        return np.dtype(object)
    kinds = [dtype if isinstance(dtype, np.dtype) else np.dtype(np.float64) for dtype in frame.dtypes]
    common = np.result_type(*kinds)
    return common if common.kind in "iuf" else np.dtype(np.float64)


def second_class_or_first(index: int) -> Callable[[FloatArray], FloatArray]:
    """Turn the reported probability of the second class into that of the target."""
    return (lambda values: values) if index == 1 else (lambda values: 1.0 - values)
