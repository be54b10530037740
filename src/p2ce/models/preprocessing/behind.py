"""Write scores over a model's inputs as scores over the columns of the table that the inputs depend on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.engine.scores.combined.combination import Ends, ReportedNumber
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.error_bands import widened
from p2ce.engine.scores.input_forest import InputForestScore
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.score import FlatScore, seen_as_given
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.binning import stretches_of
from p2ce.models.preprocessing.input_maps import InputMaps
from p2ce.models.preprocessing.rewrite import contributions, never_decreases, pieces_of, rewrite_forest
from p2ce.models.preprocessing.tabulated import LOOSE

# ModelInputs without a proof, such as logarithms, may lie this many times farther out than in the reference.
REACH_FACTOR = 64.0
_LARGEST = float(np.finfo(np.float64).max)
_LOOSE_STEPS = int(LOOSE / 2.0**-53)  # so many roundings are as far off


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelInputs:
    """The inputs of a model behind transformers."""

    maps: InputMaps
    nullable: BoolArray  # (d,) columns in which values may be missing
    proven: BoolArray  # (inputs,) whose arithmetic is known; others are as the transformers evaluate them
    reach: FloatArray  # (inputs,) the magnitudes up to which thresholds are proven

    @property
    def limits(self) -> FloatArray:
        """The magnitudes of inputs without proof, beyond which nothing is claimed: (inputs,)."""
        return np.where(self.proven, np.inf, self.reach)

    @property
    def off(self) -> FloatArray:
        """How far inputs without proof may be off, in the company of other rows: (inputs,)."""
        return np.where(self.proven, 0.0, LOOSE / REACH_FACTOR * self.reach)


def behind(score: Any, inputs: ModelInputs) -> Any:
    """Rewrite a score over inputs as one over the table's columns."""
    maps = inputs.maps
    if score.flat is not None:
        if score.forest is not None:
            if score.see is not seen_as_given:
                raise UnsupportedModel(
                    "A Pipeline is only supported natively in front of trees that compare their inputs as "
                    "they are. Leave out `see` of the FlatScore, or fit the model without the Pipeline."
                )
            if _keeps_inputs(score, inputs):
                return _on_inputs(score, inputs)
            forest = rewrite_forest(score.forest, maps, inputs.nullable)
            return replace(score, column_count=maps.column_count, forest=forest)
        if score.weights is None:
            raise UnsupportedModel(
                "A Pipeline is only supported natively in front of a FlatScore with a forest or weights. "
                "Give it weights, or fit the model without the Pipeline."
            )
        return _sum(score, inputs)
    if isinstance(score, NetworkScore):
        plain = np.array(
            [
                never_decreases(input_map) and not inputs.nullable[input_map.source]
                for input_map in maps.maps_by_input
            ]
        )
        first, *others = score.layers
        if not inputs.proven.all():
            first = replace(first, extra_steps=first.extra_steps + _LOOSE_STEPS)
        return replace(
            score,
            column_count=maps.column_count,
            layers=(first, *others),
            sources=maps.sources[score.sources],
            rising=score.rising & plain[score.sources],
            see=_composed(score.see, maps.show),
        )
    if isinstance(score, InputForestScore):
        return replace(
            score,
            column_count=maps.column_count,
            sources=maps.sources[score.sources],
            see=_composed(score.see, maps.show),
        )
    if isinstance(score, CombinedScore):
        return _combined(score, inputs)
    raise UnsupportedModel(f"A Pipeline in front of {type(score).__name__} is not supported natively.")


def number_behind(
    number: ReportedNumber | None, scores: Sequence[Any], inputs: ModelInputs
) -> ReportedNumber | None:
    """Return what a model reports for values of its scores if the inputs may be off; None if unknown."""
    if number is None or any(_keeps_inputs(score, inputs) for score in scores):
        return None
    bands = np.array([_band(score, inputs) for score in scores])
    return ReportedNumber(_off_by(number.ends, bands)) if bands.any() else number


