"""Lay out the estimate for instances: what each candidate would add to the score of each instance."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Placement
from p2ce.models.estimates.attributions import Attributor
from p2ce.models.estimates.permutation_sampling import BATCH


class Gains(NamedTuple):
    """The estimate for n instances on the grid; a cell's is ``base`` plus the gains of its changes."""

    base: FloatArray  # (n,) the score of the instance, on the scale of the estimate
    gains: FloatArray  # (n, axes, width) φ̄ᵢ(v) − φᵢ(x); 0 at the current value and at forbidden ones
    singles: (
        FloatArray  # (n, axes, width) the model's score of single changes, NaN where it was not evaluated
    )


def lay_out_gains(
    attributor: Attributor,
    table: FloatArray,
    grid: BaseGrid,
    placement: Placement,
    instances: FloatArray,
    *,
    personal: bool,
    base: FloatArray | None = None,
    wanted: BoolArray | None = None,
) -> Gains:
    """Estimate for instances (n, d), rows of the model's columns that are placed on the grid.

    If ``personal`` is True, ``table`` comes from `mean_attributions`, a curve over the candidates. The gain
    of a candidate is the larger of two attributions. The first is how much higher the curve is there than at
    the instance's own value. The second is the attribution of the single change with the instance as the
    background; it equals f(x with v) − f(x) exactly, since all other features stay the same. The second is
    the effect of the change by itself, the first its possible effect after other features have changed.

    ``wanted`` (n, axes, width) marks the candidates whose single change is worth an evaluation, by default
    all. Leave out single changes that the incumbent front dominates: every cell with such a change costs at
    least as much and will not be visited, so the gain does not matter. ``base`` holds the instances' scores
    if they are already known.

    If ``personal`` is False, ``table`` comes from `best_attributions`, and the attribution of the current
    value is the explainer's φᵢ(x), as in the paper. That takes ``attributor.evaluations`` evaluations per
    instance.
    """
    instances = np.asarray(instances, dtype=np.float64)
    if base is None:
        base = attributor.score(instances)
    allowed = _allowed(placement)
    at_candidates = spread_table(table, placement)
    if personal:
        own = _read_curves(table, grid, placement.current)
        evaluated = allowed if wanted is None else allowed & wanted
        singles = _single_changes(attributor, grid, placement, instances, evaluated)
        gains = at_candidates - own[..., None]
        # fmax ignores NaN, which marks what was not evaluated.
        gains = np.fmax(gains, attributor.to_scale(singles) - base[:, None, None])
    else:
        own = attributor.explain(instances)[:, grid.columns]
        singles = np.full(placement.values.shape, np.nan)
        gains = at_candidates - own[..., None]
    return Gains(base=base, gains=np.where(allowed, gains, 0.0), singles=singles)


def spread_table(table: FloatArray, placement: Placement) -> FloatArray:
    """Return the base candidates' numbers (axes, width) at each instance's candidates: (n, axes, width).

    The number at the current value belongs to a neighbouring candidate and has no meaning.
    """
    found: FloatArray = table.ravel()[placement.source]
    return found


def _allowed(placement: Placement) -> BoolArray:
    """Mark the candidates (n, axes, width) that the instance may move to, without the current value."""
    slot = np.arange(placement.values.shape[2], dtype=np.int32)
    inside = (slot >= placement.lowest[..., None]) & (slot <= placement.highest[..., None])
    found: BoolArray = inside & (slot != placement.position[..., None])
    return found


def _read_curves(table: FloatArray, grid: BaseGrid, current: FloatArray) -> FloatArray:
    """Evaluate each axis's curve at the instances' current values: (n, axes)."""
    own = np.empty(current.shape)
    for axis, values in enumerate(grid.values):
        own[:, axis] = np.interp(current[:, axis], values, table[axis, : len(values)])
    return own


def _single_changes(
    attributor: Attributor, grid: BaseGrid, placement: Placement, instances: FloatArray, evaluated: BoolArray
) -> FloatArray:
    """Score every instance with each marked candidate in turn: (n, axes, width), NaN elsewhere."""
    singles = np.full(evaluated.shape, np.nan)
    owner, axis, slot = np.nonzero(evaluated)
    for start in range(0, len(owner), BATCH):
        part = slice(start, start + BATCH)
        instance, where, which = owner[part], axis[part], slot[part]
        rows = instances[instance]
        rows[np.arange(len(rows)), grid.columns[where]] = placement.values[instance, where, which]
        singles[instance, where, which] = attributor.evaluate(rows)
    return singles


def estimated_scores(points: Int32Array, base: float, gains: FloatArray) -> FloatArray:
    """Estimate the scores of an instance's cells (m, axes), from its ``gains`` (axes, width).

    >>> gains = np.array([[0.0, 2.0], [0.5, 0.0]])
    >>> estimated_scores(np.array([[1, 1], [1, 0]], dtype=np.int32), -1.0, gains).tolist()
    [1.0, 1.5]
    """
    added: FloatArray = gains[np.arange(gains.shape[0]), points].sum(axis=1)
    return base + added
