"""A chain's levels, in any order, lead the search to the front that the same levels of a compound have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid import BaseGrid
from p2ce.engine.grid.grouped_axis import Compound
from p2ce.engine.grid.placement import place
from p2ce.engine.scores.flat.flat_arrays import ChainLines, flatten_scores, lay_out_instances
from p2ce.engine.scores.score import seen_as_given
from p2ce.engine.scores.trees.grouped_columns import onto_compounds
from p2ce.engine.solver.branch_and_bound import solve
from p2ce.tables.codebook import MISSING
from tests.properties.amount import examples
from tests.properties.random_problems import (
    VALUES,
    Problem,
    problem_of,
    random_costs,
    random_score,
    seen_coarsely,
)
from tests.properties.test_search_is_exact import VARIANTS, settings_from, where_they_stand

COLUMNS = 4
MEMBERS = np.array([2, 0])


def levels_of(rng: np.random.Generator, *, steady: bool) -> np.ndarray:
    """Draw levels of two members: both rise or fall, or anything, with missing values."""
    count = int(rng.integers(1, 8))
    levels = rng.choice(VALUES, size=(count, 2))
    if steady:
        return np.sort(levels, axis=0) * rng.choice([-1.0, 1.0], size=2)
    levels[rng.random(levels.shape) < 0.15] = MISSING
    return levels


def twins(seed: int, *, steady: bool) -> tuple[Problem, Problem]:
    """Make one instance's problem twice: its levels as a compound, and as a chain."""
    rng = np.random.default_rng(seed)
    levels = levels_of(rng, steady=steady)
    names = ["a", "b", "c", "d", "chain"]
    grid = BaseGrid.from_candidates(
        {"b": rng.choice(VALUES, size=3), "d": rng.choice(VALUES, size=2), "chain": np.arange(len(levels))},
        columns=names,
    )
    own = int(rng.integers(len(levels)))
    person = rng.choice(VALUES, size=(1, COLUMNS))
    person[0, MEMBERS] = levels[own]
    wide = np.column_stack([person, [own]])
    see = seen_coarsely if steady and rng.random() < 0.3 else seen_as_given
    scores = [
        random_score(rng, COLUMNS, trees=steady is False or rng.random() < 0.7, see=see, doubt=False)
        for _ in range(int(rng.integers(1, 4)))
    ]
    costs, joins = random_costs(rng, place(grid, wide), int(rng.integers(1, 4)))
    compound = Compound(
        name="chain", members=MEMBERS, levels=levels, may_go_to=np.ones(len(levels), dtype=np.bool_)
    )
    twin = problem_of(grid, wide, [onto_compounds(score, [compound]) for score in scores], costs, joins)
    lines = ChainLines(
        axis=grid.names.index("chain"),
        columns=MEMBERS,
        is_steady=steady,
        stretches=1 if steady else len(levels),
    )
    layout = flatten_scores(scores, grid, np.zeros(COLUMNS), [lines])
    instances = lay_out_instances(layout, twin.placement, twin.tables, person, [levels[None]])
    chained = Problem(
        grid=grid,
        people=wide,
        scores=twin.scores,
        placement=twin.placement,
        tables=twin.tables,
        layout=layout,
        flat_people=instances,
    )
    return twin, chained


@pytest.mark.parametrize("variant", VARIANTS)
@examples(60)
@given(
    seed=st.integers(0, 2**32 - 1),
    steady=st.booleans(),
    most=st.one_of(st.none(), st.integers(1, 3)),
    ties=st.booleans(),
)
def test_a_search_along_a_chain_finds_the_front(
    variant: str, seed: int, steady: bool, most: int | None, ties: bool
) -> None:
    twin, chained = twins(seed, steady=steady)
    settings = settings_from(variant, max_changes=most, ties=ties)
    own = where_they_stand(twin)
    found = solve(chained.layout, chained.with_excluded(own), settings)
    assert found.finished.all()
    expected = twin.true_front(
        0, max_changes=settings.max_changes, keep_ties=settings.keep_ties, excluded=own[0]
    )
    np.testing.assert_array_equal(chained.front_of(found, 0), expected)
