"""Price what becomes of one person, on the grid or off it."""

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import Join
from p2ce.verify.batch import compound_cost
from p2ce.verify.setup import Setup


def costs_of(setup: Setup, old: FloatArray, new: FloatArray) -> FloatArray:
    """Price the change of every column (d,), also of those that may not change: (objectives,) as reported."""
    found = np.empty(len(setup.objectives))
    together = {member for compound in setup.compounds for member in compound.members.tolist()}
    for place, objective in enumerate(setup.objectives):
        alone = [
            objective.costs(column, new[None, column, None], old[None, column, None])[0, 0]
            for column in range(len(old))
            if new[column] != old[column] and column not in together
        ]
        joint = [
            compound_cost(
                objective, compound, old[None, None, compound.members], new[None, None, compound.members]
            )[0, 0]
            for compound in setup.compounds
        ]
        parts = np.array([*alone, *joint])
        joined = parts.max(initial=0.0) if objective.join is Join.MAX else parts.sum()
        found[place] = float(objective.report(np.array([joined]))[0])
    return found
