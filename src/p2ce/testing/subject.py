"""Wrap model and detector adapters in one interface: rows in, the user's own scores out."""

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.compile.compiled_problem import labels_of
from p2ce.engine.scores.score import Score, score_rows
from p2ce.models.decisions.adapter import Adapter
from p2ce.tables.codebook import MISSING, Codebook, Coding, codebook_of
from p2ce.testing.reports import require

SHOWN_COLUMNS = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """The model or detector to check. It accepts a row if its score is at least ``threshold``.

    Rows are codes, as for scores. The user's object receives frames with the columns' own types.
    """

    who: str  # "model" or "detector", as in messages
    family: str
    scores: tuple[Score, ...]  # all must reach their thresholds; none for a black box
    decides: bool  # whether a row that reaches them all is accepted
    threshold: float
    tolerance: float
    report: Callable[[FloatArray], FloatArray] | None  # of the first score
    call: Callable[[pd.DataFrame], FloatArray]
    columns: tuple[str, ...]  # its own columns, in its order
    labels: "pd.Index[Any]"  # all columns of the frames that it receives, its own first
    codebook: Codebook  # of the same columns
    reference: FloatArray  # (n, own columns) rows of the caller's reference
    others: FloatArray  # (columns that are not its own,) values for them
    nullable: tuple[int, ...]  # its own columns in which a value may be missing
    unseen: dict[int, float] = field(default_factory=dict)  # own column → code of a label that no row has
    may_be_infinite: bool

    @property
    def own(self) -> tuple[Coding, ...]:
        """How its own columns are coded."""
        return self.codebook.codings[: len(self.columns)]

    def frame(self, rows: FloatArray) -> pd.DataFrame:
        """Write rows (n, own columns) as a frame of all columns, in the reference's types."""
        rest = np.broadcast_to(self.others, (len(rows), len(self.others)))
        return self.codebook.decode(np.concatenate([rows, rest], axis=1), self.labels)

    def held(self, rows: FloatArray) -> FloatArray:
        """Return rows as a frame would hold them: in whole numbers, or in single precision."""
        found = np.array(rows, dtype=np.float64)
        for column, coding in enumerate(self.own):
            known = found[:, column] != MISSING
            if not coding.is_category:
                found[known, column] = _fitting(found[known, column], coding.number_dtype)
        return found

    def evaluate(self, rows: FloatArray, how: str = "") -> FloatArray:
        """Call the user's own object. It must return one number per row, and must not change the frame."""
        return self.evaluate_frame(self.frame(rows), how)

    def evaluate_frame(self, frame: pd.DataFrame, how: str = "") -> FloatArray:
        """Call the user's own object on a frame."""
        before = frame.copy(deep=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for example, about an unseen category
            found = np.asarray(self.call(frame))
        called = f"on {len(frame)} rows{how}"
        require(
            found.shape == (len(frame),) and found.dtype.kind == "f",
            f"evaluate of {self.who} {self.family} must return one float per row: shape ({len(frame)},); "
            f"{called} it returned {found.dtype} of shape {found.shape}. Select one column, and cast it.",
        )
        require(
            frame.equals(before) and frame.columns.equals(before.columns),
            f"evaluate of {self.who} {self.family} must not change the frame; {called} it wrote into "
            f"it, first in {_first_difference(before, frame)}. Pass a copy to the code that writes.",
        )
        wrong = np.isnan(found) if self.may_be_infinite else ~np.isfinite(found)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            require(
                False,
                f"evaluate of {self.who} {self.family} must return finite numbers; {called} it returned "
                f"{found[at]} for {int(wrong.sum())} of them, such as {row_text(frame.iloc[at])}. "
                "Check that it accepts rows like these.",
            )
        return np.array(found, dtype=np.float64)

    def accepts(self, results: FloatArray) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        """Return which scores are accepted."""
        return np.asarray(results >= self.threshold, dtype=np.bool_)

    def shown(self, row: FloatArray) -> str:
        """Write a row for a message."""
        return row_text(self.frame(row[None, :]).iloc[0])


def subject_of_model(
    read: Adapter,
    reference: pd.DataFrame,
    *,
    codebook: Codebook | None = None,
    nullable: Collection[str] | None = None,
) -> Subject:
    """Build the subject of checks from a model adapter.

    ``codebook`` and ``nullable`` are those that it was parsed with. By default, the reference determines
    them.
    """
    codebook = read.codebook or codebook or codebook_of(reference)
    made = _subject(
        "model", read, reference, codebook, nullable, call=read.evaluate, threshold=read.threshold
    )
    made = replace(made, scores=read.scores, decides=read.decides)
    return _with_unseen(made) if read.knows_unseen_categories or read.score is None else made


def subject_of_detector(
    read: Adapter, reference: pd.DataFrame, *, codebook: Codebook, nullable: Collection[str] | None
) -> Subject:
    """Build the subject of checks from a detector adapter. Scores of 0 and more are plausible."""
    score = None if read.score is None else read.score.flat

    def computed(frame: pd.DataFrame) -> FloatArray:
        assert score is not None, "a detector has a score, or is a black box"
        assert read.report is not None
        return read.report(score_rows(score, codebook.of(read.columns).encode(frame)))

    call = computed if read.is_its_score else read.evaluate
    made = _subject("detector", read, reference, codebook, nullable, call=call, threshold=0.0)
    # A density may be zero, and its logarithm minus infinity. That only means that the row is implausible.
    return _with_unseen(replace(made, scores=() if score is None else (score,), may_be_infinite=True))


def _subject(
    who: str,
    read: Adapter,
    reference: pd.DataFrame,
    codebook: Codebook,
    nullable: Collection[str] | None,
    *,
    call: Callable[[pd.DataFrame], FloatArray],
    threshold: float,
) -> Subject:
    names = [str(name) for name in reference.columns]
    require(
        read.columns and len(set(read.columns)) == len(read.columns) and set(read.columns) <= set(names),
        f"columns of an adapter must be different columns of the reference; got {read.columns}, but the "
        f"reference has {tuple(names)}. Use the columns that the {who} was fitted on.",
    )
    order = [*read.columns, *(name for name in names if name not in read.columns)]
    book = codebook.of(order)
    values = book.encode(reference)
    own = len(read.columns)
    holes = (values[:, :own] == MISSING).any(axis=0)
    return Subject(
        who=who,
        family=read.family,
        scores=(),
        decides=True,
        threshold=threshold,
        tolerance=read.tolerance,
        report=read.report,
        call=call,
        columns=read.columns,
        labels=labels_of(reference, order),
        codebook=book,
        reference=np.ascontiguousarray(values[:, :own]),
        others=values[0, own:],
        nullable=tuple(
            place
            for place, name in enumerate(read.columns)
            if book[name].holds_missing and (holes[place] if nullable is None else name in nullable)
        ),
        may_be_infinite=False,
    )


def _with_unseen(subject: Subject) -> Subject:
    """Add unseen categories for the columns in which the subject accepts one."""
    found: dict[int, float] = {}
    for column, coding in enumerate(subject.own):
        label = _new_label(coding)
        if label is None:
            continue
        row = subject.reference[:1].copy()
        row[0, column] = coding.count
        wider = replace(subject, codebook=subject.codebook.with_labels({coding.name: [label]}))
        try:
            results = wider.evaluate(row)
        except Exception:  # it may reject such labels with any error
            continue
        if np.isfinite(results).all():
            found[column] = float(row[0, column])
            subject = wider
    return replace(subject, unseen=found)


def _new_label(coding: Coding) -> Any:
    """Make up a label of a column's kind; None for numbers, and for kinds without further labels."""
    labels = coding.labels or ()
    if labels and all(isinstance(label, str) for label in labels):
        new = "unseen"
        while coding.code_of(new) is not None:
            new += "_"
        return new
    if labels and all(
        isinstance(label, int | np.integer) and not isinstance(label, bool) for label in labels
    ):
        return max(labels) + 1
    return None


def row_text(row: Any) -> str:
    """Write a row of a frame for a message: its first columns if it has many."""
    parts = [f"{name}={value!r}" for name, value in zip(row.index, row.to_list(), strict=True)]
    more = ", …" if len(parts) > SHOWN_COLUMNS else ""
    return f"({', '.join(parts[:SHOWN_COLUMNS])}{more})"


def _fitting(values: FloatArray, kind: np.dtype[Any]) -> "np.ndarray[Any, Any]":
    """Clip values to the range of a type, and cast them to it."""
    if kind.kind == "b":
        return np.asarray(values != 0.0)
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        return np.clip(np.rint(values), max(ends.min, -(2**53)), min(ends.max, 2**53)).astype(kind)
    with np.errstate(over="ignore"):
        limit = float(np.finfo(kind).max)
        return np.clip(values, -limit, limit).astype(kind)


def _first_difference(before: pd.DataFrame, after: pd.DataFrame) -> str:
    if not before.columns.equals(after.columns):
        return f"its columns, now {list(after.columns)}"
    for label in before.columns:
        if len(before) != len(after) or not before[label].equals(after[label]):
            return f"column {label!r}"
    return "its index"
