"""Check that path lengths decide exactly as scikit-learn's isolation forest does."""

import importlib
import pkgutil

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as Library

import p2ce.detectors
from p2ce.detectors.parse_detector import FAMILIES, IsolationForest, parse_detector
from p2ce.errors import InvalidArgument, InvalidReference, NotFitted, UnsupportedDetector
from p2ce.scores.cuts import LIGHTGBM_ZERO
from p2ce.scores.score_rows import score_rows


def people(rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.lognormal(8.0, 0.5, rows),
            "balance": rng.normal(0.0, 1.0, rows).round(1),
            "owner": rng.integers(0, 2, rows),
        }
    )


def rows_near_splits(found, frame: pd.DataFrame, count: int = 800) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    rows = frame[list(found.columns)].to_numpy(dtype=np.float64)[rng.integers(0, len(frame), count)].copy()
    forest = found.score.forest
    inner = np.flatnonzero(forest.feature >= 0)
    for _ in range(3 if len(inner) else 0):
        node = rng.choice(inner, count)
        cut = forest.threshold[node]
        value = np.choose(
            rng.integers(0, 5, count),
            [
                cut,
                np.nextafter(cut, np.inf),
                np.nextafter(cut, -np.inf),
                cut.astype(np.float32),
                rng.permutation(cut),
            ],
        )
        rows[np.arange(count), forest.feature[node]] = value
    tiny = rng.random(count) < 0.1
    rows[tiny, 2] = rng.choice([0.0, -0.0, 1e-40, LIGHTGBM_ZERO, -5e-324], int(tiny.sum()))
    return pd.DataFrame(rows, columns=list(found.columns))


