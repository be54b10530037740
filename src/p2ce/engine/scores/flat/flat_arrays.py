"""Lay out scores and instances as the flat arrays that the compiled kernels use."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import CostTables, Placement, seen_ends, spread
from p2ce.engine.scores.flat.records import DETAIL, LIMIT, NODE, POSITION, PRICE, SCORE, TREE
from p2ce.engine.scores.score import FlatScore, Spending
from p2ce.engine.scores.trees.forest import Forest

Records: TypeAlias = npt.NDArray[Any]
Record: TypeAlias = Any  # one of them: its fields are attributes, which only Numba knows

# Ticks of a score fill 29 bits, so sums of leaf values, and differences of two sums, are exact in 32 bits.
SCORE_BITS = 29

# Two scores have a place of their own among the compiled ones; the others may come in any order. A search
# sorts and lists the leaves of the FIRST, a model, for whole boxes. The SECOND, a detector, may reject many
# cells that the first accepts: if it does, it scores whole boxes as well.
FIRST, SECOND = 0, 1
IN_CHAIN = -2  # instead of an axis: the column's candidates depend on the instance


class FlatScores(NamedTuple):
    """All scores of a problem, shared by all instances; the trees are stored score by score."""

    scores: Records  # (scores,) SCORE
    trees: Records  # (trees,) TREE
    nodes: Records  # (nodes,) NODE
    details: Records  # (nodes,) DETAIL
    line_of: Int32Array  # (columns,) the line of ``seen`` with a column's candidates, -1 if it cannot change
    weights: FloatArray  # (tables of weights, columns); the tables of budgets follow, and have no weights
    # The column of each line, and the axis that moves it. The first lines are those of the axes, in their
    # order. A chain's axis moves several columns: its line is that of its first member, and the others follow
    # all axes.
    columns: IntArray  # (lines,)
    axes: IntArray  # (lines,)
    # (lines,) whether the values never fall or never rise along the axis
    is_steady: BoolArray


class FlatInstances(NamedTuple):
    """A batch of instances, placed on the grid and priced. The first dimension is the instance."""

    positions: Records  # (n, axes) POSITION
    seen: FloatArray  # (n, views, lines, width) candidates as each view transforms them
    own: FloatArray  # (n, views, columns) current values as each view transforms them
    prices: Records  # (n, objectives, axes, width) PRICE
    joins: Int32Array  # (objectives,) 0 sum, 1 max
    shares: FloatArray  # (n, objectives)
    gains: Int32Array  # (n, tables, axes, width) additive part of the score, in ticks
    thresholds: Records  # (n, scores) LIMIT
    # (excluded, axes + 1) cells that the user's own model or detector rejected; the last entry is the score
    excluded: Int32Array
    first_excluded: IntArray  # (n + 1,) instance i has first_excluded[i] .. first_excluded[i + 1] - 1


class ChainLines(NamedTuple):
    """A chain's place in the layout."""

    axis: int
    columns: IntArray  # (k,) its members
    is_steady: bool  # whether every member rises or falls along the axis
    stretches: int  # into how many stretches conditions on members can split the axis


class _Spanning(NamedTuple):
    """A forest, and the span of its score, which determines the tick."""

    forest: Forest
    span: float


class ScoreLayout(NamedTuple):
    """The flat scores, and the data that laying out instances needs."""

    flat: FlatScores
    views: tuple[FlatScore, ...]  # one representative score per distinct view
    budgets: tuple[Spending, ...]  # in the order of their tables
    base_seen: tuple[FloatArray, ...]  # per view: (axes, width) transformed candidates of BaseGrid.table
    span: FloatArray  # (scores,) largest possible |tree sum| plus |offset|
    leaves: int  # the most leaves that a walk can list: all, or some in several stretches of a chain
    deepest: int  # the most narrowings of a box on a path to a leaf
    chains: tuple[IntArray, ...]  # the lines of each chain's members
    forests: tuple[_Spanning, ...]  # in the order of their nodes


