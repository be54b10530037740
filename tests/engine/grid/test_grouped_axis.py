"""Do columns that move as one keep their values on the way to levels and back?"""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid import grid_of
from p2ce.engine.grid.grouped_axis import Compound, with_levels, without_levels
from p2ce.policy import Policy
from p2ce.tables.codebook import MISSING

# People whose home is one category in three columns of 0 and 1.
PEOPLE = pd.DataFrame(
    {
        "Home_free": [1, 0, 0, 0, 0, 0],
        "Home_own": [0, 1, 0, 1, 0, 1],
        "Home_rent": [0, 0, 1, 0, 1, 0],
        "Age": [20, 30, 40, 50, 60, 70],
    }
)
HOME = Compound(
    name="Home",
    members=np.array([0, 1, 2]),
    levels=np.vstack([np.eye(3), np.zeros(3)]),
    may_go_to=np.array([True, True, True, False]),
)
CELLS = st.sampled_from([0.0, 1.0, 2.5, MISSING])


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[Compound, ...], np.ndarray]:
    """Draw compounds over different columns, and rows that stand at their levels."""
    width = draw(st.integers(1, 5))
    count = draw(st.integers(0, 6))
    rows = np.array(draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=count)))
    rows = rows.reshape(-1, width)
    free = list(draw(st.permutations(range(width))))
    compounds = []
    while free and draw(st.booleans()):
        members = np.array([free.pop() for _ in range(draw(st.integers(1, len(free))))])
        # Levels that no one stands at as well, and in any order.
        spare = np.array(draw(st.lists(st.lists(CELLS, min_size=len(members), max_size=len(members)))))
        levels = np.unique(np.vstack([rows[:, members], spare.reshape(-1, len(members))]), axis=0)
        levels = levels[draw(st.permutations(range(len(levels))))] if len(levels) else levels
        compounds.append(
            Compound(
                name=f"c{len(compounds)}",
                members=members,
                levels=levels.reshape(-1, len(members)),
                may_go_to=np.ones(len(levels), dtype=np.bool_),
            )
        )
    return tuple(compounds), rows


@given(tables())
def test_rows_come_back_from_their_levels(drawn: tuple[tuple[Compound, ...], np.ndarray]) -> None:
    compounds, rows = drawn
    wide = with_levels(rows, compounds)
    assert wide.shape == (len(rows), rows.shape[1] + len(compounds))
    np.testing.assert_array_equal(wide[:, : rows.shape[1]], rows)
    np.testing.assert_array_equal(without_levels(wide, compounds), rows)


@given(tables(), st.data())
def test_the_level_decides_whatever_the_members_columns_hold(
    drawn: tuple[tuple[Compound, ...], np.ndarray], data: st.DataObject
) -> None:
    """The search moves levels only: a row's members still hold what the person had."""
    compounds, rows = drawn
    wide = with_levels(rows, compounds)
    first = rows.shape[1]
    for place, compound in enumerate(compounds):
        for row in wide:
            row[first + place] = data.draw(st.integers(0, len(compound.levels) - 1))
    before = wide.copy()
    found = without_levels(wide, compounds)
    np.testing.assert_array_equal(wide, before)
    np.testing.assert_array_equal(with_levels(found, compounds)[:, first:], wide[:, first:])
    untouched = [column for column in range(first) if not any(column in one.members for one in compounds)]
    np.testing.assert_array_equal(found[:, untouched], rows[:, untouched])


def test_who_stands_at_no_level_is_reported_so() -> None:
    wide = with_levels(
        np.array([[0.0, 1.0, 1.0, 9.0], [0.0, 0.0, 1.0, 9.0], [MISSING, 1.0, 0.0, 9.0]]), [HOME]
    )
    np.testing.assert_array_equal(wide[:, -1], [np.nan, 2.0, np.nan])


def test_a_compound_may_have_the_name_of_its_driver() -> None:
    """A linked pair is called as its driver; the driver's own column has no axis then."""
    pair = Compound(
        name="Age",
        members=np.array([3, 0]),
        levels=np.array([[20.0, 0.0], [30.0, 1.0]]),
        may_go_to=np.array([True, True]),
    )
    grid = grid_of(Policy.infer(PEOPLE, protect=None), compounds=[pair])
    assert grid.names == ("Age", "Home_own", "Home_rent")
    assert grid.columns.tolist() == [4, 1, 2]
