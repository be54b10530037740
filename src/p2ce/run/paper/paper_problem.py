"""The search problem of one instance, in the symbols of the paper: x, Ā, c, f, u, τ and k."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compile.paper_settings import AS_PRINTED, Mapocam

# The reasons for which a node is pruned.
DOMINATED, TOO_MANY, BOUND, OUTLIER = "dominated", "too many changes", "bound", "outlier"


class Node(NamedTuple):
    """An entry (a, i) of the paper's Q: features before i are decided, the others are unchanged so far."""

    cell: Int32Array  # (axes,) candidate indices of x + a
    i: int  # the next feature to decide, by its position in the order of search
    changes: int  # the number of features in which a is not 0
    value: float  # f(x + a)
    reaches: bool  # whether f(x + a) reaches τ
    cost: IntArray  # (objectives,) c(x, x + a), as integers for comparison


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PaperProblem:
    """The input of the algorithms. Cells hold candidate indices on the axes of the grid."""

    settings: Mapocam
    start: Int32Array  # (axes,) the cell of x: a = 0
    features: IntArray  # (d,) axes in the order of search
    candidates: tuple[Int32Array, ...]  # Ā(i) of each feature in that order: nearest first, so 0 comes first
    max_changes: int  # k
    # Cells (n, axes) → f(x + a), and whether it reaches τ.
    evaluate: Callable[[Int32Array], tuple[FloatArray, BoolArray]]
    costs: Callable[[Int32Array], IntArray]  # cells (n, axes) → c(x, x + a), (n, objectives)
    is_outlier: Callable[[Int32Array], bool]  # u(x + a) = 1
    keeps_rules: Callable[[Int32Array], bool]  # rules between features, which the paper does not have
    # Whether f̄ < τ, by the chosen bound.
    falls_short: Callable[[Node], bool]
    # Whether u(x̃) = 1 with these axes open; None if the detector has no bound, or the test is off.
    is_partial_outlier: Callable[[Int32Array, IntArray], bool] | None = None

    @property
    def full(self) -> int:
        """The number of changes at which PRUNE stops.

        The listings stop at more than k changes, after the validity test has admitted such a point. The
        corrected form stops at k, since nothing below a node with k changes may change.
        """
        return self.max_changes + (1 if self.settings.errata == AS_PRINTED else 0)

    def root(self) -> Node:
        """Return the root (0, 0): nothing is changed, nothing is decided."""
        values, reaches = self.evaluate(self.start[None])
        return Node(self.start, 0, 0, float(values[0]), bool(reaches[0]), self.costs(self.start[None])[0])

    def children(self, node: Node, record: "PaperSearch") -> list[Node]:
        """Return (a, i + 1) for every v ∈ Ā(i), nearest first; f and c are computed in one batch.

        A child that is invalid and may not be changed further is left out: it would be pruned as soon as it
        is popped.
        """
        cells = np.repeat(node.cell[None], len(self.candidates[node.i]) - 1, axis=0)
        cells[:, self.features[node.i]] = self.candidates[node.i][1:]
        values, reaches = self.evaluate(cells)
        if node.changes + 1 >= self.full:
            record.prune_children(cells[~reaches], node.i + 1)
            cells, values, reaches = cells[reaches], values[reaches], reaches[reaches]
        parts = zip(cells, values.tolist(), reaches.tolist(), self.costs(cells), strict=True)
        return [
            node._replace(i=node.i + 1),
            *(Node(cell, node.i + 1, node.changes + 1, *known) for cell, *known in parts),
        ]


@dataclass(slots=True, kw_only=True, eq=False)
class PaperSearch:
    """The result S of a search, and its counters. They remain readable when the search is interrupted."""

    as_printed: bool
    solutions: list[Node] = field(default_factory=list)
    costs: IntArray | None = None  # (solutions, objectives)
    visited: int = 0
    pruned: Counter[str] = field(default_factory=Counter)

    def visit(self, node: Node) -> None:  # noqa: ARG002 - a test looks at the nodes
        """Count a popped node."""
        self.visited += 1

    def prune(self, node: Node, why: str) -> bool:  # noqa: ARG002 - likewise
        """Count a pruned node; return True, so PRUNE can return the result."""
        self.pruned[why] += 1
        return True

    def prune_children(self, cells: Int32Array, i: int) -> None:  # noqa: ARG002 - likewise
        """Count cells that are visited and pruned at once: they are invalid and have all their changes."""
        self.visited += len(cells)
        self.pruned[TOO_MANY] += len(cells)

    def add(self, node: Node) -> None:
        """Add x + a to S. As printed, S keeps dominated points; corrected, they are removed."""
        if not self.as_printed and self.costs is not None:
            if self.dominates(node):
                return
            keep = np.flatnonzero(~(node.cost <= self.costs).all(axis=1))
            self.solutions = [self.solutions[place] for place in keep]
            self.costs = self.costs[keep]
        self.solutions.append(node)
        cost = node.cost[None]
        self.costs = cost if self.costs is None else np.concatenate([self.costs, cost])

    def dominates(self, node: Node) -> bool:
        """Return whether c(x, z) ⪯ c(x, x + a) for some z ∈ S."""
        return self.costs is not None and bool((self.costs <= node.cost).all(axis=1).any())