def flatten_scores(
    scores: Sequence[FlatScore],
    grid: BaseGrid,
    sample: FloatArray,
    chains: Sequence[ChainLines] = (),
    like: ScoreLayout | None = None,
) -> ScoreLayout:
    """Join the scores' trees and find each split's cut on the grid.

    ``sample`` (columns,) is any valid row; it fills the columns other than the candidate's own.
    Trees with which another layout begins are taken from it.
    """
    columns, axes = grid.columns.copy(), np.arange(len(grid.names))
    of_chains = []
    for chain in chains:
        columns[chain.axis] = chain.columns[0]
        others = np.arange(len(columns), len(columns) + len(chain.columns) - 1)
        of_chains.append(np.append(chain.axis, others))
        columns = np.append(columns, chain.columns[1:])
        axes = np.append(axes, np.full(len(others), chain.axis))
    is_steady = np.ones(len(columns), dtype=np.bool_)
    for chain, lines in zip(chains, of_chains, strict=True):
        is_steady[lines] = chain.is_steady
    views: list[FlatScore] = []
    looks_at: list[int] = []
    for score in scores:
        known = [v for v, other in enumerate(views) if other.see is score.see]
        looks_at.append(known[0] if known else len(views))
        if not known:
            views.append(score)
    own_columns, table = columns[: len(grid.names)], grid.table.copy()
    for chain in chains:
        table[chain.axis] = sample[chain.columns[0]]  # its codes are no values
    base_seen = tuple(see_base(view.see, own_columns, table, sample) for view in views)
    line_of = np.full(len(sample), -1, dtype=np.int32)
    line_of[columns] = np.arange(len(columns), dtype=np.int32)
    axis_of = line_of.copy()
    for chain in chains:
        axis_of[chain.columns] = IN_CHAIN

    flat = np.zeros(len(scores), dtype=SCORE)
    span = np.empty(len(scores))
    forests: list[_Spanning] = []
    forests_see: list[FloatArray] = []
    tables: list[FloatArray] = []
    budgets: list[Spending] = []
    trees = 0
    for s, score in enumerate(scores):
        span[s] = abs(score.offset)
        flat[s]["first_tree"] = trees
        if score.forest is not None:
            span[s] += np.maximum.reduceat(np.abs(score.forest.value), score.forest.root).sum()
            forests.append(_Spanning(score.forest, float(span[s])))
            forests_see.append(base_seen[looks_at[s]])
            trees += score.forest.tree_count
        flat[s]["last_tree"] = trees
        flat[s]["looks_at"] = looks_at[s]
        flat[s]["table"] = -1 if score.forest is not None else len(tables) + len(budgets)
        if score.weights is not None:
            assert not budgets, "budgets come after all other scores"
            tables.append(score.weights)
        elif score.spending is not None:
            budgets.append(score.spending)
        flat[s]["offset"], flat[s]["accept_from"], flat[s]["reject_below"] = (
            score.offset,
            score.accept_from,
            score.reject_below,
        )
    all_trees, nodes, details = _joined(forests, like)
    end = 0
    for (forest, _), seen in zip(forests, forests_see, strict=True):
        start, end = end, end + len(forest.feature)
        _find_cuts(forest, grid, axis_of, seen, details[start:end])
    return ScoreLayout(
        flat=FlatScores(
            scores=flat,
            trees=all_trees,
            nodes=nodes,
            details=details,
            line_of=line_of,
            weights=np.array(tables, dtype=np.float64).reshape(len(tables), len(sample)),
            columns=columns,
            axes=axes,
            is_steady=is_steady,
        ),
        views=tuple(views),
        budgets=tuple(budgets),
        base_seen=base_seen,
        span=span,
        leaves=int(np.isnan(nodes["threshold"]).sum()) * prod(chain.stretches for chain in chains),
        # At a split by a member of a chain, each stretch of levels narrows the box once.
        deepest=int(all_trees["depth"].max(initial=0)) + sum(grid.slots for _ in chains),
        chains=tuple(of_chains),
        forests=tuple(forests),
    )


