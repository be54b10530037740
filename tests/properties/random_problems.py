"""Make small random problems in the solver's own language: grids, scores, budgets, costs and instances."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from p2ce.base.arrays import FloatArray, Int32Array
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import CostTables, Join, Placement, place, tabulate_costs
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, ScoreLayout, flatten_scores, lay_out_instances
from p2ce.engine.scores.score import FlatScore, Spending, score_rows, seen_as_given
from p2ce.engine.scores.trees.forest import Forest
from p2ce.engine.scores.trees.steps import Steps, steps_of_codes, steps_of_cut
from p2ce.engine.solver.branch_and_bound import Fronts
from p2ce.engine.solver.brute_force import brute_force, sort_points
from p2ce.run.verify.verify_cells import EXACTLY
from p2ce.tables.codebook import MISSING
from tests.populations.small_scores import Nested, flat, forest

# Grid values, thresholds and people share these few numbers, so many of them coincide.
VALUES = np.arange(0, 20) / 4.0


def seen_coarsely(rows: FloatArray) -> FloatArray:
    """Show the rows as a scaler might: shifted, stretched, and with some values falling together."""
    return np.floor(rows * 1.5) / 2.0 - 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """A problem in the search's own language, for a few people."""

    grid: BaseGrid
    people: FloatArray  # (n, d)
    scores: tuple[FlatScore, ...]
    placement: Placement
    tables: CostTables
    layout: ScoreLayout
    flat_people: FlatInstances

    @property
    def axes(self) -> int:
        return len(self.grid.names)

    def rows(self, person: int, cells: Int32Array) -> FloatArray:
        """Write cells (n, axes) of a person as rows of all columns."""
        rows = np.repeat(self.people[person : person + 1], len(cells), axis=0)
        axes = np.arange(self.axes)
        rows[:, self.grid.columns] = self.placement.values[person, axes, cells]
        return rows

    def true_front(
        self,
        person: int,
        *,
        max_changes: int,
        keep_ties: bool = False,
        excluded: Sequence[Sequence[int]] = (),
    ) -> Int32Array:
        """Find a person's front by brute force."""
        return brute_force(
            self.scores,
            self.grid,
            self.placement,
            self.tables,
            self.people,
            person,
            max_changes=max_changes,
            keep_ties=keep_ties,
            excluded=excluded,
        )

    def front_of(self, found: Fronts, person: int) -> Int32Array:
        """Take a person's points out of what was found, in the order of brute force."""
        points = found.points[found.first[person] : found.first[person + 1]]
        return sort_points(points, self.tables, self.placement, person)

    def with_excluded(self, excluded: list[list[list[int]]]) -> FlatInstances:
        """Forbid some cells: a list of cells per person."""
        cells = [[*cell, EXACTLY] for mine in excluded for cell in mine]
        return self.flat_people._replace(
            excluded=np.array(cells, dtype=np.int32).reshape(len(cells), self.axes + 1),
            first_excluded=np.cumsum([0, *map(len, excluded)], dtype=np.int64),
        )


def grow_forest(
    rng: np.random.Generator,
    columns: int,
    *,
    trees: int,
    depth: int,
    split: Callable[[], float | Steps],
    value: Callable[[], float],
) -> Forest:
    """Grow trees whose splits and leaf values are drawn: a split is a threshold, or steps instead of one."""

    def grow(level: int) -> Nested:
        if level < depth and rng.random() < 0.85:
            return int(rng.integers(columns)), split(), grow(level + 1), grow(level + 1)
        return value()

    return forest(*(grow(0) for _ in range(trees)))


def random_forest(
    rng: np.random.Generator, columns: int, trees: int, depth: int, *, coarse: bool = False
) -> Forest:
    """Grow trees whose thresholds are grid values; coarse leaf values make sums coincide."""
    return grow_forest(
        rng,
        columns,
        trees=trees,
        depth=depth,
        split=lambda: float(rng.choice(VALUES)),
        value=lambda: round(rng.normal(), 1) if coarse else float(rng.normal()),
    )


