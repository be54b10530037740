"""Make small random problems with rules as budgets, and with values that are missing."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from p2ce.arrays import FloatArray
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import Placement, place
from p2ce.scores.assemble import assemble_forest
from p2ce.scores.forest import Forest
from p2ce.scores.score import CompiledScore, Spending, seen_as_given
from p2ce.scores.score_rows import score_rows
from p2ce.scores.steps import steps_of_codes, steps_of_cut
from p2ce.scores.tree_nodes import TreeNodes
from p2ce.tables.codebook import MISSING
from tests.properties.random_problems import Problem, problem_of, random_costs

CODES = 5  # values are codes 0 … 4, or missing


def seen_filled(rows: FloatArray) -> FloatArray:
    """Show rows as an imputer would."""
    return np.where(rows == MISSING, 1.5, rows)


def random_trees(rng: np.random.Generator, columns: int, trees: int, depth: int) -> Forest:
    """Grow trees whose splits are cuts, cuts with missing values apart, or sets of codes."""
    grown = []
    for _ in range(trees):
        left, right, feature, threshold, value = ([] for _ in range(5))
        steps = {}

        def grow(level: int, nodes=(left, right, feature, threshold, value), steps=steps) -> int:
            left, right, feature, threshold, _ = nodes
            here = len(left)
            for array, entry in zip(nodes, (-1, -1, 0, 0.0, round(rng.normal(), 1)), strict=True):
                array.append(entry)
            if level < depth and rng.random() < 0.85:
                feature[here] = int(rng.integers(columns))
                threshold[here] = float(rng.integers(0, CODES)) - 0.5 * (rng.random() < 0.5)
                kind = rng.random()
                if kind < 0.3:
                    steps[here] = steps_of_cut(threshold[here], missing_left=bool(rng.random() < 0.5))
                elif kind < 0.6:
                    inside = np.flatnonzero(rng.random(CODES) < 0.5).tolist()
                    sides = {side: bool(rng.random() < 0.5) for side in ("unseen_left", "missing_left")}
                    steps[here] = steps_of_codes(inside, CODES, **sides)
                left[here] = grow(level + 1)
                right[here] = grow(level + 1)
            return here

        grow(0)
        nodes = (np.array(part) for part in (left, right, feature, threshold, value))
        names = ("left", "right", "feature", "threshold", "value")
        grown.append(TreeNodes(**dict(zip(names, nodes, strict=True)), steps=steps))
    return assemble_forest(grown)


def random_model(rng: np.random.Generator, columns: int, *, trees: bool) -> CompiledScore:
    """Make a score whose threshold is that of some row."""
    forest = random_trees(rng, columns, int(rng.integers(1, 6)), int(rng.integers(1, 5))) if trees else None
    weights = None if trees else rng.integers(-4, 5, columns) / 4.0
    rows = rng.choice([MISSING, *range(CODES)], size=(60, columns))

    def made(threshold: float) -> CompiledScore:
        return CompiledScore(
            name="random",
            column_count=columns,
            forest=forest,
            weights=weights,
            accept_from=threshold,
            reject_below=threshold,
            see=seen_as_given if trees else seen_filled,
        )

    return made(float(np.quantile(score_rows(made(0.0), rows), 0.3 + 0.6 * rng.random(), method="nearest")))


def random_budget(rng: np.random.Generator, columns: int) -> CompiledScore:
    """Make a budget of whole costs, as rules have them; some values are free whatever the others take."""
    spending = np.flatnonzero(rng.random(columns) < 0.7)
    at_value = rng.integers(-2, 4, size=(columns, CODES + 1)).astype(np.float64)  # last: a missing value
    at_value[rng.random(at_value.shape) < 0.08] = -np.inf
    if_changed = rng.integers(-1, 3, size=columns)

    def of(column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        codes = np.where(values == MISSING, CODES, values).astype(np.int64)
        return at_value[column, codes] + if_changed[column] * (values != current)

    limit = float(rng.integers(-2, 6)) + 0.5
    return CompiledScore(
        name="budget",
        column_count=columns,
        spending=Spending(columns=tuple(spending.tolist()), of=of),
        accept_from=-limit,
        reject_below=-limit,
    )


def random_grid(rng: np.random.Generator, columns: int, axes: int) -> BaseGrid:
    """Draw axes of codes; on some, a value may become missing, and on others a missing one stays so."""
    names = [f"f{i}" for i in rng.permutation(columns)]
    movable = [names[j] for j in rng.choice(columns, min(axes, columns), replace=False)]
    candidates, direction = {}, {}
    for name in movable:
        values = rng.choice(CODES, size=int(rng.integers(1, CODES + 1)), replace=False).astype(np.float64)
        direction[name] = int(rng.choice([-1, 0, 0, 0, 1]))
        goes_missing = direction[name] == 0 and rng.random() < 0.3
        candidates[name] = np.append(values, MISSING) if goes_missing else values
    return BaseGrid.from_candidates(
        candidates,
        columns=names,
        direction=direction,
        stays_missing=[name for name in movable if rng.random() < 0.3],
    )


def make_ruled(
    seed: int, *, columns: int, axes: int, people: int, scores: int, budgets: int, objectives: int
) -> Problem:
    """Make the problem of a seed: models first, then budgets, as the search has them."""
    rng = np.random.default_rng(seed)
    grid = random_grid(rng, columns, axes)
    rows = rng.choice([MISSING, *range(CODES)], size=(people, columns), p=[0.2, *[0.8 / CODES] * CODES])
    made = (
        *(random_model(rng, columns, trees=bool(rng.random() < 0.7)) for _ in range(scores)),
        *(random_budget(rng, columns) for _ in range(budgets)),
    )
    placement = place(grid, rows)
    costs, joins = random_costs(rng, _without_gaps(placement), objectives)
    return problem_of(grid, rows, made, placement, costs, joins)


def _without_gaps(placement: Placement) -> Placement:
    """Let what is missing lie one step below everything, where it has a distance."""
    values, current = (
        np.where(part == MISSING, -1.0, part) for part in (placement.values, placement.current)
    )
    return replace(placement, values=values, current=current)


ruled_problems = st.builds(
    make_ruled,
    st.integers(0, 2**32 - 1),
    columns=st.integers(1, 6),
    axes=st.integers(1, 6),
    people=st.integers(1, 3),
    scores=st.integers(1, 2),
    budgets=st.integers(0, 3),
    objectives=st.integers(1, 3),
)