def see_base(
    see: Callable[[FloatArray], FloatArray], columns: IntArray, table: FloatArray, sample: FloatArray
) -> FloatArray:
    """Transform a table (axes, width) of candidates by a view, all axes at once. Views work column by column.

    ``columns`` (axes,) are the axes' columns. ``sample`` (columns,) is any valid row; it fills the columns
    other than the candidate's own.
    """
    rows = np.tile(sample, (table.shape[1], 1))
    rows[:, columns] = table.T
    return np.ascontiguousarray(see(rows)[:, columns].T, dtype=np.float64)


def _joined(forests: Sequence[_Spanning], like: ScoreLayout | None) -> tuple[Records, Records, Records]:
    """Join the nodes of forests: what does not depend on the grid."""
    if like is not None and len(forests) <= len(like.forests):
        pairs = zip(forests, like.forests, strict=False)
        if all(one.forest is other.forest and one.span == other.span for one, other in pairs):
            trees = sum(one.forest.tree_count for one in forests)
            count = sum(len(one.forest.feature) for one in forests)
            flat = like.flat
            return flat.trees[:trees], flat.nodes[:count], flat.details[:count].copy()
    parts, filled = [], 0
    for forest, span in forests:
        parts.append(_flatten_forest(forest, tick_for(span), filled))
        filled += len(forest.feature)
    if not parts:
        return np.zeros(0, dtype=TREE), np.zeros(0, dtype=NODE), np.zeros(0, dtype=DETAIL)
    trees_of, nodes_of, details_of = zip(*parts, strict=True)
    return np.concatenate(trees_of), np.concatenate(nodes_of), np.concatenate(details_of)


def _flatten_forest(forest: Forest, tick: FloatArray, start: int) -> tuple[Records, Records, Records]:
    """Lay out one forest after the ``start`` nodes of the earlier ones, without its cuts."""
    trees = np.zeros(forest.tree_count, dtype=TREE)
    levels = _levels(forest)
    trees["root"], trees["depth"] = forest.root + start, _depths(forest, levels)
    is_leaf = forest.feature < 0
    nodes = np.zeros(len(forest.feature), dtype=NODE)
    nodes["feature"] = np.where(is_leaf, 0, forest.feature)
    nodes["threshold"] = np.where(is_leaf, np.nan, forest.threshold)
    nodes["right"] = start + np.where(is_leaf, np.arange(len(nodes)), forest.right)
    details = np.zeros(len(nodes), dtype=DETAIL)
    details["value"], details["top"] = forest.value, np.rint(forest.value / tick)
    for level in reversed(levels):
        inner = level[~is_leaf[level]]
        details["top"][inner] = np.maximum(details["top"][inner + 1], details["top"][forest.right[inner]])
    return trees, nodes, details


def _find_cuts(
    forest: Forest, grid: BaseGrid, axis_of: Int32Array, base_seen: FloatArray, details: Records
) -> None:
    """Find the cut of every split on the grid, and write it to the forest's details."""
    axis = np.where(forest.feature < 0, -1, axis_of[forest.feature])
    details["below"] = details["above"] = 0
    for a, base in enumerate(grid.values):
        at = np.flatnonzero(axis == a)
        cut = np.searchsorted(base_seen[a, : len(base)], forest.threshold[at], side="right")
        details["below"][at] = np.searchsorted(grid.down[a], cut)
        details["above"][at] = np.searchsorted(grid.up[a], cut)
    details["below"][axis == IN_CHAIN] = -1


def _levels(forest: Forest) -> list[IntArray]:
    """List the nodes of all trees, level by level from the roots."""
    levels = [forest.root.astype(np.int64)]
    while len(inner := levels[-1][forest.feature[levels[-1]] >= 0]):
        levels.append(np.concatenate([inner + 1, forest.right[inner]]))
    return levels


def _depths(forest: Forest, levels: list[IntArray]) -> IntArray:
    """Return the deepest level of each tree."""
    depths = np.zeros(forest.tree_count, dtype=np.int64)
    for depth, level in enumerate(levels):
        depths[np.searchsorted(forest.root, level, side="right") - 1] = depth
    return depths