def _combined(score: CombinedScore, inputs: ModelInputs) -> CombinedScore:
    """Rewrite the parts of a combined score. Its number allows for inputs that may be off."""
    if any(_keeps_inputs(part, inputs) for part in score.parts):
        raise UnsupportedModel(
            "Trees behind transformers whose arithmetic is not known have no bound as a part of an ensemble. "
            "Fit the trees without these transformers."
        )
    bands = np.array([_band(part, inputs) for part in score.parts])
    reported = _off_by(score.reported, bands) if bands.any() else score.reported
    return replace(score.with_parts(lambda part: behind(part, inputs)), reported=reported)


def _keeps_inputs(score: Any, inputs: ModelInputs) -> bool:
    """Return whether a score is a forest over inputs whose order along their columns is not known."""
    if isinstance(score, InputForestScore):
        return True
    if score.flat is None or score.flat.forest is None:
        return False
    feature = score.flat.forest.feature
    return not inputs.proven[np.unique(feature[feature >= 0])].all()


def _band(score: Any, inputs: ModelInputs) -> float:
    """Return how far a score may be off for inputs that may be off; a network allows for it in its layers."""
    if score.flat is None or score.flat.weights is None:
        return 0.0
    loose = ~inputs.proven
    return float(np.abs(score.flat.weights[loose]) @ inputs.off[loose])


def _off_by(ends: Callable[[FloatArray], Ends], bands: FloatArray) -> Callable[[FloatArray], Ends]:
    """Return the ends of a number for values (n, scores) that may be off by bands (scores,)."""

    def wider(values: FloatArray) -> Ends:
        low, high = np.nextafter(values - bands, -np.inf), np.nextafter(values + bands, np.inf)
        return ends(low)[0], ends(high)[1]

    return wider


def _composed(
    inner: Callable[[FloatArray], FloatArray], show: Callable[[FloatArray], FloatArray]
) -> Callable[[FloatArray], FloatArray]:
    return show if inner is seen_as_given else lambda rows: inner(show(rows))


def _sum(score: FlatScore, inputs: ModelInputs) -> FlatScore:
    """Rewrite a weighted sum: its terms are added up column by column."""
    assert score.weights is not None
    maps = inputs.maps
    see = contributions(maps, score.weights, score.see, inputs.limits)
    accept_from, reject_below = widened(score.accept_from, score.reject_below, _band(score, inputs))
    return replace(
        score,
        column_count=maps.column_count,
        weights=np.ones(maps.column_count),
        see=see,
        accept_from=accept_from,
        reject_below=reject_below,
        cuts=_cuts(maps, see),
    )


def _cuts(maps: InputMaps, see: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray | None, ...] | None:
    """Return where each column's contribution changes, if all its inputs are constant in between."""
    ends: list[FloatArray | None] = [np.empty(0)] * maps.column_count
    for input_map in maps.maps_by_input:
        known = ends[input_map.source]
        if input_map.is_category or known is None:
            continue
        pieces = pieces_of(input_map)
        is_steps = pieces is not None and not pieces.directions.any()
        ends[input_map.source] = np.union1d(known, pieces.cuts) if pieces is not None and is_steps else None
    if all(known is None for known in ends):
        return None
    found: list[FloatArray | None] = []
    for column, known in enumerate(ends):
        if known is None or not len(known):
            found.append(known)
            continue
        rows = np.zeros((len(known) + 1, maps.column_count))
        rows[:, column] = np.append(known, _LARGEST)
        found.append(stretches_of(known, see(rows)[:, column]))
    return tuple(found)


def _on_inputs(score: FlatScore, inputs: ModelInputs) -> InputForestScore:
    """Keep a forest over inputs, since it is not known in which order their columns pass its thresholds."""
    assert score.forest is not None
    maps = inputs.maps
    return InputForestScore(
        name=score.name,
        column_count=maps.column_count,
        forest=score.forest,
        offset=score.offset,
        accept_from=score.accept_from,
        reject_below=score.reject_below,
        see=maps.show,
        sources=maps.sources,
        slack=inputs.off,
        limit=inputs.limits,
    )
