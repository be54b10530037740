"""Tables of every common kind give the results that pandas gives, in the kind that came in."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import p2ce
from p2ce import Explanation, Status
from p2ce.tables import as_pandas
from tests.optional import LazyLibrary

pa = LazyLibrary("pyarrow")

pl = LazyLibrary("polars")

ROWS = 60
NAMES = ["rooms", "debt", "owns", "job"]


@cache
def people() -> pd.DataFrame:
    """Make plain people: a whole number, a float with gaps, a bool and text."""
    draw = np.random.default_rng(3)
    debt = pd.Series(draw.integers(0, 8, ROWS) / 4.0).mask(draw.random(ROWS) < 0.1)
    return pd.DataFrame(
        {
            "rooms": draw.integers(20, 30, ROWS),
            "debt": debt,
            "owns": draw.random(ROWS) < 0.5,
            "job": draw.choice(["clerk", "cook", "boss"], ROWS),
        }
    )


def structured(frame: pd.DataFrame) -> np.ndarray:
    kinds = [("rooms", "i8"), ("debt", "f8"), ("owns", "?"), ("job", "U5")]
    return np.array(list(frame.itertuples(index=False, name=None)), dtype=kinds)


# How a table of each kind is made of a frame.
MAKE: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.DataFrame({name: frame[name].tolist() for name in frame}, nan_to_null=True),
    "arrow": lambda frame: pa.table(
        {name: pa.array(frame[name].tolist(), from_pandas=True) for name in frame}
    ),
    "numpy": structured,
    "dict": lambda frame: {str(name): frame[name].tolist() for name in frame},
    "records": lambda frame: frame.to_dict("records"),
}
TYPES = {
    "pandas": pd.DataFrame,
    "arrow": pa.Table,
    "numpy": np.ndarray,
    "dict": dict,
    "records": list,
}


def score(rows: pd.DataFrame) -> np.ndarray:
    """Score rows by name, whatever the type of text is."""
    worth = rows["job"].map({"clerk": 0.0, "cook": 1.0, "boss": 3.0}).astype(float)
    debt = rows["debt"].astype(float).fillna(1.2)
    return np.asarray(rows["rooms"].astype(float) / 10 + worth - 2 * debt + 0.5 * rows["owns"].astype(float))


@cache
def explainer(kind: str) -> p2ce.Explainer:
    return p2ce.Explainer(
        score,
        MAKE[kind](people()),
        target=1,
        at_least=3.0,
        objectives=("percentile_shift", "mean_distance", "changes"),
        plausibility=None,
    )


def rejected() -> pd.DataFrame:
    frame = people()[score(people()) < 3.0]
    lacking = frame[frame["debt"].isna()].head(1)
    return pd.concat([frame.head(4), lacking]).reset_index(drop=True)


def fronts(found: Explanation) -> Any:
    """Return what was answered, missing values as None."""
    rows = [
        {name: None if value != value else value for name, value in option.values.items()} for option in found
    ]
    return found.status, rows, [option.costs for option in found]


@cache
def expected() -> list[Any]:
    return [fronts(one) for one in explainer("pandas").explain_many(rejected())]


def test_the_ordinary_explanations_are_worth_comparing() -> None:
    assert [status for status, *_ in expected()] == [Status.OPTIMAL] * 5
    assert sum(len(rows) for _, rows, _ in expected()) >= 8
    assert rejected()["debt"].isna().any()


@pytest.mark.parametrize(
    ("kind", "reference"), [*((kind, "pandas") for kind in MAKE), *(("pandas", kind) for kind in MAKE)]
)
def test_many_people_come_back_in_the_kind_they_came_in(kind: str, reference: str) -> None:
    found = explainer(reference).explain_many(MAKE[kind](rejected()))
    assert [fronts(one) for one in found] == expected()
    table = found.to_frame()
    assert isinstance(table, pl.DataFrame if kind == "polars" else TYPES[kind])
    # Whatever the kind, it reads as the same table.
    back, same_kind = as_pandas(table)
    usual = explainer("pandas").explain_many(rejected()).to_frame()
    assert same_kind == kind
    assert list(back) == list(usual)
    for name in usual:
        assert [one if one == one else None for one in back[name].tolist()] == [
            one if one == one else None for one in usual[name].tolist()
        ]
    assert isinstance(found.to_frame(kind="pandas"), pd.DataFrame)


@pytest.mark.parametrize("kind", MAKE)
def test_one_person_comes_back_in_the_kind_they_came_in(kind: str) -> None:
    for place in range(5):
        alone = rejected().iloc[[place]].reset_index(drop=True)
        found = explainer("pandas").explain(MAKE[kind](alone))
        assert fronts(found) == expected()[place]
        assert isinstance(found.to_frame(), pl.DataFrame if kind == "polars" else TYPES[kind])


@pytest.mark.parametrize("kind", MAKE)
def test_a_dict_of_values_is_answered_in_the_kind_of_the_reference(kind: str) -> None:
    row = {name: value if value == value else None for name, value in rejected().iloc[4].to_dict().items()}
    found = explainer(kind).explain(row)
    assert fronts(found) == expected()[4]
    assert isinstance(found.to_frame(), pl.DataFrame if kind == "polars" else TYPES[kind])
    as_tuple = next(rejected().iloc[[4]].itertuples(index=False))
    assert fronts(explainer(kind).explain(as_tuple)) == expected()[4]
    assert fronts(explainer(kind).explain(rejected().iloc[4].tolist())) == expected()[4]


@pytest.mark.parametrize("kind", MAKE)
def test_a_row_of_the_kind_itself(kind: str) -> None:
    """What libraries themselves give for one row: a Series, a dict, a record of a structured array."""
    table = MAKE[kind](rejected())
    row = {
        "pandas": lambda: table.iloc[1],
        "polars": lambda: table.row(1, named=True),
        "arrow": lambda: table.slice(1, 1),
        "numpy": lambda: table[1],
        "dict": lambda: {name: values[1] for name, values in table.items()},
        "records": lambda: table[1],
    }[kind]()
    assert fronts(explainer(kind).explain(row)) == expected()[1]


@pytest.mark.parametrize("make", [lambda rows: pl.DataFrame(rows), pa.Table.from_pylist, list])
def test_a_column_that_holds_nothing_but_a_gap(make: Callable[[Any], Any]) -> None:
    """Such a column of one person has no own type: polars and Arrow call it null."""
    row = {**rejected().iloc[4].to_dict(), "debt": None}
    assert fronts(explainer("pandas").explain(make([row]))) == expected()[4]
    (found,) = explainer("pandas").explain_many(make([row]))
    assert fronts(found) == expected()[4]


def test_a_lazy_frame_and_a_record_batch() -> None:
    lazy = MAKE["polars"](rejected()).lazy()
    batch = MAKE["arrow"](rejected()).combine_chunks().to_batches()[0]
    for table, kind in ((lazy, "polars"), (batch, "arrow")):
        found = explainer("pandas").explain_many(table)
        assert [fronts(one) for one in found] == expected()
        assert isinstance(found.to_frame(), pl.DataFrame if kind == "polars" else TYPES[kind])


def test_an_array_with_names() -> None:
    frame = people()[["rooms", "owns"]].astype(float)

    def old(rows: pd.DataFrame) -> np.ndarray:
        return np.asarray(rows["rooms"] + 3 * rows["owns"])

    given = p2ce.Explainer(
        old, (frame.to_numpy(), ["rooms", "owns"]), at_least=29, target=1, plausibility=None
    )
    usual = p2ce.Explainer(old, frame, at_least=29, target=1, plausibility=None)
    assert list(given.explain([22.0, 0.0])) == list(usual.explain([22.0, 0.0]))
    assert len(usual.explain([22.0, 0.0]))


@pytest.mark.parametrize("kind", ["polars", "arrow", "records"])
def test_a_fitted_pipeline_is_called_with_frames_of_pandas(kind: str) -> None:
    """The model was fitted on pandas; the reference comes from elsewhere, and the proofs stay."""
    frame = people().assign(debt=people()["debt"].fillna(1.0))
    encoder = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    model = make_pipeline(encoder, LogisticRegression(max_iter=500)).fit(frame, score(frame) >= 3.0)
    row = frame[~model.predict(frame)].iloc[0].to_dict()
    usual = p2ce.Explainer(model, frame, target=True, plausibility=None).explain(row)
    found = p2ce.Explainer(model, MAKE[kind](frame), target=True, plausibility=None).explain(row)
    assert fronts(found) == fronts(usual)
    assert found.certificate.bound == usual.certificate.bound == "additive"
