"""Is there one order of costs, which depends on nothing but the two that are compared?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.comparing import quanta
from p2ce.base.comparing import rounded as one_number
from p2ce.engine.kernels.jit import entry
from p2ce.engine.solver.box_costs import quantum, quantum_below
from tests.oracle import quanta as from_definition

COSTS = st.floats(0, 1.7e308) | st.sampled_from([0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.0, 1e-300])
NORMAL = st.floats(2.3e-308, 1e308)


@entry
def compiled_quantum(total):
    """Call the kernel from Python."""
    return quantum(total)


@entry
def compiled_quantum_below(total, axes):
    """Call the kernel from Python."""
    return quantum_below(total, axes)


@given(st.lists(COSTS, min_size=1, max_size=8))
def test_the_kernel_and_numpy_round_alike(costs: list[float]) -> None:
    array = np.array(costs) + 0.0
    assert quanta(array).tolist() == [compiled_quantum(cost) for cost in array.tolist()]


@given(st.lists(NORMAL, min_size=2, max_size=2))
def test_rounding_keeps_the_order_of_significant_bits(costs: list[float]) -> None:
    """The obvious way, by splitting numbers into fraction and exponent, orders and equates the same."""
    mine, plain = quanta(np.array(costs)), from_definition(np.array(costs))
    assert mine[1] - mine[0] == plain[1] - plain[0]


@given(NORMAL)
def test_equal_costs_get_one_number_close_to_them(cost: float) -> None:
    given = np.array([cost, np.nextafter(cost, 0.0)])
    assert one_number(given) == pytest.approx(given, rel=1e-9)
    assert quanta(one_number(given)).tolist() == quanta(given).tolist()


@given(COSTS, COSTS)
def test_larger_costs_never_count_as_smaller(one: float, other: float) -> None:
    small, large = quanta(np.array(sorted([one, other])))
    assert 0 <= small <= large


@given(NORMAL.filter(lambda cost: cost < 1e307), st.floats(0, 1e-10))
def test_costs_that_agree_to_nine_digits_are_equal_or_neighbours(cost: float, more: float) -> None:
    here, there, beyond = quanta(np.array([cost, cost * (1.0 + more), cost * (1.0 + 4e-9)]))
    assert there - here in (0, 1)
    assert beyond > here


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_a_bound_added_in_another_order_is_no_more_than_the_total(costs: list[float], order: object) -> None:
    total = 0.0
    for cost in costs:
        total += cost
    shuffled = list(costs)
    order.shuffle(shuffled)
    bound = 0.0
    for cost in shuffled:
        bound += cost
    assert compiled_quantum_below(bound, len(costs)) <= compiled_quantum(total)
