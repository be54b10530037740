"""How much of the cost space does a front dominate? The paper's measure, between 0 and 1."""

import moocore
import numpy as np

from benchmarks.paper.settings import MAX_CHANGES
from benchmarks.paper.study import Study
from p2ce.arrays import FloatArray

REFERENCE_POINT = (
    "Costs are divided by the largest of each objective that any valid answer of any method has for any of "
    "the people of the same data set and model, as the authors' code does, and the volume is that between "
    "the front and the reference point (1, 1, 1). It depends on which methods were run. By the grid, costs "
    "are divided, person by person, by the worst that an allowed action of at most three changes on the grid "
    "can cost (mean distance: the three longest moves together; largest distance: the longest move) and the "
    "number of changes by four, so that every allowed answer counts; that depends on no method."
)


def hypervolume(costs: FloatArray, worst: FloatArray) -> float:
    """The share of the box from 0 to ``worst`` (m,) that some row of ``costs`` (n, m) dominates."""
    inside = costs[(costs < worst).all(axis=1)]
    if not len(inside):
        return 0.0
    return float(moocore.hypervolume(inside / worst, ref=np.ones(len(worst))))


def worst_on_grid(study: Study, person: FloatArray) -> FloatArray:
    """The least costs that no allowed action on the grid reaches in all objectives at once: (3,)."""
    columns = study.train.columns
    moves = {
        feature.name: float(np.abs(feature.candidates() - person[columns.get_loc(feature.name)]).max())
        for feature in study.actions.features
        if not feature.fixed and len(feature.candidates())
    }
    lengths = np.array([moves.get(name, 0.0) for name in columns])
    scaled = lengths / study.deviation
    longest = scaled if study.settings.scaled_maximum else lengths
    return np.array([np.sort(scaled)[-MAX_CHANGES:].sum() / len(columns), longest.max(), MAX_CHANGES + 1])
