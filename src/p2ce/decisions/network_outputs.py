"""Say what the outputs of a network must do: one class beats the others, or a number lies in a range.

All scores of a model share its hidden layers; only the last layer differs, which holds the difference of two
outputs, or one output and its sign.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import LEAD, PROBABILITY, Evaluate, ModelAdapter
from p2ce.decisions.targets import (
    EvaluateAll,
    Range,
    class_ask,
    range_ends,
    range_model,
    softmax_reaches,
    softmax_wins,
    wins_ask,
)
from p2ce.scores.error_bands import exactly
from p2ce.scores.network import NetworkScore
from p2ce.scores.network_layers import Layer
from p2ce.scores.network_rounding import DOUBLE, reach_of

# A logit that is farther behind the largest one has a probability below every threshold that is read (1e-30
# in single precision, 1e-290 in double), or is so small beside the target that it decides nothing.
_FARTHEST = {True: 200.0, False: 1000.0}
# Roundings that the library may add to each of two outputs before they are compared.
_COMPARED = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outputs:
    """A network as read, its last layer without activation and with as many outputs as the model has."""

    family: str
    columns: tuple[str, ...]
    layers: tuple[Layer, ...]
    see: Callable[[FloatArray], FloatArray]
    unit: float  # the rounding unit inside the network
    single: bool  # whether softmax on top of the outputs is computed in float32
    rows: FloatArray  # (n, d) some rows of the reference, as the scores take them

    @property
    def count(self) -> int:
        return len(self.layers[-1].bias)

    def score(self, last: Layer, accept_from: float, reject_below: float) -> NetworkScore:
        """Give the network a last layer of one output, and thresholds on it."""
        return NetworkScore(
            name="model",
            column_count=len(self.columns),
            layers=(*self.layers[:-1], last),
            accept_from=accept_from,
            reject_below=reject_below,
            see=self.see,
            unit=self.unit,
        )


def one_output(layer: Layer, index: int, *, sign: float = 1.0) -> Layer:
    """Take one output of a last layer, turned by ``sign``."""
    return Layer(
        weights=sign * layer.weights[:, [index]],
        bias=sign * layer.bias[[index]],
        size=layer.size[:, [index]],
        bias_size=layer.bias_size[[index]],
        extra_steps=layer.extra_steps,
    )


def difference(layer: Layer, index: int, other: int) -> Layer:
    """Take how far one output of a last layer is ahead of another.

    The terms that the library adds are those of both; the weights subtracted are one rounding more.
    """
    pair = [index, other]
    return Layer(
        weights=layer.weights[:, [index]] - layer.weights[:, [other]],
        bias=layer.bias[[index]] - layer.bias[[other]],
        size=layer.size[:, pair].sum(axis=1, keepdims=True),
        bias_size=layer.bias_size[pair].sum(keepdims=True),
        extra_steps=layer.extra_steps + _COMPARED,
    )


def _pairs(
    outputs: Outputs, count: int, index: int, accept_from: float, reject_below: float
) -> list[NetworkScore]:
    """Give a score for every other class: how far the one is ahead of it."""
    return [
        outputs.score(difference(outputs.layers[-1], index, other), accept_from, reject_below)
        for other in range(count)
        if other != index
    ]


def read_network_win(
    outputs: Outputs,
    classes: tuple[Any, ...],
    index: int,
    *,
    ask_all: EvaluateAll,
    ask_probabilities: EvaluateAll,
) -> ModelAdapter:
    """Have one class beat every other; ``ask_all`` gives what the model takes the largest of."""
    accept_from, reject_below = softmax_wins(0.0, single=outputs.single)
    first, *more = _pairs(outputs, len(classes), index, accept_from, reject_below)
    return ModelAdapter(
        family=outputs.family,
        score=first,
        also=tuple(more),
        columns=outputs.columns,
        scale=LEAD,
        threshold=0.0,
        classes=classes,
        ask=wins_ask(ask_all, index),
        predict=class_ask(ask_probabilities, index),
        report=None,
        tolerance=first.tolerance(outputs.rows),
    )


def read_network_share(
    outputs: Outputs,
    classes: tuple[Any, ...],
    index: int,
    threshold: float,
    *,
    ask_probabilities: EvaluateAll,
) -> ModelAdapter:
    """Bound a probability by what it is between two classes; the model is asked about what passes."""
    largest = _FARTHEST[outputs.single]
    accept_from, reject_below = softmax_reaches(
        threshold, len(classes), band=0.0, largest=largest, single=outputs.single
    )
    first, *more = _pairs(outputs, len(classes), index, accept_from, reject_below)
    return ModelAdapter(
        family=outputs.family,
        score=first,
        also=tuple(more),
        decides=False,
        columns=outputs.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=class_ask(ask_probabilities, index),
        report=None,
        tolerance=first.tolerance(outputs.rows),
    )


def read_network_range(outputs: Outputs, wanted: Range, *, predict: Evaluate) -> ModelAdapter:
    """Hold the one output between the ends of a range."""
    ends = range_ends(wanted, exactly(float), band=0.0)
    last = outputs.layers[-1]
    error, sign = _largest_error(outputs), ends[0].sign
    return range_model(
        wanted,
        [
            outputs.score(one_output(last, 0, sign=end.sign), end.accept_from, end.reject_below)
            for end in ends
        ],
        family=outputs.family,
        columns=outputs.columns,
        predict=predict,
        report=(lambda scores: wanted.leads(sign * scores)) if np.isfinite(error) else None,
        tolerance=(1e-9 if outputs.unit <= DOUBLE else 1e-4) + (error if np.isfinite(error) else 0.0),
    )


def _largest_error(outputs: Outputs) -> float:
    """Bound how far the library's prediction may be from ours, on the reference and somewhat beyond."""
    with np.errstate(all="ignore"):
        around = 2.0 * np.abs(outputs.see(outputs.rows)).max(axis=0, keepdims=True)
        return float(reach_of(outputs.layers, -around, around, outputs.unit, axes=0).margin[0])
