"""Do splits that are not one cut send every value where they say?"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.trees.steps import Steps, steps_of_codes, steps_of_cut
from p2ce.tables.codebook import MISSING

NUMBERS = st.floats(-1e300, 1e300)


def one_by_one(steps: Steps, value: float) -> bool:
    """Walk along the line, changing sides at every cut that lies below the value."""
    left = steps.starts_left
    for cut in steps.cuts.tolist():
        if value <= cut:
            break
        left = not left
    return left


@given(
    st.lists(st.integers(-5, 5), unique=True).map(sorted),
    st.booleans(),
    st.lists(st.integers(-12, 12).map(lambda twice: twice / 2.0) | st.just(MISSING)),
)
def test_sides_alternate_along_the_line(cuts: list[int], starts_left: bool, values: list[float]) -> None:
    steps = Steps(np.array(cuts, dtype=np.float64), starts_left)
    expected = [one_by_one(steps, value) for value in values]
    assert steps.goes_left(np.array(values, dtype=np.float64)).tolist() == expected


@given(NUMBERS, st.booleans(), st.lists(NUMBERS))
def test_a_cut_with_missing_values_of_their_own(cut: float, missing_left: bool, values: list[float]) -> None:
    steps = steps_of_cut(cut, missing_left=missing_left)
    nearby = [*values, cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf)]
    assert steps.goes_left(np.array(nearby)).tolist() == [value <= cut for value in nearby]
    assert steps.goes_left(np.array([MISSING])).tolist() == [missing_left]


@given(st.sets(st.integers(0, 9)), st.integers(0, 10), st.booleans(), st.booleans())
def test_codes_go_where_their_labels_do(
    left: set[int], count: int, unseen_left: bool, missing_left: bool
) -> None:
    steps = steps_of_codes(left, count, unseen_left=unseen_left, missing_left=missing_left)
    codes = np.array([MISSING, *range(count + 3)])
    expected = [missing_left, *(code in left for code in range(count)), *[unseen_left] * 3]
    assert steps.goes_left(codes).tolist() == expected
    assert (np.diff(steps.cuts) > 0).all()
    # No more cuts than there are changes of side.
    assert len(steps.cuts) == np.count_nonzero(np.diff(expected))