def random_score(
    rng: np.random.Generator,
    columns: int,
    *,
    trees: bool,
    see: Callable[[FloatArray], FloatArray],
    doubt: bool,
) -> FlatScore:
    """Make a score whose threshold lies somewhere among the scores of random rows, now and then infinite."""
    parts: dict[str, Any] = {}
    if trees:
        coarse = bool(rng.random() < 0.5)
        size = {"trees": int(rng.integers(1, 8)), "depth": int(rng.integers(1, 5))}
        parts["forest"] = random_forest(rng, columns, **size, coarse=coarse)
    else:
        parts["weights"] = rng.normal(size=columns) * (rng.random(columns) < 0.8)
    parts |= {"offset": float(rng.normal()), "see": see}
    rows = rng.choice(VALUES, size=(100, columns))
    found = score_rows(flat(columns, **parts), rows)
    reject_below = float(np.quantile(found, rng.random(), method="nearest"))  # exactly the score of some row
    if rng.random() < 0.05:
        reject_below = float(rng.choice([-np.inf, np.inf]))
    accept_from = float(np.max(found[found >= reject_below], initial=reject_below)) if doubt else reject_below
    return flat(columns, accept_from, reject_below, **parts)


def random_costs(
    rng: np.random.Generator, placement: Placement, objectives: int
) -> tuple[list[FloatArray], list[Join]]:
    """Price candidates by distance, by count, or by tables that need not grow with the distance."""
    joins = [Join.SUM if rng.random() < 0.6 else Join.MAX for _ in range(objectives)]
    costs = []
    for _ in joins:
        away = np.abs(placement.values - placement.current[:, :, None])
        kind = rng.random()
        if kind < 0.2:
            cost = (away > 0) * 1.0
        elif kind < 0.5:
            cost = np.where(away > 0, rng.integers(0, 5, size=away.shape).astype(float), 0.0)
        elif kind < 0.6:
            cost = away * rng.random(size=(1, away.shape[1], 1))
        elif kind < 0.7:  # no two of the same order, so a sum may hold nothing of most of its terms
            cost = np.where(away > 0, 10.0 ** rng.uniform(-20, 20, size=away.shape), 0.0)
        elif kind < 0.8:  # where rounding to what is compared goes up or down, and a bit off
            beside = 1.0 + 2.0**-31 + rng.integers(-2, 3, size=away.shape) * 2.0**-52
            cost = np.where(away > 0, beside * 2.0 ** rng.integers(-1, 2, size=away.shape), 0.0)
        else:
            cost = away * rng.integers(1, 4, size=(1, away.shape[1], 1))
        costs.append(np.asarray(cost, dtype=np.float64))
    return costs, joins


def problem_of(
    grid: BaseGrid,
    people: FloatArray,
    scores: Sequence[FlatScore],
    costs: Sequence[FloatArray] | None = None,
    joins: Sequence[Join] = (Join.SUM,),
) -> Problem:
    """Lay a problem out as the search takes it; changes cost their distance unless costs are given."""
    placement = place(grid, people)
    if costs is None:
        costs = [np.abs(placement.values - placement.current[:, :, None])]
    tables = tabulate_costs(costs, joins, placement)
    layout = flatten_scores(scores, grid, np.zeros(people.shape[1]))
    return Problem(
        grid=grid,
        people=people,
        scores=tuple(scores),
        placement=placement,
        tables=tables,
        layout=layout,
        flat_people=lay_out_instances(layout, placement, tables, people),
    )


