"""Follow columns through transformers for numbers: scalers, bins, thresholds, functions."""

from typing import Any

import numpy as np

from p2ce.base.calls.library import quiet_check_array
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.columnwise import is_columnwise
from p2ce.models.preprocessing.fold import Fold, extended, is_sparse, precision, transformed
from p2ce.models.preprocessing.input_maps import InputMap, Operation
from p2ce.models.preprocessing.operations import Above, Arithmetic, Bins, Cast, Clip, Elementwise, Lookup
from p2ce.models.preprocessing.tabulated import follow_tabulated


def follow_scaler(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow StandardScaler, MinMaxScaler, RobustScaler or MaxAbsScaler."""
    dtype = precision(given)
    # Some versions first round the fitted numbers to the precision of the rows, others do not.
    versions = [np.dtype(np.float64)] if dtype == np.float64 else [dtype, np.dtype(np.float64)]
    followed: list[InputMap] = []
    for version in versions:
        followed = [
            extended(
                input_map,
                Cast(dtype),
                *_scaling(step, place, dtype, version, sparse=is_sparse(given)),
                name=type(step).__name__,
                fold=fold,
            )
            for place, input_map in enumerate(maps_by_input)
        ]
        if len(versions) == 1 or _agrees(followed, maps_by_input, step, given):
            break
    return followed


def _scaling(
    step: Any, place: int, dtype: np.dtype[Any], version: np.dtype[Any], *, sparse: bool
) -> list[Operation]:
    """Return the operations of the scaler's own transform on a column, in order."""

    def by(how: str, fitted: Any) -> Arithmetic:
        return Arithmetic(how, np.atleast_1d(np.asarray(fitted)[place]).astype(version))

    name = _own_name(step)
    if name == "MinMaxScaler":
        ends = [np.asarray(end, dtype=dtype) for end in step.feature_range]
        return [by("multiply", step.scale_), by("add", step.min_), *([Clip(*ends)] if step.clip else [])]
    if name == "StandardScaler":
        center, scale = step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None
    elif name == "RobustScaler":
        center = step.center_ if step.with_centering else None
        scale = step.scale_ if step.with_scaling else None
    else:
        center, scale = None, step.scale_
    done: list[Operation] = []
    if center is not None:
        done.append(by("subtract", center))
    if scale is not None:
        done.append(by("multiply", 1.0 / np.asarray(scale)) if sparse else by("divide", scale))
    if name == "MaxAbsScaler" and getattr(step, "clip", False):
        done.append(Clip(np.asarray(-1.0, dtype=dtype), np.asarray(1.0, dtype=dtype)))
    return done


def _own_name(step: Any) -> str:
    """Return the name of scikit-learn's class, even for a harmless subclass of it."""
    return next(kind.__name__ for kind in type(step).__mro__ if kind.__module__.startswith("sklearn."))


def _agrees(followed: list[InputMap], before: list[InputMap], step: Any, given: Any) -> bool:
    """Return whether the last operations reproduce the scaler's own result on some rows."""
    plain = given.toarray() if is_sparse(given) else np.asarray(given, dtype=np.float64)
    own = transformed(step, given)
    own = own.toarray() if is_sparse(own) else np.asarray(own)
    for place, (input_map, old) in enumerate(zip(followed, before, strict=True)):
        if not input_map.is_category:
            only = InputMap(source=0, operations=input_map.operations[len(old.operations) :])
            column = plain[:, place].astype(np.float64)
            column = column[~np.isnan(column)]
            if not np.array_equal(only.apply(column), own[~np.isnan(plain[:, place].astype(float)), place]):
                return False
    return True


def follow_bins(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow KBinsDiscretizer: the number of the bin, or one output per bin."""
    dtype = np.dtype(step.dtype) if step.dtype is not None else precision(given)
    dtype = dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)
    found = []
    for input_map, edges, count in zip(maps_by_input, step.bin_edges_, step.n_bins_, strict=True):
        inner = np.asarray(edges[1:-1], dtype=np.float64)
        binned = extended(input_map, Cast(dtype), Bins(inner), name="KBinsDiscretizer", fold=fold)
        if step.encode == "ordinal":
            found.append(binned)
            continue
        keys = np.arange(int(count), dtype=np.float64)
        for one in range(int(count)):
            values = np.append(np.where(keys == one, 1.0, 0.0), [np.inf, np.inf])[:, None]
            found.append(extended(binned, Lookup(keys, values), name="KBinsDiscretizer", fold=fold))
    return found


def follow_threshold(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow Binarizer, which compares in the precision of the rows."""
    dtype = precision(given)
    done = Cast(dtype), Above(float(dtype.type(step.threshold)))
    return [extended(input_map, *done, name="Binarizer", fold=fold) for input_map in maps_by_input]


def follow_function(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow FunctionTransformer without a function, or with a NumPy function of one number."""
    if step.func is None:
        return maps_by_input
    called = getattr(step.func, "__name__", repr(step.func))
    is_elementwise = isinstance(step.func, np.ufunc) and step.func.nin == 1 and step.func.nout == 1
    if getattr(step.func, "__module__", "").startswith("sklearn.") and called == "_identity":
        return maps_by_input
    if not is_elementwise or step.kw_args:
        if not is_columnwise(step) and len(maps_by_input) > 1:
            raise UnsupportedModel(
                f"This Pipeline contains FunctionTransformer({called}), which may not work on each column "
                "separately. Use a NumPy function that does, such as np.log1p, decorate yours with "
                "p2ce.extend.columnwise, or use one FunctionTransformer for each column."
            )
        fold.note(f"FunctionTransformer ({called})")
        return follow_tabulated(step, maps_by_input, given, fold)
    fold.note(f"FunctionTransformer ({called})")
    return [
        extended(
            input_map,
            Cast(_counted_in(step, given, place)),
            Elementwise(step.func),
            name=f"FunctionTransformer({called})",
            fold=fold,
        )
        for place, input_map in enumerate(maps_by_input)
    ]


def _counted_in(step: Any, given: Any, place: int) -> np.dtype[Any]:
    """Return the type of a function's input numbers, which determines the type of its result."""
    dtype = given.dtypes.iloc[place] if hasattr(given, "dtypes") and not step.validate else None
    if dtype is None:
        dtype = given.dtype if hasattr(given, "dtype") else quiet_check_array(given[:1]).dtype
    if not isinstance(dtype, np.dtype) or dtype.kind not in "fiub":
        return np.dtype(np.float64)
    # Functions with fractional results convert whole numbers of at least four bytes to float64. The others
    # keep them exactly, unless they overflow.
    is_wide = dtype.kind in "iu" and dtype.itemsize >= 4
    return np.dtype(np.float64) if is_wide and step.func not in (np.square, np.negative) else dtype
