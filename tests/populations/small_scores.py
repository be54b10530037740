"""Write trees and flat scores in one line each, for tests of the solver's own language."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.forest import Forest
from p2ce.engine.scores.trees.steps import Steps
from p2ce.engine.scores.trees.tree_nodes import LEAF, TreeNodes

# A leaf's value, or (feature, threshold or steps, what is on the left, what is on the right).
Nested = float | tuple[int, "float | Steps", Any, Any]


def nodes(
    left: Sequence[int],
    right: Sequence[int],
    *,
    feature: Sequence[int] | None = None,
    threshold: Sequence[float] | None = None,
    value: Sequence[float] | None = None,
    steps: dict[int, Steps] | None = None,
) -> TreeNodes:
    """Make a tree of lists; what is not given is zero."""
    zeros = np.zeros(len(left))
    return TreeNodes(
        left=np.array(left),
        right=np.array(right),
        feature=np.array(zeros if feature is None else feature).astype(np.int64),
        threshold=np.array(zeros if threshold is None else threshold, dtype=np.float64),
        value=np.array(zeros if value is None else value, dtype=np.float64),
        steps=steps or {},
    )


def tree(nested: Nested) -> TreeNodes:
    """Make a tree of nested tuples, its nodes in preorder."""
    left: list[int] = []
    right: list[int] = []
    feature: list[int] = []
    threshold: list[float] = []
    value: list[float] = []
    steps: dict[int, Steps] = {}

    def add(part: Nested) -> int:
        here = len(left)
        column, cut, *branches = part if isinstance(part, tuple) else (0, 0.0)
        left.append(LEAF)
        right.append(LEAF)
        feature.append(column)
        threshold.append(0.0 if isinstance(cut, Steps) else cut)
        value.append(0.0 if isinstance(part, tuple) else part)
        if isinstance(cut, Steps):
            steps[here] = cut
        if branches:
            left[here], right[here] = map(add, branches)
        return here

    add(nested)
    return nodes(left, right, feature=feature, threshold=threshold, value=value, steps=steps)


def forest(*nested: Nested) -> Forest:
    return assemble_forest([tree(one) for one in nested])


def flat(
    columns: int, accept_from: float = 0.0, reject_below: float | None = None, **parts: Any
) -> FlatScore:
    """Make a score of a forest, weights or a spending; without a band unless one is given."""
    if "weights" in parts and parts["weights"] is not None:
        parts["weights"] = np.asarray(parts["weights"], dtype=np.float64)
    return FlatScore(
        **{"name": "score", **parts},
        column_count=columns,
        accept_from=accept_from,
        reject_below=accept_from if reject_below is None else reject_below,
    )
