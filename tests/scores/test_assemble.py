"""Check that forests keep their answers when they are laid out in preorder, and splits written as cuts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import UnsupportedModel
from p2ce.scores import assemble
from p2ce.scores.assemble import assemble_forest, largest_leaves
from p2ce.scores.forest import Forest
from p2ce.scores.score import FlatScore
from p2ce.scores.score_rows import leaves_reached, score_rows
from p2ce.scores.steps import Steps, steps_of_codes, steps_of_cut
from p2ce.scores.tree_nodes import TreeNodes
from p2ce.tables.codebook import MISSING
from tests.properties.amount import examples


def stump(feature: int, threshold: float, low: float, high: float) -> TreeNodes:
    """Make a tree whose leaves stand before its root's other child and with a node that nothing reaches."""
    return TreeNodes(
        left=np.array([3, -1, -1, -1]),
        right=np.array([1, -1, -1, -1]),
        feature=np.array([feature, 0, 0, 0]),
        threshold=np.array([threshold, 0.0, 0.0, 0.0]),
        value=np.array([9.0, high, 99.0, low]),
    )


def test_a_forest_stands_in_preorder_without_unreachable_nodes():
    forest = assemble_forest([stump(0, 1.0, -1.0, 1.0), stump(1, 2.0, -10.0, 10.0)])
    assert forest.tree_count == 2
    assert forest.root.tolist() == [0, 3]
    assert forest.feature.tolist() == [0, -1, -1, 1, -1, -1]
    assert forest.right.tolist() == [2, -1, -1, 5, -1, -1]
    assert forest.value.tolist() == [0.0, -1.0, 1.0, 0.0, -10.0, 10.0]
    assert largest_leaves(forest).tolist() == [1.0, 10.0]


def test_a_tree_may_be_a_single_leaf():
    leaf = TreeNodes(
        left=np.array([-1]),
        right=np.array([-1]),
        feature=np.array([0]),
        threshold=np.array([0.0]),
        value=np.array([0.25]),
    )
    forest = assemble_forest([leaf, stump(0, 0.0, 1.0, 2.0)])
    score = FlatScore(name="model", column_count=1, forest=forest, accept_from=0.0, reject_below=0.0)
    assert score_rows(score, np.array([[0.0], [0.5]])).tolist() == [1.25, 2.25]


def test_deep_trees_of_random_shape_reach_the_same_leaves():
    rng = np.random.default_rng(0)
    left, right, feature, threshold, value = [-1], [-1], [0], [0.0], [rng.normal()]
    for _ in range(60):
        leaf = int(rng.choice(np.flatnonzero(np.array(left) < 0)))
        feature[leaf], threshold[leaf] = int(rng.integers(3)), float(rng.normal())
        left[leaf], right[leaf] = len(left) + 1, len(left)
        for _ in range(2):
            (
                left.append(-1),
                right.append(-1),
                feature.append(0),
                threshold.append(0.0),
                value.append(rng.normal()),
            )
    tree = TreeNodes(
        left=np.array(left),
        right=np.array(right),
        feature=np.array(feature),
        threshold=np.array(threshold),
        value=np.array(value),
    )
    rows = rng.normal(size=(200, 3))
    forest = assemble_forest([tree])
    reached = forest.value[leaves_reached(forest, rows)[:, 0]]
    for row, got in zip(rows, reached, strict=True):
        node = 0
        while left[node] >= 0:
            node = left[node] if row[feature[node]] <= threshold[node] else right[node]
        assert got == value[node]


CODES = 5  # codes of a column in the trees below; labels beyond are unseen
VALUES = [MISSING, *np.arange(-1.0, CODES + 2.5, 0.5).tolist()]


@st.composite
def trees(draw: st.DrawFn) -> TreeNodes:
    """Grow a tree over three columns whose splits are cuts, cuts with missing values apart, or categories."""
    left, right, feature, threshold, value = [-1], [-1], [0], [0.0], [0.0]
    steps: dict[int, Steps] = {}
    for _ in range(draw(st.integers(0, 9))):
        leaf = draw(st.sampled_from([node for node, child in enumerate(left) if child < 0]))
        feature[leaf] = draw(st.integers(0, 2))
        kind = draw(st.sampled_from(["cut", "missing apart", "codes", "steps"]))
        if kind == "cut":
            threshold[leaf] = draw(st.sampled_from(VALUES[1:]))
        elif kind == "missing apart":
            steps[leaf] = steps_of_cut(draw(st.sampled_from(VALUES[1:])), missing_left=draw(st.booleans()))
        elif kind == "codes":
            inside = draw(st.sets(st.integers(0, CODES - 1)))
            sides = {side: draw(st.booleans()) for side in ("unseen_left", "missing_left")}
            steps[leaf] = steps_of_codes(inside, CODES, **sides)
        else:
            cuts = draw(st.lists(st.sampled_from(VALUES[1:]), unique=True).map(sorted))
            steps[leaf] = Steps(np.array(cuts), draw(st.booleans()))
        left[leaf], right[leaf] = len(left), len(left) + 1
        for _ in range(2):
            for array, entry in ((left, -1), (right, -1), (feature, 0), (threshold, 0.0)):
                array.append(entry)
            value.append(float(len(value)))  # every leaf has a value of its own
    return TreeNodes(
        left=np.array(left),
        right=np.array(right),
        feature=np.array(feature),
        threshold=np.array(threshold),
        value=np.array(value),
        steps=steps,
    )


def walk(tree: TreeNodes, row: np.ndarray) -> float:
    """Follow a row down a tree node by node, as the splits say."""
    node = 0
    while tree.left[node] >= 0:
        here = row[tree.feature[node]]
        if node in tree.steps:
            goes_left = tree.steps[node].goes_left(np.array([here]))[0]
        else:
            goes_left = here <= tree.threshold[node]
        node = int(tree.left[node] if goes_left else tree.right[node])
    return float(tree.value[node])


