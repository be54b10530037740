"""Evaluate a bare Booster of LightGBM or XGBoost as a black box, if it is not supported natively.

A Booster has only ``predict``. What it returns depends on the Booster's objective. Linear trees, gblinear,
rankings and the like are wrapped in the form of any other black box: an object with probabilities, decision
values or numbers, which accepts frames or arrays.
"""

import json
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.calls.library import library_class
from p2ce.models.black_box import adapt_black_box
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.families.lightgbm.model_text import split_text
from p2ce.models.families.xgboost.booster_json import predict_rows

_NAMES = frozenset({"Booster"})
_TWO = ("binary", "cross_entropy", "binary:logistic", "reg:logistic")
_SEVERAL = ("multiclass", "multiclassova", "multi:softprob")


def is_bare_booster(model: object) -> bool:
    """Return whether a model is a Booster itself, and not an estimator that holds one."""
    return any(library_class(model, root=root, names=_NAMES) is not None for root in ("lightgbm", "xgboost"))


def adapt_bare_booster(model: Any, request: ParseRequest) -> Adapter:
    """Wrap a Booster by what its objective reports, and adapt it as a black box."""
    is_lightgbm = library_class(model, root="lightgbm", names=_NAMES) is not None
    objective, groups = _lightgbm_facts(model) if is_lightgbm else _xgboost_facts(model)
    if objective in _TWO:
        return adapt_black_box(_Probabilities(model, request.reference, classes=2), request)
    if objective in _SEVERAL:
        return adapt_black_box(_Probabilities(model, request.reference, classes=groups), request)
    if groups > 1:  # with a custom objective, or if only the number of the class is predicted
        return adapt_black_box(_Margins(model, request.reference, classes=groups), request)
    # The number may be the score of a class.
    return adapt_black_box(_Numbers(model, request.reference), request, scored=(0, 1))


def _lightgbm_facts(booster: Any) -> tuple[str, int]:
    header, _ = split_text(booster.model_to_string(num_iteration=1))
    return header.get("objective", "").partition(" ")[0], int(header.get("num_tree_per_iteration", "1"))


def _xgboost_facts(booster: Any) -> tuple[str, int]:
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    return learner["objective"]["name"], max(1, int(learner["learner_model_param"].get("num_class", "0")))


class _Wrapped:
    """A Booster that accepts frames, or arrays if it was fitted on one."""

    def __init__(self, booster: Any, reference: pd.DataFrame) -> None:
        self._booster = booster
        self._is_lightgbm = library_class(booster, root="lightgbm", names=_NAMES) is not None
        self.__name__ = f"{'LightGBM' if self._is_lightgbm else 'XGBoost'} Booster"
        names = booster.feature_name() if self._is_lightgbm else booster.feature_names
        # LightGBM's default names for the columns of an array.
        unnamed = names == [f"Column_{place}" for place in range(len(names or ()))]
        if not names or (unnamed and set(names) != set(map(str, reference.columns))):
            self.n_features_in_ = int(booster.num_feature() if self._is_lightgbm else booster.num_features())
        else:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _values(self, rows: Any, *, margin: bool = False) -> np.ndarray:
        if self._is_lightgbm:
            return np.asarray(self._booster.predict(rows, raw_score=margin))
        return predict_rows(self._booster, rows, margin=margin)


class _Probabilities(_Wrapped):
    def __init__(self, booster: Any, reference: pd.DataFrame, *, classes: int) -> None:
        super().__init__(booster, reference)
        self.classes_ = np.arange(classes)

    def predict_proba(self, rows: Any) -> np.ndarray:
        """Return a column per class; for two classes, a Booster reports only the second."""
        values = self._values(rows)
        return np.column_stack([values.dtype.type(1.0) - values, values]) if values.ndim == 1 else values


class _Margins(_Wrapped):
    def __init__(self, booster: Any, reference: pd.DataFrame, *, classes: int) -> None:
        super().__init__(booster, reference)
        self.classes_ = np.arange(classes)

    def decision_function(self, rows: Any) -> np.ndarray:
        """Return a column per class; the class with the largest value wins."""
        return self._values(rows, margin=True).reshape(len(rows), -1)


class _Numbers(_Wrapped):
    _estimator_type = "regressor"

    def predict(self, rows: Any) -> np.ndarray:
        """Return one number per row."""
        return self._values(rows)
