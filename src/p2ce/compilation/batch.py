"""Get a batch of people ready for the search: placed on the grid, priced, and shown to the scores."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.compilation.compiled_problem import Problem, without_special
from p2ce.compilation.external_scores import Networks, lay_out_networks
from p2ce.grid.candidate_costs import CostTables, tabulate
from p2ce.grid.grouped_axis import Compound, widen
from p2ce.grid.placement import Placement, place
from p2ce.objectives.number_of_changes import FittedChanges
from p2ce.objectives.objective import FittedObjective, blamed, price

if TYPE_CHECKING:
    from p2ce.scores.flat_arrays import FlatInstances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """People placed, priced and laid out for the search."""

    values: FloatArray  # (n, d)
    wide: FloatArray  # (n, columns) the same, with the levels of columns that move as one
    placement: Placement
    tables: CostTables
    people: "FlatInstances"
    networks: Networks

    def rows(self, problem: Problem, owner: IntArray, points: Int32Array) -> FloatArray:
        """Write points as rows of all the model's columns."""
        return problem.rows(self.wide, self.placement, owner, points)


def prepare(problem: Problem, values: FloatArray) -> Batch:
    """Place people (n, d) on the grid and price their candidates."""
    from p2ce.scores.flat_arrays import lay_out_instances

    wide = widen(values, problem.compounds)
    placement = place(problem.grid, wide)
    tables = tabulate(
        _prices(problem, placement), [objective.join for objective in problem.objectives], placement
    )
    people = lay_out_instances(problem.layout, problem.grid, placement, tables, wide)
    networks = lay_out_networks(problem, placement, wide)
    return Batch(
        values=values, wide=wide, placement=placement, tables=tables, people=people, networks=networks
    )


def _prices(problem: Problem, placement: Placement) -> list[FloatArray]:
    """Price every candidate by every objective: (n, axes, width) each."""
    columns = problem.grid.columns
    axes = [problem.names[column] if column < len(problem.names) else "" for column in columns.tolist()]
    values = without_special(problem.actions, axes, placement.values)
    current = without_special(problem.actions, axes, placement.current)
    if not problem.compounds:
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
        compound = problem.compounds[int(columns[axis]) - first]
        before = _members(problem, compound, current[:, axis, None])
        after = _members(problem, compound, values[:, axis])
        for objective, table in zip(problem.objectives, tables, strict=True):
            table[:, axis] = compound_cost(objective, compound, before, after)
    return tables


def _members(problem: Problem, compound: Compound, codes: FloatArray) -> FloatArray:
    """Give the values of a compound's members as they are priced: (n, w) → (n, w, k)."""
    names = [problem.names[member] for member in compound.members.tolist()]
    values = np.moveaxis(compound.values_at(codes), 2, 1)
    return np.moveaxis(without_special(problem.actions, names, values), 1, 2)


def compound_cost(
    objective: FittedObjective, compound: Compound, before: FloatArray, after: FloatArray
) -> FloatArray:
    """Price moves of columns that are one: (n, 1, k), (n, w, k) → (n, w)."""
    members = tuple(compound.members.tolist())
    if isinstance(objective, FittedChanges):
        return compound.changes(before, after)
    if compound.is_category:
        with blamed(objective):
            return objective.switch(members, before, after)
    with blamed(objective):
        # What every one of them costs, joined: linked features are no category.
        return FittedObjective.switch(objective, members, before, after)
