"""Call the user's own model or detector: one record says how, and one function does it.

`evaluate` makes one call if there is time left. `evaluate_closely` evaluates rows close to a threshold alone.

Everything between a frame of rows and a number per row is data: what the object receives (`rows`), the
method, what it must return (`check`), and how the score follows from that (`outputs`). So a traceback from
within the user's code shows `call_model`, and nothing else of how the call was put together. The models and
detectors of the user are called nowhere else.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.calls.budget import CURRENT, LimitReached, OutOfBudget
from p2ce.base.calls.checked_calls import REBATCHED, differences, fault_of, require_complete
from p2ce.base.calls.library import caught_warnings
from p2ce.base.calls.retries import Retries, names_other_columns
from p2ce.base.visible import echoed
from p2ce.errors import InvalidOutput, P2CEError

# In the time of `time.perf_counter`. Calls happen deep below the steps that know how much time is left.
_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)
# Rounding error of single precision, which the rows that were tried first need not have shown.
STEADY = 1e-6
NUMBERS = "biuf"  # the kinds of NumPy's numbers
# The only attempt of a call that is not repeated.
ONCE: tuple[AbstractContextManager[Any], ...] = (nullcontext(),)
# A scikit-learn model fitted on an array should receive an array. A frame works, but it warns at every call.
_FITTED_ON_AN_ARRAY = "X has feature names, but"


def as_numbers(found: np.ndarray, count: int, *, call: str) -> np.ndarray:
    """Check that numbers were returned, of any shape and type."""
    if found.dtype.kind not in NUMBERS:
        raise InvalidOutput(
            f"{call} must return numbers; for {count} rows it returned {found.dtype} "
            f"of shape {found.shape}" + (f", such as {echoed(found.flat[0])}." if found.size else ".")
        )
    return found


def any_form(found: np.ndarray, count: int, *, call: str) -> np.ndarray:
    """Check that something was returned for every row: one value, or one per class."""
    if found.ndim not in (1, 2) or len(found) != count or found.size == 0:
        raise InvalidOutput(
            f"{call} must return one number per row, or one per row and class; for {count} rows "
            f"it returned shape {found.shape}."
        )
    return found


def one_per_row(found: np.ndarray, count: int, *, call: str) -> FloatArray:
    """Check that there is one number per row, of shape (n,) or (n, 1)."""
    found = as_numbers(found, count, call=call)
    if found.shape not in ((count,), (count, 1)):
        raise InvalidOutput(
            f"{call} must return one number per row: shape {(count,)} for {count} rows; "
            f"it returned shape {found.shape}."
        )
    return found.reshape(count).astype(np.float64)


def truth_or_number(found: np.ndarray, count: int, *, call: str) -> FloatArray:
    """Check that there is one number per row. True is 1 and False -1, on either side of the threshold 0."""
    values = one_per_row(found, count, call=call)
    return 2.0 * values - 1.0 if found.dtype.kind == "b" else values


def one_per_class(found: np.ndarray, count: int, *, call: str, classes: int | None) -> FloatArray:
    """Check that there is one column per class, or two or more if the number of classes is not known."""
    found = as_numbers(found, count, call=call)
    fits = found.ndim == 2 and len(found) == count
    if not fits or (found.shape[1] < 2 if classes is None else found.shape[1] != classes):
        wanted = "one per class" if classes is None else classes
        raise InvalidOutput(
            f"{call} must return one column per class: shape ({count}, {wanted}) for {count} rows; "
            f"it returned shape {found.shape}."
        )
    return found.astype(np.float64)


def one_or_more(found: np.ndarray, count: int, *, call: str, classes: int | None = None) -> FloatArray:
    """Check that there is one number per row, or one column per class."""
    several = found.ndim == 2 and found.shape[1] != 1
    return (
        one_per_class(found, count, call=call, classes=classes)
        if several
        else one_per_row(found, count, call=call)
    )


def one_class_per_row(found: np.ndarray, count: int, *, call: str) -> np.ndarray:
    """Check that there is the name of one class per row."""
    if found.shape not in ((count,), (count, 1)):
        raise InvalidOutput(
            f"{call} must return one class per row; for {count} rows it returned shape {found.shape}."
        )
    return found.reshape(-1)


class RowFormat(Protocol):
    """What the user's object receives for a frame of rows."""

    def __call__(self, frame: Any, /) -> Any: ...