def tick_for(span: float | FloatArray) -> FloatArray:
    """Return a tick so large that ``span`` stays below 2**SCORE_BITS ticks."""
    span = np.asarray(span, dtype=np.float64)
    exponent = np.frexp(np.where(span > 0, span, 1.0))[1]
    tick: FloatArray = np.ldexp(1.0, exponent - SCORE_BITS)
    return tick


def lay_out_instances(
    layout: ScoreLayout,
    placement: Placement,
    tables: CostTables,
    values: FloatArray,
    chains: Sequence[FloatArray] = (),
) -> FlatInstances:
    """Transform the instances' candidates with every view, and convert thresholds to ticks.

    ``chains`` holds the values (n, width, k) of each chain's members at every level.
    """
    count, axes, width = placement.values.shape
    flat = layout.flat
    own = np.empty((count, len(layout.views), values.shape[1]))
    seen = np.empty((count, len(layout.views), len(flat.columns), width))
    for v, view in enumerate(layout.views):
        own[:, v] = view.see(values)
        # The same insertion that placed the instances, over the values that this view transforms.
        columns = flat.columns[:axes]
        seen[:, v, :axes] = spread(
            layout.base_seen[v],
            own[:, v, columns],
            placement.source,
            placement.position,
            placement.count,
            ()
            if placement.own_ends is None
            else seen_ends(view.see, columns, placement, values, columns, np.arange(axes)),
        )
        for lines, levels in zip(layout.chains, chains, strict=True):
            seen[:, v, lines] = _seen_levels(view, flat.columns[lines], values.shape[1], levels, width)
    candidates = _candidates(layout, placement, chains) if chains else placement.values
    positions = np.empty((count, axes), dtype=POSITION)
    positions["here"], positions["shift"] = placement.position, placement.shift
    positions["lowest"], positions["highest"] = placement.lowest, placement.highest
    positions["is_own"] = 0 if placement.own_ends is None else placement.own_ends.is_moved
    prices = np.empty(tables.steps.shape, dtype=PRICE)
    prices["cost"], prices["envelope"] = tables.steps, tables.envelope
    gains = np.zeros((count, len(flat.weights) + len(layout.budgets), axes, width), dtype=np.int32)
    certified = np.empty((count, len(flat.scores)), dtype=LIMIT)
    for s, score in enumerate(flat.scores):
        thresholds = np.full(count, score["accept_from"]), np.full(count, score["reject_below"])
        parts, certified[:, s] = _score_ticks(
            layout, s, placement, candidates, seen, own, values, thresholds=thresholds
        )
        if parts is not None:
            gains[:, score["table"]] = parts
    return FlatInstances(
        positions=positions,
        seen=seen,
        own=own,
        prices=prices,
        joins=tables.joins,
        shares=tables.shares,
        gains=gains,
        thresholds=certified,
        excluded=np.zeros((0, axes + 1), dtype=np.int32),
        first_excluded=np.zeros(count + 1, dtype=np.int64),
    )


def _seen_levels(
    view: FlatScore, columns: IntArray, width: int, levels: FloatArray, slots: int
) -> FloatArray:
    """Transform a chain's levels (n, levels, k) by a view: (n, k, slots), the last one repeated."""
    count, size, members = levels.shape
    rows = np.zeros((count * size, width))  # views work column by column
    rows[:, columns] = levels.reshape(-1, members)
    seen = view.see(rows)[:, columns].reshape(levels.shape)
    filled = np.concatenate([seen, np.repeat(seen[:, -1:], slots - size, axis=1)], axis=1)
    return np.moveaxis(filled, 2, 1)


def _candidates(layout: ScoreLayout, placement: Placement, chains: Sequence[FloatArray]) -> FloatArray:
    """Return the candidates of all lines (n, lines, width): those of the axes, and of chains' members."""
    count, axes, width = placement.values.shape
    candidates = np.empty((count, len(layout.flat.columns), width))
    candidates[:, :axes] = placement.values
    for lines, levels in zip(layout.chains, chains, strict=True):
        last = np.repeat(levels[:, -1:], width - levels.shape[1], axis=1)
        candidates[:, lines] = np.moveaxis(np.concatenate([levels, last], axis=1), 2, 1)
    return candidates


