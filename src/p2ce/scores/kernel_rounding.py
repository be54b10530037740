"""Bound how far rounding can move a kernel machine's decision value, libsvm's and ours together.

Let N be the decision value in real numbers, for the vectors, weights and parameters that libsvm holds. libsvm
computes in float64 (u = 2⁻⁵³): the arguments z by a dot product of BLAS, in an order unknown to us, then
φ(z), then the weighted sum. We compute arguments column by column, or by adding changes to a person's own.
With γₙ = n·u/(1 − n·u), for |libsvm − N| and |ours − N| alike:

* *rbf, from scratch*: differences, squares, their sum and the factor γ are off by a share η = γ_{d+8} of z,
  as no term is negative. exp z is then off by e^z·(e^{η|z|} − 1), at most e^z·1.01·η|z| for |z| ≤ 10⁴ and
  nothing that a float can hold beyond, and by sixteen units of its own. As |z|·e^z < 0.4, this never
  exceeds η + 16u.
* *poly, from scratch*: z is off by η·T, where T = γ·Σ|row|·|vector| + |coef0|. If z is off by ε, then z^k is
  off by k·ε·(|z| + ε)^{k−1}, and computing it adds γ_{2k+4}·(|z| + ε)^k.
* *by changes*: with |v|, |x| ≤ m, γ·(v − x)·(2s − v − x) meets six roundings and is at most 4·γ·(m + |s|)²;
  for poly, γ·(v − x)·s is no larger than 2·γ·m·|s|. Let ``size`` be γ·Σ(m + |s|)², or T for rows of m. Then a
  sum of a base and of changes on every axis is off by at most (d + 6) + 24 + 5·(axes + 1) units of ``size``,
  less than 8·γ_{d+axes+16}.
* *the sum* over n vectors and the intercept is off by γ_{n+4} times the magnitudes of its terms.

What is too small for a normal number adds ``FLOOR``; where anything comes near the largest numbers, the bound
is infinite. The bounds are computed in float64 themselves, which ``INFLATION`` covers many times over.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.scores.kernel_curves import FLOOR
from p2ce.scores.network_rounding import DOUBLE, INFLATION, gamma

if TYPE_CHECKING:
    from p2ce.scores.kernel_machine import KernelMachine

CEILING = 1e100
EXP_UNITS = 16.0
DETOUR = 8.0
# exp of less than minus this is zero to every library.
VANISHED = 1e4
# No term is known to less than this: squares and products of tiny numbers vanish.
LEAST = 1e-150


class Reach(NamedTuple):
    """What a kernel machine's numbers can come to anywhere on the grids of n people."""

    size: FloatArray  # (n,) no argument, nor the magnitudes of its terms added up, is larger
    margin: FloatArray  # (n,) libsvm's value and ours differ by no more; infinite where anything may be


def argument_error(score: "KernelMachine", size: FloatArray, axes: int) -> FloatArray:
    """Bound the error of arguments that are reached by adding changes on some axes to a base."""
    error: FloatArray = DETOUR * gamma(score.column_count + axes + 16, DOUBLE) * size + LEAST
    return error


def row_error(score: "KernelMachine", seen: FloatArray, z: FloatArray, bent: FloatArray) -> FloatArray:
    """Bound the error of single rows (n, d), given their arguments and φ of these (n, vectors): (n,)."""
    far = np.abs(seen)
    share = gamma(score.column_count + 8, DOUBLE)
    if score.kernel == "rbf":
        lost = bent * (4.0 * share * np.minimum(-z, VANISHED) + 4.0 * EXP_UNITS * DOUBLE) + FLOOR
        size = bent
    else:
        error = share * _terms(score, far) + LEAST
        size, lost = _through_power(np.abs(z), error, score.degree)
    return _of_the_sum(score, size, lost, np.abs(score.weights), _fits(score, far))


def reach_of(score: "KernelMachine", largest: FloatArray, *, axes: int) -> Reach:
    """Bound sizes and errors for people who read no more than ``largest`` (n, d) on their grids."""
    share = gamma(score.column_count + 8, DOUBLE)
    fits = _fits(score, largest)
    if score.kernel == "rbf":
        size = score.gamma * _squares(score, largest) * INFLATION
        error = argument_error(score, size, axes)
        lost = share + 2.0 * error + 3.0 * EXP_UNITS * DOUBLE + FLOOR
        # e^ε − 1 is less than 2ε for ε up to one half only.
        weights = np.abs(score.weights).sum(keepdims=True)  # no kernel exceeds one
        margin = _of_the_sum(score, np.ones((len(size), 1)), lost[:, None], weights, fits & (error <= 0.5))
        return Reach(size, margin)
    size, margin = np.empty(len(largest)), np.empty(len(largest))
    step = max(1, 100_000 // max(1, len(score.weights)))
    for start in range(0, len(largest), step):
        some = slice(start, start + step)
        terms = _terms(score, largest[some])
        error = share * terms + argument_error(score, terms, axes)
        height, lost = _through_power(terms, error, score.degree)
        size[some] = terms.max(axis=1, initial=0.0)
        margin[some] = _of_the_sum(score, height, lost, np.abs(score.weights), fits[some])
    return Reach(size, margin)


def _terms(score: "KernelMachine", far: FloatArray) -> FloatArray:
    """Add up the magnitudes of a polynomial kernel's terms, T above: (n, d) → (n, vectors)."""
    terms: FloatArray = (score.gamma * (far @ np.abs(score.support).T) + abs(score.coef0)) * INFLATION
    return terms


def _squares(score: "KernelMachine", far: FloatArray) -> FloatArray:
    """Bound Σ(|row| + |vector|)² over all vectors: (n, d) → (n,)."""
    tallest = np.abs(score.support).max(axis=0, initial=0.0)
    squares: FloatArray = ((far + tallest) ** 2).sum(axis=1)
    return squares


def _fits(score: "KernelMachine", far: FloatArray) -> BoolArray:
    """Tell where nothing comes near an overflow on the way to the arguments."""
    squares = _squares(score, far)
    plain = score.gamma <= CEILING and abs(score.coef0) <= CEILING and abs(score.intercept) <= CEILING
    return np.asarray((squares <= CEILING) & (score.gamma * squares <= CEILING) & plain)


def _through_power(z: FloatArray, error: FloatArray, degree: int) -> tuple[FloatArray, FloatArray]:
    """Bound |z|^k and the error of both computations of it, if z is off by ``error`` in each."""
    away = z + 2.0 * error
    height = away**degree * INFLATION
    bent = degree * error * away ** (degree - 1) if degree else np.zeros_like(z)
    return height, 2.0 * (bent + gamma(2.0 * degree + 4.0, DOUBLE) * height) * INFLATION + FLOOR


def _of_the_sum(
    score: "KernelMachine", size: FloatArray, lost: FloatArray, weights: FloatArray, fits: BoolArray
) -> FloatArray:
    """Add the errors of all terms (n, terms), and that of adding the terms, for both computations."""
    total = (size + lost) @ weights
    adding = 2.0 * gamma(len(score.weights) + 4.0, DOUBLE) * (total + abs(score.intercept))
    margin = (lost @ weights + adding) * INFLATION + len(score.weights) * FLOOR
    fits = fits & (total <= CEILING) & (size <= CEILING).all(axis=1)
    return np.where(fits & np.isfinite(margin), margin, np.inf)
