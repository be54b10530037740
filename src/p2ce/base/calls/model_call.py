"""Call the user's own model or detector: one record says how, and one function does it.

Everything between a frame of rows and a number per row is data: what the object receives (`rows`), the
method, what it must return (`check`), and how the score follows from that (`outputs`). So a traceback from
within the user's code shows `call_model`, and nothing else of how the call was put together. The models and
detectors of the user are called nowhere else.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import any_form, as_numbers, fault_of, one_or_more, require_complete
from p2ce.base.calls.library import caught_warnings
from p2ce.base.calls.retries import Retries, names_other_columns
from p2ce.errors import InvalidOutput, P2CEError

# The only attempt of a call that is not repeated.
ONCE: tuple[AbstractContextManager[Any], ...] = (nullcontext(),)
# A scikit-learn model fitted on an array should receive an array. A frame works, but it warns at every call.
_FITTED_ON_AN_ARRAY = "X has feature names, but"


class RowFormat(Protocol):
    """What the user's object receives for a frame of rows."""

    def __call__(self, frame: Any, /) -> Any: ...


class OutputCheck(Protocol):
    """Check the form of what was returned for ``count`` rows, and convert it to numbers."""

    def __call__(self, found: np.ndarray, count: int, /, *, call: str) -> np.ndarray: ...


class Output(Protocol):
    """Convert the numbers that were returned."""

    def __call__(self, values: FloatArray, /) -> FloatArray: ...


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

    def call_model(self, frame: Any) -> FloatArray:
        """Evaluate the rows of a frame: convert them, call the method, check the result, and convert it."""
        for attempt in ONCE if self.retries is None else self.retries.attempts():
            with attempt:
                try:
                    given = self.rows(frame)
                    if self.copies:
                        given = _copied(given)
                    with _in_one_thread() if self.alone else nullcontext():
                        returned = self.method(given)
                    if hasattr(returned, "detach"):  # a PyTorch tensor that still remembers its gradients
                        returned = returned.detach().cpu().numpy()
                    # A copy, since the output may be a buffer that the next call overwrites.
                    found = np.array(returned)
                except (P2CEError, KeyboardInterrupt):
                    raise  # this library's own error about the output, or an interruption by the user
                except BaseException as error:  # also SystemExit, which must not end the program
                    raise fault_of(
                        error, len(frame), call=self.name, rows=self._named(frame), advice=self.advice
                    ) from error
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