FITTED = {
    "default": {},
    "share": {"contamination": 0.1},
    "some columns": {"max_features": 0.5, "contamination": 0.05},
    "few rows": {"max_samples": 2, "contamination": 0.2},
    "one row": {"max_samples": 1, "contamination": 0.2},
    "bootstrap": {"bootstrap": True, "max_samples": 0.3, "contamination": 0.5},
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", FITTED)
def test_a_users_own_forest_is_used_as_it_is(name, named):
    frame = people()
    detector = Library(n_estimators=20, random_state=0, **FITTED[name]).fit(
        frame if named else frame.to_numpy()
    )
    found = parse_detector(detector, reference=frame)
    rows = pd.concat([rows_near_splits(found, frame), frame.astype(np.float64)])
    scores = score_rows(found.score, rows.to_numpy(dtype=np.float64))
    own = found.evaluate(rows)
    assert (found.report(scores) == own).all()
    assert (own[scores >= found.score.accept_from] >= 0.0).all()
    assert (own[scores < found.score.reject_below] < 0.0).all()
    assert (
        found.score.accept_from == found.score.reject_below
        or found.score.accept_from - found.score.reject_below < 1e-10
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_forest_of_this_library_decides_as_scikit_learns(seed):
    frame = people()
    asked = IsolationForest(contamination=0.1, n_estimators=25)
    found = parse_detector(asked, reference=frame, random_state=seed)
    twin = Library(contamination=0.1, n_estimators=25, random_state=seed).fit(frame.to_numpy(dtype=float))
    assert found.evaluate is None
    rows = pd.concat([rows_near_splits(found, frame), frame.astype(np.float64)]).to_numpy(dtype=np.float64)
    own = twin.decision_function(rows)
    scores = score_rows(found.score, rows)
    assert (found.report(scores) == own).all()
    assert ((scores >= found.score.accept_from) == (own >= 0.0)).all()
    assert found.score.accept_from == found.score.reject_below


def test_a_seed_of_its_own_comes_first_and_equal_seeds_agree():
    frame = people()
    seeded = IsolationForest(n_estimators=5, random_state=7)
    one, two = (parse_detector(seeded, reference=frame, random_state=seed) for seed in (0, 1))
    assert (one.score.forest.threshold == two.score.forest.threshold).all()
    other = parse_detector(IsolationForest(n_estimators=5), reference=frame, random_state=0)
    assert not np.array_equal(one.score.forest.threshold, other.score.forest.threshold)


def test_columns_are_matched_by_name():
    frame = people()
    detector = Library(n_estimators=3, random_state=0).fit(frame)
    backwards = frame[list(frame.columns[::-1])]
    found = parse_detector(detector, reference=backwards)
    assert found.columns == tuple(frame.columns)
    assert (found.evaluate(backwards) == detector.decision_function(frame)).all()
    with pytest.raises(InvalidReference, match="column 'age'"):
        parse_detector(detector, reference=frame.drop(columns="age"))
    with pytest.raises(InvalidReference, match="4 unnamed columns"):
        parse_detector(Library(n_estimators=3).fit(frame.to_numpy()), reference=frame.drop(columns="age"))


def test_none_stays_none():
    assert parse_detector(None, reference=people()) is None


def test_unfitted_and_unknown_detectors_say_what_to_do():
    frame = people()
    with pytest.raises(NotFitted, match=r"Call \.fit\(X\)"):
        parse_detector(Library(), reference=frame)
    with pytest.raises(UnsupportedDetector, match="Supported are"):
        parse_detector("forest", reference=frame)
    with pytest.raises(UnsupportedDetector, match="Pass an instance"):
        parse_detector(IsolationForest, reference=frame)
    with pytest.raises(InvalidReference, match="no rows"):
        parse_detector(IsolationForest(), reference=frame.head(0))


class Lenient(Library):
    def decision_function(self, X):
        return super().decision_function(X) + 1.0


def test_a_forest_that_scores_by_itself_is_only_asked(caplog):
    frame = people()
    detector = Lenient(n_estimators=3).fit(frame)
    with caplog.at_level("INFO", logger="p2ce"):
        found = parse_detector(detector, reference=frame)
    assert "replaces decision_function" in caplog.text
    assert found.score is None
    assert (found.evaluate(frame) == detector.decision_function(frame)).all()


@pytest.mark.parametrize("contamination", [0.01, 0.2, 0.5])
@pytest.mark.parametrize("named", [True, False])
def test_a_moved_threshold_is_exact_too_and_leaves_the_forest_alone(named, contamination):
    frame = people()
    detector = Library(n_estimators=20, random_state=0).fit(frame if named else frame.to_numpy())
    before = detector.decision_function(frame if named else frame.to_numpy())
    found = parse_detector(detector, reference=frame, contamination=contamination)
    least = np.percentile(before, 100 * contamination)
    rows = pd.concat([rows_near_splits(found, frame), frame.astype(np.float64)])
    scores = score_rows(found.score, rows.to_numpy(dtype=np.float64))
    own = found.evaluate(rows)
    given = rows if named else rows.to_numpy()
    assert ((own >= 0.0) == (detector.decision_function(given) >= least)).all()
    assert (found.report(scores) == own).all()
    assert (own[scores >= found.score.accept_from] >= 0.0).all()
    assert (own[scores < found.score.reject_below] < 0.0).all()
    assert np.mean(found.evaluate(frame) < 0.0) == pytest.approx(contamination, abs=1 / len(frame))
    assert (detector.decision_function(frame if named else frame.to_numpy()) == before).all()


def test_contamination_replaces_that_of_the_forest_of_this_library():
    frame = people()
    one = parse_detector(IsolationForest(n_estimators=9), reference=frame, random_state=0, contamination=0.2)
    two = parse_detector(IsolationForest(n_estimators=9, contamination=0.2), reference=frame, random_state=0)
    assert one.score.accept_from == two.score.accept_from


@pytest.mark.parametrize("wrong", [0.0, -0.1, 0.51, float("nan"), "auto", True, None])
def test_a_share_of_outliers_outside_its_range_is_refused(wrong):
    with pytest.raises(InvalidArgument, match="contamination"):
        IsolationForest(contamination=wrong)


@pytest.mark.parametrize(
    "options", [{"n_estimators": 0}, {"n_estimators": 2.5}, {"max_samples": 1}, {"max_samples": "all"}]
)
def test_other_options_are_checked(options):
    with pytest.raises(InvalidArgument):
        IsolationForest(**options)


def test_more_samples_than_rows_means_all_rows():
    frame = people(50)
    found = parse_detector(IsolationForest(n_estimators=3, max_samples=500), reference=frame, random_state=0)
    assert found.score.forest.tree_count == 3


def test_every_detector_in_the_folder_is_registered():
    names = [one.name for one in pkgutil.iter_modules(p2ce.detectors.__path__)]
    modules = [importlib.import_module(f"p2ce.detectors.{name}") for name in names]
    assert {module for module in modules if hasattr(module, "recognises")} == set(FAMILIES)
