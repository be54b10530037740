"""Parse a LightGBM Booster, LGBMClassifier or LGBMRegressor."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class
from p2ce.base.calls.model_call import AsArray, AsFrame, ModelCall
from p2ce.base.visible import echoed, listed
from p2ce.engine.scores.error_bands import exactly, exponential, summation_error, widened
from p2ce.engine.scores.linear_trees.linear_forest import LinearForest
from p2ce.errors import InvalidReference, NotFitted, UnsupportedModel
from p2ce.models.category_codes import LibraryColumn, library_codes
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins, forest_of
from p2ce.models.contract.linear_tree_margins import LinearTreeMargins
from p2ce.models.contract.margins import (
    Ahead,
    ClassOutputs,
    NumberOutput,
    OutputLink,
    ParsedModel,
    logistic_link,
)
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.row_format import columns_by_count, columns_by_name, row_format
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.lightgbm.model_text import is_linear, linear_trees_of_text, split_text, tree_of_text
from p2ce.models.fitted import require_library_class
from p2ce.tables.codebook import Codebook, Coding

FAMILY = "LightGBM"
NAMES = frozenset({"Booster", "LGBMClassifier", "LGBMRegressor"})
_TWO_CLASSES = ("binary", "cross_entropy")
_SEVERAL_CLASSES = ("multiclass", "multiclassova")
_IDENTITY = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")
_EXPONENTIAL = ("poisson", "gamma", "tweedie")
_UNIT = 2.0**-53


class LightGBMParts(NamedTuple):
    """The parts of a fitted model."""

    kind: str
    model: Any
    objective: str
    options: dict[str, str]
    blocks: list[dict[str, str]]  # one per tree
    per_round: int  # trees per round of boosting: one for each of several classes
    divisor: float  # divides the sum over the trees: in random-forest mode, their number
    columns: tuple[str, ...]
    library_columns: tuple[LibraryColumn, ...]
    codebook: Codebook  # with codes for the labels that only LightGBM knows
    rows: AsFrame | AsArray

    @property
    def sigmoid(self) -> float:
        """The factor in front of the margin."""
        return 1.0 if self.objective == "cross_entropy" else float(self.options.get("sigmoid", "1"))

    @property
    def call(self) -> ModelCall:
        """The call of the user's scoring method; with a custom objective, a classifier has only raw sums."""
        method: Callable[[Any], Any] = self.model.predict
        if self.kind == "LGBMClassifier":
            method = self.model.predict_proba if self.objective else self.model.booster_.predict
        return ModelCall(name=FAMILY, method=method, rows=self.rows)

    def margin(self, place: int) -> ForestMargin:
        """Parse the trees of one margin; the trees of a round belong to the classes in turn.

        LightGBM adds them from zero in float64. We do the same, bit by bit. For several classes, LightGBM
        then divides the sum if it reports a mean, but we divide each leaf. In that case, the two sums are
        rounded differently.
        """
        factor, blocks = self._factor, self.blocks[place :: self.per_round]
        forest = forest_of([tree_of_text(block, self.library_columns, factor=factor) for block in blocks])
        error = summation_error(len(blocks) + 4, ForestMargin(forest=forest).largest)
        return ForestMargin(forest=forest, error=error, band=2.0 * error if factor != 1.0 else 0.0)

    @property
    def _factor(self) -> float:
        return 1.0 / self.divisor if self.per_round > 1 else 1.0

    def linear_trees(self, place: int) -> LinearForest:
        """Parse the trees of one margin, whose leaves are lines."""
        blocks = self.blocks[place :: self.per_round]
        return linear_trees_of_text(blocks, self.library_columns, factor=self._factor)


