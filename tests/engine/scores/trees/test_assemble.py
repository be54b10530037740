"""Check that forests keep their leaves when they are laid out in preorder, and splits written as cuts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.trees import assemble
from p2ce.engine.scores.trees.assemble import assemble_forest, largest_leaves
from p2ce.engine.scores.trees.forest import Forest, leaves_reached
from p2ce.engine.scores.trees.steps import Steps, steps_of_codes, steps_of_cut
from p2ce.engine.scores.trees.tree_nodes import TreeNodes
from p2ce.errors import UnsupportedModel
from p2ce.tables.codebook import MISSING
from tests.populations.small_scores import Nested, forest, nodes, tree
from tests.properties.amount import examples


def test_a_forest_stands_in_preorder_without_unreachable_nodes() -> None:
    # The leaves come before the root's other child, next to a node that nothing reaches.
    parts = {"left": [3, -1, -1, -1], "right": [1, -1, -1, -1], "value": [9.0, 1.0, 99.0, -1.0]}
    found = assemble_forest([nodes(**parts, feature=[0] * 4), nodes(**parts, feature=[1, 0, 0, 0])])
    assert found.root.tolist() == [0, 3]
    assert found.feature.tolist() == [0, -1, -1, 1, -1, -1]
    assert found.right.tolist() == [2, -1, -1, 5, -1, -1]
    assert found.value.tolist() == [0.0, -1.0, 1.0, 0.0, -1.0, 1.0]
    assert largest_leaves(found).tolist() == [1.0, 1.0]


CODES = 5  # codes of a column in the trees below; labels beyond are unseen
VALUES = [MISSING, *np.arange(-1.0, CODES + 2.5, 0.5).tolist()]
CUTS = st.sampled_from(VALUES[1:])
SPLITS = (
    CUTS
    | st.builds(steps_of_cut, CUTS, missing_left=st.booleans())
    | st.builds(
        steps_of_codes,
        st.sets(st.integers(0, CODES - 1)),
        st.just(CODES),
        unseen_left=st.booleans(),
        missing_left=st.booleans(),
    )
    | st.builds(Steps, st.lists(CUTS, unique=True).map(sorted).map(np.array), st.booleans())
)
TREES: st.SearchStrategy[TreeNodes] = st.recursive(
    st.floats(-99, 99, allow_nan=False),
    lambda inner: st.tuples(st.integers(0, 2), SPLITS, inner, inner),
    max_leaves=9,
).map(tree)


def walk(grown: TreeNodes, row: np.ndarray) -> float:
    """Follow a row down a tree node by node, as the splits say."""
    node = 0
    while grown.left[node] >= 0:
        here = row[grown.feature[node]]
        steps = grown.steps.get(node)
        left = here <= grown.threshold[node] if steps is None else steps.goes_left(np.array([here]))[0]
        node = int(grown.left[node] if left else grown.right[node])
    return float(grown.value[node])


def no_split_is_idle(found: Forest) -> bool:
    """Return whether both sides of every split can be reached from its root, along each column's line."""

    def fine(node: int, room: dict[int, tuple[float, float]]) -> bool:
        column = int(found.feature[node])
        if column < 0:
            return True
        low, high = room.get(column, (-np.inf, np.inf))
        cut = float(found.threshold[node])
        # Minus infinity itself is a value, which the first stretch holds.
        if not (low < cut < high or (low == -np.inf and cut == -np.inf)):
            return False
        return fine(node + 1, {**room, column: (low, cut)}) and fine(
            int(found.right[node]), {**room, column: (cut, high)}
        )

    return all(fine(int(root), {}) for root in found.root)


@examples(100)
@given(
    st.lists(TREES, min_size=1, max_size=3),
    st.lists(st.lists(st.sampled_from(VALUES), min_size=3, max_size=3), min_size=1),
)
def test_chains_of_cuts_lead_where_the_splits_do(grown: list[TreeNodes], drawn: list[list[float]]) -> None:
    """The slow walk looks at steps as they are; the forest has cuts only."""
    rows = np.array(drawn)
    found = assemble_forest(grown)
    reached = found.value[leaves_reached(found, rows)]
    for place, one in enumerate(grown):
        assert reached[:, place].tolist() == [walk(one, row) for row in rows]
    with_steps = [one for one in grown if one.steps]
    assert not with_steps or no_split_is_idle(assemble_forest(with_steps))


def by_every_other_code(level: int) -> Nested:
    """Grow a full tree in which every split takes every other code of its own column."""
    steps = steps_of_codes({0, 2, 4}, 6, unseen_left=True, missing_left=False)
    return 1.0 if level == 3 else (level, steps, *[by_every_other_code(level + 1)] * 2)


def test_splits_that_multiply_too_much_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(forest(*[by_every_other_code(0)] * 2).feature) > 1_000  # 7 ** 3 leaves each
    monkeypatch.setattr(assemble, "MOST_NODES", 1_000)
    with pytest.raises(UnsupportedModel, match=r"splits of this model by categories"):
        forest(*[by_every_other_code(0)] * 2)
    monkeypatch.setattr(assemble, "MOST_NODES", 2)
    assert forest(*[(0, 1.0, -1.0, 1.0)] * 3).tree_count == 3  # plain cuts have no limit


def deep_chain(depth: int) -> TreeNodes:
    """Grow a tree that parts one value from all larger ones, again and again; missing values go right."""
    place = np.arange(2 * depth + 1)
    inner = (place % 2 == 0) & (place < 2 * depth)
    return nodes(
        np.where(inner, place + 1, -1),
        np.where(inner, place + 2, -1),
        value=place,
        steps={int(node): steps_of_cut(node / 2.0, missing_left=False) for node in place[inner]},
    )


def test_a_deep_chain_is_written_as_cuts_unless_it_is_too_deep() -> None:
    """An error of Python's own would end the explainer."""
    rows = np.array([[MISSING], [0.0], [5.0], [99.0], [101.0]])
    found = assemble_forest([deep_chain(100)])
    assert found.value[leaves_reached(found, rows)[:, 0]].tolist() == [200.0, 1.0, 11.0, 199.0, 200.0]
    with pytest.raises(UnsupportedModel, match="hundreds of splits deep"):
        assemble_forest([deep_chain(5_000)])


def test_leaves_whose_sum_leaves_float64_are_rejected() -> None:
    forest(1e299, -1e299)
    with pytest.raises(UnsupportedModel, match="add up to more than"):
        forest(1e308, -1e308)