class OutputCheck(Protocol):
    """Check the form of what was returned for ``count`` rows, and convert it to numbers."""

    def __call__(self, found: np.ndarray, count: int, /, *, call: str) -> np.ndarray: ...


class Output(Protocol):
    """Convert the numbers that were returned."""

    def __call__(self, values: FloatArray, /) -> FloatArray: ...


def of_class(values: FloatArray, index: int) -> FloatArray:
    """Return the score of one class; for two classes, one number per row is the score of the second."""
    if values.ndim == 2:
        return np.array(values[:, index])
    return values if index else -values


def as_given(frame: Any) -> Any:
    """Pass the frame itself."""
    return frame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AsFrame:
    """Pass a frame of these columns, each with its own type."""

    labels: "pd.Index[Any]"
    called: ClassVar[str] = "a DataFrame"  # in messages

    def __call__(self, frame: Any) -> Any:
        # Selecting columns takes a tenth of a millisecond, and most frames already have the right ones.
        return frame if frame.columns.equals(self.labels) else frame[self.labels]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AsArray:
    """Pass an array of these columns."""

    labels: "pd.Index[Any]"
    dtype: np.dtype[Any]
    # Whether missing numbers of nullable types become NaN, which pandas does not assume.
    fills: bool = True
    called: ClassVar[str] = "an array"  # in messages

    def __call__(self, frame: Any) -> Any:
        missing = {"na_value": np.nan} if self.fills and self.dtype.kind == "f" else {}
        return frame[self.labels].to_numpy(dtype=self.dtype, **missing)


