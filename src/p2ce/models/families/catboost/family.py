"""Parse a CatBoostClassifier or CatBoostRegressor on numbers, and on categories that are split one by one."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.library import library_class
from p2ce.base.calls.model_call import ModelCall, RowFormat
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.trees.assemble import largest_leaves
from p2ce.engine.scores.trees.cuts import cut_of_float32_at_most
from p2ce.engine.scores.trees.steps import Steps, steps_of_codes, steps_of_cut, steps_of_points
from p2ce.engine.scores.trees.tree_nodes import TreeNodes, parsing
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins, forest_of
from p2ce.models.contract.margins import ClassOutputs, NumberOutput, ParsedModel, logistic_link
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.certified_thresholds import margin_wins
from p2ce.models.decisions.row_format import columns_by_count, columns_by_name, row_format
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.fitted import require_library_class, require_numbers
from p2ce.tables.codebook import MISSING

FAMILY = "CatBoost"
_NAMES = frozenset({"CatBoostClassifier", "CatBoostRegressor"})
_TWO_CLASSES = ("Logloss", "CrossEntropy")
_SEVERAL_CLASSES = ("MultiClass", "MultiClassOneVsAll")
# These predict the sum itself; other losses apply a function to it, or predict several numbers.
_NUMBERS = ("RMSE", "MAE", "Quantile", "LogCosh", "Lq", "Huber", "Expectile", "MAPE")
_NUMERIC_SPLIT, _CATEGORY_SPLIT, _STATISTIC_SPLIT = "FloatFeature", "OneHotFeature", "OnlineCtr"
_CHECKED_ROWS = 1000
_MISSING_RIGHT = (
    "AsTrue"  # a missing value counts as plus infinity; otherwise as minus infinity, or it compares as NaN
)


def recognises(model: object) -> bool:
    """Return whether a model is a CatBoostClassifier or CatBoostRegressor."""
    return library_class(model, root="catboost", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the trees from CatBoost's own JSON; leaves are float64, borders float32."""
    kind = require_library_class(model, root="catboost", names=_NAMES).__name__
    if not model.is_fitted():
        raise NotFitted(f"This {kind} is not fitted. Call .fit(X, y) on it first.")
    _reject_other_features(model)
    exported = _export(model)
    with parsing("This CatBoost model"):
        loss = exported["model_info"].get("params", {}).get("loss_function", {}).get("type")
    columns, named = _columns(model, request)
    rows = row_format(columns, request.reference, named=named)
    with parsing("This CatBoost model"):
        splits = _Splits(model, exported, columns, rows, request)
        factor, biases = exported["scale_and_bias"]
    found = [
        _margin(exported, splits, float(factor), float(bias), place, len(biases))
        for place, bias in enumerate(biases)
    ]
    band = 2.0 * max(margin.error for margin in found)  # the order of CatBoost's additions is unknown
    margins = ForestMargins(
        columns=columns,
        count=len(found),
        parse=lambda place: replace(found[place], band=band),
        precision=1e-9,
    )
    # The hash of a label that is not in the reference may equal that of another label.
    parsed = partial(ParsedModel, family=FAMILY, margins=margins, knows_unseen_categories=False)
    if kind == "CatBoostRegressor":
        _require_loss(loss, _NUMBERS, "does not predict the sum of its trees. Fit with loss_function='RMSE'.")
        return parsed(outputs=NumberOutput(predict=ModelCall(name=FAMILY, method=model.predict, rows=rows)))
    names = plain_classes(model.classes_)
    _require_loss(
        loss,
        _TWO_CLASSES if len(names) == 2 else _SEVERAL_CLASSES,
        f"does not report the probability of one class out of {len(names)}. "
        f"Fit with loss_function='{'Logloss' if len(names) == 2 else 'MultiClass'}'.",
    )
    return parsed(
        outputs=ClassOutputs(
            names=names,
            probabilities=ModelCall(name=FAMILY, method=model.predict_proba, rows=rows),
            largest=ModelCall(
                name=FAMILY, method=partial(model.predict, prediction_type="RawFormulaVal"), rows=rows
            ),
            link=logistic_link(slack=32.0),  # CatBoost has its own exp, which is off by a few units at most
            ahead=margin_wins,
            each_alone=loss == "MultiClassOneVsAll",
            slack=1e-12,
        )
    )


