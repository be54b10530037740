"""The score of a network: layers of weights and activations, with one output that must reach a threshold.

``evaluate`` and ``infeasible`` of a prepared network are proven in floating point too. Both rest on one
number per instance, the *margin* of `network_rounding`: anywhere on that instance's grid, the library's
output and ours differ by at most this margin. `network_bounds` has the bound of a box.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.visible import echoed
from p2ce.engine.scores.external import Placed, PreparedRows, PreparedScore, Verdicts, verdicts_within
from p2ce.engine.scores.network.network_layers import Layer, forward
from p2ce.engine.scores.network.network_rounding import DOUBLE, row_error
from p2ce.engine.scores.score import Bound, require_ordered, seen_as_given
from p2ce.errors import InvalidModel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NetworkScore:
    """A network with one output, where higher is better, and the thresholds on the output.

    The thresholds apply to the output *as the library computes it*. For the rounding inside the network,
    `evaluate_rows` and the prepared score move both thresholds outwards. ``see`` converts the user's values
    (n, d) to the inputs of the first layer (n, inputs). Input j depends only on column ``sources[j]``. By
    default, the inputs are the columns and never decrease. ``unit`` is the rounding unit of the library.
    """

    name: str
    column_count: int
    layers: tuple[Layer, ...]
    accept_from: float
    reject_below: float
    see: Callable[[FloatArray], FloatArray] = seen_as_given
    unit: float = DOUBLE
    sources: IntArray = None  # type: ignore[assignment]  # (inputs,)
    rising: BoolArray = None  # type: ignore[assignment]  # (inputs,) which never decrease along their columns

    def __post_init__(self) -> None:
        require_ordered(self.name, self.accept_from, self.reject_below)
        plain = {
            "sources": np.arange(self.column_count),
            "rising": np.ones(self.column_count, dtype=np.bool_),
        }
        for name, given in plain.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, given)
        if self.rising.shape != self.sources.shape:
            raise InvalidModel(
                f"The network {echoed(self.name)} expects `rising` for each of its {len(self.sources)} "
                f"inputs, got shape {self.rising.shape}. State of every input whether it "
                "never falls as its column rises."
            )
        expected = len(self.sources)
        for number, layer in enumerate(self.layers, start=1):
            if len(layer.weights) != expected:
                raise InvalidModel(
                    f"Layer {number} of the network {echoed(self.name)} expects weights of shape "
                    f"({expected}, …), a row for each input, got {layer.weights.shape}. Check the order of "
                    "the layers, and whether weights must be transposed."
                )
            expected = layer.weights.shape[1]
        if not self.layers or expected != 1 or self.layers[-1].activation != "identity":
            last = f"{expected} outputs and {self.layers[-1].activation}" if self.layers else "no layer"
            raise InvalidModel(
                f"The network {echoed(self.name)} expects a last layer with one output and without "
                f"activation, got {last}. Leave out the link, such as a sigmoid, and move the "
                "threshold instead."
            )

    @property
    def bound(self) -> Bound:
        """Boxes are bounded by linear relaxations of the layers."""
        return Bound.NETWORK

    @property
    def flat(self) -> None:
        """None: it is evaluated in batches outside the kernel."""
        return

    def score_rows(self, rows: FloatArray) -> FloatArray:
        """Compute the output for rows of the user's values in the slow and obvious way: (n, d) → (n,)."""
        with np.errstate(all="ignore"):
            return forward(self.layers, self.see(np.asarray(rows, dtype=np.float64)))

    def evaluate_rows(self, rows: FloatArray) -> Verdicts:
        """Evaluate rows of the user's values, each with its own bound of the rounding."""
        with np.errstate(all="ignore"):
            seen = self.see(np.asarray(rows, dtype=np.float64))
            value = forward(self.layers, seen)
            margin = row_error(self.layers, seen, self.unit, axes=0)
            return Verdicts(verdicts_within(value, margin, self.accept_from, self.reject_below), value)

    def tolerance(self, rows: FloatArray) -> float:
        """Return how far a probability may be from the library's: the rounding of such rows, and more."""
        with np.errstate(all="ignore"):
            seen = self.see(np.asarray(rows, dtype=np.float64))
            worst = float(row_error(self.layers, seen, self.unit, axes=0).max(initial=0.0))
        return (1e-9 if self.unit <= DOUBLE else 1e-4) + min(worst, 0.05)

    def prepare(self, placed: Placed) -> PreparedScore:
        """Prepare the first layer for a batch; if columns are grouped, cells are evaluated as rows."""
        from p2ce.engine.scores.network.network_batch import lay_out

        if placed.is_grouped:
            return PreparedRows(evaluate_rows=self.evaluate_rows, placed=placed)
        return lay_out(self, placed)
