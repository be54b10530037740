"""Compute SHAP values from the structure of a parsed model: trees, or the layers of a network."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import Layer, activate
from p2ce.engine.scores.score import Bound, Score
from p2ce.errors import InvalidArgument
from p2ce.models.decisions.adapter import Adapter

if TYPE_CHECKING:  # its kernels load Numba, which takes a second
    from p2ce.models.estimates.tree_shap import TreeShap

# Below this difference, a slope between two values is rounding noise.
SMALLEST_STEP = 1e-6
CHUNK = 1 << 21  # the most numbers that a pass through a network holds at once


class Parsed(NamedTuple):
    """A parsed model: its margin, and how the margin is converted to the reported score."""

    score: Score
    report: Callable[[FloatArray], FloatArray]

    @property
    def is_trees(self) -> bool:
        return self.score.flat is not None and self.score.bound is Bound.TREE_LEAVES

    @property
    def is_network(self) -> bool:
        return isinstance(self.score, NetworkScore)


def parsed_of(models: Sequence[Adapter]) -> Parsed | None:
    """Return the parsed model if a single score with a reported scale decides; otherwise None."""
    model = models[0]
    if len(models) > 1 or not model.decides or len(model.scores) != 1 or model.report is None:
        return None
    return Parsed(model.scores[0], model.report)


def native_explainer(
    name: str,
    parsed: Parsed | None,
    background: FloatArray,
    to_scale: Callable[[FloatArray], FloatArray],
) -> "TreeShap | DeepShap":
    """Build the "tree" or the "deep" explainer of a parsed model.

    Attributions are for ``to_scale(reported score)``. They are those of the margin, rescaled for every
    background row by the slope between that row and the explained one. shap's TreeExplainer does the same
    for ``model_output="probability"``, and DeepExplainer for a network that ends in a sigmoid.
    """
    if parsed is not None and (parsed.is_trees if name == "tree" else parsed.is_network):

        def scaled(margins: FloatArray) -> FloatArray:
            return to_scale(parsed.report(margins))

        if isinstance(parsed.score, NetworkScore):
            return DeepShap(parsed.score, background, scaled)
        from p2ce.models.estimates.tree_shap import TreeShap

        assert parsed.score.flat is not None, "trees are flat"
        return TreeShap(parsed.score.flat, background, scaled)
    kind = "an ensemble of trees" if name == "tree" else "a network"
    raise InvalidArgument(
        f'explainer="{name}" needs {kind} that is supported natively, with a single score. '
        'Pass explainer="sampling", which only evaluates the model.'
    )


def slopes(
    after: FloatArray, before: FloatArray, gained: FloatArray, slope_at: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Divide the gain by the difference; where the difference is 0, use the slope at that point."""
    step = after - before
    tiny = np.abs(step) < SMALLEST_STEP
    found = np.divide(gained, step, out=np.zeros(step.shape), where=~tiny)
    if tiny.any():
        found[tiny] = slope_at(np.broadcast_to(after, step.shape)[tiny])
    return found


def rescaling(
    scaled: Callable[[FloatArray], FloatArray], margins: FloatArray, background: FloatArray
) -> FloatArray:
    """Return the slopes of the scaled score between the margins of rows (n,) and background (b,): (n, b)."""

    def slope_at(places: FloatArray) -> FloatArray:
        return np.asarray(
            (scaled(places + SMALLEST_STEP) - scaled(places - SMALLEST_STEP)) / (2 * SMALLEST_STEP)
        )

    gained = scaled(margins)[:, None] - scaled(background)
    return slopes(margins[:, None], background, gained, slope_at)


class DeepShap:
    """Attributions of a network by DeepLIFT's rescale rule, averaged over the background rows."""

    evaluations: ClassVar[int] = 0  # of the user's model

    def __init__(
        self, score: NetworkScore, background: FloatArray, scaled: Callable[[FloatArray], FloatArray]
    ) -> None:
        self.score = score
        self.scaled = scaled
        self.inputs = score.see(background)
        self.sums, self.outputs = _passed(score.layers, self.inputs)

    def explain(self, rows: FloatArray) -> FloatArray:
        widest = max(layer.weights.size for layer in self.score.layers)
        step = max(1, CHUNK // max(len(self.inputs) * int(np.sqrt(widest)), 1))
        parts = [self._explain(rows[at : at + step]) for at in range(0, len(rows), step)]
        return np.concatenate(parts) if parts else np.empty(rows.shape)

    def _explain(self, rows: FloatArray) -> FloatArray:
        inputs = self.score.see(np.asarray(rows, dtype=np.float64))
        sums, outputs = _passed(self.score.layers, inputs)
        # (n, b, units): the slope of the reported score in each unit, layer by layer backwards.
        multiplier = rescaling(self.scaled, outputs[-1][:, 0], self.outputs[-1][:, 0])[..., None]
        for place in range(len(self.score.layers) - 1, -1, -1):
            layer = self.score.layers[place]
            if layer.activation != "identity":
                gained = outputs[place][:, None] - self.outputs[place]
                slope_at = _slope_of(layer)
                multiplier = multiplier * slopes(sums[place][:, None], self.sums[place], gained, slope_at)
            multiplier = multiplier @ layer.weights.T
        by_input = (multiplier * (inputs[:, None] - self.inputs)).mean(axis=1)
        found = np.zeros(rows.shape)
        for place, column in enumerate(self.score.sources.tolist()):
            found[:, column] += by_input[:, place]
        return found


def _passed(layers: tuple[Layer, ...], inputs: FloatArray) -> tuple[list[FloatArray], list[FloatArray]]:
    """Evaluate a network on rows, and return the inputs and outputs of every activation."""
    sums, outputs = [], []
    values = inputs
    for layer in layers:
        sums.append(values @ layer.weights + layer.bias)
        values = activate(layer, sums[-1].copy())
        outputs.append(values)
    return sums, outputs


def _slope_of(layer: Layer) -> Callable[[FloatArray], FloatArray]:
    def slope_at(places: FloatArray) -> FloatArray:
        if not layer.is_curved:
            return np.where(places > 0.0, 1.0, layer.below)
        around = [activate(layer, places + step) for step in (SMALLEST_STEP, -SMALLEST_STEP)]
        return np.asarray((around[0] - around[1]) / (2 * SMALLEST_STEP))

    return slope_at
