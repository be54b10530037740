"""Read scikit-learn's single trees and averaged forests, classifiers and regressors."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from p2ce.adapters.library import library_class
from p2ce.arrays import BoolArray, FloatArray
from p2ce.decisions.model_adapter import (
    LEAD,
    PROBABILITY,
    ModelAdapter,
    Request,
    class_index,
    plain_classes,
    probability_threshold,
)
from p2ce.decisions.targets import (
    class_ask,
    negated,
    range_ends,
    range_model,
    read_range,
    refuse_scale,
    wins_ask,
)
from p2ce.errors import UnsupportedModel
from p2ce.models.sklearn.fitted_attributes import (
    asks_all,
    asks_number,
    columns_of,
    positions_that_may_miss,
    require_fitted,
    require_numbers,
    require_own,
    tree_nodes,
)
from p2ce.scores.assemble import assemble_forest, largest_leaves
from p2ce.scores.error_bands import exactly, summation_error, sure_and_maybe, widened
from p2ce.scores.forest import Forest
from p2ce.scores.score import CompiledScore

_FAMILIES = {
    "DecisionTreeClassifier": "scikit-learn decision tree",
    "ExtraTreeClassifier": "scikit-learn extra tree",
    "RandomForestClassifier": "scikit-learn random forest",
    "ExtraTreesClassifier": "scikit-learn extra trees",
    "DecisionTreeRegressor": "scikit-learn decision tree",
    "ExtraTreeRegressor": "scikit-learn extra tree",
    "RandomForestRegressor": "scikit-learn random forest",
    "ExtraTreesRegressor": "scikit-learn extra trees",
}
_NAMES = frozenset(_FAMILIES)
_GRAIN = 24  # leaf values that are multiples of 2**-24 add up without rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mean:
    """A mean over trees: the leaves are added from zero in float64 and the sum is divided once."""

    family: str
    columns: tuple[str, ...]
    trees: tuple[Any, ...]  # scikit-learn's ``tree_`` of each member
    in_order: bool  # one thread adds them; several add as they finish, in any order
    may_miss: BoolArray | None

    def forest(self, values: list[FloatArray]) -> Forest:
        """Put the trees together, with these leaf values, (nodes,) per tree."""
        pairs = zip(self.trees, values, strict=True)
        return assemble_forest([tree_nodes(tree, value, self.may_miss) for tree, value in pairs])

    def score(self, forest: Forest, accept_from: float, reject_below: float) -> CompiledScore:
        return CompiledScore(
            name="model",
            column_count=len(self.columns),
            forest=forest,
            accept_from=accept_from,
            reject_below=reject_below,
        )

    def doubt(self, forest: Forest) -> float:
        """Bound how far the library's sum may be from ours: not at all if both add in the same order."""
        if self.in_order:
            return 0.0
        return 2.0 * summation_error(len(self.trees), float(largest_leaves(forest).sum()))

    def divided(self, total: float) -> float:
        return total / len(self.trees)


