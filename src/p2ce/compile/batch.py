"""Place a batch of instances on the grid, price their candidates, and prepare every score for them.

The prepared scores of parsed models prove, without a call of the model, what it says of cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compile.compiled_problem import Problem, without_special
from p2ce.compile.own_plausibility import OwnPlausibility
from p2ce.compile.own_ranges import InstanceRows, LimitedRows, RowLimits, own_ranges
from p2ce.compile.requirements import Origin, Requirement
from p2ce.engine.grid.grouped_axis import Chain, ChainLevels, Compound, with_levels, without_levels
from p2ce.engine.grid.placement import CostTables, Join, Placement, cell_rows, place, tabulate_costs
from p2ce.engine.scores.black_box_score import PreparedBlackBox
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.external import REJECT, Placed, PreparedScore, Verdicts
from p2ce.engine.scores.flat.prepared_flat import PreparedFlat
from p2ce.models.decisions.adapter import Adapter
from p2ce.objectives.number_of_changes import FittedChanges
from p2ce.objectives.objective import FittedObjective, blamed, price

if TYPE_CHECKING:  # the kernels load Numba, which takes a second
    from p2ce.engine.scores.flat.flat_arrays import FlatInstances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """Instances of a problem, placed and priced, and the scores prepared for them."""

    problem: Problem
    values: FloatArray  # (n, d)
    wide: FloatArray  # (n, columns) the same, with the levels of grouped features appended
    placement: Placement
    tables: CostTables
    instances: "FlatInstances"
    scores: tuple[PreparedScore, ...]  # one for each of the problem's requirements
    # (n, axes, width) the model's scores of single changes that an estimate evaluated, NaN elsewhere.
    known: FloatArray | None
    # The instances' own plausibility; None if it does not count.
    own: OwnPlausibility | None = None
    levels: tuple[ChainLevels, ...] = ()  # of each chain of linked features
    limits: RowLimits | None = None  # what the caller states for single instances

    def rows(self, instance: IntArray, cells: Int32Array) -> FloatArray:
        """Return cells (cells, axes) of instances (cells,) as rows of all the model's columns."""
        wide = cell_rows(self.problem.grid.columns, self.wide, self.placement.values, instance, cells)
        return self.narrowed(instance, wide) if self.problem.groups else wide

    def narrowed(self, instance: IntArray, wide: FloatArray) -> FloatArray:
        """Convert rows with the levels of grouped features to rows of all the model's columns."""
        chains = self.problem.chains
        first = wide.shape[1] - len(chains)
        rows = without_levels(wide[:, :first], self.problem.compounds)
        for column, (chain, levels) in enumerate(zip(chains, self.levels, strict=True), start=first):
            rows[:, chain.members] = levels.values_at(instance, wide[:, column])
        return rows

    def excluding(self, instance: IntArray, cells: Int32Array, rejected_by: IntArray) -> "Batch":
        """Exclude cells that the user's objects reject, and all that ``rejected_by`` cannot distinguish."""
        excluded = np.column_stack([cells, rejected_by]).astype(np.int32)
        excluded_for = np.repeat(np.arange(len(self.values)), np.diff(self.instances.first_excluded))
        excluded_for = np.concatenate([excluded_for, instance])
        order = np.argsort(excluded_for, kind="stable")
        counts = np.bincount(excluded_for, minlength=len(self.values))
        instances = self.instances._replace(
            excluded=np.concatenate([self.instances.excluded, excluded])[order],
            first_excluded=np.append(0, np.cumsum(counts)),
        )
        return replace(self, instances=instances)

    def flat_instances(self, chosen: IntArray) -> "FlatInstances":
        """Return some of the instances in the form that the kernel needs."""
        instances = self.instances
        counts = np.diff(instances.first_excluded)[chosen]
        mine = [np.arange(instances.first_excluded[i], instances.first_excluded[i + 1]) for i in chosen]
        shared = {"joins", "excluded", "first_excluded"}
        return instances._replace(
            **{name: array[chosen] for name, array in instances._asdict().items() if name not in shared},
            excluded=instances.excluded[np.concatenate([np.zeros(0, dtype=np.int64), *mine])],
            first_excluded=np.append(0, np.cumsum(counts)),
        )


