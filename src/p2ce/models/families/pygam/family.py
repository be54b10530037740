"""Parse pyGAM's models whose terms look at one column each: what a column adds is evaluated by the terms."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class
from p2ce.base.calls.model_call import ModelCall, one_per_row
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import exponential
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.contract.column_sums import ColumnSum
from p2ce.models.contract.margins import (
    IDENTITY,
    ClassOutputs,
    NumberOutput,
    OutputLink,
    ParsedModel,
    quotient_link,
)
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.row_format import array_dtype, columns_by_count, row_format
from p2ce.models.fitted import require_library_class, require_numbers

FAMILY = "pyGAM"
_CLASSIFIER = "LogisticGAM"
_REGRESSORS = frozenset({"LinearGAM", "ExpectileGAM", "PoissonGAM", "GammaGAM", "InvGaussGAM"})
_NAMES = _REGRESSORS | {_CLASSIFIER}
_INTERCEPT, _OF_ONE_COLUMN = "intercept_term", ("spline_term", "factor_term", "linear_term")
_LINKS = {
    "identity": IDENTITY,
    "log": OutputLink(exponential(float, single=False), np.exp),
}


def recognises(model: object) -> bool:
    """Return whether a model is one of pyGAM's models for a certain distribution."""
    return library_class(model, root="pygam", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the terms: pyGAM adds products of coefficients and basis functions, column by column."""
    kind = require_library_class(model, root="pygam", names=_NAMES).__name__
    if not model._is_fitted:
        raise NotFitted(f"This {kind} is not fitted. Call .fit(X, y) on it first.")
    columns = columns_by_count(int(model.statistics_["m_features"]), request.reference)
    require_numbers(request, columns, name=f"A {FAMILY} model")
    if array_dtype(request.reference[request.reference.columns]) == np.float32:
        raise UnsupportedModel(
            "pyGAM computes in float32 for rows in float32, which is not supported natively. Pass the "
            "reference in float64."
        )
    rows = row_format(columns, request.reference, named=False)
    sums = _sums(model, columns, request)
    link = str(model.link)
    if kind != _CLASSIFIER:
        if link not in _LINKS:
            raise UnsupportedModel(f"A {kind} with the link {echoed(link)} is not supported natively.")
        predict = ModelCall(name="model.predict", method=model.predict, rows=rows, check=one_per_row)
        return ParsedModel(
            family=FAMILY, margins=sums, outputs=NumberOutput(predict=predict, link=_LINKS[link])
        )
    if link != "logit" or model.distribution.levels != 1:
        raise UnsupportedModel(f"A {kind} with the link {echoed(link)} is not supported natively.")
    second = ModelCall(name="model.predict_proba", method=model.predict_proba, rows=rows, check=one_per_row)
    return ParsedModel(
        family=FAMILY,
        margins=sums,
        outputs=ClassOutputs(
            names=(0, 1),
            probabilities=second.then(_both),
            link=quotient_link(),
        ),
    )


class BothColumns:
    """A classifier that is only evaluated, in the form of others: a probability for each class."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.__name__ = type(model).__name__
        self.classes_ = np.arange(2)
        self.n_features_in_ = int(model.statistics_["m_features"])

    def predict_proba(self, rows: Any) -> FloatArray:
        """Return the probabilities of both classes."""
        return _both(self._model.predict_proba(rows))


def in_usual_form(model: Any) -> Any:
    """Return a model that no family parses in the form of any other black box."""
    return BothColumns(model) if library_class(model, root="pygam", names={_CLASSIFIER}) else model


def _both(second: FloatArray) -> FloatArray:
    """Return both probabilities; pyGAM only reports that of class 1."""
    return np.column_stack([1.0 - second, second])


@parsing("This pyGAM model")
def _sums(model: Any, columns: tuple[str, ...], request: ParseRequest) -> ColumnSum:
    place = {str(label): at for at, label in enumerate(request.reference.columns)}
    reach = request.reach[[place[name] for name in columns]]
    ends = np.vstack([-reach, reach])
    offset, terms, largest, products = 0.0, [], 0.0, 0
    for number, term in enumerate(model.terms):
        coefficients = np.array(model.coef_[model.terms.get_coef_indices(number)], dtype=np.float64)
        if term._name == _INTERCEPT:
            offset += float(coefficients[0])
        elif term._name in _OF_ONE_COLUMN and getattr(term, "by", None) is None:
            term = deepcopy(term)
            terms.append((int(term.feature), partial(_added, term, coefficients)))
            # Inside its knots, a spline's basis functions are positive and add up to 1. Outside, each is a
            # line, so it is largest at an end.
            with np.errstate(over="ignore"):
                outside = np.abs(np.asarray(term.build_columns(ends).todense())) @ np.abs(coefficients)
            largest += float(np.abs(coefficients).max(initial=0.0) + outside.sum())
        else:
            raise UnsupportedModel(
                f"pyGAM's term {echoed(str(term))} looks at several columns at once, which is not supported "
                "natively. Fit with s(), l() and f() without by=."
            )
        products += len(coefficients)
    return ColumnSum(
        columns=columns,
        offset=offset,
        added=partial(_of_columns, tuple(terms)),
        reach=reach,
        largest_sum=1.01 * (abs(offset) + largest),  # with a reserve for the rounding of basis functions
        terms=products,
    )


def _added(term: Any, coefficients: FloatArray, rows: FloatArray) -> FloatArray:
    """Return what a term adds to each row: (n, d) → (n,)."""
    return np.asarray(term.build_columns(rows) @ coefficients, dtype=np.float64).reshape(len(rows))


def _of_columns(
    terms: tuple[tuple[int, Callable[[FloatArray], FloatArray]], ...], rows: FloatArray
) -> FloatArray:
    """Return what each column adds: (n, d) → (n, d)."""
    added = np.zeros(rows.shape)
    for column, of_rows in terms:
        added[:, column] += of_rows(rows)
    return added
