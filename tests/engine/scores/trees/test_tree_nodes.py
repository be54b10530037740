"""What passes the structural check is a forest: every walk from a root ends inside its tree."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.steps import steps_of_cut
from p2ce.engine.scores.trees.tree_nodes import LEAF, TreeNodes, join_trees, parsing
from p2ce.errors import InvalidModel, UnsupportedModel
from tests.populations.small_scores import nodes

COLUMNS = 3


@st.composite
def trees(draw: st.DrawFn) -> TreeNodes:
    """Grow a tree by splitting leaves, then perhaps spoil a number or two of it."""
    left, right, feature = [LEAF], [LEAF], [0]
    for _ in range(draw(st.integers(0, 4))):
        leaf = draw(st.sampled_from([node for node, child in enumerate(left) if child == LEAF]))
        left[leaf], right[leaf] = len(left), len(left) + 1
        feature[leaf] = draw(st.integers(0, COLUMNS - 1))
        left += [LEAF, LEAF]
        right += [LEAF, LEAF]
        feature += [0, 0]
    threshold, value = [0.5] * len(left), [1.0] * len(left)
    for _ in range(draw(st.integers(0, 2))):
        node = draw(st.integers(0, len(left) - 1))
        index = draw(st.sampled_from([-50, -2, -1, 0, 1, len(left) - 1, len(left), 10**8]))
        number = draw(st.sampled_from([math.nan, math.inf, -math.inf, 7.0]))
        array, new = draw(
            st.sampled_from(
                [(left, index), (right, index), (feature, index), (threshold, number), (value, number)]
            )
        )
        array[node] = new
    return nodes(left, right, feature=feature, threshold=threshold, value=value)


def is_tree(tree: TreeNodes) -> bool:
    """State so by the definition, node by node."""
    count = len(tree.left)
    met = [0]
    for node in range(count):
        children = [int(tree.left[node]), int(tree.right[node])]
        if children == [LEAF, LEAF]:
            if not math.isfinite(tree.value[node]):
                return False
            continue
        if any(not 0 <= child < count for child in children) or math.isnan(tree.threshold[node]):
            return False
        if not 0 <= tree.feature[node] < COLUMNS:
            return False
        met += children
    return len(met) == len(set(met))


@given(trees())
def test_what_is_a_tree_passes_and_nothing_else(tree: TreeNodes) -> None:
    if is_tree(tree):
        join_trees([tree], columns=COLUMNS)
        assemble_forest([tree])
    else:
        with pytest.raises(InvalidModel, match=r"^(Node|Tree) \d+ of (tree 0 of )?the model "):
            join_trees([tree], columns=COLUMNS)


def small(**changes: Any) -> TreeNodes:
    return nodes(**{"left": [1, LEAF, LEAF], "right": [2, LEAF, LEAF], **changes})


def test_trees_do_not_reach_into_each_other() -> None:
    join_trees([small(), small()])
    with pytest.raises(InvalidModel, match="Node 0 of tree 1 of the model leads to a node"):
        join_trees([small(), small(left=[-2, LEAF, LEAF])])


def test_a_loop_is_found_before_splits_are_unfolded() -> None:
    steps = {0: steps_of_cut(0.0, missing_left=False)}
    with pytest.raises(InvalidModel, match="from itself"):
        assemble_forest([small(left=[0, LEAF, LEAF], steps=steps)])


def test_a_chain_without_end_in_sight_is_rejected() -> None:
    deep = 5000
    inner, leaves = np.arange(deep), np.full(deep + 1, LEAF)
    full = nodes(np.append(2 * inner + 1, leaves), np.append(2 * inner + 2, leaves))
    assemble_forest([full])  # as many nodes are fine
    left, right = np.full(2 * deep + 1, LEAF), np.full(2 * deep + 1, LEAF)
    left[0 : 2 * deep : 2], right[0 : 2 * deep : 2] = 2 * inner + 1, 2 * inner + 2
    with pytest.raises(UnsupportedModel, match="4,096 splits deep"):
        assemble_forest([nodes(left, right)])


def test_a_part_that_is_missing_is_the_models_fault() -> None:
    with (
        pytest.raises(InvalidModel, match=r"This model does not have .*KeyError: 'left'"),
        parsing("This model"),
    ):
        raise KeyError("left")