def place_and_price(problem: Problem, rows: InstanceRows) -> Batch:
    """Place instances (n, d) on the grid, price their candidates and prepare the scores."""
    from p2ce.engine.scores.flat.flat_arrays import count_own_value, lay_out_instances

    values, limits = (rows.codes, rows.limits) if isinstance(rows, LimitedRows) else (rows, None)
    wide = with_levels(values, problem.compounds) if problem.compounds else values
    plain, levels = wide, problem.levels_of(values, limits) if problem.chains else ()
    if levels:
        wide = np.column_stack([plain, *(one.own for one in levels)])
    placement = place(
        problem.grid,
        wide,
        own_ranges(problem, values, limits) if limits is not None or problem.limits_changes else None,
    )
    if levels:
        placement = _within_levels(problem, placement, levels)
    moved = _members_at(problem, values, levels) if levels else ()
    tables = tabulate_costs(
        _prices(problem, placement.values, placement.current, moved),
        [objective.join for objective in problem.objectives],
        placement,
    )
    instances = lay_out_instances(problem.layout, placement, tables, plain, [one.values for one in levels])
    own = None
    if problem.own_plausibility_counts:
        scores, detector = None, problem.flat_detector
        if detector is not None:
            instances, scores = count_own_value(
                problem.layout,
                placement,
                instances,
                plain,
                number=detector,
                gap=problem.detector_gap,
            )
        own = OwnPlausibility(problem, values, scores)
    # If several models share one estimate, its evaluations are not the scores of any single model.
    remembers = problem.estimate is not None and not problem.others
    batch = Batch(
        problem=problem,
        values=values,
        wide=wide,
        placement=placement,
        tables=tables,
        instances=instances,
        scores=(),
        known=np.full(placement.values.shape, np.nan) if remembers else None,
        own=own,
        levels=tuple(levels),
        limits=limits,
    )
    prepared = tuple(_prepared(batch, number, one) for number, one in enumerate(problem.requirements))
    return replace(batch, scores=prepared)


def _within_levels(problem: Problem, placement: Placement, levels: Sequence[ChainLevels]) -> Placement:
    """Restrict the axes of chains to the levels that each instance has."""
    values, highest, count = placement.values.copy(), placement.highest.copy(), placement.count.copy()
    for axis, one in zip(problem.chain_axes, levels, strict=True):
        count[:, axis], highest[:, axis] = one.count, one.count - 1
        values[:, axis] = np.minimum(values[:, axis], highest[:, axis, None])
    return replace(placement, values=values, highest=highest, count=count)


# Of every chain, the members' values of instances (n, 1, k), and where they may move (n, width, k).
ChainMoves: TypeAlias = Sequence[tuple[FloatArray, FloatArray]]


def _members_at(problem: Problem, values: FloatArray, levels: Sequence[ChainLevels]) -> ChainMoves:
    return [
        (values[:, None, chain.members], one.values)
        for chain, one in zip(problem.chains, levels, strict=True)
    ]


def _prepared(batch: Batch, number: int, requirement: Requirement) -> PreparedScore:
    """Prepare one score: in the kernel's layout, or to be evaluated outside."""
    problem, score = batch.problem, requirement.score
    if (flat := problem.flat_scores[number]) is not None:
        return PreparedFlat(score=flat, layout=problem.layout, number=number, instances=batch.instances)
    columns, grid = requirement.columns, problem.grid
    if isinstance(score, CombinedScore):  # laid out for this grid, in the problem's numbering
        placed = Placed(
            grid=grid,
            placement=batch.placement,
            instances=batch.wide[:, : batch.wide.shape[1] - len(problem.chains)],
            rows=batch.rows,
            is_grouped=bool(problem.groups),
            chains=[one.values for one in batch.levels],
        )
        if requirement.decider is not None:
            placed = replace(placed, decider=requirement.decider.prepare(placed))
        return score.prepare(placed)
    if not problem.groups:
        grid = replace(grid, columns=np.argsort(columns)[grid.columns])  # in the score's numbering
    placed = Placed(
        grid=grid,
        placement=batch.placement,
        instances=batch.values[:, columns],
        rows=lambda instance, cells: np.ascontiguousarray(batch.rows(instance, cells)[:, columns]),
        is_grouped=bool(problem.groups),
        known=batch.known if requirement.origin is Origin.MODEL else None,
    )
    if requirement.decider is not None:
        placed = replace(placed, decider=requirement.decider.prepare(replace(placed, rows=batch.rows)))
    prepared = score.prepare(placed)
    if requirement.origin is Origin.DETECTOR and batch.own is not None:
        assert isinstance(prepared, PreparedBlackBox)
        prepared = replace(prepared, least=batch.own.least)
    return prepared


def prove_cells(batch: Batch, model: int, instance: IntArray, cells: Int32Array) -> Verdicts:
    """Evaluate cells with the scores of a model, without a call of the model; a black box proves nothing."""
    first, *others = (batch.scores[one] for one in batch.problem.model_scores[model])
    found = first.prove(instance, cells)
    return joined_verdicts([found, *(one.prove(instance, cells) for one in others)]) if others else found


def prove_rows(problem: Problem, model: Adapter, rows: FloatArray) -> Verdicts:
    """Evaluate rows, on or off the grid, with the scores of a parsed model."""
    mine = np.ascontiguousarray(rows[:, problem.columns_of(model)])
    return joined_verdicts([score.evaluate_rows(mine) for score in model.scores])


def provably_rejected(batch: Batch) -> BoolArray:
    """Mark the instances that some model provably rejects at their current values."""
    rejected = np.zeros(len(batch.values), dtype=np.bool_)
    everyone = np.arange(len(batch.values))
    for number, model in enumerate(batch.problem.models):
        if model.score is not None:
            proof = prove_cells(batch, number, everyone, batch.placement.position)
            rejected |= proof.verdict == REJECT
    return rejected


