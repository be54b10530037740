"""Convert the trees of LightGBM's model text to cuts and steps over codes.

LightGBM sends a row down a tree by these rules, in this order:

* A split by categories truncates the value to a whole number. Values in the split's set go left. All others
  go right: numbers from -1 downwards, huge numbers and missing values too.
* At a split of a number, a value with a magnitude up to 1e-35f is zero. A missing value is zero too, unless
  the split handles missing values (missing type nan): then it takes the split's default side. So do zeros if
  zero counts as missing (missing type zero).
* All other values go left up to the threshold.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.scores.linear_trees.linear_forest import Line, LinearForest
from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.cuts import LIGHTGBM_ZERO, cut_of_lightgbm
from p2ce.engine.scores.trees.steps import Steps, steps_of_codes, steps_of_stretches, with_missing
from p2ce.engine.scores.trees.tree_nodes import TreeNodes, parsing
from p2ce.models.category_codes import LibraryColumn

_CATEGORICAL, _DEFAULT_LEFT = 1, 2
_AS_ZERO, _ZERO_IS_MISSING, _MISSING_IS_MISSING = 0, 1, 2  # the missing types: none, zero, nan
_BELOW_ZERO = float(np.nextafter(-LIGHTGBM_ZERO, -np.inf))


class Split(NamedTuple):
    """One split as LightGBM stores it."""

    threshold: float
    default_left: bool
    missing_type: int
    categories: frozenset[int] | None  # the ones that go left; None for a split of numbers

    def goes_left(self, values: FloatArray) -> npt.NDArray[np.bool_]:
        """Return which of the values (n,) go left, by LightGBM's rules; NaN is a missing value."""
        missing = np.isnan(values)
        if self.categories is not None:
            whole = np.trunc(np.where(missing, -1.0, values))
            return np.array([value in self.categories for value in whole], dtype=np.bool_)
        zero = np.abs(values) <= LIGHTGBM_ZERO
        if self.missing_type != _MISSING_IS_MISSING:
            zero, missing = zero | missing, np.zeros_like(missing)
        by_default = missing if self.missing_type == _MISSING_IS_MISSING else np.zeros_like(missing)
        if self.missing_type == _ZERO_IS_MISSING:
            by_default = zero
        with np.errstate(invalid="ignore"):
            at_most = np.where(zero, 0.0, values) <= self.threshold
        return np.where(by_default, self.default_left, at_most)


