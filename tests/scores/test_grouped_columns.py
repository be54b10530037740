"""Does a score say the same of levels as it said of the columns that move as one?"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.grid.grouped_axis import Compound, narrow, widen
from p2ce.scores.assemble import assemble_forest
from p2ce.scores.grouped_columns import onto_compounds
from p2ce.scores.score import FlatScore, Spending, seen_as_given
from p2ce.scores.score_rows import leaves_reached, score_rows
from p2ce.tables.codebook import MISSING
from tests.properties.amount import examples
from tests.properties.random_problems import VALUES, random_forest, seen_coarsely
from tests.scores.test_assemble import stump

COLUMNS = 5
VIEWS = [seen_as_given, seen_coarsely]


@dataclass(frozen=True, kw_only=True)
class Moved:
    """Rows whose levels have moved, in the words of the search and in those of the user."""

    compounds: tuple[Compound, ...]
    before: np.ndarray  # (n, d + compounds)
    after: np.ndarray  # (n, d + compounds) other levels; the members' columns hold what was before

    def told(self, rows: np.ndarray) -> np.ndarray:
        """Write the levels into the members' columns, and drop their own."""
        return narrow(rows, self.compounds)


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
    before = widen(rows, compounds)
    after = before.copy()
    movable = [column for column in range(COLUMNS) if not any(column in one.members for one in compounds)]
    after[:, movable] = rng.choice(VALUES, size=(len(rows), len(movable)))
    for place, compound in enumerate(compounds):
        after[:, COLUMNS + place] = rng.integers(0, len(compound.levels), len(rows))
    return Moved(compounds=tuple(compounds), before=before, after=after)


SEEDS = st.integers(0, 2**32 - 1)


@examples(60)
@given(SEEDS, st.sampled_from(VIEWS))
def test_trees_reach_the_same_leaves(seed: int, see) -> None:
    rng = np.random.default_rng(seed)
    asked = moved(rng, of=np.array([MISSING, *VALUES[::4]]))
    score = FlatScore(
        name="trees",
        column_count=COLUMNS,
        offset=0.25,
        forest=random_forest(rng, COLUMNS, 4, 4, coarse=False),
        accept_from=0.0,
        reject_below=0.0,
        see=see,
    )
    found = onto_compounds(score, asked.compounds)
    for rows in (asked.before, asked.after):
        # To the bit: the same leaves are added in the same order.
        np.testing.assert_array_equal(score_rows(found, rows), score_rows(score, asked.told(rows)))
    assert found.column_count == asked.before.shape[1]
    assert (found.accept_from, found.reject_below, found.offset) == (
        score.accept_from,
        score.reject_below,
        score.offset,
    )
    members = [member for compound in asked.compounds for member in compound.members.tolist()]
    assert not np.isin(found.forest.feature, members).any()


@examples(60)
@given(SEEDS, st.sampled_from(VIEWS))
def test_weights_add_up_to_the_same(seed: int, see) -> None:
    rng = np.random.default_rng(seed)
    asked = moved(rng)
    score = FlatScore(
        name="sum",
        column_count=COLUMNS,
        offset=-1.0,
        weights=rng.normal(size=COLUMNS),
        accept_from=0.0,
        reject_below=0.0,
        see=see,
    )
    found = onto_compounds(score, asked.compounds)
    for rows in (asked.before, asked.after):
        expected = score_rows(score, asked.told(rows))
        np.testing.assert_allclose(score_rows(found, rows), expected, rtol=0, atol=1e-12)
        members = [member for compound in asked.compounds for member in compound.members.tolist()]
        assert not found.see(rows)[:, members].any()  # counted once, under their compound


@examples(60)
@given(SEEDS, st.sets(st.integers(0, COLUMNS - 1), min_size=1))
def test_members_spend_what_they_spent(seed: int, columns: set[int]) -> None:
    rng = np.random.default_rng(seed)
    asked = moved(rng)
    factor = rng.integers(-3, 4, COLUMNS)

    def of(column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        assert column in columns, "asked about a column that spends nothing"
        return np.where(values == VALUES[3], -np.inf, factor[column] * values + 2.0 * (values != current))

    score = FlatScore(
        name="budget",
        column_count=COLUMNS,
        spending=Spending(columns=tuple(sorted(columns)), of=of),
        accept_from=-0.5,
        reject_below=-0.5,
    )
    found = onto_compounds(score, asked.compounds)
    spent = found.spending.of_row(asked.before, asked.after)
    expected = score.spending.of_row(asked.told(asked.before), asked.told(asked.after))
    np.testing.assert_array_equal(spent, expected)  # of quarters: no rounding in any order
    members = [member for compound in asked.compounds for member in compound.members.tolist()]
    assert not set(found.spending.columns) & set(members)


def test_a_score_that_looks_at_no_member_stays_as_it_is() -> None:
    rng = np.random.default_rng(0)
    compound = Compound(name="c", members=np.array([4]), levels=np.zeros((1, 1)), may_go_to=np.ones(1, bool))
    forest = random_forest(rng, 4, 2, 3, coarse=False)  # of the columns 0 to 3
    score = FlatScore(name="trees", column_count=5, forest=forest, accept_from=0.0, reject_below=0.0)
    found = onto_compounds(score, [compound])
    assert found.column_count == 6
    assert found.see is score.see  # one view less to show people to
    for part in ("root", "feature", "threshold", "right", "value"):
        np.testing.assert_array_equal(getattr(found.forest, part), getattr(forest, part))
    assert onto_compounds(score, []) is score


@pytest.mark.parametrize("levels", [1, 2, 7])
def test_splits_of_one_member_become_runs_of_levels(levels: int) -> None:
    """One-hot: the split between 0 and 1 of a column parts one level from all others."""
    hot = Compound(
        name="hot",
        members=np.arange(levels),
        levels=np.eye(levels),
        may_go_to=np.ones(levels, dtype=np.bool_),
    )
    forest = assemble_forest([stump(k, 0.5, -1.0, float(k)) for k in range(levels)])
    score = FlatScore(name="trees", column_count=levels, forest=forest, accept_from=0.0, reject_below=0.0)
    found = onto_compounds(score, [hot])
    rows = np.zeros((levels, levels + 1))
    rows[:, -1] = np.arange(levels)
    reached = found.forest.value[leaves_reached(found.forest, rows)]
    expected = np.where(np.eye(levels) == 1, np.arange(levels), -1.0)
    np.testing.assert_array_equal(reached, expected)