def labels_in_order(names: Sequence[str], reference: pd.DataFrame) -> "pd.Index[Any]":
    """Return the labels of named columns; a frame may label its columns 0, 1, 2."""
    labels = {str(label): label for label in reference.columns}
    return pd.Index([labels[name] for name in names], tupleize_cols=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelCall:
    """One call of the user's own object: a frame of rows → one number per row, or one per row and class."""

    name: str  # in messages
    method: Callable[[Any], Any]  # of the user's object
    rows: RowFormat = as_given
    copies: bool = False  # whether the object receives a copy, which it may modify
    check: OutputCheck = one_or_more
    outputs: tuple[Output, ...] = ()  # from what the method returns to what counts, in this order
    # The only part with a memory: whether repeating failed calls helped. None if they are not repeated.
    retries: Retries | None = None
    advice: str = ""  # added to the message if the object raises an error
    complete: bool = True  # whether NaN is an error
    # Whether joblib may use one thread only: a proof relies on the order in which a forest adds its trees.
    alone: bool = False
    parts: ClassVar[int] = 1  # calls of the user's object

    def call_model(self, frame: Any) -> FloatArray:
        """Evaluate the rows of a frame: convert them, call the method, check the result, and convert it."""
        failure: P2CEError | None = None
        for attempt in ONCE if self.retries is None else self.retries.attempts():
            with attempt:
                try:
                    given = self.rows(frame)
                    if self.copies:
                        given = _copied(given)
                    budget = CURRENT.get()
                    if budget is not None and not calls_of(self.method):  # else it charges its own calls
                        budget.charge(len(frame))
                    with _in_one_thread() if self.alone else nullcontext():
                        returned = self.method(given)
                    if hasattr(returned, "detach"):  # a PyTorch tensor that still remembers its gradients
                        returned = returned.detach().cpu().numpy()
                    # A copy, since the output may be a buffer that the next call overwrites.
                    found = np.array(returned)
                except OutOfBudget as error:
                    raise error from failure  # why the call was to be repeated
                except (P2CEError, KeyboardInterrupt):
                    raise  # this library's own error about the output, or an interruption by the user
                except BaseException as error:  # also SystemExit, which must not end the program
                    failure = fault_of(
                        error, len(frame), call=self.name, rows=self._named(frame), advice=self.advice
                    )
                    raise failure from error
                values = self.check(found, len(frame), call=self.name)
                for output in self.outputs:
                    values = output(values)
                if self.complete and np.isnan(values).any():
                    require_complete(values, call=self.name, rows=self._named(frame))
                return values
        raise AssertionError("the last attempt returns or raises")

    # The method's own name is what a traceback shows.
    __call__ = call_model

    def _named(self, frame: Any) -> Any:
        """Select the columns that messages may name."""
        labels = getattr(self.rows, "labels", None)
        return frame if labels is None else frame[labels]

    def then(self, *outputs: Output) -> "ModelCall":
        """Return the call with further conversions of its numbers."""
        return replace(self, outputs=(*self.outputs, *outputs))


def _in_one_thread() -> AbstractContextManager[Any]:
    from joblib import parallel_config

    config: AbstractContextManager[Any] = parallel_config(backend="sequential")
    return config


def _copied(rows: Any) -> Any:
    """Copy rows: a frame, a sparse matrix, or an array, in whose order in memory a library may add."""
    if isinstance(rows, np.ndarray):
        return np.array(rows)
    return rows.copy() if hasattr(rows, "copy") else rows


def as_call(function: Callable[[Any], Any], *, name: str) -> ModelCall:
    """Return a call, or a function of frames from a plug-in as one."""
    return function if isinstance(function, ModelCall) else ModelCall(name=name, method=function)


def retried(call: Callable[[Any], Any], *, name: str = "model") -> ModelCall:
    """Return the call with failures retried; a call that is retried already is unchanged."""
    call = as_call(call, name=name)
    return call if call.retries is not None else replace(call, retries=Retries())


def choose_format(
    method: Callable[[Any], Any],
    formats: Sequence[AsFrame | AsArray],
    rows: pd.DataFrame,
    *,
    call: str,
    check: OutputCheck = as_numbers,
) -> tuple[AsFrame | AsArray, np.ndarray]:
    """Find the first format in which the method accepts rows, and return its outputs as they are."""
    for attempt in Retries().attempts():
        with attempt:
            return _first_accepted(method, formats, rows, call, check)
    raise AssertionError("the last attempt returns or raises")


def _first_accepted(
    method: Callable[[Any], Any],
    formats: Sequence[AsFrame | AsArray],
    rows: pd.DataFrame,
    call: str,
    check: OutputCheck,
) -> tuple[AsFrame | AsArray, np.ndarray]:
    failures: list[tuple[AsFrame | AsArray, InvalidOutput]] = []
    answered = False  # whether any format gave an output, valid or not
    for row_format in formats:
        tried = ModelCall(name=call, method=method, rows=row_format, copies=True, check=check, complete=False)
        try:
            with caught_warnings(_FITTED_ON_AN_ARRAY) as caught:
                found = tried(rows)
            if caught:
                raise InvalidOutput(f"{call} raised UserWarning: {caught[0]}")
            answered = True
            any_form(found, len(rows), call=call)
            if found.dtype.kind == "f":
                require_complete(found, call=call, rows=rows)
        except InvalidOutput as error:
            failures.append((row_format, error))
            if answered or names_other_columns(error):
                break  # an array would hide that the model was fitted on other columns
        else:
            return row_format, found
    if len(failures) == 1:
        raise failures[0][1]
    text = " ".join(f"Given {row_format.called}: {error}" for row_format, error in failures)
    raise InvalidOutput(f"{call} accepts rows in neither form. {text}") from failures[-1][1]


@contextmanager
def no_calls_after(deadline: float | None) -> Iterator[None]:
    """Raise `LimitReached` instead of making a call after the deadline. None keeps the current deadline."""
    before = _deadline.set(min(_deadline.get(), math.inf if deadline is None else deadline))
    try:
        yield
    finally:
        _deadline.reset(before)


def require_time() -> None:
    """Raise `LimitReached` if the deadline has passed."""
    if time.perf_counter() >= _deadline.get():
        raise LimitReached


def is_over(until: float | None) -> bool:
    """Return whether a time of `time.perf_counter` has come; None never comes."""
    return until is not None and time.perf_counter() >= until


def evaluate(call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame) -> FloatArray:
    """Call the user's own model, detector or rule once, unless there are no rows, or no time is left."""
    if not len(frame):
        return np.zeros(0)
    require_time()
    return call(frame)


def calls_of(call: Callable[[Any], Any]) -> int:
    """Return how many calls of the user's objects an evaluation of rows takes; 0 for a rule's function."""
    return getattr(call, "parts", 0)


class Closely(NamedTuple):
    """Values of rows, where each row close to the threshold was evaluated alone."""

    values: FloatArray  # (n,)
    unsettled: BoolArray  # (n,) close to the threshold, but there was no time to evaluate the row alone


def evaluate_closely(
    call: Callable[[pd.DataFrame], FloatArray],
    frame: pd.DataFrame,
    *,
    threshold: float | Callable[[FloatArray], FloatArray],
    tolerance: float,
    settled: BoolArray | None = None,
    until: float | None = None,
) -> Closely:
    """Evaluate rows in one call, then evaluate each row close to the threshold alone.

    Libraries round a row differently in other batches, so a row may be accepted in one batch and rejected in
    another. The value of the row alone counts, so no explanation depends on the rest of its batch.

    ``threshold`` is one number for all rows, or a function from values to thresholds. ``settled`` marks rows
    whose acceptance or rejection is proven either way. After ``until``, in the time of `time.perf_counter`,
    no further call begins.
    """
    values = evaluate(call, frame)
    unsettled = np.zeros(len(frame), dtype=np.bool_)
    if len(frame) > 1 and (settled is None or not settled.all()):
        least = threshold(values) if callable(threshold) else threshold
        near = is_close(values, least, tolerance)
        close = np.flatnonzero(near if settled is None else near & ~settled)
        if len(close):
            alone = evaluate_alone(call, frame.iloc[close], until=until)
            values[close[: len(alone)]] = alone
            unsettled[close[len(alone) :]] = True
    return Closely(values, unsettled)


def is_close(values: FloatArray, threshold: float | FloatArray, tolerance: float) -> BoolArray:
    """Mark values that may be on the other side of their threshold in another batch.

    Objects whose values differ by more are rejected when they are parsed, or by `require_steady`.
    """
    within = min(max(tolerance, STEADY), REBATCHED)
    finite = np.isfinite(threshold)  # nothing is close to infinity
    threshold = np.where(finite, threshold, 0.0)
    return np.asarray(finite & (np.abs(values - threshold) <= within * np.maximum(1.0, np.abs(threshold))))


def evaluate_alone(
    call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame, *, until: float | None = None
) -> FloatArray:
    """Evaluate each row by itself, and stop after ``until``: the result may cover the first rows only."""
    values: list[float] = []
    for at in range(len(frame)):
        if is_over(until):
            break
        values.append(float(evaluate(call, frame.iloc[[at]])[0]))
    return np.array(values, dtype=np.float64)


def require_steady(
    then: FloatArray, now: FloatArray, who: str, *, tolerance: float, allowed: float = 0.0
) -> None:
    """Reject an object that returns other values for rows that it evaluated before.

    The rows were in another batch then, in which single precision rounds differently. When the object was
    parsed, the same batch gave the same values, and the ``tolerance`` was measured. Or the user states by how
    much values are ``allowed`` to differ.
    """
    apart = differences(then, now) > max(tolerance, STEADY)
    if allowed:
        apart = np.abs(then - now) > allowed
    if apart.any():
        at = int(np.flatnonzero(apart)[0])
        raise InvalidOutput(
            f"The {who} returned {echoed(float(then[at]))} for a row and {echoed(float(now[at]))} when "
            "called again. "
            "It must return the same value every time: fix its seed, or put it into evaluation mode. If it "
            f"cannot, state by how much scores may differ: pass a score_tolerance= above {allowed:g}."
        )