def joined_verdicts(each: Sequence[Verdicts]) -> Verdicts:
    """Join the verdicts of all scores of a model: all must accept, and one rejects."""
    return Verdicts(np.min([one.verdict for one in each], axis=0), each[0].value)


def row_totals(problem: Problem, before: FloatArray, after: FloatArray) -> FloatArray:
    """Return the total costs of rows (t, d) of instances (t, d), on or off the grid: (t, objectives)."""
    columns = problem.grid.columns
    totals = np.zeros((len(after), len(problem.objectives)))
    if not len(after):
        return totals
    unused = np.zeros((len(after), len(problem.chains)))  # the columns of chains
    old, new = (
        np.column_stack([with_levels(rows, problem.compounds), unused])[:, columns]
        for rows in (before, after)
    )
    moved = [(before[:, None, chain.members], after[:, None, chain.members]) for chain in problem.chains]
    prices = _prices(problem, new[:, :, None], old, moved)
    for number, objective in enumerate(problem.objectives):
        for axis in range(len(columns)):  # in the order of the axes, as in the solver
            cost, joined = prices[number][:, axis, 0], totals[:, number]
            totals[:, number] = np.maximum(joined, cost) if objective.join is Join.MAX else joined + cost
    return totals


def _prices(problem: Problem, values: FloatArray, current: FloatArray, moved: ChainMoves) -> list[FloatArray]:
    """Price values (n, axes, width) of instances at current (n, axes), with every objective."""
    columns = problem.grid.columns
    special = problem.special_codes
    if special:
        values = without_special(special, columns.tolist(), values)
        current = without_special(special, columns.tolist(), current)
    if not problem.groups:
        return price(problem.objectives, columns=columns.tolist(), values=values, current=current)
    first = len(problem.names)
    plain = columns < first
    tables = [np.empty(values.shape) for _ in problem.objectives]
    found = price(
        problem.objectives,
        columns=columns[plain].tolist(),
        values=values[:, plain],
        current=current[:, plain],
    )
    for table, costs in zip(tables, found, strict=True):
        table[:, plain] = costs
    for axis in np.flatnonzero(~plain).tolist():
        number = int(columns[axis]) - first
        group = problem.groups[number]
        if isinstance(group, Compound):
            ends = group.values_at(current[:, axis, None]), group.values_at(values[:, axis])
        else:
            ends = moved[number - len(problem.compounds)]
        before, after = (_for_pricing(problem, group, end) for end in ends)
        for objective, table in zip(problem.objectives, tables, strict=True):
            costs = group_cost(objective, group, before, after)
            table[:, axis, : costs.shape[1]], table[:, axis, costs.shape[1] :] = costs, costs[:, -1:]
    return tables


def _for_pricing(problem: Problem, group: Compound | Chain, members: FloatArray) -> FloatArray:
    """Return the values of a group's members (n, w, k) for pricing."""
    values = np.moveaxis(members, 2, 1)
    return np.moveaxis(without_special(problem.special_codes, group.members.tolist(), values), 1, 2)


def group_cost(
    objective: FittedObjective, group: Compound | Chain, before: FloatArray, after: FloatArray
) -> FloatArray:
    """Price moves of grouped features: (n, 1, k), (n, w, k) → (n, w)."""
    members = tuple(group.members.tolist())
    if isinstance(objective, FittedChanges):
        return group.changes(before, after)
    if isinstance(group, Compound):
        with blamed(objective):
            return objective.switch(members, before, after)
    with blamed(objective):
        # The joined costs of the members: linked features are not a category.
        return FittedObjective.switch(objective, members, before, after)


def totals_of(problem: Problem, old: FloatArray, new: FloatArray) -> FloatArray:
    """Price the changes of all columns (d,), including those that may not change: totals (objectives,).

    Costs are added in the order of the axes, as in the solver, and then those of other columns. So a point of
    the grid has the same cost as in the solver, bit for bit.
    """
    axes = problem.grid.columns.tolist()
    together = {member for group in problem.groups for member in group.members.tolist()}
    alone = set(range(len(old))) - together
    joint = {len(old) + number for number in range(len(problem.groups))}
    moves = [*axes, *sorted((alone | joint).difference(axes))]
    old, new = without_special(problem.special_codes, range(len(old)), np.stack([old, new]))
    found = np.zeros(len(problem.objectives))
    for number, objective in enumerate(problem.objectives):
        for move in moves:
            cost = _cost_of_move(problem, objective, move, old, new)
            found[number] = max(found[number], cost) if objective.join is Join.MAX else found[number] + cost
    return found


def _cost_of_move(
    problem: Problem, objective: FittedObjective, move: int, old: FloatArray, new: FloatArray
) -> float:
    """Price the change of one column, or of grouped features, which are numbered after the columns."""
    if move >= len(old):
        group = problem.groups[move - len(old)]
        before, after = old[None, None, group.members], new[None, None, group.members]
        return float(group_cost(objective, group, before, after)[0, 0])
    if new[move] == old[move]:
        return 0.0
    with blamed(objective):
        return float(objective.costs(move, new[None, move, None], old[None, move, None])[0, 0])
