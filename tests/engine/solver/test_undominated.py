"""Check the obvious filter against the definition of dominance."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.comparing import quanta
from p2ce.engine.solver.undominated import dominates, undominated

tables = st.integers(1, 4).flatmap(
    lambda objectives: st.lists(
        st.lists(st.integers(0, 4), min_size=objectives, max_size=objectives), min_size=1, max_size=25
    )
)


@given(tables)
def test_a_row_stays_unless_another_dominates_it(rows: list[list[int]]) -> None:
    costs = np.array(rows)
    kept = undominated(costs)
    for row, stays in zip(costs, kept, strict=True):
        is_dominated = any((other <= row).all() and (other != row).any() for other in costs)
        assert bool(stays) is not is_dominated


def test_a_cost_vector_dominates_if_it_is_nowhere_worse_and_somewhere_better() -> None:
    costs = quanta(np.array([[1.0, 2.0], [1.0 + 1e-12, 3.0], [0.5, 2.5]]))
    assert dominates(costs[:, None, :], costs[None, :, :]).tolist() == [
        [False, True, False],
        [False, False, False],
        [False, True, False],
    ]


def test_no_rows_at_all() -> None:
    assert undominated(np.zeros((0, 3), dtype=np.int64)).tolist() == []
