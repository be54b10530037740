"""Does everyone stand where they stand, with every candidate at its index?"""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid import BaseGrid, grid_of, place
from p2ce.engine.grid.base_grid import OneWay
from p2ce.policy import Policy
from p2ce.tables.codebook import MISSING, codebook_of

VALUES = st.integers(-6, 6).map(float)
AXES = st.lists(
    st.tuples(st.lists(VALUES, min_size=1, max_size=6, unique=True), st.sampled_from([-1, 0, 1])),
    min_size=1,
    max_size=4,
)


@given(AXES, st.data())
def test_placing_many_equals_placing_each_by_hand(
    axes: list[tuple[list[float], int]], data: st.DataObject
) -> None:
    """Missing is a candidate where nothing but the whole axis is free to move."""
    may_go = [data.draw(st.booleans()) and turn == 0 for _, turn in axes]
    axes = [([MISSING] * may + base, turn) for may, (base, turn) in zip(may_go, axes, strict=True)]
    names = [f"axis{i}" for i in range(len(axes))]
    columns = ["fixed", *reversed(names)]
    grid = BaseGrid.from_candidates(
        {name: base for name, (base, _) in zip(names, axes, strict=True)},
        columns=columns,
        direction={name: turn for name, (_, turn) in zip(names, axes, strict=True)},
        stays_missing=names[::2],
    )
    cells = VALUES | st.just(MISSING)
    rows = data.draw(st.lists(st.lists(cells, min_size=len(columns), max_size=len(columns)), max_size=5))
    people = np.array(rows).reshape(-1, len(columns))
    placed = place(grid, people)
    assert len(placed) == len(people)
    for person, row in enumerate(people):
        for axis, (base, turn) in enumerate(axes):
            now = row[columns.index(names[axis])]
            expected = sorted({*base, now})
            count, at = len(expected), expected.index(now)
            assert placed.current[person, axis] == now
            assert placed.count[person, axis] == count
            assert placed.position[person, axis] == at
            if now == MISSING:  # it becomes known, whatever the direction, or stays
                assert placed.lowest[person, axis] == 0
                assert placed.highest[person, axis] == (count - 1 if axis % 2 else 0)
            else:
                assert placed.lowest[person, axis] == (at if turn > 0 else 0)
                assert placed.highest[person, axis] == (at if turn < 0 else count - 1)
            padding = [expected[-1]] * (grid.slots - count)
            assert placed.values[person, axis].tolist() == expected + padding
            looked_up = grid.table.ravel()[placed.source[person, axis]]
            for index in set(range(count)) - {at}:
                assert looked_up[index] == expected[index]


@given(
    st.lists(VALUES, min_size=1, max_size=8, unique=True),
    st.sets(VALUES),
    st.sets(VALUES),
    st.lists(VALUES, max_size=5),
)
def test_candidates_for_one_direction_are_there_for_those_who_come_from_that_side(
    base: list[float], up: set[float], down: set[float], people: list[float]
) -> None:
    up, down = up - down, down - up
    one_way = {"a": OneWay(up=np.array(sorted(up)), down=np.array(sorted(down)))}
    grid = BaseGrid.from_candidates({"a": base}, columns=["a"], one_way=one_way)
    placed = place(grid, np.array(people).reshape(-1, 1))
    for person, now in enumerate(people):
        expected = sorted(
            {now}
            | {value for value in base if value < now and value not in up}
            | {value for value in base if value > now and value not in down}
        )
        count = placed.count[person, 0]
        assert placed.values[person, 0, :count].tolist() == expected
        assert placed.values[person, 0, placed.position[person, 0]] == now
        assert count <= grid.slots
        # How the kernel finds the first candidate that goes right at a threshold.
        for threshold in np.arange(-7, 8) - 0.5:
            cut = np.searchsorted(grid.values[0], threshold, side="right")
            below, above = np.searchsorted(grid.down[0], cut), np.searchsorted(grid.up[0], cut)
            found = above + placed.shift[person, 0] if now <= threshold else below
            assert found == sum(value <= threshold for value in expected)


@given(st.sampled_from([-1, 0, 1]), st.booleans(), st.lists(VALUES, min_size=1, max_size=5))
def test_a_code_is_kept_or_left_in_any_direction(turn: int, leaves: bool, people: list[float]) -> None:
    grid = BaseGrid.from_candidates(
        {"a": [0, 1, 2]},
        columns=["a"],
        direction={"a": turn},
        special={"a": [-6, 5]},
        leaves_special=["a"] if leaves else [],
    )
    placed = place(grid, np.array(people).reshape(-1, 1))
    for person, now in enumerate(people):
        low, high = placed.lowest[person, 0], placed.highest[person, 0]
        usable = placed.values[person, 0, low : high + 1].tolist()
        if now in (-6, 5):
            assert usable == (sorted({0, 1, 2, now}) if leaves else [now])
        else:
            wanted = [value for value in sorted({0, 1, 2, now}) if turn == 0 or (value - now) * turn >= 0]
            assert usable == wanted


def test_labels_that_nobody_had_stand_behind_all_others() -> None:
    people = pd.DataFrame({"Home": ["own", "own", "rent"]})
    book = codebook_of(people)
    grid = grid_of(Policy.infer(people), codebook=book)
    placed = place(grid, book.encode(pd.DataFrame({"Home": ["boat"]})))
    assert placed.values[0, 0].tolist() == [0.0, 1.0, 2.0]
    assert (placed.position[0, 0], placed.lowest[0, 0], placed.highest[0, 0]) == (2, 0, 2)
