"""Neither the names of categories nor the order of rows changes an explanation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import p2ce
from tests.populations.small_models import OF_TABLES
from tests.properties.amount import examples
from tests.properties.stated_problems import random_actions
from tests.properties.stated_rules import make_implies, make_transitions

ROWS = 80
# Every name becomes another one's, so the order of the alphabet is another one too.
NEW_NAMES = {
    "job": {"clerk": "cook", "cook": "boss", "boss": "clerk"},
    "city": {"Bonn": "Ulm", "Kiel": "Bonn", "Ulm": "Kiel"},
    "home": {"own": "yacht", "rent": "own", "free": "rent", "boat": "free"},
    "grade": {"a": "d", "b": "c", "c": "b", "d": "a"},
}


def make_people(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Make people with a category of every type and two numbers."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": draw.integers(20, 26, ROWS),
            "job": pd.Series(draw.choice(["clerk", "cook", "boss"], ROWS, p=[0.5, 0.3, 0.2]), dtype=object),
            "debt": draw.integers(0, 7, ROWS) / 4.0,
            "city": pd.Series(draw.choice(["Bonn", "Kiel", "Ulm"], ROWS, p=[0.2, 0.3, 0.5]), dtype="string"),
            "home": pd.Categorical(
                draw.choice(["own", "rent", "free"], ROWS, p=[0.2, 0.2, 0.6]), ["boat", "rent", "own", "free"]
            ),
            "grade": pd.Categorical(draw.choice(list("abcd"), ROWS), list("abcd"), ordered=True),
        }
    )
    parts = np.column_stack([pd.factorize(frame[name])[0] for name in frame]) @ draw.normal(size=6)
    return frame, (parts > np.quantile(parts, 0.7)).astype(int)


def renamed(frame: pd.DataFrame) -> pd.DataFrame:
    """Call every label something else, in columns of the same types."""
    new = frame.copy()
    for name, names in NEW_NAMES.items():
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            new[name] = frame[name].cat.rename_categories(names)
        else:
            new[name] = frame[name].map(names).astype(frame[name].dtype)
    return new


def named_back(row: dict[str, Any]) -> dict[str, Any]:
    """Undo the renaming of one row."""
    old = {name: {new: was for was, new in names.items()} for name, names in NEW_NAMES.items()}
    return {name: old[name][value] if name in old else value for name, value in row.items()}


def _as_listed(frame: pd.DataFrame, encoder: Callable[..., Any]) -> Any:
    # Labels in the order of their appearance, as a renamed table has them too.
    listed = [list(dict.fromkeys(frame[name])) for name in NEW_NAMES]
    return make_column_transformer((encoder(categories=listed), list(NEW_NAMES)), remainder="passthrough")


def _in_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Make text an own category, whose codes do not depend on names."""
    return frame.assign(
        **{name: pd.Categorical(frame[name], list(dict.fromkeys(frame[name]))) for name in ("job", "city")}
    )


MODELS: dict[str, Callable[[pd.DataFrame, np.ndarray], Any]] = {
    "LightGBM": lambda frame, label: OF_TABLES["LightGBM"].fit(frame, label, 0),
    "one-hot and logistic regression": lambda frame, label: make_pipeline(
        _as_listed(frame, OneHotEncoder), LogisticRegression(max_iter=500)
    ).fit(frame, label),
    "ordinal and forest": lambda frame, label: make_pipeline(
        _as_listed(frame, OrdinalEncoder), RandomForestClassifier(6, max_depth=4, random_state=0)
    ).fit(frame, label),
}


def explain_row(model: Any, frame: pd.DataFrame, place: int, seed: int, **changed: Any) -> p2ce.Explanation:
    """Explain a row, with policy and rules that are the same whatever labels are called."""
    draw = np.random.default_rng(seed)
    policy = random_actions(frame, draw)
    for make in (make_implies, make_transitions):
        policy = policy.with_rules(make(frame, ["job", "home", "grade"], draw).rule)
    arguments = {"policy": policy, "max_changes": 2, "plausibility": None, **changed}
    reference = arguments.pop("reference", frame)
    return p2ce.Explainer(model, reference, **{"target": 1, **arguments}).explain(frame.iloc[[place]])


@pytest.mark.parametrize("family", MODELS)
@examples(3)  # a wrong name or order shows in any of them
@given(seed=st.integers(0, 10_000), forest=st.booleans())
def test_names_of_categories_and_order_of_rows_change_nothing(family: str, seed: int, forest: bool) -> None:
    frame, label = make_people(seed)
    new = renamed(frame)
    if family == "LightGBM":
        frame, new = _in_categories(frame), _in_categories(new)
    model, new_model = MODELS[family](frame, label), MODELS[family](new, label)
    place = int(np.argmin(model.predict_proba(frame)[:, 1]))
    plausibility = p2ce.PlausibilityForest(n_estimators=10, contamination=0.2) if forest else None
    before = explain_row(model, frame, place, seed, plausibility=plausibility)
    after = explain_row(new_model, new, place, seed, plausibility=plausibility)
    assert after.status is before.status
    assert [one.costs for one in after] == [one.costs for one in before]
    assert [one.plausibility for one in after] == [one.plausibility for one in before]
    assert [named_back(one.values) for one in after] == [one.values for one in before]
    assert [one.score for one in after] == pytest.approx([one.score for one in before])
    # In another order of rows sums round differently, and labels that are equally common swap places.
    reference = frame.iloc[np.random.default_rng(seed).permutation(ROWS)]
    without = explain_row(model, frame, place, seed)
    shuffled = explain_row(model, frame, place, seed, reference=reference)
    assert shuffled.status is without.status
    assert [pytest.approx(one.costs) for one in shuffled] == [one.costs for one in without]