def count_own_value(
    layout: ScoreLayout,
    placement: Placement,
    instances: FlatInstances,
    values: FloatArray,
    *,
    number: int,
    gap: float,
) -> tuple[FlatInstances, FloatArray]:
    """Make a score accept every row that reaches the instance's own value, and return these values (n,).

    If two values are at least ``gap`` apart, the library orders them in the same way. With a gap of 0, equal
    values are also equal in the library. Thresholds are only ever lowered: they stay unchanged for an
    instance whose own value is accepted.
    """
    from p2ce.engine.scores.flat.score_cells import score_points

    count = len(values)
    value, row = np.empty(count), np.empty(values.shape[1])
    own_cells = np.ascontiguousarray(placement.position)
    score_points(layout.flat, number, instances, np.arange(count), own_cells, row, value)
    score = layout.flat.scores[number]
    if (value >= score["accept_from"]).all():
        return instances, value
    slack = gap + 2.0**-46 * np.abs(value) if gap > 0 else 0.0  # and the rounding of the sum itself
    accept_from = np.minimum(score["accept_from"], value + slack)
    reject_below = np.minimum(score["reject_below"], value - slack)
    _, lowered = _score_ticks(
        layout,
        number,
        placement,
        placement.values,
        instances.seen,
        instances.own,
        values,
        thresholds=(accept_from, reject_below),
    )
    certified = instances.thresholds.copy()
    certified[:, number] = np.where(value >= score["accept_from"], certified[:, number], lowered)
    return instances._replace(thresholds=certified), value


def _score_ticks(
    layout: ScoreLayout,
    number: int,
    placement: Placement,
    candidates: FloatArray,
    seen: FloatArray,
    own: FloatArray,
    values: FloatArray,
    *,
    thresholds: tuple[FloatArray, FloatArray],
) -> tuple[Int32Array | None, Records]:
    """Convert a score's additive part and thresholds to ticks, rounded outwards so that both stay valid.

    ``candidates`` (n, lines, width) matter for budgets only. ``thresholds`` are accept_from and reject_below
    (n,). The additive part is None for trees.
    """
    flat = layout.flat
    score, table = flat.scores[number], flat.scores[number]["table"]
    count, weighted = len(values), len(flat.weights)
    start = np.full(count, score["offset"])
    span = np.full(count, layout.span[number])
    terms = int(score["last_tree"] - score["first_tree"]) + 2
    if table >= 0:
        if table < weighted:
            weights = flat.weights[table]
            with np.errstate(over="ignore", invalid="ignore"):
                moving = weights[flat.columns][None, :, None] * seen[:, score["looks_at"]]
                resting = weights * own[:, score["looks_at"]]
        else:
            moving, resting = _spent(layout.budgets[table - weighted], flat, candidates, values)
        slot = np.arange(seen.shape[3])
        allowed = (slot >= placement.lowest[..., None]) & (slot <= placement.highest[..., None])
        moving = np.where(allowed[:, flat.axes], moving, 0.0)
        resting[:, flat.columns] = 0.0
        if table >= weighted:
            _free_of_charge(moving, resting, score["reject_below"])
        start = start + resting.sum(axis=1)
        span = span + np.abs(resting).sum(axis=1) + np.abs(moving).max(axis=2, initial=0.0).sum(axis=1)
        terms += own.shape[2]
    tick = tick_for(span)
    # Numbers at the ends of float64 leave no ticks to count in: then nothing is certain, nothing is pruned.
    usable = np.isfinite(start) & np.isfinite(span) & (tick > 0)
    start, span, tick = np.where(usable, start, 0), np.where(usable, span, 0), np.where(usable, tick, 1.0)
    gains = None
    if table >= 0:
        parts = np.where(usable[:, None, None], moving, 0.0)
        if layout.chains:
            parts = _by_axis(parts, flat.axes, placement.values.shape[1])
        gains = np.rint(parts / tick[:, None, None]).astype(np.int32)
    # Half a tick per rounded term, plus the float64 rounding of the sums that the thresholds apply to.
    error_ticks = terms / 2 + 1 + span / tick * terms * 2.0**-52
    certified = np.empty(count, dtype=LIMIT)
    certified["base"] = np.rint(start / tick).astype(np.int64)
    certified["value_accept_from"], certified["value_reject_below"] = thresholds
    certified["tick"], certified["error"] = tick, np.where(usable, error_ticks, np.inf)
    # A threshold that every row reaches, or none, may be as large as floats get.
    with np.errstate(over="ignore"):
        reject_below = np.where(usable, np.floor(thresholds[1] / tick - error_ticks), -np.inf)
        accept_from = np.where(usable, np.ceil(thresholds[0] / tick + error_ticks), np.inf)
    certified["reject_below"] = whole_ticks(reject_below)
    certified["accept_from"] = whole_ticks(accept_from)
    return gains, certified