def no_split_is_idle(forest: Forest) -> bool:
    """Tell whether both sides of every split can be reached from its root, along each column's line."""

    def fine(node: int, room: dict[int, tuple[float, float]]) -> bool:
        column = int(forest.feature[node])
        if column < 0:
            return True
        low, high = room.get(column, (-np.inf, np.inf))
        cut = float(forest.threshold[node])
        # Minus infinity itself is a value, which the first stretch holds.
        if not (low < cut < high or (low == -np.inf and cut == -np.inf)):
            return False
        return fine(node + 1, {**room, column: (low, cut)}) and fine(
            int(forest.right[node]), {**room, column: (cut, high)}
        )

    return all(fine(int(root), {}) for root in forest.root)


@examples(100)
@given(st.lists(trees(), min_size=1, max_size=3), st.data())
def test_chains_of_cuts_lead_where_the_splits_do(grown: list[TreeNodes], data: st.DataObject) -> None:
    """The slow walk looks at steps as they are; the forest has cuts only."""
    drawn = data.draw(st.lists(st.lists(st.sampled_from(VALUES), min_size=3, max_size=3), min_size=1))
    rows = np.array(drawn)
    forest = assemble_forest(grown)
    reached = forest.value[leaves_reached(forest, rows)]
    for place, tree in enumerate(grown):
        assert reached[:, place].tolist() == [walk(tree, row) for row in rows]
    written_anew = [tree for tree in grown if tree.steps]
    assert not written_anew or no_split_is_idle(assemble_forest(written_anew))


def test_a_split_that_the_way_down_decides_is_left_out() -> None:
    """Own goes left, and left again; whoever gets there cannot go right any more."""
    own = steps_of_codes({0}, 3, unseen_left=False, missing_left=False)
    tree = TreeNodes(
        left=np.array([1, 3, -1, -1, -1]),
        right=np.array([2, 4, -1, -1, -1]),
        feature=np.zeros(5, dtype=np.int64),
        threshold=np.full(5, 0.0),
        value=np.array([0.0, 0.0, 1.0, 2.0, 3.0]),
        steps={0: own, 1: own},
    )
    forest = assemble_forest([tree])
    assert sorted(set(forest.value[forest.feature < 0].tolist())) == [1.0, 2.0]


def many_splits(depth: int) -> TreeNodes:
    """Grow a full tree in which every split takes every other code of a column of its own."""
    inner = 2**depth - 1
    nodes = np.arange(2 * inner + 1)
    level = np.floor(np.log2(nodes + 1)).astype(np.int64)
    return TreeNodes(
        left=np.where(nodes < inner, 2 * nodes + 1, -1),
        right=np.where(nodes < inner, 2 * nodes + 2, -1),
        feature=np.where(nodes < inner, level, 0),
        threshold=np.full(len(nodes), 0.0),
        value=nodes.astype(np.float64),
        steps={
            node: steps_of_codes({0, 2, 4}, 6, unseen_left=True, missing_left=False) for node in range(inner)
        },
    )


@pytest.mark.parametrize("most", [100, 1_000])
def test_splits_that_multiply_too_much_are_refused(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    tree = many_splits(3)
    assert len(assemble_forest([tree, tree]).feature) > 1_000  # 7 ** 3 leaves each
    monkeypatch.setattr(assemble, "MOST_NODES", most)
    with pytest.raises(UnsupportedModel, match=r"splits of this model by categories"):
        assemble_forest([tree, tree])


def test_trees_of_plain_cuts_have_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "MOST_NODES", 2)
    assert assemble_forest([stump(0, 1.0, -1.0, 1.0)] * 3).tree_count == 3


def deep_chain(depth: int) -> TreeNodes:
    """Grow a tree that parts one value from all larger ones, again and again; missing values go right."""
    nodes = np.arange(2 * depth + 1)
    inner = (nodes % 2 == 0) & (nodes < 2 * depth)
    return TreeNodes(
        left=np.where(inner, nodes + 1, -1),
        right=np.where(inner, nodes + 2, -1),
        feature=np.zeros(len(nodes), dtype=np.int64),
        threshold=np.full(len(nodes), 0.0),
        value=nodes.astype(np.float64),
        steps={int(node): steps_of_cut(node / 2.0, missing_left=False) for node in nodes[inner]},
    )


def test_a_deep_chain_is_written_as_cuts() -> None:
    depth = 100
    rows = np.array([[MISSING], [0.0], [5.0], [depth - 1.0], [depth + 1.0]])
    forest = assemble_forest([deep_chain(depth)])
    reached = forest.value[leaves_reached(forest, rows)[:, 0]]
    assert reached.tolist() == [2.0 * depth, 1.0, 11.0, 2.0 * depth - 1, 2.0 * depth]


def test_a_tree_too_deep_for_that_is_refused_in_words() -> None:
    """It is asked then; an error of Python's own would end the explainer."""
    with pytest.raises(UnsupportedModel, match="hundreds of splits deep"):
        assemble_forest([deep_chain(5_000)])


def test_leaves_whose_sum_leaves_float64_are_refused() -> None:
    def leaf(value: float) -> TreeNodes:
        none, zero = np.array([-1]), np.zeros(1)
        return TreeNodes(
            left=none, right=none, feature=np.array([0]), threshold=zero, value=np.array([value])
        )

    assemble_forest([leaf(1e299), leaf(-1e299)])
    with pytest.raises(UnsupportedModel, match="add up to more than"):
        assemble_forest([leaf(1e308), leaf(-1e308)])
