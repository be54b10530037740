"""Find the columns that a loaded model takes, and the categories among them with their labels."""

import json
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelColumns:
    """What a model knows about its columns."""

    names: tuple[str, ...] | None = None  # in its order; None if it knows them by position only
    count: int | None = None
    # Columns that the model takes as pandas categories. Their labels in its order, or None if it keeps none.
    categories: dict[str, tuple[Any, ...] | None] = field(default_factory=dict)
    # Labels of category columns in order, if the model does not state which columns they belong to.
    loose_labels: tuple[tuple[Any, ...], ...] = ()
    texts: frozenset[str] = frozenset()  # columns whose values the model takes as text (or whole numbers)
    numbers_only: bool = False  # all columns but the categories must be numbers


def columns_of_model(model: Any) -> ModelColumns:
    """Return the columns of a model."""
    root = type(model).__module__.partition(".")[0]
    if root == "lightgbm":
        return _of_lightgbm(getattr(model, "booster_", model))
    if root == "xgboost":
        return _of_xgboost(model.get_booster() if hasattr(model, "get_booster") else model)
    if root == "catboost":
        return _of_catboost(model)
    names = getattr(model, "feature_names_in_", None)
    count = getattr(model, "n_features_in_", None)
    known = None if names is None else tuple(str(name) for name in names)
    split = getattr(model, "is_categorical_", None)  # scikit-learn's histogram boosting has it
    categories: dict[str, tuple[Any, ...] | None] = {}
    if split is not None and known is not None:
        categories = {name: None for name, yes in zip(known, split, strict=True) if yes}
    return ModelColumns(names=known, count=None if count is None else int(count), categories=categories)


def _of_lightgbm(booster: Any) -> ModelColumns:
    names = [str(name) for name in booster.feature_name()]
    if names == [f"Column_{place}" for place in range(len(names))]:
        return ModelColumns(count=len(names), numbers_only=True)
    labels = tuple(tuple(one) for one in booster.pandas_categorical or ())
    header = booster.model_to_string(num_iteration=1).partition("\n\n")[0]
    infos = next((line for line in header.splitlines() if line.startswith("feature_infos=")), "=")
    # A number has [lowest:highest] here, a category has its codes, such as 0:2:1.
    seen = infos.partition("=")[2].split(" ")
    split = [name for name, info in zip(names, seen, strict=False) if info[:1] not in ("[", "n", "")]
    if len(split) == len(labels):
        categories: dict[str, tuple[Any, ...] | None] = dict(zip(split, labels, strict=True))
        return ModelColumns(names=tuple(names), count=len(names), categories=categories, numbers_only=True)
    return ModelColumns(names=tuple(names), count=len(names), loose_labels=labels)


def _of_xgboost(booster: Any) -> ModelColumns:
    names, kinds = booster.feature_names, booster.feature_types or []
    if not names:
        return ModelColumns(count=int(booster.num_features()), numbers_only=True)
    if "c" not in kinds:
        return ModelColumns(names=tuple(names), count=len(names), numbers_only=True)
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]
    inner = learner["gbtree"]["model"] if learner["name"] == "dart" else learner["model"]
    kept = inner.get("cats", {}).get("enc", []) or [None] * len(names)
    categories = {
        name: _xgboost_labels(labels)
        for name, kind, labels in zip(names, kinds, kept, strict=True)
        if kind == "c"
    }
    return ModelColumns(names=tuple(names), count=len(names), categories=categories, numbers_only=True)


def _xgboost_labels(kept: dict[str, Any] | None) -> tuple[Any, ...] | None:
    """Read the labels that XGBoost 3.1 and later keep. It truncates characters beyond ASCII."""
    if kept is None or not kept.get("values"):
        return None
    if "offsets" not in kept:
        return tuple(kept["values"])
    text = bytes(value & 0xFF for value in kept["values"])
    if not text.isascii():
        return None
    return tuple(text[first:last].decode() for first, last in pairwise(kept["offsets"]))


def _of_catboost(model: Any) -> ModelColumns:
    names = [str(name) for name in model.feature_names_]
    if names == [str(place) for place in range(len(names))]:
        return ModelColumns(count=len(names))
    texts = frozenset(names[place] for place in model.get_cat_feature_indices())
    return ModelColumns(names=tuple(names), count=len(names), texts=texts)
