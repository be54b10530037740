"""Parse InterpretML's explainable boosting machines: each term is a table over bins, so it is a tree."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.library import library_class
from p2ce.base.calls.model_call import AsArray, AsFrame, ModelCall, one_per_row
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import exponential, summation_error
from p2ce.engine.scores.trees.step_tables import Stretches, tree_of_table
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins, forest_of
from p2ce.models.contract.margins import (
    ClassOutputs,
    NumberOutput,
    OutputLink,
    ParsedModel,
    quotient_link,
)
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.certified_thresholds import margin_wins
from p2ce.models.decisions.row_format import columns_by_count, columns_by_name, row_format
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.fitted import require_library_class
from p2ce.tables.codebook import ABOVE_MISSING, MISSING, Coding

FAMILY = "explainable boosting machine"
_CLASSIFIERS = frozenset({"ExplainableBoostingClassifier", "DPExplainableBoostingClassifier"})
_REGRESSORS = frozenset({"ExplainableBoostingRegressor", "DPExplainableBoostingRegressor"})
_NAMES = _CLASSIFIERS | _REGRESSORS
_CONTINUOUS, _CATEGORICAL = "continuous", ("nominal", "ordinal")
_MISSING_BIN = 0  # the last bin of a column is that of unknown categories


def recognises(model: object) -> bool:
    """Return whether a model is one of InterpretML's explainable boosting machines."""
    return library_class(model, root="interpret", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the terms. The library adds their entries to the intercept, one after another in float64.

    We do the same, bit by bit.
    """
    kind = require_library_class(model, root="interpret", names=_NAMES)
    if not getattr(model, "has_fitted_", False):
        raise NotFitted(f"This {kind.__name__} is not fitted. Call .fit(X, y) on it first.")
    columns, rows = _columns(model, request)
    bins = _Bins(kind, model, columns, rows, request)
    intercepts = np.ravel(np.asarray(model.intercept_, dtype=np.float64))
    margins = ForestMargins(
        columns=columns,
        count=len(intercepts),
        parse=lambda place: _margin(model, bins, intercepts, place),
        precision=1e-12,
    )
    # An unseen label may equal a category by its text, such as 1 and "1".
    knows_all = not any(request.codebook[column].is_category for column in columns)
    outputs = _number(model, rows) if kind.__name__ in _REGRESSORS else _classes(model, rows, margins.count)
    return ParsedModel(family=FAMILY, margins=margins, outputs=outputs, knows_unseen_categories=knows_all)


def _columns(model: Any, request: ParseRequest) -> tuple[tuple[str, ...], AsFrame | AsArray]:
    """Return the model's columns in its order, and how rows are passed to it."""
    names = [str(name) for name in model.feature_names_in_]
    unnamed = names == [f"feature_{place:04}" for place in range(len(names))]
    named = not unnamed or set(names) == set(map(str, request.reference.columns))
    columns = (
        columns_by_name(names, request.reference)
        if named
        else columns_by_count(len(names), request.reference)
    )
    return columns, row_format(columns, request.reference, named=named)


def _call(model: Any, method: str, rows: AsFrame | AsArray) -> ModelCall:
    """Call a method with a copy: InterpretML misreads nullable columns of a frame that is a slice."""
    return ModelCall(name=f"model.{method}", method=getattr(model, method), rows=rows, copies=True)


def _number(model: Any, rows: AsFrame | AsArray) -> NumberOutput:
    """Return the predicted number: the sum, or its exponential."""
    predict = replace(_call(model, "predict", rows), check=one_per_row)
    if model.link_ == "identity":
        return NumberOutput(predict=predict)
    if model.link_ != "log":
        raise UnsupportedModel(
            f"An {FAMILY} with the link {echoed(model.link_)} is not supported natively as a regressor."
        )
    return NumberOutput(predict=predict, link=OutputLink(exponential(float, single=False), np.exp))


def _classes(model: Any, rows: AsFrame | AsArray, count: int) -> ClassOutputs:
    """Return the probabilities: logistic, softmax, or logistic for each class alone."""
    link, names = model.link_, plain_classes(model.classes_)
    if (link, count) not in (("logit", 1), ("mlogit", len(names)), ("vlogit", len(names))) or count == 2:
        raise UnsupportedModel(
            f"An {FAMILY} for {len(names)} classes with the link {echoed(link)} is not supported natively."
        )
    # InterpretML has its own exp, which is off by a few units at most.
    values = _call(model, "decision_function", rows)
    return ClassOutputs(
        names=names,
        probabilities=_call(model, "predict_proba", rows),
        decision_values=values,
        largest=values,
        link=quotient_link(slack=32.0),
        ahead=margin_wins,
        each_alone=link == "vlogit",
        slack=1e-12,
    )


# Terms


def _margin(model: Any, bins: "_Bins", intercepts: FloatArray, place: int) -> ForestMargin:
    """Parse the terms of one margin; entries hold one number per class if there are several."""
    with parsing("A term of this explainable boosting machine"):
        trees = []
        for features, scores in zip(model.term_features_, model.term_scores_, strict=True):
            table = np.asarray(scores, dtype=np.float64)
            table = table if table.ndim == len(features) else table[..., place]
            columns = [int(feature) for feature in features]
            if table.shape != tuple(bins.size(column, len(columns)) for column in columns):
                raise ValueError("a term has more or fewer entries than bins")
            stretches = [bins.stretches(column, len(columns)) for column in columns]
            trees.append(tree_of_table(columns, stretches, table))
    forest, offset = forest_of(trees), float(intercepts[place])
    largest = ForestMargin(forest=forest, offset=offset).largest
    return ForestMargin(forest=forest, offset=offset, error=summation_error(len(trees) + 1, largest))


class _Bins:
    """The bins of all columns, over our codes. Terms of several columns may use coarser bins."""

    def __init__(
        self,
        kind: type,
        model: Any,
        columns: tuple[str, ...],
        rows: AsFrame | AsArray,
        request: ParseRequest,
    ) -> None:
        self._kind, self._model, self._columns = kind, model, columns
        self._rows, self._request = rows, request
        self._known: dict[tuple[int, int], Stretches] = {}

    def _level(self, feature: int, dimensions: int) -> int:
        return min(len(self._model.bins_[feature]), dimensions) - 1

    def size(self, feature: int, dimensions: int) -> int:
        """Return the number of bins of a column in a term with so many columns."""
        return _size(self._model.bins_[feature][self._level(feature, dimensions)])

    def stretches(self, feature: int, dimensions: int) -> Stretches:
        """Return the bins of a column as a term with so many columns uses them."""
        level = self._level(feature, dimensions)
        if (feature, level) not in self._known:
            self._known[feature, level] = self._found(feature, self._model.bins_[feature][level])
        return self._known[feature, level]

    def _found(self, feature: int, bins: Any) -> Stretches:
        coding = self._request.codebook[self._columns[feature]]
        of = self._model.feature_types_in_[feature]
        nullable = coding.name in self._request.nullable
        if of != _CONTINUOUS and of not in _CATEGORICAL:
            raise UnsupportedModel(
                f"An {FAMILY} with a column of type {echoed(of)} is not supported natively."
            )
        if coding.is_category:
            return self._of_labels(feature, bins, coding, nullable=nullable)
        if of == _CONTINUOUS:
            # A value equal to a cut belongs to the bin above it.
            ends = np.nextafter(np.asarray(bins, dtype=np.float64), -np.inf)
            entries = np.arange(1, len(ends) + 2)
        else:
            ends, entries = self._of_numbers(feature, bins, coding)
        return _with_missing(ends, entries) if nullable else Stretches(ends, entries)

    def _of_labels(self, feature: int, bins: Any, coding: Coding, *, nullable: bool) -> Stretches:
        """Return the bin of each label, as the library finds it."""
        codes = np.arange(float(coding.count))
        # Later codes are labels that the reference lacks; nothing is certified for them.
        entries = np.append(self._bins_of(feature, bins, codes), _size(bins) - 1)
        return _with_missing(codes + 0.5, entries) if nullable else Stretches(codes + 0.5, entries)

    def _of_numbers(self, feature: int, bins: Any, coding: Coding) -> tuple[FloatArray, IntArray]:
        """Return bins of numbers that the model treats as categories: by their text, which is unique."""
        points = np.array(
            sorted({number for text in bins if (number := _number_of(text, coding)) is not None})
        )
        found = self._bins_of(feature, bins, points)
        whole = coding.number_dtype.kind in "biu"
        ends: list[float] = []
        entries = [_size(bins) - 1]
        for point, entry in zip(points.tolist(), found.tolist(), strict=True):
            half = 0.5 if whole and abs(point) < 2.0**51 else 0.0
            before = point - half if half else float(np.nextafter(point, -np.inf))
            if ends and ends[-1] == before:  # adjacent to the previous point, with no number in between
                entries[-1] = entry
            else:
                ends.append(before)
                entries.append(entry)
            ends.append(point + half)
            entries.append(_size(bins) - 1)
        return np.array(ends), np.array(entries)

    def _bins_of(self, feature: int, bins: Any, codes: FloatArray) -> IntArray:
        """Let the library find the bins of codes (n,), by a term whose entries number its bins."""
        request, model = self._request, self._model
        values = request.codebook.of(self._columns).encode(request.reference.head(1))
        shown = np.repeat(values, len(codes), axis=0)
        shown[:, feature] = codes
        labels = {str(label): label for label in request.reference.columns}
        index = request.reference[[labels[column] for column in self._columns]].columns
        probe = self._kind()
        probe.has_fitted_ = True
        probe.feature_names_in_, probe.feature_types_in_ = model.feature_names_in_, model.feature_types_in_
        probe.bins_ = [[bins] if at == feature else held for at, held in enumerate(model.bins_)]
        probe.intercept_ = np.zeros(1)
        probe.term_features_, probe.term_scores_ = [(feature,)], [np.arange(float(_size(bins)))]
        frame = request.codebook.of(self._columns).decode(shown, index)
        return np.asarray(probe.eval_terms(self._rows(frame)))[:, 0].astype(np.int64)


def _with_missing(ends: FloatArray, entries: IntArray | Sequence[int]) -> Stretches:
    """Put the bin of missing values, which lie below all numbers, in front."""
    return Stretches(np.append(ABOVE_MISSING, ends), np.append(_MISSING_BIN, entries))


def _size(bins: Any) -> int:
    """Return the number of bins: of missing values, of each category or stretch, of unknown categories."""
    return max(bins.values(), default=0) + 2 if isinstance(bins, dict) else len(bins) + 3


def _number_of(text: str, coding: Coding) -> float | None:
    """Return the number of a column that a category's text stands for; None if there is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    kind = coding.number_dtype
    if not math.isfinite(number) or number == MISSING:
        return None
    if kind.kind == "b":
        return number if number in (0.0, 1.0) else None
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        return number if number.is_integer() and ends.min <= number <= ends.max else None
    with np.errstate(over="ignore"):
        return number if float(kind.type(number)) == number else None
