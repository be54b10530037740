"""Parse models that are sums of rules: a rule is a tree that adds its weight where all its terms hold."""

from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import exactly, summation_error
from p2ce.engine.scores.trees.tree_nodes import TreeBuilder, TreeNodes, parsing
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins, forest_of
from p2ce.models.contract.margins import ClassOutputs, NumberOutput, OutputLink, ParsedModel, quotient_link
from p2ce.models.contract.summed_parts import TreesAndColumns
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import estimator_call, number_call

_OF_A_COLUMN = "X_"  # imodels names column i X_i in the rules that it evaluates


def parse_rule_fit(
    model: Any, request: ParseRequest, columns: tuple[str, ...], *, family: str, regresses: bool
) -> ParsedModel:
    """Parse RuleFit: the weights of the rules that hold, a weighted sum of trimmed columns, the intercept.

    The classifier's probability is the softmax of (1 - sum, sum), so its margin is twice the sum minus 1.
    """
    intercept = float(np.ravel(model.intercept)[0])
    factor, offset = (1.0, intercept) if regresses else (2.0, 2.0 * intercept - 1.0)
    margins = _rules_and_columns(model, request, columns, factor=factor, offset=offset)
    if regresses:
        predict = number_call(model, "predict", request.reference)
        return ParsedModel(family=family, margins=margins, outputs=NumberOutput(predict=predict))
    return ParsedModel(
        family=family,
        margins=margins,
        outputs=ClassOutputs(
            names=plain_classes(model.classes_),
            probabilities=estimator_call(model, "predict_proba", request.reference),
            link=quotient_link(),
        ),
    )


def parse_skope(model: Any, request: ParseRequest, columns: tuple[str, ...], *, family: str) -> ParsedModel:
    """Parse SkopeRules: the weights of the rules that hold, from zero and in order, over the sum of all."""
    with parsing(f"This {family}"):
        rules = [(str(rule), float(args[0])) for rule, args in model.rules_without_feature_names_]
        whole = float(np.sum([weight for _, weight in rules]))
    if not whole > 0.0:
        raise UnsupportedModel(f"This {family} has no rules, so nothing changes its probability.")
    forest = forest_of([_tree_of_rule(rule, weight) for rule, weight in rules])
    error = summation_error(len(rules) + 1, ForestMargin(forest=forest).largest)

    def share(score: float, *, complement: bool) -> float:
        return 1.0 - -score / whole if complement else score / whole

    def shares(scores: FloatArray, *, complement: bool) -> FloatArray:
        return 1.0 - -scores / whole if complement else scores / whole

    return ParsedModel(
        family=family,
        margins=ForestMargins(
            columns=columns,
            count=1,
            parse=lambda _: ForestMargin(forest=forest, error=error),
            precision=1e-12,
        ),
        outputs=ClassOutputs(
            names=plain_classes(model.classes_),
            probabilities=estimator_call(model, "predict_proba", request.reference),
            link=lambda complement: OutputLink(
                exactly(partial(share, complement=complement)), partial(shares, complement=complement)
            ),
        ),
    )


@parsing("This RuleFit model")
def _rules_and_columns(
    model: Any, request: ParseRequest, columns: tuple[str, ...], *, factor: float, offset: float
) -> ForestMargins | TreesAndColumns:
    """Parse the terms, times ``factor``."""
    rules = [(str(rule), factor * float(rule.args[0])) for rule in model.rules_without_feature_names_]
    forest = forest_of([_tree_of_rule(rule, weight) for rule, weight in rules])
    of_trees = ForestMargin(forest=forest, offset=offset).largest
    weights = np.zeros(len(columns))
    if model.include_linear:
        weights = factor * np.asarray(model.coef[: len(columns)], dtype=np.float64)
    place = {str(label): at for at, label in enumerate(request.reference.columns)}
    reach = request.reach[[place[name] for name in columns]]
    trim, scale = None, np.ones(len(columns))
    largest = reach
    if model.include_linear and model.lin_standardise:
        trim = np.asarray(model.winsorizer.winsor_lims, dtype=np.float64)
        scale = np.asarray(model.friedscale.scale_multipliers, dtype=np.float64)
        largest = np.minimum(reach, np.abs(trim).max(axis=0))
    # The library also adds the weights of rules to zero, and subtracts the sum from 1 for a softmax.
    magnitude = 2.0 * (1.0 + of_trees + float(np.abs(weights * scale) @ largest))
    error = 2.0 * summation_error(len(rules) + 2 * len(columns) + 6, magnitude)
    if not weights.any():
        return ForestMargins(
            columns=columns,
            count=1,
            parse=lambda _: ForestMargin(forest=forest, offset=offset, error=error, band=2.0 * error),
            precision=1e-9,
        )
    return TreesAndColumns(
        columns=columns,
        forest=forest,
        offset=offset,
        added=partial(_of_columns, trim, scale, weights),
        reach=reach,
        largest_sum=magnitude,
        error=error,
    )


def _of_columns(
    trim: FloatArray | None, scale: FloatArray, weights: FloatArray, rows: FloatArray
) -> FloatArray:
    """Return what each column adds, trimmed and scaled: (n, d) → (n, d)."""
    trimmed = rows if trim is None else np.minimum(np.maximum(rows, trim[0]), trim[1])
    return np.asarray(weights * (trimmed * scale))


def _tree_of_rule(rule: str, weight: float) -> TreeNodes:
    """Write a rule as a tree with one split for each term, such as ``X_0 <= 2.5 and X_3 > 1.0``.

    The side on which a term does not hold is a leaf that adds nothing.
    """
    built = TreeBuilder()
    holds_left: list[tuple[int, bool]] = []
    for term in rule.split(" and "):
        name, symbol, number = term.split(" ")
        cut = float(number)
        if not name.startswith(_OF_A_COLUMN) or symbol not in ("<=", "<", ">", ">="):
            raise UnsupportedModel(f"The rule {echoed(rule)} is not a list of comparisons with numbers.")
        # ``x < c`` is ``x <= the next float below c``.
        cut = float(np.nextafter(cut, -np.inf)) if symbol in ("<", ">=") else cut
        holds_left.append((built.split(int(name.removeprefix(_OF_A_COLUMN)), cut), symbol[0] == "<"))
    last = built.leaf(weight)
    for place, (node, on_left) in enumerate(holds_left):
        holds = holds_left[place + 1][0] if place + 1 < len(holds_left) else last
        fails = built.leaf(0.0)
        built.left[node], built.right[node] = (holds, fails) if on_left else (fails, holds)
    return built.tree()
