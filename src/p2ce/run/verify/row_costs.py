"""Price the changes of one instance, on or off the grid."""

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.batch import compound_cost
from p2ce.compile.compiled_problem import Problem, without_special
from p2ce.engine.grid.placement import Join
from p2ce.objectives.objective import FittedObjective, blamed


def totals_of(problem: Problem, old: FloatArray, new: FloatArray) -> FloatArray:
    """Price the changes of all columns (d,), including those that may not change: totals (objectives,).

    Costs are added in the order of the axes, as in the solver, and then those of other columns. So a point of
    the grid has the same cost as in the solver, bit for bit.
    """
    axes = problem.grid.columns.tolist()
    together = {member for compound in problem.compounds for member in compound.members.tolist()}
    alone = set(range(len(old))) - together
    joint = {len(old) + place for place in range(len(problem.compounds))}
    moves = [*axes, *sorted((alone | joint).difference(axes))]
    old, new = without_special(problem.special_codes, range(len(old)), np.stack([old, new]))
    found = np.zeros(len(problem.objectives))
    for place, objective in enumerate(problem.objectives):
        for move in moves:
            cost = _cost_of_move(problem, objective, move, old, new)
            found[place] = max(found[place], cost) if objective.join is Join.MAX else found[place] + cost
    return found


def _cost_of_move(
    problem: Problem, objective: FittedObjective, move: int, old: FloatArray, new: FloatArray
) -> float:
    """Price the change of one column, or of grouped features, which are numbered after the columns."""
    if move >= len(old):
        compound = problem.compounds[move - len(old)]
        before, after = old[None, None, compound.members], new[None, None, compound.members]
        return float(compound_cost(objective, compound, before, after)[0, 0])
    if new[move] == old[move]:
        return 0.0
    with blamed(objective):
        return float(objective.costs(move, new[None, move, None], old[None, move, None])[0, 0])
