"""Run OCEAN, in its own environment: python run_ocean.py <folder> <first person>.

OCEAN finds the nearest counterfactual in L₁ on its own scale, with a proof. It has no setting for fixed
features. But its explainer is a CP-SAT model that accepts further constraints: here, the fixed features and
the ranges. The number of changes has no limit, as for the other peers.
"""

from typing import Any

import numpy as np
from ocean import ConstraintProgrammingExplainer
from ocean.feature import parse_features
from ortools.sat.python import cp_model
from portable_model import read_object
from question import Peer, Question, Read, Search, answer

NO_LIMIT = 86_400  # seconds; by default, OCEAN stops after a minute
OF_THE_LIMIT = 0.9  # for the solver; the rest is for building the model of a person


class Scale:
    """OCEAN's own scale: yes-or-no columns are 0 and 1, all others are between −0.5 and 0.5."""

    def __init__(self, question: Question) -> None:
        rows = question.train.to_numpy()
        self.low = rows.min(axis=0)
        self.width = rows.max(axis=0) - self.low
        self.varies = self.width > 0  # OCEAN drops constant columns, and no forest splits on them
        self.width[~self.varies] = 1.0
        self.is_binary = np.array([len(np.unique(column)) == 2 for column in rows.T])
        self.is_whole = np.isin(question.columns, question.whole)
        self.shift = np.where(self.is_binary, 0.0, 0.5)

    def to_ocean(self, values: np.ndarray) -> np.ndarray:  # (…, d) → (…, d)
        return (values - self.low) / self.width - self.shift

    def from_ocean(self, values: np.ndarray) -> np.ndarray:  # (d,) → (d,)
        return (values + self.shift) * self.width + self.low

    def beyond(self, values: np.ndarray, person: np.ndarray) -> np.ndarray:
        """Round whole columns to the next number, since OCEAN stops just beyond a threshold (d,) → (d,)."""
        whole = np.where(values > person, np.ceil(values), np.floor(values))
        return np.where(self.is_binary, np.rint(values), np.where(self.is_whole, whole, values))


def prepare(question: Question) -> Peer:
    """Convert the forest to OCEAN's scale, with the same scores, and build the solver's model."""
    scale = Scale(question)
    varying = np.flatnonzero(scale.varies)
    _, mapper = parse_features(question.train, drop_na=False)
    for place in varying[~scale.is_binary[varying]]:  # people may be outside the training rows
        beyond = scale.to_ocean(question.people)[:, place]
        mapper[question.columns[place]].add(min(-1.0, beyond.min() - 0.5), max(1.0, beyond.max() + 0.5))
    forest = rescaled(read_object(question.folder), scale, varying)
    explainer = ConstraintProgrammingExplainer(forest, mapper=mapper)
    limit = question.seconds_per_person
    max_time = NO_LIMIT if limit is None else OF_THE_LIMIT * limit

    def peer(person: np.ndarray, seed: int) -> tuple[Search, Read]:
        explainer.cleanup()  # after a failed call
        constrain(explainer, person, scale, question)
        query = scale.to_ocean(person)[varying]

        def search() -> np.ndarray | None:
            # OCEAN uses one worker per core by default.
            found = explainer.explain(query, y=1, norm=1, max_time=max_time, random_seed=seed)
            return None if found is None else found.x

        def read(found: np.ndarray | None) -> list[list[float]]:
            if found is None:
                if explainer.get_solving_status() == "UNKNOWN":
                    raise TimeoutError("found nothing within the time limit")
                return []
            answered = scale.to_ocean(person)
            answered[varying] = found
            moved = np.zeros(len(person), bool)
            moved[varying] = found != query
            return [np.where(moved, scale.beyond(scale.from_ocean(answered), person), person).tolist()]

        return search, read

    return peer


def rescaled(forest: Any, scale: Scale, varying: np.ndarray) -> Any:
    """Convert every threshold of the forest, which is a copy, to OCEAN's scale."""
    place = np.full(len(scale.low), -1)
    place[varying] = np.arange(len(varying))
    for estimator in forest.estimators_:
        tree = estimator.tree_
        splits = tree.children_left != tree.children_right
        columns, thresholds = tree.feature[splits], tree.threshold[splits]
        # Whole numbers are on the same side of ⌊t⌋ + ½ as of t, and one is between any two of these.
        thresholds = np.where(scale.is_whole[columns], np.floor(thresholds) + 0.5, thresholds)
        tree.threshold[splits] = (thresholds - scale.low[columns]) / scale.width[columns] - scale.shift[
            columns
        ]
        tree.feature[splits] = place[columns]
    return forest


def constrain(explainer: Any, person: np.ndarray, scale: Scale, question: Question) -> None:
    """Keep fixed columns unchanged, and changed ones in their ranges, until the next clean-up."""
    for place, column in enumerate(np.flatnonzero(scale.varies).tolist()):
        name = question.columns[column]
        values, now = reachable(explainer.mapper[name], person, scale, column)
        low, high = question.ranges.get(name, (np.inf, -np.inf))
        allowed = [j for j, value in enumerate(values) if j == now or low <= value <= high]
        if len(allowed) < len(values):
            domain = cp_model.Domain.FromValues(allowed)
            explainer.add_garbage(explainer.AddLinearExpressionInDomain(explainer.vget(place), domain))


def reachable(feature: Any, person: np.ndarray, scale: Scale, column: int) -> tuple[np.ndarray, int]:
    """Return the value of each of OCEAN's choices for a column, and the choice that keeps it unchanged."""
    low, width, shift = scale.low[column], scale.width[column], scale.shift[column]
    scaled = (person[column] - low) / width - shift
    if feature.is_binary:
        return np.array([low, low + width]), round(scaled)
    levels = np.asarray(feature.levels)
    edges = (levels + shift) * width + low
    now = int(np.searchsorted(levels, scaled)) - 1
    nearest = np.where(np.arange(len(levels) - 1) > now, edges[:-1], edges[1:])
    if scale.is_whole[column]:
        nearest = np.where(nearest > person[column], np.ceil(nearest), np.floor(nearest))
    return nearest, now


if __name__ == "__main__":
    answer(prepare, packages=("oceanpy", "ortools", "numpy", "scikit-learn"))
