"""The layers of a network, and the obvious way to evaluate them on rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidModel

ACTIVATIONS = ("identity", "relu", "leaky_relu", "tanh", "sigmoid")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layer:
    """One layer: ``activation(inputs @ weights + bias)``.

    ``size`` and ``bias_size`` bound the magnitudes of the terms that the library adds for a weight and a
    bias. ``steps`` bounds the number of roundings of a term there. Plain layers use the defaults.
    """

    weights: FloatArray  # (in, out)
    bias: FloatArray  # (out,)
    activation: str = "identity"
    slope: float = 0.0  # the slope of a leaky ReLU below zero
    size: FloatArray = None  # type: ignore[assignment]  # (in, out)
    bias_size: FloatArray = None  # type: ignore[assignment]  # (out,)
    extra_steps: int = 0
    spread: FloatArray = field(init=False)  # (in, out) magnitudes of the weights

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise InvalidModel(
                f"A layer expects an activation of {', '.join(ACTIVATIONS)}, got {echoed(self.activation)}. "
                "Raise UnsupportedModel for other activations; the model is then a black box."
            )
        if not 0.0 <= self.slope <= 1.0:
            raise InvalidModel(
                f"A layer expects the slope of a leaky ReLU between 0 and 1, got {self.slope}. Raise "
                "UnsupportedModel for other slopes; the model is then a black box."
            )
        if self.weights.ndim != 2 or self.weights.shape[1:] != self.bias.shape:
            raise InvalidModel(
                "A layer expects weights (inputs, outputs) and a bias (outputs,), got arrays of shapes "
                f"{self.weights.shape} and {self.bias.shape}. Check whether weights must be transposed."
            )
        for name in ("weights", "bias", "size", "bias_size"):
            given = getattr(self, name)
            if given is None:
                given = np.abs(self.weights if name == "size" else self.bias)
            object.__setattr__(self, name, np.ascontiguousarray(given, dtype=np.float64))
        object.__setattr__(self, "spread", np.abs(self.weights))

    @property
    def steps(self) -> int:
        """Count the roundings of a term: product, additions, bias, a cast, and folded operations."""
        return len(self.weights) + 4 + self.extra_steps

    @property
    def below(self) -> float:
        """Return the slope below zero of a piecewise linear activation; 1 makes it the identity."""
        return {"identity": 1.0, "relu": 0.0}.get(self.activation, self.slope)

    @property
    def is_curved(self) -> bool:
        return self.activation in ("tanh", "sigmoid")


def activate(layer: Layer, values: FloatArray) -> FloatArray:
    """Apply the layer's activation in place."""
    match layer.activation:
        case "relu":
            np.maximum(values, 0.0, out=values)
        case "leaky_relu":
            np.maximum(values, values * layer.slope, out=values)
        case "tanh":
            np.tanh(values, out=values)
        case "sigmoid":
            # The same function, without an exp that could overflow.
            values *= 0.5
            np.tanh(values, out=values)
            values *= 0.5
            values += 0.5
    return values


def forward(layers: Sequence[Layer], seen: FloatArray) -> FloatArray:
    """Evaluate all layers on inputs of the first layer: (n, d) → (n,)."""
    values = seen
    for layer in layers:
        values = activate(layer, values @ layer.weights + layer.bias)
    return values[:, 0]
