"""What a file cannot keep safely is given again, and another model is noticed."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import OneClassSVM

import p2ce
from p2ce.errors import InvalidArgument, InvalidPolicy
from p2ce.extend import FittedObjective, Join, Objective, Reference
from p2ce.rules import predicate
from tests.compile.archive.round_trips import assert_same_after, saved
from tests.populations import loans

SOME = loans.rejected().head(3)
FIRST = loans.forest()


def per_ten(current: Any, values: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(values - current) / 10.0)


class Steps(Objective):
    """Half a point for each changed feature."""

    @property
    def name(self) -> str:
        return "steps"

    @property
    def join(self) -> Join:
        return Join.SUM

    def fit(self, reference: Reference) -> FittedObjective:
        return FittedSteps()


class FittedSteps(FittedObjective):
    """Half a point."""

    name, join = "steps", Join.SUM

    def costs(self, column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        return np.where(values == current, 0.0, 0.5)


def near_zero(rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(4.0 - rows["Debt"].abs(), dtype=np.float64)


@pytest.mark.parametrize(
    ("detector", "message"),
    [
        (loans.detector(), "IsolationForest"),
        (OneClassSVM(nu=0.1).fit(loans.people().astype(float).to_numpy()), "OneClassSVM"),
        (near_zero, "near_zero"),
    ],
    ids=["fitted forest", "one-class machine", "function"],
)
def test_an_own_detector_is_given_again(tmp_path: Path, detector: Any, message: str) -> None:
    arguments = {"plausibility": detector, "contamination": 0.2}
    assert_same_after(FIRST, loans.people(), SOME, tmp_path, given={"plausibility": detector}, **arguments)
    with pytest.raises(
        InvalidArgument, match=rf"credit.p2ce.*{message}.*Pass it again.*plausibility="
    ) as caught:
        p2ce.Explainer.load(tmp_path / "credit.p2ce", FIRST)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        (p2ce.objectives.CostTable("effort", {"Income": per_ten}, default=1.0), "CostTable"),
        (Steps(), "Steps"),
    ],
    ids=["function", "class"],
)
def test_own_objectives_are_given_again(tmp_path: Path, objective: Any, message: str) -> None:
    wanted = [objective, "changes"]
    assert_same_after(
        FIRST, loans.people(), SOME, tmp_path, given={"objectives": wanted}, objectives=wanted, max_changes=2
    )
    with pytest.raises(InvalidArgument, match=rf"'{objective.name}'.*{message}.*objectives="):
        p2ce.Explainer.load(tmp_path / "credit.p2ce", FIRST)


def test_other_objectives_and_detectors_may_be_given(tmp_path: Path) -> None:
    path = saved(loans.explainer(contamination=0.3), tmp_path)
    loaded = p2ce.Explainer.load(path, FIRST, objectives="changes", plausibility=None)
    fresh = loans.explainer(objectives="changes", plausibility=None)
    row = SOME.iloc[0].to_dict()
    assert loaded.explain(row) == fresh.explain(row)
    forest = p2ce.PlausibilityForest(n_estimators=10)
    refitted = p2ce.Explainer.load(path, FIRST, plausibility=forest)
    assert refitted.explain(row) == loans.explainer(contamination=0.3, plausibility=forest).explain(row)


def test_a_function_as_a_rule_cannot_be_saved(tmp_path: Path) -> None:
    policy = p2ce.Policy.infer(loans.people(), protect=None).with_rules(
        predicate(lambda rows: rows["Income"] < 58)
    )
    path = tmp_path / "credit.p2ce"
    with pytest.raises(InvalidPolicy, match="module:function"):
        loans.explainer(policy=policy).save(path)
    assert not list(tmp_path.iterdir())


def test_loading_imports_no_module_that_a_rule_names(tmp_path: Path) -> None:
    rule = predicate("tests.archive.not_yet:there", columns=["Income"])
    policy = p2ce.Policy.infer(loans.people(), protect=None).with_rules(rule)
    path = saved(loans.explainer(policy=policy), tmp_path)
    with pytest.raises(InvalidArgument, match=r"credit\.p2ce' has the predicate.*trust_predicates=True"):
        p2ce.Explainer.load(path, FIRST)
    loaded = p2ce.Explainer.load(path, FIRST, trust_predicates=True)
    with pytest.raises(InvalidPolicy, match="not_yet"):
        loaded.explain(SOME.iloc[0])


def test_another_model_is_noticed(tmp_path: Path) -> None:
    path = saved(loans.explainer(), tmp_path)
    other = RandomForestClassifier(12, max_depth=5, random_state=1).fit(loans.people(), loans.label())
    with pytest.raises(
        InvalidArgument, match=r"not the model that.*of 64 people.*check_model=False"
    ) as caught:
        p2ce.Explainer.load(path, other)
    assert "\n" not in str(caught.value)
    loaded = p2ce.Explainer.load(path, other, check_model=False)
    row = SOME.iloc[0].to_dict()
    assert loaded.explain(row) == loans.explainer(model=other).explain(row)


def test_a_model_of_other_columns_is_noticed(tmp_path: Path) -> None:
    path = saved(loans.explainer(), tmp_path)
    people = loans.people().rename(columns={"Debt": "Debts"})
    other = RandomForestClassifier(4, random_state=1).fit(people, loans.label())
    for check in (True, False):
        with pytest.raises(InvalidArgument, match=r"does not fit.*'Debts'.*Did you mean 'Debt'"):
            p2ce.Explainer.load(path, other, check_model=check)


def test_one_model_is_not_several(tmp_path: Path) -> None:
    second = LogisticRegression(max_iter=5000).fit(loans.people(), loans.label())
    alone, both = saved(loans.explainer(), tmp_path, "a"), tmp_path / "b"
    loans.explainer(model=[FIRST, second]).save(both)
    with pytest.raises(InvalidArgument, match=r"'.*a' was saved with one model; got a list of 2"):
        p2ce.Explainer.load(alone, [FIRST, second])
    with pytest.raises(InvalidArgument, match=r"saved with a list of 2 models; got one model"):
        p2ce.Explainer.load(both, FIRST)
    with pytest.raises(InvalidArgument, match="is not the model that"):
        p2ce.Explainer.load(both, [second, FIRST])


def test_the_forest_is_not_fitted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(loans.explainer(), tmp_path)

    def fail_if_called(*_: Any, **__: Any) -> None:
        raise AssertionError("another scikit-learn would grow other trees")

    monkeypatch.setattr(SklearnForest, "fit", fail_if_called)
    p2ce.Explainer.load(path, FIRST)
