"""Check that the lines around an activation hold wherever it is looked at."""

import numpy as np
import pytest
from scipy.special import expit

from p2ce.engine.scores.network.network_layers import ACTIVATIONS, Layer
from p2ce.engine.scores.network.network_lines import lines_around
from p2ce.engine.scores.network.network_rounding import interval_through

EXACT = {
    "identity": lambda z: z,
    "relu": lambda z: np.maximum(z, 0),
    "leaky_relu": lambda z: np.maximum(z, z * 0.1),
    "tanh": np.tanh,
    "sigmoid": expit,
}


def layer_of(activation: str) -> Layer:
    slope = 0.1 if activation == "leaky_relu" else 0.0
    return Layer(weights=np.ones((1, 1)), bias=np.zeros(1), activation=activation, slope=slope)


def intervals(count: int = 4_000) -> tuple[np.ndarray, np.ndarray]:
    """Draw intervals of all widths: far out, around zero, points, and with an end at zero."""
    rng = np.random.default_rng(5)
    middle = rng.normal(0.0, 1.0, count) * 10.0 ** rng.uniform(-8, 3, count)
    radius = np.abs(rng.normal(0.0, 1.0, count)) * 10.0 ** rng.uniform(-9, 3, count)
    low, high = middle - radius, middle + radius
    low[:50] = high[:50]
    low[50:100] = 0.0
    high[50:100] = np.abs(high[50:100])
    high[100:150] = 0.0
    low[100:150] = -np.abs(low[100:150])
    low[150:160], high[150:160] = -1e90, 1e90
    return low, high


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_lines_enclose_the_activation(activation):
    low, high = intervals()
    lines = lines_around(layer_of(activation), low, high)
    shares = np.concatenate(
        [np.linspace(0.0, 1.0, 301), 10.0 ** -np.arange(3.0, 16.0), 1 - 10.0 ** -np.arange(3.0, 16.0)]
    )
    # More digits than the lines were computed with.
    z = low[:, None].astype(np.longdouble) * (1 - shares) + high[:, None].astype(np.longdouble) * shares
    z = np.clip(z, low[:, None], high[:, None])
    value = EXACT[activation](z)
    tiny = np.finfo(np.longdouble).eps * (1 + np.abs(z)) * 4  # what evaluating the lines here may lose
    assert (lines.upper_slope[:, None] * z + lines.upper_shift[:, None] >= value - tiny).all()
    assert (lines.lower_slope[:, None] * z + lines.lower_shift[:, None] <= value + tiny).all()
    assert ((lines.upper_slope >= 0) & (lines.upper_slope <= 1)).all()
    assert ((lines.lower_slope >= 0) & (lines.lower_slope <= 1)).all()


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_an_interval_allows_for_the_rounding_of_an_activation(activation):
    z = np.random.default_rng(7).normal(0.0, 2.0, 1_000)
    low, high = interval_through(layer_of(activation), z.copy(), z.copy())
    exact = EXACT[activation](z.astype(np.longdouble))
    assert (low < exact).all()
    assert (exact < high).all()


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_the_lines_touch_where_the_slope_says(activation):
    """The largest distance from the curve is no larger than needed: each line touches it."""
    rng = np.random.default_rng(6)
    low, high = np.sort(rng.normal(0.0, 3.0, (2, 500)), axis=0)
    lines = lines_around(layer_of(activation), low, high)
    z = np.linspace(low, high, 2001)
    value = EXACT[activation](z)
    assert (lines.upper_slope * z + lines.upper_shift - value).min(axis=0).max() < 1e-4
    assert (value - lines.lower_slope * z - lines.lower_shift).min(axis=0).max() < 1e-4


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_what_is_not_a_number_stays_that(activation):
    odd = np.array([np.nan])
    lines = lines_around(layer_of(activation), odd, odd)
    assert np.isnan(lines.upper_slope + lines.upper_shift).all()
    assert np.isnan(lines.lower_slope + lines.lower_shift).all()
