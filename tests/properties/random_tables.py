"""Make small random tables with columns of every kind, and fit models of every kind on them."""

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import p2ce

ROWS = 60
GROUP = ("in_town", "in_village", "at_sea")  # 0/1 columns that are one category
NUMBERS = ("age", "debt", "owns", "rate", "years", "flag", *GROUP)
CATEGORIES = ("home", "grade")
TEXTS = ("job", "city")

Draw = Callable[[np.random.Generator], Any]


def _some(draw: np.random.Generator, values: Any) -> Any:
    """Leave out one value of eight or so."""
    return values.mask(draw.random(ROWS) < 0.12)


COLUMNS: dict[str, Draw] = {
    "age": lambda draw: pd.Series(draw.integers(20, 25, ROWS)),
    "debt": lambda draw: _some(draw, pd.Series(draw.integers(0, 7, ROWS) / 4.0)),
    "owns": lambda draw: pd.Series(draw.random(ROWS) < 0.4),
    "rate": lambda draw: pd.Series((draw.integers(0, 6, ROWS) / 10.0).astype(np.float32)),
    "years": lambda draw: _some(draw, pd.Series(draw.integers(0, 5, ROWS), dtype="Int64")),
    "flag": lambda draw: _some(draw, pd.Series(draw.random(ROWS) < 0.5, dtype="boolean")),
    "home": lambda draw: _some(
        draw,
        pd.Series(
            pd.Categorical(draw.choice(["own", "rent", "free"], ROWS), ["boat", "rent", "own", "free"])
        ),
    ),
    "grade": lambda draw: pd.Series(
        pd.Categorical(draw.choice(list("abcd"), ROWS), list("abcd"), ordered=True)
    ),
    "job": lambda draw: pd.Series(draw.choice(["clerk", "cook", "boss"], ROWS).astype(object), dtype=object),
    "city": lambda draw: pd.Series(draw.choice(["Bonn", "Kiel", "Ulm"], ROWS), dtype="string"),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """People of mixed kinds, and what became of them."""

    frame: pd.DataFrame
    label: np.ndarray


def random_table(
    seed: int, *, columns: int, kinds: tuple[str, ...], must: Collection[str] = (), group: bool = False
) -> Table:
    """Make people with so many columns of these kinds, all in random order; ``group`` adds three more.

    Columns that it ``must`` have come first, whatever their number.
    """
    draw = np.random.default_rng(seed)
    possible = [name for name in COLUMNS if name in kinds]
    shuffled = [possible[i] for i in draw.permutation(len(possible))]
    chosen = sorted(shuffled, key=lambda name: name not in must)[: max(columns, len(must))]
    made = {name: COLUMNS[name](draw) for name in chosen}
    if group:
        level = draw.integers(0, 4 if draw.random() < 0.5 else 3, ROWS)
        made |= {name: pd.Series((level == i).astype(np.int8)) for i, name in enumerate(GROUP)}
    frame = pd.DataFrame({name: made[name] for name in draw.permutation(list(made))})
    parts = np.column_stack([pd.factorize(frame[name], sort=False)[0] for name in frame]).astype(float)
    parts = (parts - parts.mean(axis=0)) / np.maximum(parts.std(axis=0), 1e-9)
    margin = parts @ draw.normal(size=frame.shape[1]) + draw.normal(0.0, 0.4, ROWS)
    return Table(frame=frame, label=(margin > np.quantile(margin, draw.uniform(0.5, 0.8))).astype(int))


def few_candidates(
    frame: pd.DataFrame, draw: np.random.Generator, *, free: Collection[str] = ()
) -> p2ce.ActionSet:
    """Take few candidates per feature, and say something about some of them; ``free`` ones are not fixed."""
    actions = p2ce.ActionSet.infer(frame, grid="paper")
    for name in frame.columns:
        feature = actions[name]
        if feature.kind in ("number", "whole"):
            known = np.unique(frame[name].dropna().to_numpy())
            actions = actions.values(
                {name: [v.item() for v in draw.choice(known, min(4, len(known)), False)]}
            )
        way = draw.random()
        if name in GROUP:
            continue
        if way < 0.15 and (not feature.is_category or feature.order):
            actions = actions.increase_only(name) if way < 0.08 else actions.decrease_only(name)
        elif way < 0.25 and frame.shape[1] > 2:
            actions = actions if name in free else actions.fix(name)
        elif way < 0.45 and frame[name].isna().any():
            actions = actions.keep_missing(name) if way < 0.35 else actions.allow_missing(name)
    return actions


def _encoded(frame: pd.DataFrame, encoder: Any, numbers: Any) -> Any:
    named = [name for name in frame if name in (*CATEGORIES, *TEXTS)]
    return make_column_transformer((encoder, named), (numbers, [name for name in frame if name not in named]))


def _one_hot(frame: pd.DataFrame) -> Any:
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    return _encoded(frame, OneHotEncoder(handle_unknown="ignore"), numbers)


def _ordinal(frame: pd.DataFrame) -> Any:
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    return _encoded(frame, encoder, SimpleImputer(strategy="median"))


def _lightgbm(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=6,
        num_leaves=6,
        min_child_samples=3,
        min_data_per_group=2,
        cat_smooth=1.0,
        n_jobs=1,
        verbose=-1,
        random_state=seed,
    ).fit(frame, label)


def fit_network(encoder: Any, frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    """Fit a small network behind an encoder; whether it has converged is no matter here."""
    network = MLPClassifier((6,), alpha=0.1, solver="lbfgs", max_iter=2000, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_pipeline(encoder, network).fit(frame, label)


def _function(frame: pd.DataFrame, label: np.ndarray, seed: int) -> Any:
    draw = np.random.default_rng(seed)
    worth = {
        name: {None: draw.normal(), **{plain(value): draw.normal() for value in frame[name].unique()}}
        for name in frame
    }

    def score(rows: pd.DataFrame) -> np.ndarray:
        total = np.zeros(len(rows))
        for name, values in worth.items():
            total += [values.get(plain(cell), -1.0) for cell in rows[name]]
        return total

    return score


Fit = Callable[[pd.DataFrame, np.ndarray, int], Any]

# What each kind of model is fitted on: text needs an encoder.
KINDS: dict[str, tuple[str, ...]] = {
    "LightGBM": (*NUMBERS, *CATEGORIES),
    "histogram boosting": (*NUMBERS, *CATEGORIES),
    "forest behind an ordinal encoder": (*NUMBERS, *CATEGORIES, *TEXTS),
    "logistic regression behind a one-hot encoder": (*NUMBERS, *CATEGORIES, *TEXTS),
    "network behind a one-hot encoder": (*NUMBERS, *CATEGORIES, *TEXTS),
    "function": (*NUMBERS, *CATEGORIES, *TEXTS),
}
FITS: dict[str, Fit] = {
    "LightGBM": _lightgbm,
    "histogram boosting": lambda frame, label, seed: HistGradientBoostingClassifier(
        max_iter=6, min_samples_leaf=3, categorical_features="from_dtype", random_state=seed
    ).fit(frame, label),
    "forest behind an ordinal encoder": lambda frame, label, seed: make_pipeline(
        _ordinal(frame), RandomForestClassifier(6, max_depth=4, random_state=seed)
    ).fit(frame, label),
    "logistic regression behind a one-hot encoder": lambda frame, label, _: make_pipeline(
        _one_hot(frame), LogisticRegression()
    ).fit(frame, label),
    "network behind a one-hot encoder": lambda frame, label, seed: fit_network(
        _one_hot(frame), frame, label, seed
    ),
    "function": _function,
}


def plain(cell: Any) -> Any:
    """Give a cell as plain Python holds it, None where it is missing."""
    if cell is None or cell is pd.NA or cell != cell:
        return None
    return cell.item() if isinstance(cell, np.generic) else cell


def plain_row(frame: pd.DataFrame, place: int) -> dict[str, Any]:
    """Give one person as plain Python holds them."""
    return {str(name): plain(frame[name].iloc[place]) for name in frame}


def accepted_by(model: Any, threshold: float) -> Callable[[pd.DataFrame], np.ndarray]:
    """Give the user's own verdict on rows."""
    if hasattr(model, "predict_proba"):
        return lambda rows: np.asarray(model.predict_proba(rows)[:, 1] >= threshold)
    return lambda rows: np.asarray(model(rows) >= threshold)
