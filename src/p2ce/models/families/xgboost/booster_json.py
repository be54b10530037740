"""Parse the JSON of a fitted XGBoost model: its trees, its objective, its columns and their types."""

import contextlib
import json
import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.model_call import AsArray, AsFrame, ModelCall
from p2ce.base.visible import echoed
from p2ce.engine.scores.trees.forest import Forest
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import InvalidReference, NotFitted, UnsupportedModel
from p2ce.models.category_codes import LibraryColumn, library_codes
from p2ce.models.contract.forest_margins import forest_of
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.row_format import columns_by_count, columns_by_name, row_format
from p2ce.models.families.xgboost.trees import dropout_weights, tree_of_json
from p2ce.models.fitted import require_library_class
from p2ce.tables.codebook import Codebook, Coding

FAMILY = "XGBoost"
CLASSIFIERS = frozenset({"XGBClassifier", "XGBRFClassifier"})
REGRESSORS = frozenset({"XGBRegressor", "XGBRFRegressor"})
NAMES = CLASSIFIERS | REGRESSORS | {"Booster"}


class XGBoostParts(NamedTuple):
    """The parts of a fitted model."""

    kind: str
    model: Any
    booster: Any
    learner: dict[str, Any]
    objective: str
    groups: int  # the number of margins: one for each of several classes, otherwise one
    columns: tuple[str, ...]
    library_columns: tuple[LibraryColumn, ...]
    codebook: Codebook  # with codes for the labels that only XGBoost knows
    rows: AsFrame | AsArray

    def forest(self, group: int) -> Forest:
        """Parse the trees of one margin."""
        trees = _trees_in_use(None if self.kind == "Booster" else self.model, self.learner, group)
        return forest_of([tree_of_json(tree, self.library_columns, factor=weight) for tree, weight in trees])

    @property
    def predict_proba(self) -> ModelCall:
        """The call of a classifier's own ``predict_proba``."""
        return ModelCall(name=FAMILY, method=self.model.predict_proba, rows=self.rows)

    def predict(self, *, margin: bool = False) -> ModelCall:
        """Return the call of the model's own ``predict``."""
        method = partial(self.model.predict, output_margin=margin)
        if self.kind == "Booster":
            method = partial(predict_rows, self.booster, margin=margin)
        return ModelCall(name=FAMILY, method=method, rows=self.rows)


def predict_rows(booster: Any, rows: Any, *, margin: bool = False) -> np.ndarray:
    """Evaluate a bare Booster, which only accepts a DMatrix."""
    import xgboost

    has_categories = "c" in (booster.feature_types or ())
    options: dict[str, Any] = {"enable_categorical": True} if has_categories else {}
    if has_categories and not isinstance(rows, pd.DataFrame):
        options["feature_types"] = booster.feature_types
    return np.asarray(booster.predict(xgboost.DMatrix(rows, **options), output_margin=margin))


def xgboost_parts(model: Any, request: ParseRequest) -> XGBoostParts:
    """Return the parts of a model, with the trees that its own prediction uses."""
    kind = require_library_class(model, root="xgboost", names=NAMES).__name__
    estimator = kind != "Booster"
    if estimator and not model.__sklearn_is_fitted__():
        raise NotFitted(f"This {kind} is not fitted. Call .fit(X, y) on it first.")
    if estimator and not math.isnan(model.missing):
        raise UnsupportedModel(
            f"This {kind} treats the value {echoed(model.missing)} as missing, which is not one cut per "
            "split. Fit with missing=np.nan."
        )
    booster = model.get_booster() if estimator else model
    require_library_class(booster, root="xgboost", names=NAMES)
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    name = learner["objective"]["name"]
    _require_trees(learner, name)
    columns = (
        columns_by_name(booster.feature_names, request.reference)
        if booster.feature_names
        else columns_by_count(int(booster.num_features()), request.reference)
    )
    named = bool(booster.feature_names)
    library_columns, codebook = _library_columns(columns, learner, request)
    parts = XGBoostParts(
        kind=kind,
        model=model,
        booster=booster,
        learner=learner,
        objective=name,
        groups=max(1, int(learner["learner_model_param"].get("num_class", "0"))),
        columns=columns,
        library_columns=library_columns,
        codebook=codebook,
        rows=row_format(columns, request.reference, named=named),
    )
    if any(column.numbers is not None for column in parts.library_columns):
        _try_categories(parts, request.reference)
    return parts


def _require_trees(learner: dict[str, Any], name: str) -> None:
    if int(learner["learner_model_param"].get("num_target", "1")) != 1:
        raise UnsupportedModel(
            f"XGBoost with objective {echoed(name)} predicts several numbers here. Fit a model for one of "
            "them."
        )
    if learner["gradient_booster"]["name"] not in ("gbtree", "dart"):
        raise UnsupportedModel(
            "XGBoost with booster='gblinear' has no trees. Use a scikit-learn linear model."
        )


def _inner(learner: dict[str, Any]) -> dict[str, Any]:
    booster = learner["gradient_booster"]
    inner: dict[str, Any] = booster["gbtree"]["model"] if booster["name"] == "dart" else booster["model"]
    return inner


