"""What categories are called, and in which order columns, rows and labels come, changes no answer."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import p2ce
from tests.oracle import plain, plain_row
from tests.populations.small_models import OF_TABLES, fit_network
from tests.properties.amount import examples
from tests.properties.stated_problems import random_actions
from tests.properties.stated_rules import make_if_then, make_transitions

ROWS = 80
# Every name becomes another one's, so that the order of the alphabet is another one too.
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
    "histogram boosting": lambda frame, label: HistGradientBoostingClassifier(
        max_iter=8, min_samples_leaf=3, categorical_features="from_dtype", random_state=0
    ).fit(frame, label),
    "one-hot and logistic regression": lambda frame, label: make_pipeline(
        _as_listed(frame, OneHotEncoder), LogisticRegression(max_iter=500)
    ).fit(frame, label),
    "one-hot and network": lambda frame, label: fit_network(
        _as_listed(frame, OneHotEncoder), frame, label, 0
    ),
    "ordinal and forest": lambda frame, label: make_pipeline(
        _as_listed(frame, OrdinalEncoder), RandomForestClassifier(6, max_depth=4, random_state=0)
    ).fit(frame, label),
}
NATIVE = ("LightGBM", "histogram boosting")


def explain_row(model: Any, frame: pd.DataFrame, place: int, seed: int, **changed: Any) -> p2ce.Explanation:
    """Ask about one person, with actions and rules that are the same whatever labels are called."""
    draw = np.random.default_rng(seed)
    actions = random_actions(frame, draw)
    for make in (make_if_then, make_transitions):
        actions = actions.rule(make(frame, ["job", "home", "grade"], draw).rule)
    arguments = {"actions": actions, "max_changes": 2, "plausibility": None, **changed}
    reference, row = arguments.pop("reference", frame), arguments.pop("row", frame.iloc[[place]])
    return p2ce.Explainer(model, reference, **arguments).explain(row)


def rejected_place(model: Any, frame: pd.DataFrame) -> int:
    return int(np.argmin(model.predict_proba(frame)[:, 1]))


@pytest.mark.parametrize("family", MODELS)
@examples(4)
@given(seed=st.integers(0, 10_000), forest=st.booleans())
def test_renaming_categories_changes_nothing(family: str, seed: int, forest: bool) -> None:
    frame, label = make_people(seed)
    new = renamed(frame)
    if family in NATIVE:
        frame, new = _in_categories(frame), _in_categories(new)
    model, new_model = MODELS[family](frame, label), MODELS[family](new, label)
    place = rejected_place(model, frame)
    plausibility = p2ce.IsolationForest(n_estimators=10, contamination=0.2) if forest else None
    before = explain_row(model, frame, place, seed, plausibility=plausibility)
    after = explain_row(new_model, new, place, seed, plausibility=plausibility)
    assert after.status is before.status
    assert [one.costs for one in after] == [one.costs for one in before]
    assert [one.plausibility for one in after] == [one.plausibility for one in before]
    assert [named_back(one.values) for one in after] == [one.values for one in before]
    assert [one.score for one in after] == pytest.approx([one.score for one in before])


@pytest.mark.parametrize("family", MODELS)
@examples(3)
@given(seed=st.integers(0, 10_000))
def test_the_order_of_columns_and_rows_changes_nothing(family: str, seed: int) -> None:
    frame, label = make_people(seed)
    if family in NATIVE:
        frame = _in_categories(frame)
    model = MODELS[family](frame, label)
    place = rejected_place(model, frame)
    draw = np.random.default_rng(seed)
    columns = draw.permutation(list(frame))
    before = explain_row(model, frame, place, seed)
    after = explain_row(model, frame, place, seed, reference=frame[columns], row=frame.iloc[[place]][columns])
    assert after.status is before.status
    assert list(after) == list(before)
    # In another order of rows sums round differently, and labels that are equally common swap places.
    shuffled = explain_row(model, frame, place, seed, reference=frame.iloc[draw.permutation(ROWS)])
    assert shuffled.status is before.status
    assert_same_costs(shuffled, before)


@pytest.mark.parametrize("family", ["one-hot and logistic regression", "ordinal and forest"])
@examples(3)
@given(seed=st.integers(0, 10_000))
def test_the_order_in_which_labels_are_declared_changes_nothing(family: str, seed: int) -> None:
    """For encoders, which go by the label; boosting libraries go by its place, as do orders."""
    frame, label = make_people(seed)
    model = MODELS[family](frame, label)
    place = rejected_place(model, frame)
    other = frame.assign(home=frame["home"].cat.reorder_categories(["free", "own", "boat", "rent"]))
    before, after = explain_row(model, frame, place, seed), explain_row(model, other, place, seed)
    assert after.status is before.status
    assert_same_costs(after, before)
    assert before.to_frame()["home"].dtype == frame["home"].dtype
    assert after.to_frame()["home"].dtype == other["home"].dtype


def assert_same_costs(after: p2ce.Explanation, before: p2ce.Explanation) -> None:
    assert len(after) == len(before)
    for one, other in zip(after, before, strict=True):
        assert one.costs == pytest.approx(other.costs)


def test_a_person_reads_as_they_were_given() -> None:
    """The names themselves come back, whatever the codes behind them are."""
    frame, label = make_people(1)
    model = MODELS["one-hot and logistic regression"](renamed(frame), label)
    found = explain_row(model, renamed(frame), 3, 1)
    assert {name: plain(value) for name, value in found.person.items()} == plain_row(renamed(frame), 3)
