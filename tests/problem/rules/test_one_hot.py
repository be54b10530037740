"""Are 0/1 columns one category, of which one level holds?"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidActions
from p2ce.problem.rules import one_hot
from p2ce.tables.codebook import MISSING, codebook_of

BOOK = codebook_of(pd.DataFrame({"a": [0, 1], "b": [1, 0], "c": [0.0, np.nan], "job": ["x", "y"]}))
ROWS = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, MISSING])] * 3), min_size=4, max_size=4)


def codes(rows: list[tuple[float, ...]]) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    return dict(zip("abc", np.array(rows).T, strict=True))


@given(ROWS, ROWS, st.sampled_from([None, True, False]))
def test_exactly_one_level_holds_whatever_was_before(
    before: list[tuple[float, ...]], after: list[tuple[float, ...]], may_be_none: bool | None
) -> None:
    resolved = one_hot("Group", ["a", "b", "c"], may_be_none).resolve(BOOK)
    assert resolved.holds is not None
    found = resolved.holds(codes(before), codes(after)).tolist()
    levels = (0.0, 1.0) if may_be_none else (1.0,)
    assert found == [MISSING not in new and sum(new) in levels for new in after]


def test_the_data_decides_whether_none_is_a_level() -> None:
    rule = one_hot("Group", ["a", "b"])
    assert rule.settled(codes([(0, 0, 0), (1, 0, 0)])).may_be_none is True
    assert rule.settled(codes([(0, 1, 0), (1, 0, 0)])).may_be_none is False
    assert one_hot("Group", ["a", "b"], False).settled(codes([(0, 0, 0)])).may_be_none is False


def test_rows_with_two_levels_are_not_closed() -> None:
    rows = codes([(1, 1, 0), (0, 0, 0), (1, 0, 0), (MISSING, 1, 0)])
    assert one_hot("Group", ["a", "b", "c"]).closed(rows).tolist() == [False, True, True, False]
    assert one_hot("Group", ["a", "b", "c"], False).closed(rows).tolist() == [False, False, True, False]


def test_bad_groups_are_rejected() -> None:
    with pytest.raises(InvalidActions, match="at least 2"):
        one_hot("Group", ["a"])
    with pytest.raises(InvalidActions, match="a list of columns"):
        one_hot("Group", "ab")
    with pytest.raises(InvalidActions, match="may_be_none"):
        one_hot("Group", ["a", "b"], "no")  # type: ignore[arg-type]
    with pytest.raises(InvalidActions, match="one category already"):
        one_hot("Group", ["a", "job"]).resolve(BOOK)
