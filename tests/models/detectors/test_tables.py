"""Detectors take real tables: categories, missing values, nullable types, and pipelines in front."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest as Library
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import OneClassSVM

from p2ce.engine.scores.score import score_rows
from p2ce.errors import InvalidOutput
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.detectors.imputed_values import known_codes
from p2ce.models.detectors.parse_detector import PlausibilityForest, parse_detector
from p2ce.tables.codebook import MISSING, codebook_of
from tests.properties.amount import examples

FOREST = PlausibilityForest(n_estimators=10, contamination=0.1)


def people(rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.lognormal(8.0, 0.5, rows),
            "housing": rng.choice(["own", "rent", "free"], rows, p=[0.6, 0.3, 0.1]),
            "job": pd.Categorical(rng.choice(["clerk", "cook"], rows)),
            "grade": pd.Categorical(rng.choice(["a", "b", "c"], rows), ordered=True),
            "kids": pd.array(rng.integers(0, 4, rows), dtype="Int64"),
        }
    )
    frame.loc[::9, "income"] = np.nan
    frame.loc[::11, "housing"] = None
    frame.loc[::13, "kids"] = pd.NA
    frame.loc[::17, "job"] = np.nan
    return frame


def scores_of(found: Adapter, codes: np.ndarray) -> np.ndarray:
    assert found.score is not None
    return score_rows(found.score, codes)


# The forest of this library


@pytest.mark.parametrize("seed", range(2))
def test_codes_are_scored_as_what_stands_in_for_them(seed: int) -> None:
    """Minus infinity and unseen labels take the way of the lowest number and of the one beyond the last."""
    frame = people()
    book = codebook_of(frame)
    found = parse_detector(FOREST, reference=frame, random_state=seed, codebook=book)
    twin = Library(n_estimators=10, contamination=0.1, random_state=seed)
    fitted_on = known_codes(book.encode(frame), book)
    twin.fit(fitted_on)
    rng = np.random.default_rng(seed)
    codes = book.encode(frame)
    for column in range(codes.shape[1]):
        codes[rng.random(len(codes)) < 0.2, column] = MISSING
    codes[::7, 2] = 5.0  # unseen labels
    codes[::8, 3] = 2.0
    low = np.array([fitted_on[:, j].min() - 5.0 for j in range(codes.shape[1])])
    low = np.where((book.encode(frame) == MISSING).any(axis=0), fitted_on.min(axis=0), low)
    shown = np.where(codes == MISSING, low, codes)
    shown[:, 2] = np.minimum(shown[:, 2], 3.0)
    own = twin.decision_function(shown)
    scores = scores_of(found, codes)
    assert (found.report(scores) == own).all()
    assert ((scores >= found.score.accept_from) == (own >= 0.0)).all()
    assert found.again is None
    assert np.mean(found.report(scores_of(found, book.encode(frame))) < 0.0) == pytest.approx(0.1, abs=0.01)


labels = st.sampled_from(["p", "q", "r", "s", None])
tables = st.lists(
    st.tuples(labels, labels, st.sampled_from([1.0, 2.0, 5.0, None])), min_size=4, max_size=40
).filter(lambda cells: all(any(cell[j] is not None for cell in cells) for j in range(3)))


@examples(15)
@given(tables, st.permutations(["p", "q", "r", "s"]), st.booleans())
def test_renaming_categories_changes_no_score(cells: list[Any], names: list[str], declared: bool) -> None:
    frame = pd.DataFrame(cells, columns=["one", "two", "number"]).astype({"number": float})
    new = dict(zip("pqrs", names, strict=True))
    renamed = frame.assign(one=frame["one"].map(new), two=frame["two"].map(new))
    if declared:
        dtype, other = pd.CategoricalDtype(list("pqrs")), pd.CategoricalDtype(names)
        frame, renamed = (
            table.astype({"one": kind, "two": kind}) for table, kind in ((frame, dtype), (renamed, other))
        )
    one, two = (
        parse_detector(PlausibilityForest(n_estimators=4), reference=table, random_state=0)
        for table in (frame, renamed)
    )
    assert (
        scores_of(one, codebook_of(frame).encode(frame))
        == scores_of(two, codebook_of(renamed).encode(renamed))
    ).all()


def test_rare_labels_and_missing_values_are_less_plausible() -> None:
    rng = np.random.default_rng(0)
    housing = np.repeat(["own", "rent", "boat"], [300, 190, 10])
    frame = pd.DataFrame({"housing": housing, "income": rng.normal(size=500)})
    frame.loc[rng.choice(500, 10, replace=False), "income"] = np.nan
    book = codebook_of(frame)
    found = parse_detector(PlausibilityForest(), reference=frame, random_state=0, codebook=book)
    asked = pd.DataFrame({"housing": ["own", "boat", "tent", "own"], "income": [0.0, 0.0, 0.0, np.nan]})
    usual, rare, unseen, missing = scores_of(found, book.encode(asked))
    assert usual > rare >= unseen
    assert usual > missing


# Those of scikit-learn


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("contamination", [None, 0.2])
def test_a_users_forest_sends_missing_values_where_its_trees_do(named: bool, contamination: Any) -> None:
    frame = people()[["age", "income", "kids"]].assign(balance=np.linspace(-1.0, 1.0, 300))
    given_rows = frame if named else frame.to_numpy(dtype=float, na_value=np.nan)
    detector = Library(n_estimators=20, random_state=0, max_features=0.8).fit(given_rows)
    book = codebook_of(frame)
    first = parse_detector(detector, reference=frame, contamination=contamination, codebook=book)
    rng = np.random.default_rng(1)
    for found, columns in (
        (first, ["income", "kids"]),
        (first.again(frozenset({"income", "kids", "balance"})), ["income", "kids", "balance"]),
    ):
        rows = frame.copy()
        for name in columns:
            rows.loc[rng.random(len(rows)) < 0.3, name] = np.nan
        own = found.evaluate(rows)
        scores = scores_of(found, book.of(found.columns).encode(rows))
        assert (found.report(scores) == own).all()
        assert (own[scores >= found.score.accept_from] >= 0.0).all()
        assert (own[scores < found.score.reject_below] < 0.0).all()
        assert found.score.accept_from == first.score.accept_from
        assert found.score.reject_below == first.score.reject_below


def on_labels(rows: pd.DataFrame) -> np.ndarray:
    """Judge by the columns' own types."""
    return np.where(rows["housing"].isna() | (rows["grade"] >= "b"), 1.0, -1.0)


