"""Parse scikit-learn's HistGradientBoostingClassifier and HistGradientBoostingRegressor."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.calls.library import library_class
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import exponential, summation_error
from p2ce.engine.scores.trees.assemble import assemble_forest, largest_leaves
from p2ce.engine.scores.trees.steps import Steps, steps_of_codes, steps_of_points
from p2ce.engine.scores.trees.tree_nodes import TreeNodes, parsing
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins
from p2ce.models.contract.margins import IDENTITY, ClassOutputs, NumberOutput, OutputLink, ParsedModel
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.certified_thresholds import margin_wins
from p2ce.models.decisions.row_format import row_format
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import (
    estimator_call,
    estimator_columns,
    missing_right,
    number_call,
    require_fitted,
)
from p2ce.models.fitted import nullable_columns, require_library_class, require_numbers
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING, Codebook, Coding

FAMILY = "scikit-learn histogram gradient boosting"
_NAMES = frozenset({"HistGradientBoostingClassifier", "HistGradientBoostingRegressor"})
_LOG_LINKS = ("poisson", "gamma")
_IDENTITY_LINKS = ("squared_error", "absolute_error", "quantile")


def recognises(model: object) -> bool:
    """Return whether a model is a HistGradientBoostingClassifier or HistGradientBoostingRegressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the trees: float64 thresholds, and float64 sums in order from the baseline, by class."""
    kind = require_library_class(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    columns, named = estimator_columns(model, request.reference)
    codebook = _with_known_labels(model, columns, request.codebook)
    request = replace(request, codebook=codebook)
    known = _known_categories(model, columns, named, request)
    numbers = [column for place, column in enumerate(columns) if place not in known]
    require_numbers(request, numbers, name=f"A {FAMILY} model", takes_missing=True)
    bitsets, _ = model._bin_mapper.make_known_categories_bitsets()
    layout = _Layout(_order(model), known, bitsets, nullable_columns(columns, request))
    baseline = np.asarray(model._baseline_prediction, dtype=np.float64).ravel()
    # The library adds in float64, from the baseline and in order. We do the same, bit by bit.
    margins = ForestMargins(
        columns=columns,
        count=len(baseline),
        parse=lambda place: _margin(
            float(baseline[place]), [stage[place] for stage in model._predictors], layout
        ),
        precision=1e-12,
    )
    if kind.__name__ == "HistGradientBoostingRegressor":
        predict = number_call(model, "predict", request.reference)
        outputs = NumberOutput(predict=predict, link=_link(model))
        return ParsedModel(family=FAMILY, margins=margins, outputs=outputs, codebook=codebook)
    values = estimator_call(model, "decision_function", request.reference)
    return ParsedModel(
        family=FAMILY,
        margins=margins,
        outputs=ClassOutputs(
            names=plain_classes(model.classes_),
            probabilities=estimator_call(model, "predict_proba", request.reference),
            decision_values=values,
            largest=values,
            ahead=margin_wins,
        ),
        codebook=codebook,
    )


def _link(model: Any) -> OutputLink:
    """Return how the prediction follows from a margin."""
    if model.loss in _IDENTITY_LINKS:
        return IDENTITY
    if model.loss not in _LOG_LINKS:
        raise UnsupportedModel(
            f"This {FAMILY} model has loss={echoed(model.loss)}, whose predictions are not supported. "
            f"Fit with one of {', '.join(map(repr, _IDENTITY_LINKS + _LOG_LINKS))}."
        )
    return OutputLink(exponential(np.float64, single=False), None)


class _Known(NamedTuple):
    """How the model stores one of its categorical columns, whose categories it numbers from 0."""

    codes: FloatArray  # (n,) our codes, ascending: of every label, or the numbers that are categories
    numbers: FloatArray  # (n,) the model's number of each code; NaN is missing or unknown
    missing: float  # the model's number of a missing value: NaN, unless None was a label in fitting
    nullable: bool
    coding: Coding


class _Layout(NamedTuple):
    """The columns of the trees: the model puts categorical columns first."""

    order: IntArray  # (d,) our position of each of the trees' columns
    known: dict[int, _Known]  # by our position
    bitsets: Any  # (categorical columns, 8) the numbers of the categories that occurred in fitting
    nullable: BoolArray | None


def _order(model: Any) -> IntArray:
    marked = model.is_categorical_
    if marked is None:
        return np.arange(int(model.n_features_in_))
    return np.concatenate([np.flatnonzero(marked), np.flatnonzero(~np.asarray(marked))])


def _with_known_labels(model: Any, columns: tuple[str, ...], codebook: Codebook) -> Codebook:
    """Add codes for the labels that the model knows and the reference lacks."""
    if model.is_categorical_ is None or not np.any(model.is_categorical_):
        return codebook
    names = [columns[place] for place in np.flatnonzero(model.is_categorical_).tolist()]
    categories = model._preprocessor.named_transformers_["encoder"].categories_
    known = zip(names, (np.asarray(one).tolist() for one in categories), strict=True)
    return codebook.with_labels({name: labels for name, labels in known if codebook[name].is_category})


def _known_categories(
    model: Any, columns: tuple[str, ...], named: bool, request: ParseRequest
) -> dict[int, _Known]:
    """Evaluate the model's own encoder on every category, as a row of the user's own types."""
    marked = model.is_categorical_
    if marked is None or not np.any(marked):
        return {}
    encoder = model._preprocessor.named_transformers_["encoder"]
    feed = row_format(columns, request.reference, named=named)
    book = request.codebook.of(columns)
    labels = {str(label): label for label in request.reference.columns}
    index = request.reference[[labels[column] for column in columns]].columns
    values = book.encode(request.reference)
    known = {}
    for number, place in enumerate(np.flatnonzero(marked).tolist()):
        coding = request.codebook[columns[place]]
        codes = _codes_of(coding, encoder.categories_[number])
        shown = [*codes, MISSING] if coding.holds_missing else [*codes]
        rows = np.repeat(values[:1], len(shown), axis=0)
        rows[:, place] = shown
        seen = np.asarray(model._preprocessor.transform(feed(book.decode(rows, index))))[:, number]
        missing = float(seen[-1]) if coding.holds_missing else np.nan
        gone = request.reference[values[:, place] == MISSING]
        if len(gone):
            theirs = np.asarray(model._preprocessor.transform(feed(gone)))[:, number]
            if not np.array_equal(theirs, np.full(len(gone), missing), equal_nan=True):
                raise UnsupportedModel(
                    f"This {FAMILY} model treats None as a category of {echoed(coding.name)} and NaN as a "
                    "missing value, and the reference data has such values. Replace them all by NaN, and fit "
                    "the model again."
                )
        nullable = coding.name in request.nullable
        known[place] = _Known(codes, seen[: len(codes)], missing, nullable, coding)
    return known


def _codes_of(coding: Coding, categories: Any) -> FloatArray:
    """Return the codes of all categories of the model and, for a column of labels, of the reference."""
    held = [label for label in np.asarray(categories).tolist() if not is_missing(label)]
    codes = coding.encode(held)
    if coding.labels is None:
        return np.unique(codes[np.isfinite(codes)])
    # All later codes are unknown to the model.
    return np.arange(float(max(len(coding.labels), int(codes.max(initial=-1.0)) + 1)))


def _margin(start: float, predictors: list[Any], layout: _Layout) -> ForestMargin:
    forest = assemble_forest([_tree(predictor, layout) for predictor in predictors])
    magnitude = abs(start) + float(largest_leaves(forest).sum())
    return ForestMargin(offset=start, forest=forest, error=summation_error(len(predictors) + 1, magnitude))


@parsing("A tree of this HistGradientBoosting model")
def _tree(predictor: Any, layout: _Layout) -> TreeNodes:
    nodes = predictor.nodes
    inner = nodes["is_leaf"] == 0
    feature = layout.order[np.where(inner, nodes["feature_idx"], 0).astype(np.int64)]
    cuts = nodes["num_threshold"].astype(np.float64)
    by_category = inner & (nodes["is_categorical"] != 0)
    steps: dict[int, Steps] = {}
    if layout.nullable is not None:
        apart = inner & ~by_category & layout.nullable[feature] & (nodes["missing_go_to_left"] == 0)
        steps = missing_right(cuts, apart)
    for node in np.flatnonzero(by_category).tolist():
        left = predictor.raw_left_cat_bitsets[int(nodes["bitset_idx"][node])]
        missing_left = bool(nodes["missing_go_to_left"][node])
        known = layout.bitsets[int(nodes["feature_idx"][node])]  # categorical columns come first
        steps[node] = _steps(layout.known[int(feature[node])], _sides(left, known, missing_left))
    return TreeNodes(
        left=np.where(inner, nodes["left"].astype(np.int64), -1),
        right=np.where(inner, nodes["right"].astype(np.int64), -1),
        feature=feature,
        threshold=np.where(by_category, 0.0, cuts),
        value=nodes["value"].astype(np.float64),
        steps=steps,
    )


def _sides(left: Any, known: Any, missing_left: bool) -> Callable[[FloatArray], list[bool]]:
    """Build the rule of a split by category: the model's numbers (n,) → which of them go left."""
    goes_left, is_known = _bits(left), _bits(known)

    def side(number: float) -> bool:
        if np.isnan(number) or not (goes_left[int(number)] or is_known[int(number)]):
            return missing_left
        return bool(goes_left[int(number)])

    return lambda numbers: [side(number) for number in numbers.tolist()]