def make_problem(seed: int, *, columns: int, axes: int, people: int, scores: int, objectives: int) -> Problem:
    """Make the problem of a seed; the sizes are given, so hypothesis can shrink them."""
    rng = np.random.default_rng(seed)
    names = [f"f{i}" for i in rng.permutation(columns)]
    movable = rng.choice(columns, min(axes, columns), replace=False)
    grid = BaseGrid.from_candidates(
        {names[j]: rng.choice(VALUES, size=int(rng.integers(1, 6))) for j in movable},
        columns=names,
        direction={names[j]: int(rng.choice([-1, 0, 0, 0, 1])) for j in movable},
    )
    rows = rng.choice(VALUES, size=(people, columns))
    rows += (rng.random(rows.shape) < 0.3) * 0.1  # off the grid, and sometimes beyond it
    see = seen_coarsely if rng.random() < 0.3 else seen_as_given
    made = tuple(
        random_score(rng, columns, trees=bool(rng.random() < 0.8), see=see, doubt=bool(rng.random() < 0.3))
        for _ in range(scores)
    )
    placement = place(grid, rows)
    costs, joins = random_costs(rng, placement, objectives)
    return problem_of(grid, rows, made, costs, joins)


problems = st.builds(
    make_problem,
    st.integers(0, 2**32 - 1),
    columns=st.integers(1, 6),
    axes=st.integers(1, 6),
    people=st.integers(1, 3),
    scores=st.integers(1, 3),
    objectives=st.integers(1, 4),
)


# Problems with rules as budgets, and with values that are missing

CODES = 5  # values are codes 0 … 4, or missing


def seen_filled(rows: FloatArray) -> FloatArray:
    """Show rows as an imputer would."""
    return np.where(rows == MISSING, 1.5, rows)


def random_trees(rng: np.random.Generator, columns: int, trees: int, depth: int) -> Forest:
    """Grow trees whose splits are cuts, cuts with missing values apart, or sets of codes."""

    def split() -> float | Steps:
        threshold = float(rng.integers(0, CODES)) - 0.5 * (rng.random() < 0.5)
        kind = rng.random()
        if kind < 0.3:
            return steps_of_cut(threshold, missing_left=bool(rng.random() < 0.5))
        if kind < 0.6:
            inside = np.flatnonzero(rng.random(CODES) < 0.5).tolist()
            sides = {side: bool(rng.random() < 0.5) for side in ("unseen_left", "missing_left")}
            return steps_of_codes(inside, CODES, **sides)
        return threshold

    return grow_forest(
        rng, columns, trees=trees, depth=depth, split=split, value=lambda: round(rng.normal(), 1)
    )


def random_model(rng: np.random.Generator, columns: int, *, trees: bool) -> FlatScore:
    """Make a score whose threshold is that of some row."""
    parts: dict[str, Any]
    if trees:
        parts = {"forest": random_trees(rng, columns, int(rng.integers(1, 6)), int(rng.integers(1, 5)))}
    else:
        parts = {"weights": rng.integers(-4, 5, columns) / 4.0, "see": seen_filled}
    rows = rng.choice([MISSING, *range(CODES)], size=(60, columns))
    found = score_rows(flat(columns, **parts), rows)
    return flat(columns, float(np.quantile(found, 0.3 + 0.6 * rng.random(), method="nearest")), **parts)


def random_budget(rng: np.random.Generator, columns: int) -> FlatScore:
    """Make a budget of whole costs, as rules have them; some values are free whatever the others take."""
    spending = np.flatnonzero(rng.random(columns) < 0.7)
    at_value = rng.integers(-2, 4, size=(columns, CODES + 1)).astype(np.float64)  # last: a missing value
    at_value[rng.random(at_value.shape) < 0.08] = -np.inf
    if_changed = rng.integers(-1, 3, size=columns)

    def of(column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        codes = np.where(values == MISSING, CODES, values).astype(np.int64)
        return at_value[column, codes] + if_changed[column] * (values != current)

    limit = float(rng.integers(-2, 6)) + 0.5
    return flat(columns, -limit, spending=Spending(columns=tuple(spending.tolist()), of=of))


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
    return problem_of(grid, rows, made, costs, joins)


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