LAST = {
    "forest": lambda: Library(n_estimators=5, random_state=0),
    "local": lambda: LocalOutlierFactor(novelty=True),
    "density": lambda: KernelDensity(),
}


def encoder() -> Any:
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "income", "kids"]),
        (OneHotEncoder(handle_unknown="ignore"), ["housing", "job", "grade"]),
        sparse_threshold=0.0,
    )


@pytest.mark.parametrize("name", LAST)
def test_a_pipeline_is_asked_as_a_whole_about_the_users_own_columns(name: str) -> None:
    frame = people()
    detector = make_pipeline(encoder(), LAST[name]()).fit(frame)
    found = parse_detector(detector, reference=frame[frame.columns[::-1]], contamination=0.1)
    assert found.score is None
    assert set(found.columns) == set(frame.columns)
    method = getattr(detector, "decision_function", None) or detector.score_samples
    least = np.percentile(method(frame), 10.0)
    assert ((found.evaluate(frame) >= 0.0) == (method(frame) >= least)).all()
    unseen = frame.assign(housing="boat")
    assert ((found.evaluate(unseen) >= 0.0) == (method(unseen) >= least)).all()


def test_a_function_gets_the_columns_own_types_and_codes_of_labels_are_no_numbers() -> None:
    frame = people()
    assert (parse_detector(on_labels, reference=frame).evaluate(frame) == on_labels(frame)).all()
    coded = frame[["age"]].assign(kids=pd.Categorical([0, 1, 2, 3] * 75))
    assert parse_detector(Library(n_estimators=3, random_state=0).fit(coded), reference=coded).score is None


@pytest.mark.parametrize("make", [lambda: LocalOutlierFactor(novelty=True), OneClassSVM, KernelDensity])
def test_a_detector_that_takes_neither_gaps_nor_labels_names_the_columns(make: Any) -> None:
    detector = make().fit(people()[["age", "income"]].fillna(0.0))
    with pytest.raises(InvalidOutput, match="missing values here: 'income'"):
        parse_detector(detector, reference=people())
    found = parse_detector(detector, reference=people().assign(income=1.0))
    with pytest.raises(InvalidOutput, match="missing values here: 'income'"):  # of an instance only
        found.evaluate(people())
    frame = people()[["age", "housing"]].fillna("own")
    for given_rows in (frame.assign(housing=0.0), np.zeros((30, 2))):
        with pytest.raises(
            InvalidOutput, match=r"These columns hold categories: 'housing'\. .*PlausibilityForest"
        ):
            parse_detector(make().fit(given_rows), reference=frame)