@parsing("This XGBoost model")
def _trees_in_use(
    estimator: Any | None, learner: dict[str, Any], group: int
) -> list[tuple[dict[str, Any], float]]:
    """Return the trees of a margin with their dropout weights; an estimator stops at its best iteration."""
    inner = _inner(learner)
    trees = inner["trees"]
    weights = dropout_weights(learner) or [1.0] * len(trees)
    used = len(trees)
    if estimator is not None:
        starts = inner["iteration_indptr"]
        with contextlib.suppress(AttributeError):  # without early stopping, there is no best iteration
            best = estimator.best_iteration
            if not 0 <= best < len(starts) - 1:
                raise ValueError(f"best_iteration is {best}, of {len(starts) - 1} rounds")
            used = int(starts[best + 1])
    if any(int(tree["tree_param"].get("size_leaf_vector", "1")) > 1 for tree in trees[:1]):
        raise UnsupportedModel(
            "XGBoost's trees have a leaf value for each class here. "
            "Fit with multi_strategy='one_output_per_tree'."
        )
    return [
        (tree, float(np.float32(weight)))
        for tree, weight, owner in zip(trees[:used], weights[:used], inner["tree_info"][:used], strict=True)
        if owner == group
    ]


# Categories


def _library_columns(
    columns: Sequence[str], learner: dict[str, Any], request: ParseRequest
) -> tuple[tuple[LibraryColumn, ...], Codebook]:
    """Return how XGBoost stores each column, and the codes of its labels."""
    kinds = learner.get("feature_types") or ["float"] * len(columns)
    # XGBoost keeps the labels since version 3.1. Before that, and for arrays, the codes are the frame's own.
    kept = _inner(learner).get("cats", {}).get("enc", []) or [None] * len(columns)
    found, codebook = [], request.codebook
    for name, kind, labels in zip(columns, kinds, kept, strict=True):
        coding, numbers = request.codebook[name], None
        fitted_on_labels = labels is not None and len(labels["values"]) + len(labels.get("offsets", ())) > 0
        if coding.is_category != (fitted_on_labels or (kind == "c" and coding.is_category)):
            raise InvalidReference(
                f"XGBoost was fitted on {'numbers' if coding.is_category else 'categories'} in column "
                f"{echoed(name)}, but the reference data holds {coding.dtype}. Convert the column to the "
                "type that it had for fitting."
            )
        if coding.is_category:
            known = _known_labels(coding, labels if fitted_on_labels else None)
            codebook = codebook.with_labels({name: known})
            numbers = library_codes(codebook[name], known)
            _reject_unknown(coding, numbers)
        found.append(LibraryColumn(name in request.nullable, numbers))
    return tuple(found), codebook


def _known_labels(coding: Coding, kept: dict[str, Any] | None) -> list[Any]:
    """Return the labels that XGBoost knows, in the order of its codes."""
    if not isinstance(coding.dtype, pd.CategoricalDtype):
        raise InvalidReference(
            f"XGBoost accepts pandas categories, but column {echoed(coding.name)} of the reference data "
            f"holds {coding.dtype}. Convert it as for fitting, with .astype('category')."
        )
    declared = coding.dtype.categories.tolist()
    if kept is None:
        return declared
    if "offsets" not in kept:
        known: list[Any] = kept["values"]
        return known
    slices = _slices(kept["offsets"], bytes(value & 0xFF for value in kept["values"]))
    texts = [str(label) for label in declared]
    if not all(text.isascii() for text in texts) or not b"".join(slices).isascii():
        _require_same_labels(coding, declared, slices)
        return declared
    return [part.decode() for part in slices]


def _reject_unknown(coding: Coding, numbers: FloatArray) -> None:
    """Reject labels of the reference without a number of XGBoost's, which has one for each of our codes."""
    labels = coding.labels or ()
    strange = [label for label, number in zip(labels, numbers, strict=False) if math.isnan(number)]
    if strange:
        raise InvalidReference(
            f"Column {echoed(coding.name)} of the reference data has the category {echoed(strange[0])}, "
            "which it did not have for fitting. XGBoost rejects it, even if no row has it. Set the "
            "categories of fitting with .cat.set_categories."
        )


def _slices(offsets: Sequence[int], text: bytes) -> list[bytes]:
    return [text[first:last] for first, last in pairwise(offsets)]


def _require_same_labels(coding: Coding, declared: list[Any], slices: list[bytes]) -> None:
    """Match labels with letters beyond ASCII, which XGBoost 3 cuts by letters although it counts in bytes.

    The same categories in the same order are always cut in the same way. If no two pieces are equal, each
    piece identifies its label. Anything else is ambiguous.
    """
    text = "".join(map(str, declared)).encode()
    lengths = [[len(str(label)) for label in declared], [len(str(label).encode()) for label in declared]]
    cut = [_slices(np.concatenate([[0], np.cumsum(each)]).tolist(), text) for each in lengths]
    if slices not in cut or len(set(slices)) < len(slices):
        raise UnsupportedModel(
            f"The labels of column {echoed(coding.name)} have letters beyond ASCII, and XGBoost stores them "
            "in a way that cannot be matched with the reference. Set the categories of fitting, in their "
            "order."
        )


def _try_categories(parts: XGBoostParts, reference: pd.DataFrame) -> None:
    """Evaluate one row, since XGBoost has its own rules about the types of categories."""
    try:
        call = parts.predict(margin=True)
        call.method(call.rows(reference.head(1)))
    except Exception as error:
        why = str(error).partition("\n")[0].rpartition(": ")[2] or str(error)
        raise InvalidReference(
            f"XGBoost does not accept the reference data: {why} Convert its columns to the types and "
            "categories that they had for fitting."
        ) from error
