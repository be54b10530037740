"""Trees whose leaves are lines, as flat arrays, and their score."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.engine.scores.external import Placed, PreparedRows, PreparedScore, Verdicts, verdicts_at
from p2ce.engine.scores.score import Bound, require_ordered
from p2ce.engine.scores.trees.forest import Forest, leaves_reached
from p2ce.tables.codebook import MISSING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """What a leaf adds: a constant and a weighted sum, or ``otherwise`` if one of its columns is missing."""

    constant: float
    columns: IntArray  # (k,)
    weights: FloatArray  # (k,)
    otherwise: float

    def of(self, rows: FloatArray) -> FloatArray:
        """Add up the line for rows (n, d), from the constant on, in the order of its columns."""
        total = np.full(len(rows), self.constant)
        for column, weight in zip(self.columns.tolist(), self.weights.tolist(), strict=True):
            total = total + weight * rows[:, column]
        missing = (rows[:, self.columns] == MISSING).any(axis=1)
        return np.where(missing, self.otherwise, total)

    def largest(self, reach: FloatArray) -> float:
        """Bound what the line adds up to, term by term, for values of a magnitude up to ``reach`` (d,)."""
        with np.errstate(over="ignore"):
            terms = abs(self.constant) + float(np.abs(self.weights) @ reach[self.columns])
        return max(terms, abs(self.otherwise))

    def negated(self) -> "Line":
        """Return minus the line."""
        return replace(self, constant=-self.constant, weights=-self.weights, otherwise=-self.otherwise)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearForest:
    """Trees whose leaves hold the number of a line: ``lines[int(forest.value[leaf])]``."""

    forest: Forest
    lines: tuple[Line, ...]

    def score_rows(self, rows: FloatArray) -> FloatArray:
        """Add up the lines of the leaves that rows reach, tree by tree, in the slow and obvious way."""
        reached = leaves_reached(self.forest, rows)
        total = np.zeros(len(rows))
        for tree in range(self.forest.tree_count):
            numbers = self.forest.value[reached[:, tree]].astype(np.int64)
            added = np.empty(len(rows))
            for number in np.unique(numbers).tolist():
                mine = numbers == number
                added[mine] = self.lines[number].of(rows[mine])
            total = total + added
        return total

    def negated(self) -> "LinearForest":
        """Return minus the forest."""
        return replace(self, lines=tuple(line.negated() for line in self.lines))

    def largest(self, reach: FloatArray) -> float:
        """Bound the sum over the trees, term by term, for values of a magnitude up to ``reach`` (d,)."""
        of_lines = np.array([line.largest(reach) for line in self.lines])
        leaves = self.forest.feature < 0
        found = np.where(leaves, of_lines[np.where(leaves, self.forest.value, 0).astype(np.int64)], 0.0)
        return float(np.maximum.reduceat(found, self.forest.root).sum())

    @property
    def terms(self) -> int:
        """The most numbers that are added up for a row."""
        return self.forest.tree_count * (1 + max(len(line.columns) for line in self.lines))


class LineArrays(NamedTuple):
    """All lines of a forest, one after another."""

    constant: FloatArray  # (lines,)
    otherwise: FloatArray  # (lines,)
    first: IntArray  # (lines + 1,) the first term of each line
    column: IntArray  # (terms,)
    weight: FloatArray  # (terms,)


def lines_of(trees: LinearForest) -> LineArrays:
    """Lay out the lines as the kernel needs them."""
    lines = trees.lines
    return LineArrays(
        constant=np.array([line.constant for line in lines]),
        otherwise=np.array([line.otherwise for line in lines]),
        first=np.cumsum([0, *(len(line.columns) for line in lines)]),
        column=np.concatenate([line.columns for line in lines]).astype(np.int64),
        weight=np.concatenate([line.weights for line in lines]).astype(np.float64),
    )


class LinearLeaves(NamedTuple):
    """The leaves of all trees with their intervals and lines, tree by tree; missing values are -inf."""

    tree: IntArray  # (trees + 1,) the first leaf of each tree
    constant: FloatArray  # (leaves,)
    otherwise: FloatArray  # (leaves,)
    first: IntArray  # (leaves + 1,) the first entry of each leaf
    column: IntArray  # (entries,) a column that a split on the path, or the line, uses
    above: FloatArray  # (entries,) values of the leaf are above this, or anything for -inf
    upto: FloatArray  # (entries,) and at most this
    weight: FloatArray  # (entries,)
    on_line: BoolArray  # (entries,) whether the line uses the column


def leaves_of(trees: LinearForest) -> LinearLeaves:
    """List the leaves of all trees with the intervals of the columns on their paths."""
    forest = trees.forest
    tree, first = [0], [0]
    lines: list[Line] = []
    entries: list[tuple[int, float, float, float, bool]] = []
    for root in forest.root.tolist():
        waiting: list[tuple[int, dict[int, tuple[float, float]]]] = [(root, {})]
        while waiting:
            node, intervals = waiting.pop()
            column = int(forest.feature[node])
            if column >= 0:
                low, high = intervals.get(column, (-np.inf, np.inf))
                cut = float(forest.threshold[node])
                right = {**intervals, column: (max(low, cut), high)}
                waiting.append((int(forest.right[node]), right))
                waiting.append((node + 1, {**intervals, column: (low, min(high, cut))}))
                continue
            line = trees.lines[int(forest.value[node])]
            weights = dict(zip(line.columns.tolist(), line.weights.tolist(), strict=True))
            for used in sorted({*intervals, *weights}):
                low, high = intervals.get(used, (-np.inf, np.inf))
                entries.append((used, low, high, weights.get(used, 0.0), used in weights))
            lines.append(line)
            first.append(len(entries))
        tree.append(len(lines))
    columns = list(zip(*entries, strict=True)) if entries else [()] * 5
    return LinearLeaves(
        tree=np.array(tree),
        constant=np.array([line.constant for line in lines]),
        otherwise=np.array([line.otherwise for line in lines]),
        first=np.array(first),
        column=np.array(columns[0], dtype=np.int64),
        above=np.array(columns[1], dtype=np.float64),
        upto=np.array(columns[2], dtype=np.float64),
        weight=np.array(columns[3], dtype=np.float64),
        on_line=np.array(columns[4], dtype=np.bool_),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearTreesScore:
    """The sum over trees whose leaves are lines, which must reach a threshold.

    The thresholds hold for sums as `evaluate_rows` adds them, for values within the reach for which ``error``
    bounds the rounding of any such sum.
    """

    name: str
    column_count: int
    trees: LinearForest
    lines: LineArrays
    leaves: LinearLeaves
    error: float
    accept_from: float
    reject_below: float

    def __post_init__(self) -> None:
        require_ordered(self.name, self.accept_from, self.reject_below)

    @property
    def forest(self) -> Forest:
        """The splits of the trees."""
        return self.trees.forest

    @property
    def bound(self) -> Bound:
        """Boxes are bounded by the best reachable leaf of every tree."""
        return Bound.LINEAR_LEAVES

    @property
    def flat(self) -> None:
        """None: it is evaluated in batches outside the kernel."""
        return

    def evaluate_rows(self, rows: FloatArray) -> Verdicts:
        """Evaluate rows of the user's values, as `LinearForest.score_rows` does, compiled."""
        from p2ce.engine.scores.linear_trees.linear_tree_kernels import add_lines

        rows = np.ascontiguousarray(rows, dtype=np.float64)
        value = np.empty(len(rows))
        add_lines(rows, self.forest, self.lines, value)
        return Verdicts(verdicts_at(value, self.accept_from, self.reject_below), value)

    def negated(self, *, accept_from: float, reject_below: float) -> "LinearTreesScore":
        """Return minus the sum, with other thresholds."""
        trees = self.trees.negated()
        return replace(
            self,
            trees=trees,
            lines=lines_of(trees),
            leaves=leaves_of(trees),
            accept_from=accept_from,
            reject_below=reject_below,
        )

    def infeasible_below(self) -> float:
        """Return the computed bound below which every row of a box is rejected: both may be off."""
        return math.nextafter(self.reject_below - 2.0 * self.error, -math.inf)

    def prepare(self, placed: Placed) -> PreparedScore:
        """Prepare the score for a batch; if columns are grouped, cells are evaluated as rows."""
        from p2ce.engine.scores.linear_trees.prepared_linear_trees import PreparedLinearTrees

        if placed.is_grouped:
            return PreparedRows(evaluate_rows=self.evaluate_rows, placed=placed)
        return PreparedLinearTrees(score=self, placed=placed)


def joined_trees(forests: Sequence[LinearForest]) -> LinearForest:
    """Join the trees of several forests, one forest after another."""
    root, feature, threshold, right, value = [], [], [], [], []
    nodes = lines = 0
    for one in forests:
        part = one.forest
        root.append(part.root + nodes)
        feature.append(part.feature)
        threshold.append(part.threshold)
        right.append(np.where(part.right < 0, -1, part.right + nodes))
        value.append(np.where(part.feature < 0, part.value + lines, 0.0))
        nodes, lines = nodes + len(part.feature), lines + len(one.lines)
    return LinearForest(
        forest=Forest(
            root=np.concatenate(root).astype(np.int32),
            feature=np.concatenate(feature),
            threshold=np.concatenate(threshold),
            right=np.concatenate(right).astype(np.int32),
            value=np.concatenate(value),
        ),
        lines=tuple(line for one in forests for line in one.lines),
    )
