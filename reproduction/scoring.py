"""Evaluate every counterfactual again: model, detector, judges, constraints, costs and hypervolume."""

import json

import moocore
import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.policy.features.feature import FeaturePolicy, Kind
from reproduction.settings import MAX_CHANGES, THRESHOLD
from reproduction.study import Study

COSTS = ("mean_distance", "max_distance", "changes")


def judge_answers(study: Study, before: FloatArray, rows: FloatArray) -> pd.DataFrame:
    """Return one row per counterfactual (n, d) of the person in the same row of ``before`` (n, d)."""
    columns, features = list(study.train.columns), study.policy.features
    if not len(rows):
        return pd.DataFrame(columns=[*COSTS, *VERDICTS])
    frame = pd.DataFrame(rows, columns=columns)
    pairs = list(zip(before, rows, strict=True))
    broken = [broken_constraints(features, person, row) for person, row in pairs]
    costs = costs_of(study, before, rows)
    scores = study.scores(rows)
    return pd.DataFrame(
        {
            **{name: costs[:, place] for place, name in enumerate(COSTS)},
            "score": scores,
            "valid": scores >= THRESHOLD,
            "plausible": study.is_plausible(rows),
            "outlier": study.judge.is_outlier(frame),
            "outlier_axis_parallel": study.judge_axis_parallel.is_outlier(frame),
            "allowed": [not reasons for reasons in broken],
            "broken": ["; ".join(reasons) for reasons in broken],
            "on_grid": [is_on_grid(features, person, row) for person, row in pairs],
            "values": [json.dumps(dict(zip(columns, row, strict=True))) for row in rows.tolist()],
        }
    )


VERDICTS = (
    "score",
    "valid",
    "plausible",
    "outlier",
    "outlier_axis_parallel",
    "allowed",
    "broken",
    "on_grid",
    "values",
)


def costs_of(study: Study, before: FloatArray, rows: FloatArray) -> FloatArray:
    """Compute c₁, c₂ and c₃ of the paper by their plain formulas: (n, 3)."""
    moved = np.abs(rows - before)
    scaled = moved / study.deviation
    longest = scaled if study.settings.scaled_maximum else moved
    return np.column_stack([scaled.mean(axis=1), longest.max(axis=1), (moved > 0).sum(axis=1)])


def broken_constraints(features: tuple[FeaturePolicy, ...], person: FloatArray, row: FloatArray) -> list[str]:
    """Name each broken constraint: fixed features, ranges, whole numbers, the number of changes."""
    broken = []
    for feature, before, after in zip(features, person.tolist(), row.tolist(), strict=True):
        if after == before:
            continue
        if feature.fixed:
            broken.append(f"immutable: {feature.name}")
        elif not feature.low <= after <= feature.high:
            broken.append(f"range: {feature.name}")
        elif feature.kind is not Kind.NUMBER and not float(after).is_integer():
            broken.append(f"whole: {feature.name}")
    changes = int((row != person).sum())
    if changes > MAX_CHANGES:
        broken.append(f"changes: {changes} > {MAX_CHANGES}")
    if changes == 0:
        broken.append("changes: none")
    return broken


def is_on_grid(features: tuple[FeaturePolicy, ...], person: FloatArray, row: FloatArray) -> bool:
    """Check whether every changed value is a candidate of its feature."""
    return all(
        after == before or (not feature.fixed and bool((feature.candidates() == after).any()))
        for feature, before, after in zip(features, person.tolist(), row.tolist(), strict=True)
    )


REFERENCE_POINT = (
    "Costs are divided by the largest cost of each objective among all valid counterfactuals of all methods "
    "for the same data set and model, as in the authors' code. The volume is that between the front and the "
    "reference point (1, 1, 1), so it depends on which methods were run. “By the grid” divides the costs of "
    "each person by the largest that an allowed action of at most three changes on the grid can cost (mean "
    "distance: the three longest moves together; largest distance: the longest move), and the number of "
    "changes by four, so every allowed counterfactual counts. It depends on no method."
)


def hypervolume(costs: FloatArray, worst: FloatArray) -> float:
    """Return the share of the box from 0 to ``worst`` (m,) that the rows of ``costs`` (n, m) dominate."""
    inside = costs[(costs < worst).all(axis=1)]
    if not len(inside):
        return 0.0
    return float(moocore.hypervolume(inside / worst, ref=np.ones(len(worst))))


def worst_on_grid(study: Study, person: FloatArray) -> FloatArray:
    """Return upper limits of the costs (3,) of all allowed actions on the grid."""
    columns = study.train.columns
    moves = {
        feature.name: float(np.abs(feature.candidates() - person[columns.get_loc(feature.name)]).max())
        for feature in study.policy.features
        if not feature.fixed and len(feature.candidates())
    }
    lengths = np.array([moves.get(name, 0.0) for name in columns])
    scaled = lengths / study.deviation
    longest = scaled if study.settings.scaled_maximum else lengths
    return np.array([np.sort(scaled)[-MAX_CHANGES:].sum() / len(columns), longest.max(), MAX_CHANGES + 1])
