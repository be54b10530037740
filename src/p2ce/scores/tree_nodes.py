"""Hold trees as their libraries store them, and check that they are trees before anything walks them.

Trees come from live objects of other libraries and from files of anybody. Kernels follow a child's index
without a look where the arrays end, so every tree passes `joined` first, whatever its format.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from p2ce.arrays import FloatArray, IntArray
from p2ce.errors import InvalidModel, P2CEError

if TYPE_CHECKING:
    from p2ce.scores.steps import Steps

LEAF = -1  # in place of both children


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNodes:
    """One tree as its library stores it: node 0 is the root, leaves have -1 for both children."""

    left: IntArray  # (nodes,) child for ``seen <= threshold``
    right: IntArray  # (nodes,)
    feature: IntArray  # (nodes,)
    threshold: FloatArray  # (nodes,) already a plain float64 cut
    value: FloatArray  # (nodes,) what the leaf adds; ignored at inner nodes
    steps: "Mapping[int, Steps]" = field(default_factory=dict)  # of the nodes that are not one cut


class JoinedTrees(NamedTuple):
    """Trees one after the other, (nodes,) each; children are places in these arrays."""

    first: IntArray  # (trees,)
    left: IntArray
    right: IntArray
    feature: IntArray
    threshold: FloatArray
    value: FloatArray


def joined(trees: Sequence[TreeNodes], *, columns: int | None = None) -> JoinedTrees:
    """Put trees one after the other, or raise InvalidModel for what is none.

    Each child lies in the tree of its parent and has no other parent, so that a walk from the root ends.
    Splits look at one of ``columns`` columns, if the number is given, and compare with a number, which may be
    infinite; leaves hold finite numbers.
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
    parents[first] += 1  # nothing leads to a root
    _reject(first, parents > 1, "is reached in more than one way, or from itself")
    unknown = (nodes.feature < 0) | (nodes.feature >= (np.inf if columns is None else columns))
    _reject(first, inner & unknown, "splits by a feature that there is not")
    no_number = np.where(inner, np.isnan(nodes.threshold), ~np.isfinite(nodes.value))
    _reject(first, no_number, "holds what is not a number")
    return nodes


def _size(number: int, tree: TreeNodes) -> int:
    lengths = {len(part) for part in (tree.left, tree.right, tree.feature, tree.threshold, tree.value)}
    if len(lengths) > 1 or lengths == {0}:
        raise InvalidModel(f"Tree {number} of the model has no nodes, or parts of different lengths.")
    return lengths.pop()


def _reject(first: IntArray, wrong: np.ndarray, why: str) -> None:
    if wrong.any():
        node = int(np.argmax(wrong))
        tree = int(np.searchsorted(first, node, side="right")) - 1
        raise InvalidModel(f"Node {node - int(first[tree])} of tree {tree} of the model {why}.")


MISSING_PARTS = (LookupError, AttributeError)
WRONG_PARTS = (*MISSING_PARTS, TypeError, ValueError, OverflowError, RecursionError)


@contextmanager
def parsing(what: str, errors: tuple[type[Exception], ...] = WRONG_PARTS) -> Iterator[None]:
    """Blame the model, not this library, for parts that are missing or of another type or length."""
    try:
        yield
    except P2CEError:
        raise
    except errors as error:
        why = f"{type(error).__name__}: {error}"[:200]
        raise InvalidModel(
            f"{what} is not built as its library builds them ({why}). It is damaged, or of a version that is "
            "not known here; fit or save it again."
        ) from error
