"""A score of levels is the score of the grouped columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid.grouped_axis import Compound, with_levels, without_levels
from p2ce.engine.scores.score import FlatScore, Spending, score_rows, seen_as_given
from p2ce.engine.scores.trees.grouped_columns import onto_compounds
from p2ce.tables.codebook import MISSING
from tests.populations.small_scores import flat
from tests.properties.amount import examples
from tests.properties.random_problems import VALUES, random_forest, seen_coarsely

COLUMNS = 5


@dataclass(frozen=True, kw_only=True)
class Moved:
    """Rows whose levels have moved, as the search and as the user sees them."""

    compounds: tuple[Compound, ...]
    before: np.ndarray  # (n, d + compounds)
    after: np.ndarray  # (n, d + compounds) other levels; the members' columns hold what was before

    def seen(self, rows: np.ndarray) -> np.ndarray:
        """Write the levels into the members' columns, and drop their own."""
        return without_levels(rows, self.compounds)


def moved(rng: np.random.Generator, of: np.ndarray = VALUES) -> Moved:
    """Make one or two compounds of some columns, rows at their levels, and moves along all columns."""
    places = rng.permutation(COLUMNS)
    sizes = [int(rng.integers(1, 4))]
    sizes += [int(rng.integers(1, COLUMNS - sizes[0] + 1))] if rng.random() < 0.5 else []
    compounds = []
    for size in sizes:
        members, places = places[:size], places[size:]
        levels = np.unique(rng.choice(of, size=(int(rng.integers(1, 6)), size)), axis=0)
        if rng.random() < 0.7:
            rng.shuffle(levels)
        compounds.append(
            Compound(name="c", members=members, levels=levels, may_go_to=np.ones(len(levels), dtype=np.bool_))
        )
    rows = rng.choice(VALUES, size=(30, COLUMNS))
    for compound in compounds:
        rows[:, compound.members] = compound.levels[rng.integers(0, len(compound.levels), len(rows))]
    before = with_levels(rows, compounds)
    after = before.copy()
    movable = [column for column in range(COLUMNS) if not any(column in one.members for one in compounds)]
    after[:, movable] = rng.choice(VALUES, size=(len(rows), len(movable)))
    for place, compound in enumerate(compounds):
        after[:, COLUMNS + place] = rng.integers(0, len(compound.levels), len(rows))
    return Moved(compounds=tuple(compounds), before=before, after=after)


def budget(rng: np.random.Generator) -> FlatScore:
    columns = tuple(np.flatnonzero(rng.random(COLUMNS) < 0.7).tolist()) or (0,)
    factor = rng.integers(-3, 4, COLUMNS)

    def of(column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        assert column in columns, "evaluated for a column that spends nothing"
        return np.where(values == VALUES[3], -np.inf, factor[column] * values + 2.0 * (values != current))

    return flat(COLUMNS, -0.5, spending=Spending(columns=columns, of=of))


@pytest.mark.parametrize("kind", ["trees", "weights", "spending"])
@examples(60)
@given(seed=st.integers(0, 2**32 - 1), see=st.sampled_from([seen_as_given, seen_coarsely]))
def test_a_score_of_levels_is_that_of_the_members(kind: str, seed: int, see: Any) -> None:
    rng = np.random.default_rng(seed)
    drawn = moved(rng, of=np.array([MISSING, *VALUES[::4]]) if kind == "trees" else VALUES)
    if kind == "trees":
        score = flat(COLUMNS, offset=0.25, forest=random_forest(rng, COLUMNS, 4, 4), see=see)
    elif kind == "weights":
        score = flat(COLUMNS, offset=-1.0, weights=rng.normal(size=COLUMNS), see=see)
    else:
        score = budget(rng)
    found = onto_compounds(score, drawn.compounds)
    assert found.column_count == drawn.before.shape[1]
    assert (found.accept_from, found.offset) == (score.accept_from, score.offset)
    members = [member for compound in drawn.compounds for member in compound.members.tolist()]
    if kind == "spending":
        spent = found.spending.of_row(drawn.before, drawn.after)
        expected = score.spending.of_row(drawn.seen(drawn.before), drawn.seen(drawn.after))
        np.testing.assert_array_equal(spent, expected)  # of quarters: no rounding in any order
        assert not set(found.spending.columns) & set(members)
        return
    for rows in (drawn.before, drawn.after):
        # The same leaves are added in the same order; weights are added in another one.
        atol = 0.0 if kind == "trees" else 1e-12
        np.testing.assert_allclose(
            score_rows(found, rows), score_rows(score, drawn.seen(rows)), rtol=0, atol=atol
        )
        if kind == "weights":
            assert not found.see(rows)[:, members].any()  # counted once, under their compound
    if kind == "trees":
        assert not np.isin(found.forest.feature, members).any()


def test_a_score_that_looks_at_no_member_stays_as_it_is() -> None:
    rng = np.random.default_rng(0)
    compound = Compound(name="c", members=np.array([4]), levels=np.zeros((1, 1)), may_go_to=np.ones(1, bool))
    forest = random_forest(rng, 4, 2, 3)  # of the columns 0 to 3
    score = flat(5, forest=forest)
    found = onto_compounds(score, [compound])
    assert found.column_count == 6
    assert found.see is score.see  # one view less to show people to
    for part in ("root", "feature", "threshold", "right", "value"):
        np.testing.assert_array_equal(getattr(found.forest, part), getattr(forest, part))
    assert onto_compounds(score, []) is score
