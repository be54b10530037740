"""Convert the trees of XGBoost's JSON to cuts and steps over codes, and bound the rounding of their sum.

A missing value takes the split's default side. A split of a number sends values below the threshold left,
both as float32. A split by categories truncates the value to a whole number: values in the split's set go
right, and all others go left, negative and huge numbers too.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.trees.assemble import largest_leaves
from p2ce.engine.scores.trees.cuts import cut_of_float32_below
from p2ce.engine.scores.trees.forest import Forest
from p2ce.engine.scores.trees.steps import (
    Steps,
    steps_of_codes,
    steps_of_cut,
    steps_of_stretches,
    with_missing,
)
from p2ce.engine.scores.trees.tree_nodes import TreeNodes, parsing
from p2ce.errors import UnsupportedModel
from p2ce.models.category_codes import LibraryColumn

UNIT = 2.0**-24  # half a unit in the last place of float32, in which XGBoost computes


@parsing("A tree of this XGBoost model")
def tree_of_json(tree: dict[str, Any], columns: Sequence[LibraryColumn], *, factor: float) -> TreeNodes:
    """Parse one tree, its leaves multiplied by ``factor``, a dropout weight."""
    left = np.array(tree["left_children"], dtype=np.int64)
    feature = np.array(tree["split_indices"], dtype=np.int64)
    # Leaves keep their value where inner nodes keep their threshold; both are float32 numbers.
    stored = np.array(tree["split_conditions"], dtype=np.float64).astype(np.float32)
    cuts = cut_of_float32_below(np.where(left >= 0, stored, 0.0))
    return TreeNodes(
        left=left,
        right=np.array(tree["right_children"], dtype=np.int64),
        feature=feature,
        threshold=cuts,
        value=factor * stored.astype(np.float64),
        steps=_steps(tree, columns, left >= 0, cuts),
    )


def _steps(
    tree: dict[str, Any], columns: Sequence[LibraryColumn], inner: np.ndarray, cuts: FloatArray
) -> dict[int, Steps]:
    """Find the splits that are not one cut."""
    feature, sets, by_default = tree["split_indices"], _sets(tree), tree["default_left"]
    found = {}
    for node in np.flatnonzero(inner).tolist():
        column = columns[feature[node]]
        if node in sets:
            found[node] = _category_steps(sets[node], column, default_left=bool(by_default[node]))
        elif column.nullable and not by_default[node]:
            found[node] = steps_of_cut(float(cuts[node]), missing_left=False)
    return found


def _sets(tree: dict[str, Any]) -> dict[int, frozenset[int]]:
    """Parse which nodes split by categories, and the categories that go right."""
    nodes = tree.get("categories_nodes", [])
    segments, sizes = tree.get("categories_segments", []), tree.get("categories_sizes", [])
    return {
        node: frozenset(tree["categories"][first : first + size])
        for node, first, size in zip(nodes, segments, sizes, strict=True)
    }


def _category_steps(goes_right: frozenset[int], column: LibraryColumn, *, default_left: bool) -> Steps:
    if column.numbers is not None:
        goes_left = [number not in goes_right for number in column.numbers.tolist()]
        # If no value can be missing, a side for missing values would only cost one more cut.
        first = goes_left[0] if goes_left else default_left
        return steps_of_codes(
            [code for code, left in enumerate(goes_left) if left],
            len(goes_left),
            unseen_left=True,
            missing_left=default_left if column.nullable else first,
        )
    ends: list[float] = []
    sides = [True]
    for category in sorted(goes_right):
        first_value, last_value = cut_of_float32_below(np.array([category, category + 1.0])).tolist()
        if ends and ends[-1] == first_value:
            ends[-1] = last_value
        else:
            ends += [first_value, last_value]
            sides += [False, True]
    if column.nullable:
        return with_missing(ends, sides, missing_left=default_left)
    return steps_of_stretches(ends, sides)


# The sum


def dropout_weights(learner: dict[str, Any]) -> list[float] | None:
    """Find DART's tree weights: next to the trees in XGBoost 3.2, among their parameters in 3.4."""
    booster = learner["gradient_booster"]
    found: list[float] | None = booster.get("weight_drop") or booster.get("model", {}).get("weight_drop")
    return found


def is_plain(learner: dict[str, Any]) -> bool:
    """Return whether a model is plain boosting and not DART, which adds trees in various orders."""
    return learner["gradient_booster"]["name"] == "gbtree" and not dropout_weights(learner)


def library_rounding(forest: Forest, start: float, *, in_order: bool) -> float:
    """Bound the float32 rounding of XGBoost's sum, which starts from a number of magnitude ``start``.

    Plain trees are added one by one after the base score. So each addition is off by half a unit of the
    resulting partial sum, and partial sums lie between the sums of the smallest and of the largest leaves.
    DART multiplies by dropout weights and adds in an unknown order, so the general bound applies.
    """
    count = forest.tree_count
    if not in_order:
        return summation_error(count + 3, start + float(largest_leaves(forest).sum()), unit=UNIT)
    leaf = forest.feature < 0
    least = np.cumsum(np.minimum.reduceat(np.where(leaf, forest.value, np.inf), forest.root))
    most = np.cumsum(np.maximum.reduceat(np.where(leaf, forest.value, -np.inf), forest.root))
    partial = float((start + np.maximum(np.abs(least), np.abs(most))).sum())
    # A rounded partial sum is itself larger than the true one by at most the error so far.
    return UNIT * partial * (1.0 + 2.0 * count * UNIT + 2.0**-40)


def our_rounding(forest: Forest, start: float) -> float:
    """Bound the float64 rounding of our own sum."""
    return summation_error(forest.tree_count + 1, start + float(largest_leaves(forest).sum()))


def start_of(learner: dict[str, Any], group: int, link: str) -> tuple[float, float]:
    """Convert the base score to a margin, and bound the error of doing so in float32.

    ``link`` says what the base score is: ``"logistic"`` a probability, ``"exponential"`` a mean, whose
    logarithm is the margin, ``"none"`` the margin itself. There is one for all groups, or one for each.
    """
    stored = json_number(learner["learner_model_param"]["base_score"])
    base = float(np.float32(stored[group] if len(stored) > 1 else stored[0]))
    if link == "none":
        return base, 0.0
    if link == "exponential" and 0.0 < base < math.inf:
        margin = math.log(base)
        return margin, 4.0 * UNIT * (1.0 + abs(margin))
    if link == "logistic" and 0.0 < base < 1.0:
        margin = -math.log(1.0 / base - 1.0)
        # The errors of 1/base and of the subtraction are relative to 1/base; for log they count relative to
        # 1/base - 1.
        return margin, 4.0 * UNIT * (1.0 / (1.0 - base) + abs(margin))
    raise UnsupportedModel(
        f"XGBoost with base_score={echoed(base)} starts from an infinite margin. Fit it with another one."
    )


def json_number(text: str) -> list[float]:
    """Parse one number, or a list of numbers, which XGBoost writes since version 3.1."""
    return [float(part) for part in text.strip("[]").split(",")]
