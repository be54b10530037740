"""Check that path lengths decide exactly as scikit-learn's isolation forest does."""

import importlib
import pkgutil

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as Library

import p2ce.models.detectors
from p2ce.engine.scores.score import score_rows
from p2ce.engine.scores.trees.cuts import LIGHTGBM_ZERO
from p2ce.errors import InvalidArgument, InvalidReference, NotFitted, UnsupportedDetector
from p2ce.models.detectors.parse_detector import FAMILIES, PlausibilityForest, parse_detector
from tests.models import laws

# Of 301 rows, one lies exactly at a percentile: the threshold is its very score.
FRAME = laws.people(rows=301)[0].drop(columns="ratio")
BACKWARDS = FRAME[FRAME.columns[::-1]]
FOREST = Library(n_estimators=5, random_state=0).fit(FRAME)


def rows_near_splits(found, count: int = 800) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    rows = FRAME[list(found.columns)].to_numpy(dtype=np.float64)[rng.integers(0, len(FRAME), count)].copy()
    forest = found.score.forest
    inner = np.flatnonzero(forest.feature >= 0)
    for _ in range(3 if len(inner) else 0):
        node = rng.choice(inner, count)
        cut = forest.threshold[node]
        beside = [np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf), cut.astype(np.float32)]
        value = np.choose(rng.integers(0, 5, count), [cut, *beside, rng.permutation(cut)])
        rows[np.arange(count), forest.feature[node]] = value
    tiny = rng.random(count) < 0.1
    rows[tiny, 2] = rng.choice([0.0, -0.0, 1e-40, LIGHTGBM_ZERO, -5e-324], int(tiny.sum()))
    return pd.concat([pd.DataFrame(rows, columns=list(found.columns)), FRAME.astype(np.float64)])


@pytest.mark.parametrize("moved", [None, 0.01, 0.5])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"contamination": 0.1},
        {"max_features": 0.5, "contamination": 0.05},
        {"max_samples": 2, "contamination": 0.2},
        {"max_samples": 1, "contamination": 0.2},
        {"bootstrap": True, "max_samples": 0.3, "contamination": 0.5},
    ],
    ids=str,
)
def test_a_users_own_forest_is_used_as_it_is_with_its_threshold_or_another(options, named, moved):
    fitted_on = FRAME if named else FRAME.to_numpy()
    detector = Library(n_estimators=20, random_state=0, **options).fit(fitted_on)
    before = detector.decision_function(fitted_on)
    found = parse_detector(detector, reference=FRAME, contamination=moved)
    rows = rows_near_splits(found)
    scores, own = score_rows(found.score, rows.to_numpy(dtype=np.float64)), found.evaluate(rows)
    least = 0.0 if moved is None else np.percentile(before, 100 * moved)
    assert ((own >= 0.0) == (detector.decision_function(rows if named else rows.to_numpy()) >= least)).all()
    assert (found.report(scores) == own).all()
    assert (own[scores >= found.score.accept_from] >= 0.0).all()
    assert (own[scores < found.score.reject_below] < 0.0).all()
    assert found.score.accept_from <= found.score.reject_below + 1e-10
    assert (detector.decision_function(fitted_on) == before).all()


@pytest.mark.parametrize("seed", range(2))
def test_the_forest_of_this_library_decides_as_scikit_learns(seed):
    own = PlausibilityForest(contamination=0.1, n_estimators=25)
    found = parse_detector(own, reference=FRAME, random_state=seed)
    twin = Library(contamination=0.1, n_estimators=25, random_state=seed).fit(FRAME.to_numpy(dtype=float))
    assert found.is_its_score
    rows = rows_near_splits(found).to_numpy(dtype=np.float64)
    scores, values = score_rows(found.score, rows), twin.decision_function(rows)
    assert (found.report(scores) == values).all()
    assert ((scores >= found.score.accept_from) == (values >= 0.0)).all()
    assert found.score.accept_from == found.score.reject_below


def forest_of(detector, **options):
    return parse_detector(detector, reference=FRAME, **{"random_state": 0, **options}).score


def test_a_seed_of_its_own_comes_first_and_contamination_of_the_caller():
    seeded = PlausibilityForest(n_estimators=5, random_state=7)
    one, two = (forest_of(seeded, random_state=seed).forest.threshold for seed in (0, 1))
    assert (one == two).all()
    assert not np.array_equal(one, forest_of(PlausibilityForest(n_estimators=5)).forest.threshold)
    moved = forest_of(PlausibilityForest(n_estimators=9), contamination=0.2)
    assert moved.accept_from == forest_of(PlausibilityForest(n_estimators=9, contamination=0.2)).accept_from
    # More samples than rows are all rows.
    assert forest_of(PlausibilityForest(n_estimators=3, max_samples=500)).forest.tree_count == 3


def test_columns_are_matched_by_name():
    found = parse_detector(FOREST, reference=BACKWARDS)
    assert found.columns == tuple(FRAME.columns)
    assert (found.evaluate(BACKWARDS) == FOREST.decision_function(FRAME)).all()
    assert parse_detector(None, reference=FRAME) is None


class Lenient(Library):
    def decision_function(self, X):
        return super().decision_function(X) + 1.0


def test_a_forest_that_scores_by_itself_is_a_black_box(caplog):
    detector = Lenient(n_estimators=3).fit(FRAME)
    with caplog.at_level("INFO", logger="p2ce"):
        found = parse_detector(detector, reference=FRAME)
    assert "overrides decision_function" in caplog.text
    assert found.score is None
    assert (found.evaluate(FRAME) == detector.decision_function(FRAME)).all()


class Derived(Library):
    """A forest that may fit otherwise than scikit-learn's own."""


OF_ARRAY = Library(n_estimators=3).fit(FRAME.to_numpy())


@pytest.mark.parametrize(
    ("detector", "frame", "error", "message"),
    [
        (FOREST, FRAME.drop(columns="age"), InvalidReference, "column 'age'"),
        (OF_ARRAY, FRAME.drop(columns="age"), InvalidReference, "4 unnamed columns"),
        (Derived(), FRAME, NotFitted, r"Call \.fit\(X\)"),
        ("forest", FRAME, UnsupportedDetector, "Supported are"),
        (PlausibilityForest, FRAME, UnsupportedDetector, "Pass an instance"),
        (PlausibilityForest(), FRAME.head(0), InvalidReference, "no rows"),
    ],
)
def test_a_mistake_is_named(detector, frame, error, message):
    with pytest.raises(error, match=message):
        parse_detector(detector, reference=frame)


@pytest.mark.parametrize(
    "options",
    [
        *({"contamination": wrong} for wrong in (0.0, -0.1, 0.51, float("nan"), "most", True)),
        *({"n_estimators": wrong} for wrong in (0, 2.5)),
        *({"max_samples": wrong} for wrong in (1, "all")),
    ],
    ids=str,
)
def test_options_are_checked(options):
    with pytest.raises(InvalidArgument, match=next(iter(options))):
        PlausibilityForest(**options)


def test_every_detector_in_the_folder_is_registered():
    names = [one.name for one in pkgutil.iter_modules(p2ce.models.detectors.__path__)]
    modules = [importlib.import_module(f"p2ce.models.detectors.{name}") for name in names]
    assert {module for module in modules if hasattr(module, "recognises")} == set(FAMILIES)
