"""Margins that are the outputs of a network.

All scores of a model share its hidden layers. Only the last layer differs: it computes the difference of two
outputs, or one output with a sign. The score itself bounds the rounding inside the network, separately for
every instance, so bands are zero here.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.decisions.decision import Decision
from p2ce.scores.network import NetworkScore
from p2ce.scores.network_layers import Layer
from p2ce.scores.network_rounding import DOUBLE, reach_of
from p2ce.scores.score import Score

# A logit that is farther behind the largest one has a probability below every certified threshold (1e-30 in
# single precision, 1e-290 in double), or is too small compared with the target to make a difference.
_FARTHEST = {True: 200.0, False: 1000.0}
# Roundings that the library may add to each of two outputs before they are compared.
_COMPARED = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NetworkOutputs:
    """A network whose last layer has no activation, and as many outputs as the model."""

    columns: tuple[str, ...]
    layers: tuple[Layer, ...]
    see: Callable[[FloatArray], FloatArray]
    unit: float  # the rounding unit inside the network
    single: bool  # whether softmax on top of the outputs is computed in float32
    rows: FloatArray  # (n, d) some rows of the reference, as codes
    reach: None = None

    @property
    def count(self) -> int:
        """The number of outputs."""
        return len(self.layers[-1].bias)

    def band(self, _plus: int, _minus: int | None = None) -> float:
        """Return 0: the scores bound the rounding for every instance."""
        return 0.0

    def largest(self) -> float:
        """Bound the outputs, as far as softmax distinguishes them."""
        return _FARTHEST[self.single]

    def score(
        self, plus: int, minus: int | None = None, *, sign: float = 1.0, limits: tuple[float, float]
    ) -> NetworkScore:
        """Return the network as a score: with one output in its last layer, and thresholds on it."""
        last = self.layers[-1]
        last = one_output(last, plus, sign=sign) if minus is None else difference(last, plus, minus)
        return NetworkScore(
            name="model",
            column_count=len(self.columns),
            layers=(*self.layers[:-1], last),
            accept_from=limits[0],
            reject_below=limits[1],
            see=self.see,
            unit=self.unit,
        )

    def tolerance(self, decision: Decision, score: Score) -> float:
        """Return a tolerance for the rounding on the reference; for predicted numbers, somewhat beyond it."""
        assert isinstance(score, NetworkScore)
        if decision.wanted is None:
            return score.tolerance(self.rows)
        with np.errstate(all="ignore"):
            around = 2.0 * np.abs(self.see(self.rows)).max(axis=0, keepdims=True)
            error = float(reach_of(self.layers, -around, around, self.unit, axes=0).margin[0])
        return self.precision + error

    @property
    def precision(self) -> float:
        """The precision of what the library reports."""
        return 1e-9 if self.unit <= DOUBLE else 1e-4


def one_output(layer: Layer, index: int, *, sign: float = 1.0) -> Layer:
    """Return the last layer for one output, times ``sign``."""
    return Layer(
        weights=sign * layer.weights[:, [index]],
        bias=sign * layer.bias[[index]],
        size=layer.size[:, [index]],
        bias_size=layer.bias_size[[index]],
        extra_steps=layer.extra_steps,
    )


def difference(layer: Layer, index: int, other: int) -> Layer:
    """Return the last layer for one output minus another.

    The library adds the terms of both outputs; subtracting the weights is one more rounding.
    """
    pair = [index, other]
    return Layer(
        weights=layer.weights[:, [index]] - layer.weights[:, [other]],
        bias=layer.bias[[index]] - layer.bias[[other]],
        size=layer.size[:, pair].sum(axis=1, keepdims=True),
        bias_size=layer.bias_size[pair].sum(keepdims=True),
        extra_steps=layer.extra_steps + _COMPARED,
    )