def recognises(model: object) -> bool:
    """Tell a scikit-learn tree or averaged forest."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ModelAdapter:
    """Read what the leaves hold: a share of each class, or a number."""
    kind = require_own(model, root="sklearn", names=_NAMES).__name__
    family = _FAMILIES[kind]
    require_fitted(model)
    if getattr(model, "n_outputs_", 1) != 1:
        raise UnsupportedModel(
            f"This {family} predicts {model.n_outputs_} outputs at once. Fit one model for each."
        )
    columns, _ = columns_of(model, request.reference)
    members = getattr(model, "estimators_", [model])
    takes_missing = bool(members[0].__sklearn_tags__().input_tags.allow_nan)
    require_numbers(request, columns, name=f"A {family}", takes_missing=takes_missing)
    mean = _Mean(
        family=family,
        columns=columns,
        trees=tuple(one.tree_ for one in members),
        in_order=len(members) <= 2 or effective_n_jobs(model.n_jobs) == 1,
        may_miss=positions_that_may_miss(columns, request),
    )
    if kind.endswith("Regressor"):
        return _read_number(model, mean, request)
    refuse_scale(request, (PROBABILITY,), name=family)
    classes = plain_classes(model.classes_)
    index = class_index(classes, request.target)
    if len(classes) > 2 and request.threshold is None:
        return _read_winner(model, mean, request, classes, index)
    return _read_probability(model, mean, request, classes, index)


def _read_probability(
    model: Any, mean: _Mean, request: Request, classes: tuple[Any, ...], index: int
) -> ModelAdapter:
    """Read the share of one class, which is a sum of its own whatever the number of classes."""
    forest = mean.forest([tree.value[:, 0, index] for tree in mean.trees])
    threshold = probability_threshold(request.threshold)
    accept_from, reject_below = sure_and_maybe(exactly(mean.divided), threshold)
    return ModelAdapter(
        family=mean.family,
        score=mean.score(forest, *widened(accept_from, reject_below, mean.doubt(forest))),
        columns=mean.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=class_ask(asks_all(model, "predict_proba", request.reference), index),
        report=lambda scores: np.asarray(scores / len(mean.trees)),
        tolerance=1e-12,
    )


def _read_winner(
    model: Any, mean: _Mean, request: Request, classes: tuple[Any, ...], index: int
) -> ModelAdapter:
    """Read that one class has the largest share: a score for each other class, the difference to it."""
    scores = []
    for other in range(len(classes)):
        if other == index:
            continue
        forest = mean.forest([tree.value[:, 0, index] - tree.value[:, 0, other] for tree in mean.trees])
        scores.append(mean.score(forest, *_ahead(mean, index, other)))
    ask_all = asks_all(model, "predict_proba", request.reference)
    return ModelAdapter(
        family=mean.family,
        score=scores[0],
        also=tuple(scores[1:]),
        columns=mean.columns,
        scale=LEAD,
        threshold=0.0,
        classes=classes,
        ask=wins_ask(ask_all, index),
        report=None,
        tolerance=1e-12,
        predict=class_ask(ask_all, index),
    )


def _ahead(mean: _Mean, index: int, other: int) -> tuple[float, float]:
    """Say which differences of two sums of shares surely, or maybe, put one class ahead of another.

    Floats that differ never subtract to zero, so that one tree's difference has the right sign. Shares on
    a coarse grid, such as the whole ones of full-grown trees, add up exactly in any order, and so do their
    differences; sums that differ then still differ after the division. At a tie the earlier class wins.
    """
    count = len(mean.trees)
    leaves = [tree.value[tree.children_left < 0, 0] for tree in mean.trees]  # (leaves, classes) each
    shares = np.concatenate(leaves)[:, [index, other]]
    grains = np.ldexp(shares, _GRAIN)
    if count == 1 or (count < 2**_GRAIN and bool((grains == np.rint(grains)).all())):
        first = 0.0 if index < other else math.nextafter(0.0, 1.0)
        return first, first
    # The library's two sums and our one of differences, each rounded first; and the library's division.
    largest = count * float(np.abs(shares).max(initial=0.0))
    band = 3.0 * summation_error(count + 4, 2.0 * largest)
    return math.nextafter(band, math.inf), math.nextafter(-band, -math.inf)


def _read_number(model: Any, mean: _Mean, request: Request) -> ModelAdapter:
    """Read that the mean of the trees' numbers lies in a range."""
    wanted = read_range(request, name=mean.family)
    forest = mean.forest([tree.value[:, 0, 0] for tree in mean.trees])
    ends = range_ends(wanted, exactly(mean.divided), band=mean.doubt(forest))
    scores = [
        mean.score(forest if end.sign > 0.0 else negated(forest), end.accept_from, end.reject_below)
        for end in ends
    ]
    sign, count = ends[0].sign, len(mean.trees)
    predict = asks_number(model, "predict", request.reference)
    return range_model(
        wanted,
        scores,
        family=mean.family,
        columns=mean.columns,
        predict=predict,
        report=lambda found: wanted.leads(sign * found / count),
        tolerance=1e-12 * max(1.0, float(largest_leaves(forest).max())),
    )
