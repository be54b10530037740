"""Trees as their libraries store them, and the check that they are trees before any code walks them.

Trees come from objects of other libraries and from files of unknown origin. Kernels follow a child's index
without checking the bounds of the arrays. So trees of every format pass `join_trees` first.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.errors import InvalidModel, P2CEError

if TYPE_CHECKING:
    from p2ce.engine.scores.trees.steps import Steps

LEAF = -1  # in place of both children


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNodes:
    """One tree as its library stores it: node 0 is the root, leaves have -1 for both children."""

    left: IntArray  # (nodes,) child for ``seen <= threshold``
    right: IntArray  # (nodes,)
    feature: IntArray  # (nodes,)
    threshold: FloatArray  # (nodes,) already a plain float64 cut
    value: FloatArray  # (nodes,) what the leaf adds; ignored at inner nodes
    steps: "Mapping[int, Steps]" = field(default_factory=dict)  # the splits that are not one cut, by node


class TreeBuilder:
    """Build a tree node by node: enter each node, and then the children of those that split."""

    __slots__ = ("feature", "left", "right", "threshold", "value")

    def __init__(self) -> None:
        self.left: list[int] = []
        self.right: list[int] = []
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.value: list[float] = []

    def leaf(self, value: float) -> int:
        """Enter a leaf, and return its place."""
        node = self.split(0, 0.0)
        self.value[node] = value
        return node

    def split(self, column: int, cut: float) -> int:
        """Enter a node without its children yet, and return its place."""
        for entries, entry in ((self.left, LEAF), (self.right, LEAF), (self.feature, column)):
            entries.append(entry)
        self.threshold.append(cut)
        self.value.append(0.0)
        return len(self.left) - 1

    def tree(self) -> TreeNodes:
        """Return the tree of all nodes."""
        return TreeNodes(
            left=np.array(self.left, dtype=np.int64),
            right=np.array(self.right, dtype=np.int64),
            feature=np.array(self.feature, dtype=np.int64),
            threshold=np.array(self.threshold),
            value=np.array(self.value),
        )


class JoinedTrees(NamedTuple):
    """Trees one after another, (nodes,) each; children are positions in these arrays."""

    first: IntArray  # (trees,)
    left: IntArray
    right: IntArray
    feature: IntArray
    threshold: FloatArray
    value: FloatArray


def join_trees(trees: Sequence[TreeNodes], *, columns: int | None = None) -> JoinedTrees:
    """Join trees one after another; raise InvalidModel for an invalid tree.

    Each child must be in the tree of its parent and have no other parent, so a walk from the root ends. A
    split must use one of ``columns`` columns, if the number is passed, and compare with a number, which may
    be infinite. Leaves must hold finite numbers.
    """
    sizes = [_size(number, tree) for number, tree in enumerate(trees)]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    last = np.repeat(first + sizes, sizes)
    shift = np.repeat(first, sizes)
    left, right = (
        np.concatenate([getattr(tree, side) for tree in trees]).astype(np.int64) for side in ("left", "right")
    )
    nodes = JoinedTrees(
        first=first,
        left=np.where(left == LEAF, LEAF, left + shift),
        right=np.where(right == LEAF, LEAF, right + shift),
        feature=np.concatenate([tree.feature for tree in trees]).astype(np.int64),
        threshold=np.concatenate([tree.threshold for tree in trees]).astype(np.float64),
        value=np.concatenate([tree.value for tree in trees]).astype(np.float64),
    )
    inner = left != LEAF
    _reject(first, (right != LEAF) != inner, "has one child")
    for child in (nodes.left, nodes.right):
        _reject(first, inner & ((child < shift) | (child >= last)), "leads to a node that is not in its tree")
    parents = np.bincount(np.concatenate([nodes.left[inner], nodes.right[inner]]), minlength=len(left))
    parents[first] += 1  # no node may lead to a root
    _reject(first, parents > 1, "is reached in more than one way, or from itself")
    unknown = (nodes.feature < 0) | (nodes.feature >= (np.inf if columns is None else columns))
    _reject(first, inner & unknown, "splits by a feature that does not exist")
    no_number = np.where(inner, np.isnan(nodes.threshold), ~np.isfinite(nodes.value))
    _reject(first, no_number, "holds a value that is not a number")
    return nodes


def _size(number: int, tree: TreeNodes) -> int:
    lengths = {len(part) for part in (tree.left, tree.right, tree.feature, tree.threshold, tree.value)}
    if len(lengths) > 1 or lengths == {0}:
        raise InvalidModel(
            f"Tree {number} of the model has no nodes, or its arrays differ in length. The model is damaged; "
            "fit or save it again."
        )
    return lengths.pop()


def _reject(first: IntArray, wrong: np.ndarray, why: str) -> None:
    if wrong.any():
        node = int(np.argmax(wrong))
        tree = int(np.searchsorted(first, node, side="right")) - 1
        raise InvalidModel(
            f"Node {node - int(first[tree])} of tree {tree} of the model {why}. The model is damaged; fit or "
            "save it again."
        )


MISSING_PARTS = (LookupError, AttributeError)
WRONG_PARTS = (*MISSING_PARTS, TypeError, ValueError, OverflowError, RecursionError)


@contextmanager
def parsing(what: str, errors: tuple[type[Exception], ...] = WRONG_PARTS) -> Iterator[None]:
    """Raise InvalidModel for errors from parts of a model that are missing, or of a wrong type or length."""
    try:
        yield
    except P2CEError:
        raise
    except errors as error:
        why = f"{type(error).__name__}: {error}"[:200]
        raise InvalidModel(
            f"{what} does not have the structure that its library creates ({why}). It is damaged, or of an "
            "unsupported version; fit or save it again."
        ) from error
