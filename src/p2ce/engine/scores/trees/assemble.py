"""Convert the node arrays of any library to a Forest in preorder."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.scores.trees.forest import Forest
from p2ce.engine.scores.trees.steps import Steps
from p2ce.engine.scores.trees.tree_nodes import LEAF, TreeBuilder, TreeNodes, join_trees
from p2ce.errors import UnsupportedModel

# A forest is evaluated as a black box if its splits by category expand to more nodes than this.
MOST_NODES = 4_000_000
# Grown trees are tens of levels deep; a chain as deep as it has nodes would take hours to lay out.
DEEPEST = 4096
# Sums and differences of larger leaves may overflow float64.
LARGEST_SUM = 1e300


def assemble_forest(trees: Sequence[TreeNodes]) -> Forest:
    """Lay out the trees one after another, each in preorder; splits that are not one cut become several.

    The trees are checked: invalid ones raise InvalidModel.
    """
    nodes = join_trees(trees)
    if any(tree.steps for tree in trees):
        nodes = join_trees([_as_cuts(tree) if tree.steps else tree for tree in trees])
        if len(nodes.left) > MOST_NODES:
            raise UnsupportedModel(
                f"The splits of this model by categories and missing values expand to more than "
                f"{MOST_NODES:,} nodes. Fit fewer or smaller trees to have it supported natively."
            )
    place, reached = _preorder(nodes.first, nodes.left, nodes.right)
    count = int(reached.sum())
    old = np.empty(count, dtype=np.int64)
    old[place[reached]] = np.flatnonzero(reached)
    inner = nodes.left[old] != LEAF
    forest = Forest(
        root=place[nodes.first].astype(np.int32),
        feature=np.where(inner, nodes.feature[old], -1).astype(np.int32),
        threshold=np.where(inner, nodes.threshold[old], 0.0),
        right=np.where(inner, place[nodes.right[old]], -1).astype(np.int32),
        value=np.where(inner, 0.0, nodes.value[old]),
    )
    with np.errstate(over="ignore"):
        largest = float(largest_leaves(forest).sum())
    if largest > LARGEST_SUM:
        raise UnsupportedModel(f"The leaves of this model add up to more than {LARGEST_SUM:g}.")
    return forest


def resplit(
    forest: Forest, feature: IntArray | Int32Array, threshold: FloatArray, steps: Mapping[int, Steps]
) -> Forest:
    """Return a forest with other features and cuts; ``steps`` holds splits that are not one cut."""
    changed = replace(forest, feature=feature.astype(np.int32), threshold=threshold)
    return assemble_forest(trees_of(changed, steps)) if steps else changed


def trees_of(forest: Forest, steps: Mapping[int, Steps] | None = None) -> list[TreeNodes]:
    """Split a forest into the trees that `assemble_forest` expects.

    ``steps`` holds the splits that are no longer one cut, by their positions in the forest.
    """
    ends = np.append(forest.root[1:], len(forest.feature)).tolist()
    starts = forest.root.tolist()
    of_tree: list[dict[int, Steps]] = [{} for _ in starts]
    for node, those in (steps or {}).items():
        tree = int(np.searchsorted(forest.root, node, side="right")) - 1
        of_tree[tree][node - starts[tree]] = those
    trees = []
    for start, end, mine in zip(starts, ends, of_tree, strict=True):
        part = slice(start, end)
        inner = forest.feature[part] >= 0
        left = np.where(inner, np.arange(1, len(inner) + 1), LEAF)  # in preorder the left child comes next
        right = np.where(inner, forest.right[part] - start, LEAF)
        threshold = forest.threshold[part].copy()
        for node, those in list(mine.items()):
            if len(those.cuts) == 1:  # one cut after all, perhaps with the sides swapped
                threshold[node] = those.cuts[0]
                if not those.starts_left:
                    left[node], right[node] = right[node], left[node]
                del mine[node]
        trees.append(
            TreeNodes(
                left=left,
                right=right,
                feature=forest.feature[part].astype(np.int64),
                threshold=threshold,
                value=forest.value[part],
                steps=mine,
            )
        )
    return trees


def _as_cuts(tree: TreeNodes) -> TreeNodes:
    """Replace every split that is not one cut by a chain of cuts, with copies of the subtrees below.

    Along a path, only the remaining interval of a column counts. A split with only one side in this interval
    is left out. So a copy never contains a leaf that cannot be reached through it.
    """
    built = TreeBuilder()

    def counted(node: int) -> int:
        if node >= MOST_NODES:
            raise UnsupportedModel(
                f"The splits of this model by categories expand to more than {MOST_NODES:,} nodes. Fit fewer "
                "or smaller trees to have it supported natively."
            )
        return node

    def copy(node: int, room: dict[int, tuple[float, float]]) -> int:
        if tree.left[node] < 0:
            return counted(built.leaf(float(tree.value[node])))
        column = int(tree.feature[node])
        steps = tree.steps.get(node, Steps(tree.threshold[node : node + 1], True))
        low, high = room.get(column, (-np.inf, np.inf))
        # The stretches that overlap (low, high]; the first stretch also contains minus infinity.
        first = int(np.searchsorted(steps.cuts, low, side="right")) if low > -np.inf else 0
        last = int(np.searchsorted(steps.cuts, high, side="left"))
        return copy_between(node, column, steps, first, last, (low, high), room)

    def copy_between(
        node: int,
        column: int,
        steps: Steps,
        first: int,
        last: int,
        ends: tuple[float, float],
        room: dict[int, tuple[float, float]],
    ) -> int:
        """Copy the subtrees for the stretches ``first`` to ``last`` of a split; stretch k ends with cut k."""
        if first == last:
            goes_left = steps.starts_left == (first % 2 == 0)
            child = tree.left[node] if goes_left else tree.right[node]
            return copy(int(child), {**room, column: ends})
        middle = (first + last) // 2
        cut = float(steps.cuts[middle])
        at = counted(built.split(column, cut))
        built.left[at] = copy_between(node, column, steps, first, middle, (ends[0], cut), room)
        built.right[at] = copy_between(node, column, steps, middle + 1, last, (cut, ends[1]), room)
        return at

    try:
        copy(0, {})
    except RecursionError:
        raise UnsupportedModel(
            "A tree of this model is hundreds of splits deep, and splits by category or missing values. Fit "
            "shallower trees to have it supported natively."
        ) from None
    return built.tree()


def _preorder(roots: IntArray, left: IntArray, right: IntArray) -> tuple[IntArray, np.ndarray]:
    """Return the preorder position of every node, and whether a path reaches it; all trees level by level."""
    levels = []
    front = roots
    while len(front):
        levels.append(front)
        if len(levels) > DEEPEST:
            raise UnsupportedModel(f"A tree of this model is more than {DEEPEST:,} splits deep.")
        parents = front[left[front] >= 0]
        front = np.concatenate([left[parents], right[parents]])
    size = np.zeros(len(left), dtype=np.int64)
    for nodes in reversed(levels):
        parents = nodes[left[nodes] >= 0]
        size[nodes] = 1
        size[parents] += size[left[parents]] + size[right[parents]]
    place = np.zeros(len(left), dtype=np.int64)
    place[roots] = np.concatenate([[0], np.cumsum(size[roots])[:-1]])
    for nodes in levels:
        parents = nodes[left[nodes] >= 0]
        place[left[parents]] = place[parents] + 1
        place[right[parents]] = place[parents] + 1 + size[left[parents]]
    # Some libraries keep nodes that no path reaches (XGBoost after pruning). These are left out.
    return place, size > 0


def largest_leaves(forest: Forest) -> FloatArray:
    """Return the largest leaf magnitude of each tree: (trees,)."""
    return np.maximum.reduceat(np.abs(forest.value), forest.root)
