"""Parse scikit-learn's single trees and averaged forests, classifiers and regressors."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from p2ce.base.arrays import BoolArray
from p2ce.base.calls.library import library_class
from p2ce.engine.scores.error_bands import exactly, summation_error
from p2ce.engine.scores.trees.assemble import assemble_forest, largest_leaves
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins
from p2ce.models.contract.margins import ClassOutputs, NumberOutput, OutputLink, ParsedModel
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import (
    estimator_call,
    estimator_columns,
    number_call,
    require_fitted,
    tree_nodes,
)
from p2ce.models.fitted import nullable_columns, require_library_class, require_numbers

_FAMILIES = {
    f"{name}{kind}": f"scikit-learn {words}"
    for kind in ("Classifier", "Regressor")
    for name, words in {
        "DecisionTree": "decision tree",
        "ExtraTree": "extra tree",
        "RandomForest": "random forest",
        "ExtraTrees": "extra trees",
    }.items()
}
_NAMES = frozenset(_FAMILIES)
_GRAIN = 24  # leaf values that are multiples of 2**-24 add up without rounding


def recognises(model: object) -> bool:
    """Return whether a model is a scikit-learn tree or averaged forest."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the leaves, which hold the share of each class or a number; a margin is a sum over the trees.

    The library adds the leaves from zero in float64, and divides the sum once by the number of trees.
    """
    kind = require_library_class(model, root="sklearn", names=_NAMES).__name__
    family = _FAMILIES[kind]
    require_fitted(model)
    if getattr(model, "n_outputs_", 1) != 1:
        raise UnsupportedModel(
            f"This {family} predicts {model.n_outputs_} outputs at once. Fit one model for each."
        )
    columns, _ = estimator_columns(model, request.reference)
    members = getattr(model, "estimators_", [model])
    takes_missing = bool(members[0].__sklearn_tags__().input_tags.allow_nan)
    require_numbers(request, columns, name=f"A {family}", takes_missing=takes_missing)
    trees = [one.tree_ for one in members]
    # One thread adds the trees in order; several threads add them in any order, as they finish. Two numbers
    # have the same sum in both orders. joblib may be set to use several threads by the time of a call.
    alone = len(members) > 2 and effective_n_jobs(model.n_jobs) == 1
    in_order = len(members) <= 2 or alone
    nullable = nullable_columns(columns, request)
    regresses = kind.endswith("Regressor")
    classes = () if regresses else plain_classes(model.classes_)
    margins = ForestMargins(
        columns=columns,
        count=max(1, len(classes)),
        parse=partial(_margin, trees, nullable, in_order),
        precision=1e-12,
        share_trees=True,
    )
    count = len(trees)
    mean = OutputLink(
        exactly(lambda total: total / count), lambda totals: np.asarray(totals / count), 1.0 / count
    )
    if regresses:
        predict = replace(number_call(model, "predict", request.reference), alone=alone)
        return ParsedModel(family=family, margins=margins, outputs=NumberOutput(predict=predict, link=mean))
    return ParsedModel(
        family=family,
        margins=margins,
        outputs=ClassOutputs(
            names=classes,
            probabilities=replace(estimator_call(model, "predict_proba", request.reference), alone=alone),
            link=lambda _: mean,
            ahead=partial(_ahead, trees),
            each_alone=True,
        ),
    )


def _margin(trees: Sequence[Any], nullable: BoolArray | None, in_order: bool, place: int) -> ForestMargin:
    """Parse the sum of one class's shares, or of the numbers in the leaves."""
    forest = assemble_forest([tree_nodes(tree, tree.value[:, 0, place], nullable) for tree in trees])
    rounding = summation_error(len(trees), float(largest_leaves(forest).sum()))
    return ForestMargin(forest=forest, band=0.0 if in_order else 2.0 * rounding)


def _ahead(trees: Sequence[Any], index: int, other: int, _: float) -> tuple[float, float]:
    """Certify which differences of two sums of shares put one class ahead of another.

    The difference of two different floats is never zero, so one tree's difference has the right sign. Shares
    on a coarse grid, such as the whole numbers of fully grown trees, add up exactly in any order, and so do
    their differences. Sums that differ still differ after the division. In a tie, the earlier class wins.
    """
    count = len(trees)
    leaves = [tree.value[tree.children_left < 0, 0] for tree in trees]  # (leaves, classes) each
    shares = np.concatenate(leaves)[:, [index, other]]
    grains = np.ldexp(shares, _GRAIN)
    if count == 1 or (count < 2**_GRAIN and bool((grains == np.rint(grains)).all())):
        first = 0.0 if index < other else math.nextafter(0.0, 1.0)
        return first, first
    # The library's two sums and our sum of differences, each of which is rounded first; and its division.
    largest = count * float(np.abs(shares).max(initial=0.0))
    band = 3.0 * summation_error(count + 4, 2.0 * largest)
    return math.nextafter(band, math.inf), math.nextafter(-band, -math.inf)
