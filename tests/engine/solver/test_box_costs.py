"""A bound whose terms were added in another order than the costs of a cell is still below the cell."""

import numpy as np

from p2ce.base.comparing import DROPPED_BITS, quanta
from p2ce.engine.kernels.jit import entry
from p2ce.engine.solver.box_costs import quantum_below


@entry
def lowered(totals, axes, out):
    """Write the rounded bound of every total."""
    for n in range(totals.shape[0]):
        out[n] = quantum_below(totals[n], axes)


def added(terms: np.ndarray) -> np.ndarray:
    """Add terms (n, axes) from left to right."""
    total = np.zeros(len(terms))
    for column in terms.T:
        total += column
    return total


def test_the_order_of_addition_lifts_no_bound_above_a_cell() -> None:
    rng = np.random.default_rng(0)
    for axes in (3, 6, 9):
        terms = rng.random((4000, axes))
        # Move every total to where rounding turns: just below half-way between two quanta.
        step = np.int64(1) << DROPPED_BITS
        below = ((added(terms).view(np.int64) // step) * step + step // 2 - 1).view(np.float64)
        terms[:, -1] += below - added(terms)
        cells, bounds = quanta(added(terms)), np.empty(len(terms), dtype=np.int64)
        lowered(added(terms[:, ::-1]), axes, bounds)
        assert (bounds <= cells).all()
        assert (bounds >= cells - 1).all()
        assert (quanta(added(terms[:, ::-1])) > cells).any()  # what the margin is for
