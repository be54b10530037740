"""Bound how far rounding can move a network's output, for the library and for us together.

Let N be the network in real numbers, with the weights that the library holds. The library computes it in its
own precision (rounding unit ``unit``) and in an unknown order. We compute it in float64. Layer by layer,
``error`` bounds |library − N| + |ours − N|:

* A layer adds the terms weight·input and the bias. In any order, and fused or not, every term passes through
  at most ``steps`` roundings. So a computed sum is off by at most γ·(Σ|terms|) with γ = n·u/(1 − n·u).
  ``Layer.size`` and ``Layer.bias_size`` hold the magnitudes of the terms that the *library* adds. They are
  larger than those of the folded weights if a normalisation or a second logit has been folded in.
* Errors of the inputs are multiplied by |weights|, and by the Lipschitz constant of an activation.
* ReLU is exact. A leaky slope is rounded and multiplied. tanh and the logistic function of every library in
  use are off by a few units in the last place of numbers up to 1; sixteen units are allowed.
* Products below the smallest normal number lose digits or become 0: `floor_of` covers this, per term.
* If a magnitude comes close to the largest number of the library's precision, the bound is infinite, so
  nothing is claimed about an overflow.

These bounds are themselves computed in float64. ``INFLATION`` (a millionth) covers that many times over.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.network.network_layers import Layer, activate

DOUBLE = 2.0**-53
SINGLE = 2.0**-24
INFLATION = 1.0 + 2.0**-20
ACTIVATION_UNITS = 16.0
# The first layer is computed by adding changes to an instance's base: up to three times the terms.
DETOUR = 3.0


def gamma(terms: float, unit: float) -> float:
    """Return n·u/(1 − n·u), or infinity if n·u is too large for a useful bound."""
    share = terms * unit
    return share / (1.0 - share) if share < 0.25 else np.inf


def floor_of(unit: float) -> float:
    """Bound the loss of one term that is too small to be a normal number, scaled up by folding."""
    return 1e-200 if unit <= DOUBLE else 1e-20


def ceiling_of(unit: float) -> float:
    """Return a magnitude up to which no intermediate result overflows."""
    return 1e100 if unit <= DOUBLE else 1e24


def added_error(layer: Layer, size: FloatArray, unit: float, *, axes: int, first: bool) -> FloatArray:
    """Bound the error that one layer's own sum adds, for terms with the total magnitude ``size``."""
    theirs = gamma(layer.steps, unit)
    ours = gamma(layer.steps + axes + 8, DOUBLE) * (DETOUR if first else 1.0)
    added: FloatArray = (theirs + ours) * size + layer.steps * floor_of(unit)
    return added


def through_activation(layer: Layer, error: FloatArray, size: FloatArray, unit: float) -> FloatArray:
    """Return the error after the activation, for a pre-activation of magnitude ``size``."""
    if layer.activation in ("tanh", "sigmoid"):
        steepest = 1.0 if layer.activation == "tanh" else 0.25
        return np.asarray(np.minimum(steepest * error, 2.0) + ACTIVATION_UNITS * (unit + DOUBLE))
    if layer.activation == "leaky_relu":
        return np.asarray(error + 4.0 * (unit + DOUBLE) * layer.slope * size)
    return error


def row_error(layers: Sequence[Layer], seen: FloatArray, unit: float, *, axes: int) -> FloatArray:
    """Bound the error of single rows (n, d), computed layer by layer along with the values: (n,)."""
    values = np.abs(seen)
    real = seen
    error = _input_error(values, unit)
    fits = np.ones(len(seen), dtype=np.bool_)
    for position, layer in enumerate(layers):
        fits &= (values <= ceiling_of(unit)).all(axis=1)
        size = ((values + error) @ layer.size + layer.bias_size) * INFLATION
        fits &= (size <= ceiling_of(unit)).all(axis=1)
        error = error @ layer.spread + added_error(layer, size, unit, axes=axes, first=position == 0)
        error = through_activation(layer, error, size, unit) * INFLATION
        real = activate(layer, real @ layer.weights + layer.bias)
        values = np.abs(real)
    worst: FloatArray = np.where(fits, error[:, 0], np.inf)
    return worst


def _input_error(values: FloatArray, unit: float) -> FloatArray:
    """Return the error of inputs that are cast to the library's precision, once more than they were."""
    return np.zeros_like(values) if unit <= DOUBLE else 2.0 * unit * values


class Reach(NamedTuple):
    """Bounds of a network's numbers, valid anywhere on the grids of n instances."""

    size: tuple[FloatArray, ...]  # per layer (n, out): the total magnitude of the terms of each sum
    margin: FloatArray  # (n,) the most by which the library's output and ours differ; infinite if unbounded


def reach_of(layers: Sequence[Layer], low: FloatArray, high: FloatArray, unit: float, *, axes: int) -> Reach:
    """Propagate intervals (n, d) through the layers, together with the rounding."""
    error = _input_error(np.maximum(np.abs(low), np.abs(high)), unit)
    fits = np.ones(len(low), dtype=np.bool_)
    sizes = []
    for position, layer in enumerate(layers):
        largest = np.maximum(np.abs(low), np.abs(high)) * INFLATION
        fits &= (largest <= ceiling_of(unit)).all(axis=1)
        size = ((largest + error) @ layer.size + layer.bias_size) * INFLATION
        fits &= (size <= ceiling_of(unit)).all(axis=1)
        sizes.append(size)
        added = added_error(layer, size, unit, axes=axes, first=position == 0)
        error = error @ layer.spread + added
        error = through_activation(layer, error, size, unit) * INFLATION
        middle = (low + high) / 2.0 @ layer.weights + layer.bias
        around = ((high - low) / 2.0 @ layer.spread + interval_slack(layer, size, axes)) * INFLATION
        low, high = interval_through(layer, middle - around, middle + around)
    margin = np.where(fits, error[:, 0], np.inf)
    return Reach(tuple(sizes), np.where(np.isnan(margin), np.inf, margin))


def interval_slack(layer: Layer, size: FloatArray, axes: int) -> FloatArray:
    """Bound the rounding of an interval in float64: of its ends, middle and width, and of folding."""
    slack: FloatArray = 8.0 * gamma(layer.steps + axes + 8, DOUBLE) * size + 1e-200
    return slack


def interval_through(layer: Layer, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Apply a layer's activation to both ends, in place: activations never decrease."""
    low, high = activate(layer, low), activate(layer, high)
    if layer.is_curved:
        low -= ACTIVATION_UNITS * DOUBLE
        high += ACTIVATION_UNITS * DOUBLE
    return low, high