def recognises(model: object) -> bool:
    """Return whether a model is a LightGBM Booster, LGBMClassifier or LGBMRegressor."""
    return library_class(model, root="lightgbm", names=NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse two classes, one class of several, or a predicted number, by the model's objective."""
    booster = lightgbm_parts(model, request)
    margins = _margins(booster, request)
    is_booster = booster.kind == "Booster"
    own_objective = not booster.objective and booster.per_round == 1  # a function: only the sums are known
    if (
        booster.kind == "LGBMRegressor"
        or own_objective
        or (is_booster and booster.objective in _IDENTITY + _EXPONENTIAL)
    ):
        scored: tuple[Any, ...] = ()
        if booster.kind != "LGBMRegressor":
            scored = (0, 1) if is_booster else plain_classes(booster.model.classes_)
        outputs: NumberOutput | ClassOutputs = NumberOutput(
            predict=booster.call,
            link=_prediction(booster),
            scored=scored,
        )
    else:
        outputs = _classes(booster, margins)
    return ParsedModel(
        family=FAMILY,
        margins=margins,
        outputs=outputs,
        # In a line, an ordered category is the number of its rank, and any other label is missing.
        knows_unseen_categories=isinstance(margins, ForestMargins)
        or not any(booster.library_columns[column].numbers is not None for column in margins.on_lines),
        codebook=booster.codebook,
    )


def _margins(booster: LightGBMParts, request: ParseRequest) -> ForestMargins | LinearTreeMargins:
    """Return the sums over the trees, whose leaves may be lines (linear_tree=True)."""
    if not any(map(is_linear, booster.blocks)):
        return ForestMargins(
            columns=booster.columns, count=booster.per_round, parse=booster.margin, precision=1e-12
        )
    if booster.objective == "multiclassova":
        raise UnsupportedModel(
            "LightGBM linear trees with objective 'multiclassova' are not supported natively. Fit with "
            "objective='multiclass' or linear_tree=False."
        )
    place = {str(label): at for at, label in enumerate(request.reference.columns)}
    margins = LinearTreeMargins(
        columns=booster.columns,
        trees=tuple(map(booster.linear_trees, range(booster.per_round))),
        reach=request.reach[[place[name] for name in booster.columns]],
    )
    for column in margins.on_lines:
        numbers = booster.library_columns[column].numbers
        if numbers is not None and not np.array_equal(numbers, np.arange(len(numbers))):
            raise UnsupportedModel(
                f"LightGBM counts the categories of {echoed(booster.columns[column])} in another order than "
                "the reference data, and its linear trees use these numbers. Pass the data that the model "
                "was fitted on, or fit with linear_tree=False."
            )
    return margins


def lightgbm_parts(model: Any, request: ParseRequest) -> LightGBMParts:
    """Return the parts of a model, with the trees that ``predict`` uses: up to the best iteration."""
    kind = require_library_class(model, root="lightgbm", names=NAMES).__name__
    estimator = kind != "Booster"
    if estimator and not model.__sklearn_is_fitted__():
        raise NotFitted(f"This {kind} is not fitted. Call .fit(X, y) on it first.")
    booster = model.booster_ if estimator else model
    require_library_class(booster, root="lightgbm", names=NAMES)
    _reject_early_stop(model.get_params() if estimator else booster.params)
    used = booster.best_iteration if booster.best_iteration > 0 else -1
    header, blocks = split_text(booster.model_to_string(num_iteration=used))
    objective, *options = header.get("objective", "").split(" ")
    columns, library_columns, codebook, rows = _columns(booster, request)
    per_round = int(header.get("num_tree_per_iteration", "1"))
    return LightGBMParts(
        kind=kind,
        model=model,
        objective=objective,
        options={key: value for key, _, value in (option.partition(":") for option in options)},
        blocks=blocks,
        per_round=per_round,
        divisor=float(len(blocks) // per_round) if "average_output" in header else 1.0,
        columns=columns,
        library_columns=library_columns,
        codebook=codebook,
        rows=rows,
    )


def _reject_early_stop(params: dict[str, Any]) -> None:
    if params.get("pred_early_stop"):
        raise UnsupportedModel(
            "LightGBM with pred_early_stop=True stops adding trees when a row seems to be decided, so its "
            "scores are not sums over all trees. Set pred_early_stop=False."
        )


def _columns(
    booster: Any, request: ParseRequest
) -> tuple[tuple[str, ...], tuple[LibraryColumn, ...], Codebook, AsFrame | AsArray]:
    """Determine the columns, how LightGBM stores each, the codes of labels, and how rows are passed to it."""
    names = booster.feature_name()
    unnamed = names == [f"Column_{position}" for position in range(len(names))]
    # LightGBM replaces blanks in names by underscores. The reference has the original names.
    known = {str(label).replace(" ", "_"): str(label) for label in request.reference.columns}
    if unnamed and set(names) != set(known):
        columns = columns_by_count(len(names), request.reference)
    else:
        columns = columns_by_name([known.get(name, name) for name in names], request.reference)

    fitted = list(booster.pandas_categorical or [])
    codings = [request.codebook[name] for name in columns]
    text = [coding for coding in codings if not _is_taken(coding)]
    if text:
        raise InvalidReference(
            f"LightGBM accepts numbers and pandas categories, but column {echoed(text[0].name)} of the "
            f"reference data holds {text[0].dtype}. Convert it as for fitting, with .astype('category')."
        )
    categories = [coding.name for coding in codings if coding.is_category]
    # LightGBM matches the category columns of a frame with those of fitting by their order.
    if len(fitted) != len(categories):
        raise InvalidReference(
            f"LightGBM was fitted on {len(fitted)} columns of pandas categories, but the reference data has "
            f"{len(categories)} ({listed(categories[:5])}). Convert every column to the type that it had for "
            "fitting."
        )
    known_labels = dict(zip(categories, fitted, strict=True))
    codebook = request.codebook.with_labels(known_labels)
    library_columns = tuple(
        LibraryColumn(
            name in request.nullable,
            library_codes(codebook[name], known_labels[name]) if name in known_labels else None,
        )
        for name in columns
    )
    # Only frames carry categories.
    return (
        columns,
        library_columns,
        codebook,
        row_format(columns, request.reference, named=bool(categories) or not unnamed),
    )


def _is_taken(coding: Coding) -> bool:
    return not coding.is_category or isinstance(coding.dtype, pd.CategoricalDtype)


# The reported outputs


def _classes(booster: LightGBMParts, margins: ForestMargins | LinearTreeMargins) -> ClassOutputs:
    classifier, count = booster.kind == "LGBMClassifier", booster.per_round
    several = booster.objective in _SEVERAL_CLASSES and count > 2
    names = tuple(range(count if several else 2))
    if classifier:
        names = plain_classes(booster.model.classes_)
    if several and len(names) != count:
        raise UnsupportedModel(
            f"This {booster.kind} has {len(names)} classes but grew trees for {count}. Fit without num_class."
        )
    if not several and (booster.objective not in _TWO_CLASSES or len(names) != 2):
        raise UnsupportedModel(
            f"LightGBM with objective {echoed(booster.objective or 'custom')} does not report the "
            "probability of one class out of two. Fit with objective='binary'."
        )
    sigmoid, divisor = booster.sigmoid, 1.0 if several else booster.divisor
    one_by_one = booster.objective == "multiclassova"
    return ClassOutputs(
        names=names,
        probabilities=booster.call if classifier or several else booster.call.then(_both),
        decision_values=_decision_values(booster),
        # Random-forest mode reports the mean of the trees.
        link=logistic_link(margin=lambda total: sigmoid * (total / divisor)),
        ahead=_sigmoid_ahead(sigmoid, margins) if isinstance(margins, ForestMargins) and one_by_one else None,
        each_alone=one_by_one,
    )


def _decision_values(booster: LightGBMParts) -> ModelCall | None:
    """Return the call for margins, which classifiers have since LightGBM 4.7; None for other models.

    In random-forest mode, it reports the mean of the trees, which is another number than the margin here.
    """
    method = getattr(booster.model, "decision_function", None)
    if method is None or booster.divisor != 1.0:
        return None
    return ModelCall(name=FAMILY, method=method, rows=booster.rows)


def _both(second: FloatArray) -> FloatArray:
    """Return both probabilities of a Booster, which only reports the second one."""
    return np.column_stack([1.0 - second, second])


def _sigmoid_ahead(sigmoid: float, margins: ForestMargins) -> Ahead:
    """Certify that one class's 1 / (1 + exp(-s·m)) is above another's.

    ln P grows by at least s / (1 + exp(s·m)) per unit of margin, which is least at the highest margin. A
    growth of 64 half units exceeds the errors of exp (8 each), of the addition and of the division. The
    rounding error of the product s·m is relative to its size.
    """

    def ahead(_index: int, _other: int, band: float) -> tuple[float, float]:
        found = [margins.margin(place) for place in range(margins.count)]
        highest, largest = max(map(_highest, found)), max(margin.largest for margin in found)
        top = sigmoid * max(highest, 0.0)
        if top > 30.0 or sigmoid * largest > 700.0:
            raise UnsupportedModel(
                f"LightGBM's margins reach {highest:.3g} here, where the probabilities of all classes "
                "against the rest are 1 in float64, so they do not determine which class wins."
            )
        gap = 64.0 * _UNIT * (1.0 + math.exp(top)) / sigmoid * 1.01 + 8.0 * _UNIT * largest
        return widened(gap, -gap, band)

    return ahead


def _highest(margin: ForestMargin) -> float:
    """Bound a margin from above."""
    leaves = np.where(margin.forest.feature < 0, margin.forest.value, -np.inf)
    return float(np.maximum.reduceat(leaves, margin.forest.root).sum())


def _prediction(booster: LightGBMParts) -> OutputLink:
    """Return how LightGBM's prediction follows from a sum over the trees."""
    divisor = booster.divisor
    squared = "sqrt" in booster.options
    if booster.objective in ("", *_IDENTITY) and not squared:
        return OutputLink(exactly(lambda total: total / divisor), lambda totals: totals / divisor)
    if booster.objective == "regression" and squared:
        # Two IEEE products, both monotone.
        return OutputLink(
            exactly(lambda total: np.abs(total / divisor) * (total / divisor)),
            lambda totals: np.abs(totals / divisor) * (totals / divisor),
        )
    if booster.objective in _EXPONENTIAL:
        return OutputLink(
            exponential(lambda total: total / divisor, single=False), lambda totals: np.exp(totals / divisor)
        )
    raise UnsupportedModel(
        f"LightGBM with objective {echoed(booster.objective)} is not supported natively as a regressor. "
        f"Supported are {', '.join(_IDENTITY + _EXPONENTIAL)}."
    )