def split_text(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Split LightGBM's model text into its header and one dictionary per tree."""
    trees, _, _ = text.partition("\nend of trees")
    header, *blocks = trees.split("\nTree=")
    return _fields(header), [_fields(block) for block in blocks]


def _fields(block: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in block.splitlines())
    return {key: value for key, _, value in pairs}


def _numbers(block: dict[str, str], key: str) -> FloatArray:
    return np.array(block.get(key, "").split(), dtype=np.float64)


def is_linear(block: dict[str, str]) -> bool:
    """Return whether the leaves of a tree are lines (linear_tree=True)."""
    return block.get("is_linear", "0") != "0"


@parsing("A tree of this LightGBM model")
def linear_trees_of_text(
    blocks: Sequence[dict[str, str]], columns: Sequence[LibraryColumn], *, factor: float = 1.0
) -> LinearForest:
    """Parse trees whose leaves are lines; the leaf's own value counts where one of its columns is missing."""
    trees: list[TreeNodes] = []
    lines: list[Line] = []
    for block in blocks:
        tree = tree_of_text(block, columns)
        values = _numbers(block, "leaf_value") * factor
        inner = len(tree.value) - len(values)
        numbers = np.concatenate([np.zeros(inner), np.arange(len(lines), len(lines) + len(values))])
        trees.append(replace(tree, value=numbers))
        lines += _lines(block, values, factor) if is_linear(block) else map(_level, values.tolist())
    return LinearForest(forest=assemble_forest(trees), lines=tuple(lines))


def _lines(block: dict[str, str], values: FloatArray, factor: float) -> list[Line]:
    """Parse the lines of the leaves: their columns and weights are listed one leaf after another."""
    counts = _numbers(block, "num_features").astype(np.int64)
    used = _numbers(block, "leaf_features").astype(np.int64)
    weights = _numbers(block, "leaf_coeff") * factor
    constants = _numbers(block, "leaf_const") * factor
    if not len(counts) == len(constants) == len(values) or {len(used), len(weights)} != {counts.sum()}:
        raise ValueError("the lines of its leaves differ in length")
    ends = np.cumsum(counts)
    return [
        Line(
            constant=constant,
            columns=used[end - count : end],
            weights=weights[end - count : end],
            otherwise=value,
        )
        for constant, value, count, end in zip(
            constants.tolist(), values.tolist(), counts.tolist(), ends.tolist(), strict=True
        )
    ]


def _level(value: float) -> Line:
    """Return a leaf that is a number as a line."""
    return Line(constant=value, columns=np.zeros(0, dtype=np.int64), weights=np.zeros(0), otherwise=value)


@parsing("A tree of this LightGBM model")
def tree_of_text(
    block: dict[str, str], columns: Sequence[LibraryColumn], *, factor: float = 1.0
) -> TreeNodes:
    """Parse one tree, its leaves multiplied by ``factor``."""
    leaves = _numbers(block, "leaf_value") * factor
    feature = _numbers(block, "split_feature").astype(np.int64)
    threshold = _numbers(block, "threshold")
    decision = _numbers(block, "decision_type").astype(np.int64)
    inner = len(feature)
    blank = np.zeros(len(leaves))
    numeric = np.where((decision & _CATEGORICAL) > 0, 0.0, threshold)  # else the index of a set of categories
    return TreeNodes(
        left=_children(block, "left_child", inner, len(leaves)),
        right=_children(block, "right_child", inner, len(leaves)),
        feature=np.concatenate([feature, blank.astype(np.int64)]),
        threshold=np.concatenate([cut_of_lightgbm(numeric), blank]),
        value=np.concatenate([np.zeros(inner), leaves]),
        steps=_steps(block, columns, feature, threshold, decision),
    )


def _children(block: dict[str, str], key: str, inner: int, leaves: int) -> IntArray:
    """Number the leaves after the inner nodes; LightGBM writes leaf i as -1 - i."""
    child = _numbers(block, key).astype(np.int64)
    return np.concatenate([np.where(child >= 0, child, inner - 1 - child), np.full(leaves, -1)])


def _steps(
    block: dict[str, str],
    columns: Sequence[LibraryColumn],
    feature: IntArray,
    threshold: FloatArray,
    decision: IntArray,
) -> dict[int, Steps]:
    """Find the splits that are not one cut."""
    missing_type = (decision >> 2) & 3
    special = np.array([column.nullable or column.numbers is not None for column in columns], dtype=np.bool_)
    wanted = ((decision & _CATEGORICAL) > 0) | (missing_type == _ZERO_IS_MISSING) | special[feature]
    sets = _sets(block) if (decision & _CATEGORICAL).any() else []
    found = {}
    for node in np.flatnonzero(wanted).tolist():
        by_category = bool(decision[node] & _CATEGORICAL)
        split = Split(
            threshold=float(threshold[node]),
            default_left=bool(decision[node] & _DEFAULT_LEFT),
            missing_type=int(missing_type[node]),
            categories=sets[int(threshold[node])] if by_category else None,
        )
        found[node] = steps_of(split, columns[feature[node]])
    return found


def _sets(block: dict[str, str]) -> list[frozenset[int]]:
    """Parse the sets of categories: bits of 32-bit words; set i has the words from boundary i to i + 1."""
    bounds = [int(bound) for bound in block["cat_boundaries"].split()]
    words = [int(word) for word in block["cat_threshold"].split()]
    return [
        frozenset(
            32 * place + bit
            for place, word in enumerate(words[first:last])
            for bit in range(32)
            if word >> bit & 1
        )
        for first, last in pairwise(bounds)
    ]


def steps_of(split: Split, column: LibraryColumn) -> Steps:
    """Convert a split to steps over our codes, or over the numbers of a column."""
    missing_left = bool(split.goes_left(np.array([np.nan]))[0])
    if column.numbers is not None:
        goes_left = split.goes_left(column.numbers)
        # If no value can be missing, a side for missing values would only cost one more cut.
        first = bool(goes_left[0]) if len(goes_left) else missing_left
        return steps_of_codes(
            np.flatnonzero(goes_left).tolist(),
            len(goes_left),
            unseen_left=missing_left,
            missing_left=missing_left if column.nullable else first,
        )
    ends, sides = (
        _category_stretches(split.categories) if split.categories is not None else _number_stretches(split)
    )
    if column.nullable:
        return with_missing(ends, sides, missing_left=missing_left)
    return steps_of_stretches(ends, sides)


def _category_stretches(categories: frozenset[int]) -> tuple[list[float], list[bool]]:
    """Return which numbers go left: those truncated to a category; above -1, they are truncated to 0."""
    ends: list[float] = []
    sides = [False]
    for category in sorted(categories):
        first = -1.0 if category == 0 else float(np.nextafter(float(category), -np.inf))
        last = float(np.nextafter(category + 1.0, -np.inf))
        if ends and ends[-1] == first:
            ends[-1] = last
        else:
            ends += [first, last]
            sides += [True, False]
    return ends, sides


def _number_stretches(split: Split) -> tuple[list[float], list[bool]]:
    """Return which numbers go left; those that LightGBM treats as zero stay together."""
    threshold = split.threshold
    zero_left = bool(split.goes_left(np.zeros(1))[0])
    if threshold < _BELOW_ZERO:
        return [threshold, _BELOW_ZERO, LIGHTGBM_ZERO], [True, False, zero_left, False]
    if threshold > LIGHTGBM_ZERO:
        return [_BELOW_ZERO, LIGHTGBM_ZERO, threshold], [True, zero_left, True, False]
    return [_BELOW_ZERO, LIGHTGBM_ZERO], [True, zero_left, False]