def _by_axis(parts: FloatArray, axes: IntArray, count: int) -> FloatArray:
    """Add up the parts of all lines (n, lines, width) that an axis moves: (n, axes, width)."""
    total = parts[:, :count].copy()
    for line in range(count, len(axes)):
        total[:, axes[line]] += parts[:, line]
    return total


def _spent(
    budget: Spending, flat: FlatScores, candidates: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return minus what candidates (n, lines, width) and instances (n, columns) spend of a budget."""
    moving = np.zeros(candidates.shape)
    resting = np.zeros(values.shape)
    for column in budget.columns:
        line, here = flat.line_of[column], values[:, column, None]
        if line < 0:
            resting[:, column] = -budget.of(column, here, here)[:, 0]
        else:
            moving[:, line] = -budget.of(column, candidates[:, line], here)
    return moving, resting


def _free_of_charge(moving: FloatArray, resting: FloatArray, reject_below: float) -> None:
    """Replace +inf, a value that keeps a budget by itself, by a finite number that outweighs all others."""
    if not (np.isinf(moving).any() or np.isinf(resting).any()):
        return
    known = np.where(np.isinf(moving), 0.0, np.abs(moving)).max(axis=2, initial=0.0).sum(axis=1)
    known += np.where(np.isinf(resting), 0.0, np.abs(resting)).sum(axis=1)
    enough = 2.0 * (known + abs(reject_below) + 1.0)
    np.copyto(moving, enough[:, None, None], where=np.isinf(moving))
    np.copyto(resting, enough[:, None], where=np.isinf(resting))


def whole_ticks(ticks: FloatArray) -> IntArray:
    """Clip ticks to 62 bits: an infinite threshold becomes one that no total, or every total, reaches."""
    limit = 2.0**62
    return np.clip(ticks, -limit, limit).astype(np.int64)


def add_estimate(instances: FlatInstances, gains: FloatArray, missing: FloatArray) -> FlatInstances:
    """Append an estimate to the scores, as the last additive table and the last limit.

    It prunes like an additive score, but proves nothing.
    ``gains`` (n, axes, width) estimates how much each candidate adds to the score, 0 for staying. Cells whose
    gains add up to less than ``missing`` (n,) are dropped. Sums are rounded in favour of the cell.
    """
    count, axes, width = gains.shape
    slot = np.arange(width)
    positions = instances.positions
    inside = (slot >= positions["lowest"][..., None]) & (slot <= positions["highest"][..., None])
    gains = np.where(inside, gains, 0.0)
    finite = np.isfinite(missing)
    span = np.abs(gains).max(axis=2, initial=0.0).sum(axis=1) + np.abs(np.where(finite, missing, 0.0))
    tick = tick_for(span)
    table = np.rint(gains / tick[:, None, None]).astype(np.int32)
    certified = np.zeros((count, 1), dtype=LIMIT)
    certified["reject_below"][:, 0] = whole_ticks(np.floor(missing / tick) - axes / 2 - 1)
    certified["accept_from"][:, 0] = whole_ticks(np.full(count, np.inf))
    return instances._replace(
        gains=np.concatenate([instances.gains, table[:, None]], axis=1),
        thresholds=np.concatenate([instances.thresholds, certified], axis=1),
    )
