"""Do ranges of single instances narrow their candidates as a plain list says?"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid import BaseGrid, place
from p2ce.engine.grid.base_grid import OneWay
from p2ce.engine.grid.own_candidates import OwnRanges
from p2ce.tables.codebook import MISSING

VALUES = st.integers(-6, 6).map(float)
ENDS = st.integers(-14, 14).map(lambda half: half / 2) | st.sampled_from([-np.inf, np.inf])


def by_hand(
    base: list[float], one_way: OneWay, here: float, low: float, high: float, with_ends: bool, special: float
) -> list[float]:
    """List the candidates of one instance on one axis."""
    reached = {
        value
        for value in base
        if value not in (one_way.up if value < here else one_way.down) or value == MISSING
    }
    found = {value for value in reached if value == MISSING or low <= value <= high}
    known = [value for value in base if value != MISSING]
    if with_ends and known:
        found |= {end for end in (low, high) if min(known) < end < max(known) and low <= high} - {special}
    return sorted(found | {here})


@given(
    st.lists(VALUES, min_size=1, max_size=6, unique=True),
    st.lists(st.tuples(VALUES | st.just(MISSING), ENDS, ENDS), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from([-1, 0, 1]),
    st.data(),
)
def test_candidates_of_an_own_range_are_those_inside_and_the_ends(
    base: list[float],
    people: list[tuple[float, float, float]],
    with_ends: bool,
    turn: int,
    data: st.DataObject,
) -> None:
    sides = data.draw(st.lists(st.sampled_from(base), max_size=3, unique=True))
    one_way = OneWay(np.array(sides[:1]), np.array(sides[1:2]))
    special = 2.5
    if turn == 0 and data.draw(st.booleans()):
        base = [MISSING, *base]
    grid = BaseGrid.from_candidates(
        {"a": base},
        columns=["a"],
        direction={"a": turn},
        one_way={"a": one_way},
        special={"a": [special]},
    )
    here, low, high = (np.array(part)[:, None] for part in zip(*people, strict=True))
    placed = place(grid, here, OwnRanges(low, high, np.array([with_ends])))
    for person, (now, least, most) in enumerate(people):
        expected = by_hand(base, one_way, now, least, most, with_ends, special)
        count, at = int(placed.count[person, 0]), int(placed.position[person, 0])
        values = placed.values[person, 0].tolist()
        assert values[:count] == expected
        assert values[count:] == [expected[-1]] * (len(values) - count)
        assert at == expected.index(now)
        assert placed.lowest[person, 0] == (at if turn > 0 or now == MISSING else 0)
        assert placed.highest[person, 0] == (at if turn < 0 and now != MISSING else count - 1)
        ends = placed.own_ends
        assert ends is not None
        own = {int(ends.low_slot[person, 0]), int(ends.high_slot[person, 0])} | {at}
        looked_up = grid.table.ravel()[placed.source[person, 0]]
        for index in set(range(count)) - own:
            assert looked_up[index] == expected[index]
        alone = placed.of(np.array([person]))
        assert alone.values[0].tolist() == placed.values[person].tolist()
        assert alone.own_ends is not None
        assert alone.own_ends.low_slot.tolist() == [ends.low_slot[person].tolist()]


@given(st.lists(VALUES, min_size=2, max_size=6, unique=True), VALUES, VALUES)
def test_a_trimmed_end_does_not_move_the_others(base: list[float], here: float, most: float) -> None:
    """Then the cuts of trees stay where they are for everyone, and need no search."""
    grid = BaseGrid.from_candidates({"a": base}, columns=["a"])
    ranges = OwnRanges(np.array([[-np.inf]]), np.array([[max(here, most)]]), np.array([False]))
    placed, free = place(grid, np.array([[here]]), ranges), place(grid, np.array([[here]]))
    assert placed.own_ends is not None
    assert not placed.own_ends.is_moved.any()
    assert placed.position.tolist() == free.position.tolist()
    assert placed.shift.tolist() == free.shift.tolist()