def _require_loss(loss: object, known: tuple[str, ...], otherwise: str) -> None:
    if loss not in known:
        raise UnsupportedModel(f"CatBoost with loss_function={echoed(loss)} {otherwise}")


def _columns(model: Any, request: ParseRequest) -> tuple[tuple[str, ...], bool]:
    """Return the model's columns in its order, and whether it was fitted on a frame."""
    names = list(model.feature_names_)
    unnamed = names == [str(position) for position in range(len(names))]
    if unnamed and set(names) != set(map(str, request.reference.columns)):
        return columns_by_count(len(names), request.reference), False
    return columns_by_name(names, request.reference), not unnamed


def _reject_other_features(model: Any) -> None:
    for kind, positions in (
        ("text", model.get_text_feature_indices()),
        ("embedding", model.get_embedding_feature_indices()),
    ):
        if len(positions):
            name = model.feature_names_[positions[0]]
            raise UnsupportedModel(
                f"CatBoost uses {echoed(name)} as a {kind} feature, which is not supported natively. "
                "Fit on numbers and categories only."
            )


def _export(model: Any) -> dict[str, Any]:
    """Return CatBoost's JSON, which it only writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        exported: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return exported


@parsing("A tree of this CatBoost model")
def _margin(
    exported: Mapping[str, Any], splits: "_Splits", factor: float, bias: float, place: int, count: int
) -> ForestMargin:
    """Parse the trees of one class; every leaf holds one value per class."""
    if "oblivious_trees" in exported:
        trees = [_symmetric(tree, splits, factor, place, count) for tree in exported["oblivious_trees"]]
    else:
        trees = [_nested(tree, splits, factor, place) for tree in exported["trees"]]
    forest = forest_of(trees)
    magnitude = abs(bias) + float(largest_leaves(forest).sum())
    # CatBoost adds in float64, in an unknown order, then scales the sum and adds the bias.
    return ForestMargin(offset=bias, forest=forest, error=summation_error(len(trees) + 3, magnitude))


class _Split(NamedTuple):
    column: int
    cut: float
    steps: Steps | None  # None for a split that is one cut


class _Splits:
    """CatBoost's splits, translated to the user's columns."""

    def __init__(
        self,
        model: Any,
        exported: Mapping[str, Any],
        columns: tuple[str, ...],
        show: RowFormat,
        request: ParseRequest,
    ) -> None:
        self._columns, self._request = columns, request
        self._numeric = exported["features_info"].get("float_features", [])
        self._categorical = exported["features_info"].get("categorical_features", [])
        names = [columns[one["flat_feature_index"]] for one in self._numeric]
        require_numbers(request, names, name="A numeric feature of CatBoost", takes_missing=True)
        self._codes = _codes_of_categories(model, exported, columns, show, request)
        self._known: dict[int, _Split] = {}

    def of(self, split: Mapping[str, Any]) -> _Split:
        """Translate one split; values for which it is True go right."""
        number = split["split_index"]
        if number not in self._known:
            self._known[number] = self._translated(split)
        return self._known[number]

    def _translated(self, split: Mapping[str, Any]) -> _Split:
        if split["split_type"] == _NUMERIC_SPLIT:
            return self._of_number(split)
        if split["split_type"] in (_CATEGORY_SPLIT, _STATISTIC_SPLIT):
            return self._of_category(split)
        raise UnsupportedModel(
            f"CatBoost splits by {split['split_type']}, which is not supported natively. Fit on numbers only."
        )

    def _of_number(self, split: Mapping[str, Any]) -> _Split:
        feature = self._numeric[split["float_feature_index"]]
        column = int(feature["flat_feature_index"])
        cut = float(cut_of_float32_at_most(np.array([float(split["border"])]))[0])
        to_the_right = feature["nan_value_treatment"] == _MISSING_RIGHT
        if to_the_right and self._columns[column] in self._request.nullable:
            return _Split(column, cut, steps_of_cut(cut, missing_left=False))
        return _Split(column, cut, None)

    def _of_category(self, split: Mapping[str, Any]) -> _Split:
        column, equal = self._codes[split["split_index"]]
        coding = self._request.codebook[self._columns[column]]
        # If no value can be missing, a missing value goes with its neighbours, which saves a cut.
        lowest = MISSING if coding.name in self._request.nullable or coding.labels is None else 0.0
        missing_left, points = lowest not in equal, equal[equal > MISSING]
        if coding.labels is not None:
            count = coding.count
            left = set(range(count)) - {int(code) for code in points}
            return _Split(
                column, 0.0, steps_of_codes(left, count, unseen_left=True, missing_left=missing_left)
            )
        whole = coding.number_dtype.kind in "biu"
        sides = [False] * len(points)
        steps = steps_of_points(points, sides, elsewhere_left=True, missing_left=missing_left, whole=whole)
        return _Split(column, 0.0, steps)


def _codes_of_categories(
    model: Any,
    exported: Mapping[str, Any],
    columns: tuple[str, ...],
    show: RowFormat,
    request: ParseRequest,
) -> dict[int, tuple[int, FloatArray]]:
    """Find what splits by category send right: number of the split → its column, and ascending codes.

    CatBoost identifies categories by a 32-bit hash of their text, and knows statistics by this hash. So the
    model is evaluated on every category: the leaf that is reached in a symmetric tree shows the outcome of
    each split. Any other label differs only if CatBoost itself confuses it with one of these.
    """
    places: dict[int, tuple[int, int]] = {}  # a tree that has the split, and its level there
    kinds: dict[int, Mapping[str, Any]] = {}
    for number, tree in enumerate(exported.get("oblivious_trees", [])):
        for level, split in enumerate(tree.get("splits") or []):
            if split["split_type"] in (_CATEGORY_SPLIT, _STATISTIC_SPLIT):
                places.setdefault(split["split_index"], (number, level))
                kinds.setdefault(split["split_index"], split)
    features = exported["features_info"].get("categorical_features", [])
    if not places and "trees" not in exported:
        return {}
    if features and "trees" in exported:
        raise UnsupportedModel(
            "CatBoost's trees with grow_policy 'Lossguide' or 'Depthwise' are not supported on categories. "
            "Fit with grow_policy='SymmetricTree', or on numbers only."
        )
    statistics = _columns_of_statistics(exported)
    of_split = {
        index: split["cat_feature_index"] if "cat_feature_index" in split else statistics[index]
        for index, split in kinds.items()
    }
    shown = {
        feature: _leaves_of_categories(
            model, int(features[feature]["flat_feature_index"]), columns, show, request
        )
        for feature in set(of_split.values())
    }
    found = {}
    for index, (tree, level) in places.items():
        column = int(features[of_split[index]]["flat_feature_index"])
        codes, leaves = shown[of_split[index]]
        right = codes[(leaves[:, tree] >> level) & 1 == 1]
        coding = request.codebook[columns[column]]
        if kinds[index]["split_type"] == _STATISTIC_SPLIT:
            if coding.labels is None:
                raise UnsupportedModel(
                    f"CatBoost splits by a statistic of {echoed(coding.name)}, a column of numbers, and any "
                    "number may have one. Convert the column to text before fitting."
                )
        elif len(right) == 0:
            raise UnsupportedModel(
                f"CatBoost splits by a category of {echoed(coding.name)} that does not occur in the "
                "reference data, so this category is unknown. Pass the data that the model was fitted on."
            )
        found[index] = column, right
    _check_outcomes(model, places, found, columns, show, request)
    return found


def _columns_of_statistics(exported: Mapping[str, Any]) -> dict[int, int]:
    """Return the categorical feature of each split by a statistic, by the number of the split.

    CatBoost numbers all splits: first those of numbers, then of categories, then of statistics.
    """
    info = exported["features_info"]
    number = sum(len(one.get("borders") or []) for one in info.get("float_features", []))
    number += sum(len(one.get("values") or []) for one in info.get("categorical_features", []))
    found = {}
    for statistic in info.get("ctrs", []):
        elements = statistic["elements"]
        if len(elements) != 1 or elements[0]["combination_element"] != "cat_feature_value":
            raise UnsupportedModel(
                "CatBoost splits by a statistic of several columns together, which is not supported "
                "natively. Fit with max_ctr_complexity=1."
            )
        for _ in statistic["borders"]:
            found[number] = int(elements[0]["cat_feature_index"])
            number += 1
    return found


def _check_outcomes(
    model: Any,
    places: Mapping[int, tuple[int, int]],
    found: Mapping[int, tuple[int, FloatArray]],
    columns: tuple[str, ...],
    show: RowFormat,
    request: ParseRequest,
) -> None:
    """Compare the outcomes with those of rows of the reference: each must follow from one column alone."""
    frame = request.reference.head(_CHECKED_ROWS)
    rows = request.codebook.of(columns).encode(frame)
    leaves = np.asarray(model.calc_leaf_indexes(show(frame))).astype(np.int64)
    for index, (tree, level) in places.items():
        column, right = found[index]
        if not np.array_equal(np.isin(rows[:, column], right), (leaves[:, tree] >> level) & 1 == 1):
            raise UnsupportedModel(
                f"CatBoost's splits by categories of {echoed(columns[column])} depend on more than that "
                "column, which is not supported natively."
            )


def _leaves_of_categories(
    model: Any,
    place: int,
    columns: tuple[str, ...],
    show: RowFormat,
    request: ParseRequest,
) -> tuple[FloatArray, IntArray]:
    """Evaluate the model on every category of a column: codes (n,), and their leaves (n, trees)."""
    coding = request.codebook[columns[place]]
    book = request.codebook.of(columns)
    rows = book.encode(request.reference)
    held = np.unique(rows[:, place])
    codes = held[held > MISSING]
    if coding.labels is not None:
        codes = np.arange(float(coding.count))
    if coding.name in request.nullable:
        codes = np.concatenate([[MISSING], codes])
    complete = rows[(rows > MISSING).all(axis=1)]
    shown = np.repeat(complete[:1] if len(complete) else rows[:1], len(codes), axis=0)
    shown[:, place] = codes
    labels = {str(label): label for label in request.reference.columns}
    index = request.reference[[labels[column] for column in columns]].columns
    try:
        leaves = np.asarray(model.calc_leaf_indexes(show(book.decode(shown, index))))
    except Exception as error:  # raised by CatBoost for a type or a missing value that it rejects
        raise UnsupportedModel(
            f"CatBoost does not accept all categories of {echoed(coding.name)} in the reference: {error}"
        ) from error
    return codes, leaves.astype(np.int64)


def _symmetric(tree: Mapping[str, Any], splits: _Splits, factor: float, place: int, count: int) -> TreeNodes:
    """Unfold an oblivious tree: the nodes of a level share a split, and outcomes are the bits of the leaf."""
    tree_splits = [splits.of(split) for split in tree.get("splits") or []]
    depth = len(tree_splits)
    inner = 2**depth - 1
    level = np.repeat(np.arange(depth), 2 ** np.arange(depth))
    columns = np.array([split.column for split in tree_splits], dtype=np.int64)
    cuts = np.array([split.cut for split in tree_splits])
    node = np.arange(inner)
    leaf = np.arange(2**depth)
    # The first split is the lowest bit of the leaf number, but the first branch from the root.
    number = np.zeros_like(leaf)
    for bit in range(depth):
        number |= ((leaf >> (depth - 1 - bit)) & 1) << bit
    blank = np.zeros(len(leaf))
    values = np.array(tree["leaf_values"], dtype=np.float64).reshape(len(leaf), count)[:, place]
    steps = {at: found for at in range(inner) if (found := tree_splits[level[at]].steps) is not None}
    return TreeNodes(
        left=np.concatenate([2 * node + 1, np.full(len(leaf), -1)]),
        right=np.concatenate([2 * node + 2, np.full(len(leaf), -1)]),
        feature=np.concatenate([columns[level], blank.astype(np.int64)]),
        threshold=np.concatenate([cuts[level], blank]),
        value=np.concatenate([np.zeros(inner), factor * values[number]]),
        steps=steps,
    )


def _nested(tree: Mapping[str, Any], splits: _Splits, factor: float, place: int) -> TreeNodes:
    """Flatten a non-symmetric tree, which CatBoost writes as nested objects."""
    nodes = [tree]
    left: list[int] = []
    right: list[int] = []
    tree_splits: list[_Split] = []
    value: list[float] = []
    for node in nodes:  # the list grows during the loop
        split = node.get("split")
        if split is None:
            held = node["value"]
            value.append(factor * float(held[place] if isinstance(held, list) else held))
            left.append(-1)
            right.append(-1)
            tree_splits.append(_Split(0, 0.0, None))
            continue
        value.append(0.0)
        tree_splits.append(splits.of(split))
        left.append(len(nodes))
        right.append(len(nodes) + 1)
        nodes += [node["left"], node["right"]]
    return TreeNodes(
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        feature=np.array([split.column for split in tree_splits], dtype=np.int64),
        threshold=np.array([split.cut for split in tree_splits]),
        value=np.array(value),
        steps={at: split.steps for at, split in enumerate(tree_splits) if split.steps is not None},
    )
