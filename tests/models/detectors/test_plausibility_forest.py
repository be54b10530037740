"""Check that an unfitted forest of scikit-learn specifies the same forest as ours, and is left alone."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest

import p2ce
from p2ce.errors import InvalidArgument
from p2ce.models.detectors.parse_detector import PlausibilityForest, parse_detector
from tests.populations import loans

SAME: tuple[dict[str, Any], ...] = (
    {},
    {"contamination": 0.2, "n_estimators": 7, "max_samples": 64, "random_state": 3},
    {"contamination": "auto", "max_samples": 500},
)


def mixed() -> pd.DataFrame:
    """Return people with categories, and with missing values of either kind."""
    people = loans.people()
    rng = np.random.default_rng(1)
    people["Housing"] = rng.choice(["own", "rent", "boat"], len(people), p=[0.6, 0.3, 0.1])
    people.loc[rng.random(len(people)) < 0.1, ["Debt", "Housing"]] = None
    return people


@pytest.mark.parametrize("table", [loans.people, mixed])
@pytest.mark.parametrize("parameters", SAME, ids=str)
def test_the_same_parameters_give_the_same_forest(parameters: dict[str, Any], table: Any) -> None:
    theirs = IsolationForest(**parameters, n_jobs=2, warm_start=True)
    before = copy.deepcopy(vars(theirs))
    # Its default is scikit-learn's threshold, and ours a share.
    same = {"contamination": "auto", **parameters}
    one, other = (
        parse_detector(forest, reference=table(), random_state=5)
        for forest in (theirs, PlausibilityForest(**same))
    )
    assert one.family == other.family == "isolation forest"
    assert one.report == other.report
    assert one.score.accept_from == other.score.accept_from
    for name in ("root", "feature", "threshold", "right", "value"):
        assert np.array_equal(getattr(one.score.forest, name), getattr(other.score.forest, name))
    assert vars(theirs) == before


@pytest.mark.parametrize("parameters", SAME, ids=str)
def test_on_numbers_it_is_the_forest_that_scikit_learn_fits(parameters: dict[str, Any]) -> None:
    people = loans.people()
    forest = IsolationForest(**{"random_state": 2, "max_samples": 100, **parameters})
    codes = people.to_numpy(dtype=np.float64)
    found = parse_detector(forest, reference=people)
    forest.set_params(max_samples=min(forest.max_samples, len(people))).fit(codes)
    assert (found.report(found.score.evaluate_rows(codes).value) == forest.decision_function(codes)).all()


def test_a_generator_is_no_seed_and_is_not_drawn_from() -> None:
    generator = np.random.RandomState(3)
    before = copy.deepcopy(generator.get_state())
    with pytest.raises(InvalidArgument, match="random_state"):
        loans.explainer(plausibility=IsolationForest(random_state=generator))
    assert np.array_equal(generator.get_state()[1], before[1])


def test_explanations_and_files_are_those_of_our_own(tmp_path: Path) -> None:
    parameters = {"n_estimators": 10, "contamination": 0.2, "random_state": 3}
    theirs = loans.explainer(plausibility=IsolationForest(**parameters))
    ours = loans.explainer(plausibility=PlausibilityForest(**parameters))
    people = loans.rejected().iloc[:5]
    assert list(theirs.explain_many(people)) == list(ours.explain_many(people))
    theirs.save(tmp_path / "theirs.p2ce")
    ours.save(tmp_path / "ours.p2ce")
    assert (tmp_path / "theirs.p2ce").read_bytes() == (tmp_path / "ours.p2ce").read_bytes()
    # A fitted one stays the user's own.
    fitted = loans.explainer(plausibility=loans.detector())
    assert fitted.describe().detector == "scikit-learn isolation forest"


@pytest.mark.parametrize("kind", [IsolationForest, PlausibilityForest])
def test_a_share_is_stated_once_or_twice_the_same(kind: Any) -> None:
    def share(own: Any, whole: float | None) -> Any:
        forest = kind(n_estimators=5) if own is None else kind(n_estimators=5, contamination=own)
        return loans.explainer(plausibility=forest, contamination=whole).problem.settings["contamination"]

    assert share(0.2, None) == share(None, 0.2) == share(0.2, 0.2) == share("auto", 0.2) == 0.2
    with pytest.raises(InvalidArgument, match=r"contamination=0\.01 contradicts .* contamination=0\.2"):
        share(0.2, 0.01)
    assert share(None, None) == ("auto" if kind is IsolationForest else 0.05)


def test_a_loaded_explainer_takes_another_forest_by_the_same_rule(tmp_path: Path) -> None:
    loans.explainer(plausibility=PlausibilityForest(n_estimators=5), contamination=0.2).save(tmp_path / "e")

    def share(forest: Any) -> Any:
        loaded = p2ce.Explainer.load(tmp_path / "e", loans.forest(), plausibility=forest)
        loaded.save(tmp_path / "again")
        return p2ce.Explainer.load(tmp_path / "again", loans.forest()).problem.settings["contamination"]

    assert share(IsolationForest(n_estimators=3)) == share(PlausibilityForest(contamination=0.2)) == 0.2
    with pytest.raises(InvalidArgument, match=r"contamination=0\.2 contradicts"):
        share(PlausibilityForest(contamination=0.1))


def test_one_feature_for_each_tree_is_not_all_of_them() -> None:
    with pytest.raises(InvalidArgument, match="max_features=1 of this unfitted IsolationForest"):
        parse_detector(IsolationForest(max_features=1), reference=loans.people(), contamination=None)