def _bits(bitset: Any) -> BoolArray:
    """Unpack eight words of 32 bits: (8,) → (256,)."""
    words = np.ascontiguousarray(bitset, dtype="<u4")
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(np.bool_)


def _steps(known: _Known, sides: Callable[[FloatArray], list[bool]]) -> Steps:
    here = sides(known.numbers)
    missing_left, unknown_left = sides(np.array([known.missing, np.nan]))
    if not known.nullable:  # then a missing value goes with its neighbours, which saves a cut
        missing_left = here[0] if known.coding.is_category and here else unknown_left
    if known.coding.is_category:
        left = np.flatnonzero(here).tolist()
        return steps_of_codes(left, len(here), unseen_left=unknown_left, missing_left=missing_left)
    kind = known.coding.number_dtype.kind
    if kind == "b":
        found = dict(zip(known.codes.tolist(), here, strict=True))
        both = [found.get(value, unknown_left) for value in (0.0, 1.0)]
        left = np.flatnonzero(both).tolist()
        missing_left = missing_left if known.nullable else both[0]
        return steps_of_codes(left, 2, unseen_left=both[1], missing_left=missing_left)
    # On the number line, the categories are points, and all numbers in between are unknown.
    return steps_of_points(
        known.codes, here, elsewhere_left=unknown_left, missing_left=missing_left, whole=kind in "iu"
    )
