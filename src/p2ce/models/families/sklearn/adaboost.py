"""Parse scikit-learn's AdaBoostClassifier over decision trees: every tree votes for a class with its weight.

A tree votes for the class of the leaf that a row reaches. So the decision value is a sum over trees, added in
the order of the trees, and divided by the sum of the weights. Of two classes, it counts twice: for the second
class and against the first. A probability is the softmax of the decision values.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class
from p2ce.engine.scores.combined.combination import Combination, Ends, joined, minus, through
from p2ce.engine.scores.error_bands import logistic, summation_error
from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.assemble import assemble_forest, largest_leaves
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.ensemble import Ensemble, Members, certify_ensemble
from p2ce.models.decisions.adapter import DECISION, PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import (
    estimator_call,
    estimator_columns,
    require_fitted,
    tree_nodes,
)
from p2ce.models.fitted import require_library_class, require_numbers

FAMILY = "scikit-learn AdaBoostClassifier"
_NAMES = frozenset({"AdaBoostClassifier"})
_TREES = frozenset({"DecisionTreeClassifier", "ExtraTreeClassifier"})
_SLACK = 64.0  # half units by which exp, sum and quotient of a softmax may be off


def recognises(model: object) -> bool:
    """Return whether a model is scikit-learn's AdaBoostClassifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the trees, whose leaves hold the weights of their votes."""
    require_library_class(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    columns = estimator_columns(model, request.reference)[0]
    require_numbers(request, columns, name=f"A {FAMILY}")
    voters = list(model.estimators_)
    for one in voters:
        require_library_class(one, root="sklearn", names=_TREES)
    weights = np.asarray(model.estimator_weights_, dtype=np.float64)[: len(voters)]
    classes = plain_classes(model.classes_)
    if not (np.isfinite(weights).all() and float(model.estimator_weights_.sum()) > 0.0):
        raise UnsupportedModel(f"The weights of this {FAMILY} must be numbers, and their sum above 0.")
    count = len(classes)

    def decision(index: int) -> Combination:
        if count == 2:
            second = _votes(model, voters, weights, classes, 1, len(columns))
            return second if index == 1 else minus(second)
        return _votes(model, voters, weights, classes, index, len(columns))

    def probability(index: int) -> Combination:
        if count == 2:
            return through(decision(index), logistic(complement=False, slack=_SLACK))
        others = [minus(decision(at)) for at in range(count) if at != index]
        return joined([decision(index), *others], _softmax(count))

    ensemble = Ensemble(
        family=f"{FAMILY} of {len(voters)} trees",
        members=Members(request=request, columns=columns),
        names=classes,
        calls={
            PROBABILITY: estimator_call(model, "predict_proba", request.reference),
            DECISION: estimator_call(model, "decision_function", request.reference),
        },
        numbers={PROBABILITY: probability, DECISION: decision},
        compared=DECISION,
    )
    return certify_ensemble(ensemble, request)


def _votes(
    model: Any, voters: Sequence[Any], weights: FloatArray, classes: Sequence[Any], index: int, columns: int
) -> Combination:
    """Return the decision value of a class, or of the second one of two: the sum of all votes."""
    others = -1.0 / (len(classes) - 1)
    nodes = []
    for one, weight in zip(voters, weights.tolist(), strict=True):
        votes = np.asarray(one.classes_)[one.tree_.value[:, 0, :].argmax(axis=1)] == model.classes_[index]
        nodes.append(tree_nodes(one.tree_, np.where(votes, weight, others * weight)))
    forest = assemble_forest(nodes)
    whole, times = float(model.estimator_weights_.sum()), 2.0 if len(classes) == 2 else 1.0

    def ends(values: FloatArray) -> Ends:
        decision = times * (values[:, 0] / whole)
        return decision, decision

    slope, largest = times / whole, float(largest_leaves(forest).sum())
    part = FlatScore(
        name="model", column_count=columns, forest=forest, accept_from=np.inf, reject_below=-np.inf
    )
    return Combination(parts=(part,), reported=ends, slope=slope, error=2.0**-50 * slope * largest)


def _softmax(count: int) -> Callable[[FloatArray], Ends]:
    """Return the share of a class for its decision value and minus those of the others."""
    relative = summation_error(count + 8, 1.0) * 4.0 + _SLACK * 2.0**-53

    def ends(values: FloatArray) -> Ends:
        behind = (-values[:, 1:] - values[:, [0]]) / (count - 1)
        share = 1.0 / (1.0 + np.exp(behind).sum(axis=1))
        # The exponents are rounded relative to the largest decision value, which is at most 1.
        return share * (1.0 - relative), np.minimum(share * (1.0 + relative), 1.0)

    return ends
