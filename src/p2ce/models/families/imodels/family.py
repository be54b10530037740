"""Parse imodels: RuleFit and SkopeRules, sums of trees (FIGS), and single trees, shrunk or not."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.library import library_class
from p2ce.base.calls.model_call import ModelCall
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.tree_nodes import LEAF, TreeNodes, parsing
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins, forest_of
from p2ce.models.contract.margins import IDENTITY, ClassOutputs, NumberOutput, ParsedModel, quotient_link
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.certified_thresholds import margin_wins
from p2ce.models.decisions.row_format import array_dtype, row_format
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.imodels.sum_of_rules import parse_rule_fit, parse_skope
from p2ce.models.families.sklearn.estimator import (
    estimator_call,
    estimator_columns,
    number_call,
    require_fitted,
    tree_nodes,
)
from p2ce.models.fitted import require_library_class, require_numbers

FAMILY = "imodels"
_RULE_FIT, _SKOPE = ("RuleFitClassifier", "RuleFitRegressor"), "SkopeRulesClassifier"
_FIGS = ("FIGSClassifier", "FIGSRegressor")
_GREEDY = ("GreedyTreeClassifier", "GreedyTreeRegressor")
_SHRUNK = ("HSTreeClassifier", "HSTreeRegressor")
_NAMES = frozenset({*_RULE_FIT, _SKOPE, *_FIGS, *_GREEDY, *_SHRUNK})
_ONE_TREE = frozenset({"DecisionTreeClassifier", "DecisionTreeRegressor"})


def recognises(model: object) -> bool:
    """Return whether a model is one of imodels' sums of rules or trees."""
    return library_class(model, root="imodels", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the rules or trees by the kind of model."""
    kind = require_library_class(model, root="imodels", names=_NAMES).__name__
    require_fitted(model)
    family, regresses = f"{FAMILY} ({kind})", kind.endswith("Regressor")
    columns, _ = estimator_columns(model, request.reference)
    require_numbers(request, columns, name=f"An {FAMILY} model")
    if kind in _GREEDY or kind in _SHRUNK:
        return _single_tree(model, request, columns, family=family, regresses=regresses)
    if array_dtype(request.reference[request.reference.columns]) == np.float32:
        raise UnsupportedModel(
            f"{family} compares rows in float32 with thresholds in float32, which is not supported natively. "
            "Pass the reference in float64."
        )
    if kind in _RULE_FIT:
        return parse_rule_fit(model, request, columns, family=family, regresses=regresses)
    if kind == _SKOPE:
        return parse_skope(model, request, columns, family=family)
    return _sum_of_trees(model, request, columns, family=family, regresses=regresses)


def _single_tree(
    model: Any, request: ParseRequest, columns: tuple[str, ...], *, family: str, regresses: bool
) -> ParsedModel:
    """Parse one scikit-learn tree, whose leaves hold what is reported."""
    tree_of = getattr(model, "estimator_", model)
    if tree_of is not model and library_class(tree_of, root="sklearn", names=_ONE_TREE) is None:
        raise UnsupportedModel(
            f"{family} is supported natively around a single tree, got {type(tree_of).__name__}. Leave out "
            "estimator_, or pass a DecisionTreeClassifier."
        )
    tree = tree_of.tree_
    with parsing(f"This {family}"):
        reported = np.array(tree.value[:, 0, :], dtype=np.float64)
        if tree_of is not model and not regresses:
            reported = _normalized(reported)
    margins = ForestMargins(
        columns=columns,
        count=reported.shape[1],
        parse=lambda place: ForestMargin(forest=assemble_forest([tree_nodes(tree, reported[:, place])])),
        precision=1e-12,
        share_trees=True,
    )
    return _parsed(model, request, margins, family=family, regresses=regresses)


def _normalized(shares: FloatArray) -> FloatArray:
    """Repeat what a shrunk classifier does with the shares of a leaf: (leaves, classes)."""
    clipped = np.clip(shares, 0, 1)
    sums = clipped.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(sums > 0, clipped / sums, 1 / shares.shape[1]))


def _parsed(
    model: Any, request: ParseRequest, margins: ForestMargins, *, family: str, regresses: bool
) -> ParsedModel:
    if regresses:
        predict = _calling(number_call(model, "predict", request.reference), model, margins, request)
        return ParsedModel(family=family, margins=margins, outputs=NumberOutput(predict=predict))
    return ParsedModel(
        family=family,
        margins=margins,
        outputs=ClassOutputs(
            names=plain_classes(model.classes_),
            probabilities=_calling(
                estimator_call(model, "predict_proba", request.reference), model, margins, request
            ),
            link=lambda _: IDENTITY,
            ahead=margin_wins,
            each_alone=True,
        ),
    )


def _calling(call: ModelCall, model: Any, margins: ForestMargins, request: ParseRequest) -> ModelCall:
    """Call a shrunk tree with an array: imodels fits the tree inside on one, and it warns of a frame."""
    if not hasattr(model, "estimator_"):
        return call
    return replace(call, rows=row_format(margins.columns, request.reference, named=False))


def _sum_of_trees(
    model: Any, request: ParseRequest, columns: tuple[str, ...], *, family: str, regresses: bool
) -> ParsedModel:
    """Parse FIGS: sums over trees, one per class, and a softmax of these."""
    if getattr(model, "categorical_features_", None) or hasattr(model, "_encoder"):
        raise UnsupportedModel(
            f"{family} with categorical_features encodes columns itself, which is not supported natively. "
            "Put an encoder in front of it, in a Pipeline."
        )
    count = int(model.n_outputs)
    with parsing(f"This {family}"):
        shapes = [_nodes(root, count) for root in model.trees_]
    if regresses and count != 1:
        raise UnsupportedModel(f"{family} predicts {count} numbers at once. Fit one model for each.")

    def margin(place: int) -> ForestMargin:
        forest = forest_of([tree_of(place) for tree_of in shapes])
        error = summation_error(len(shapes) + 1, ForestMargin(forest=forest).largest)
        return ForestMargin(forest=forest, error=error, band=2.0 * error)

    margins = ForestMargins(columns=columns, count=count, parse=margin, precision=1e-9, share_trees=True)
    if regresses:
        return _parsed(model, request, margins, family=family, regresses=True)
    # predict chooses the largest sum. Two of them may have the same probability.
    sums = replace(estimator_call(model, "predict", request.reference), method=partial(_sums_of, model))
    return ParsedModel(
        family=family,
        margins=margins,
        outputs=ClassOutputs(
            names=plain_classes(model.classes_),
            probabilities=estimator_call(model, "predict_proba", request.reference),
            largest=sums,
            link=quotient_link(),
            ahead=margin_wins,
        ),
    )


def _sums_of(model: Any, rows: Any) -> FloatArray:
    """Return the sum over the trees for each class: (n, classes)."""
    return np.asarray(np.sum(model.predict(rows, by_tree=True), axis=-1))


def _nodes(root: Any, count: int) -> Any:
    """Flatten a tree of FIGS, whose rows are compared in float64; return its nodes for an output."""
    nodes, left, right = [root], [], []
    for node in nodes:  # the list grows during the loop
        if (node.left is None) != (node.right is None):
            raise ValueError("a node with one child")
        if node.left is None:
            left.append(LEAF)
            right.append(LEAF)
            continue
        left.append(len(nodes))
        right.append(len(nodes) + 1)
        nodes += [node.left, node.right]
    inner = np.array(left) != LEAF
    values = np.zeros((len(nodes), count))
    for at in np.flatnonzero(~inner).tolist():
        values[at] = np.asarray(nodes[at].value, dtype=np.float64).reshape(count)
    return partial(
        _of_output,
        np.array(left, dtype=np.int64),
        np.array(right, dtype=np.int64),
        np.array([int(node.feature) if split else 0 for node, split in zip(nodes, inner, strict=True)]),
        np.array([float(node.threshold) if split else 0.0 for node, split in zip(nodes, inner, strict=True)]),
        values,
    )


def _of_output(
    left: IntArray, right: IntArray, feature: IntArray, threshold: FloatArray, values: FloatArray, place: int
) -> TreeNodes:
    return TreeNodes(left=left, right=right, feature=feature, threshold=threshold, value=values[:, place])
