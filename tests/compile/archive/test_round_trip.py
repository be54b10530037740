"""A loaded explainer explains as the saved one did, to the byte."""

import json
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import p2ce
from p2ce import rules
from p2ce.policy.rules import RULES
from p2ce.tables import as_kind
from tests.compile.archive.round_trips import FEW, again, assert_same_after, assert_same_results, saved
from tests.optional import needs
from tests.populations import loans
from tests.populations.random_tables import GROUP, random_table

SOME = loans.rejected().head(3)
FIRST = loans.forest()
PEOPLE = loans.people()
ACTIONS = p2ce.Policy.infer(PEOPLE, protect=None)
COARSE = ACTIONS.candidates(
    Income=[12, 24, 36, 48], Debt=[-3.0, -1.0, 1.0, 3.0], Rate=[0.0, 0.5, 1.0], Years=[0, 5, 10]
)
BOUNDED = ACTIONS.fix("Rate").protect("Owns").within(Income=(15, 55))
GROUPS = [rules.one_hot("place", list(GROUP)), rules.at_most_one_nonzero(*GROUP)]
EACH_RULE = [
    rules.linked("Years", "Income"),
    rules.inequality("Debt + Rate <= 1.5"),
    rules.implies({"Owns": True}, {"Debt": (None, 1.0)}),
    rules.change_at_most_one("Income", "Debt"),
    rules.together("Income", "Years"),
    rules.forbid("Owns", {True: [False]}),
    rules.allow_only("Owns", {False: [True]}),
    rules.leave_out({"Income": (None, 20.0), "Owns": True}),
    rules.predicate("tests.compile.archive.predicates:modest", name="modest", columns=["Income"]),
]
OBJECTIVES = {
    "names": ["changes", "percentile_shift", "euclidean"],
    "one": "max_distance",
    "parameters": [
        p2ce.objectives.MeanDistance(category=0.25),
        p2ce.objectives.MaxDistance(unit="own", category=2.0),
        p2ce.objectives.MaxDistance(),
        p2ce.objectives.Euclidean(category=3),
    ],
    "weights": [
        p2ce.objectives.WeightedDistance(
            {"Income": 3.0, "Debt": 0.1}, name="pain", join="max", unit="std", default=0.5
        ),
        p2ce.objectives.WeightedDistance({}, category=0.0),
    ],
    "costs": [
        p2ce.objectives.CostTable("effort", {"Owns": {True: 2.0, False: 1.0}}, default=1.5, join="max"),
        "changes",
    ],
}
NAMED = {"name": {"en": "yearly income", "pt": "a renda"}, "unit": "EUR", "unit_first": True, "decimals": 0}
# Arguments of an explainer of loans.
SETTINGS: dict[str, dict[str, Any]] = {
    "as usual": {},
    **{f"rule {rule.kind}": {"policy": BOUNDED.with_rules(rule)} for rule in EACH_RULE},
    **{name: {"objectives": given, "max_changes": 2} for name, given in OBJECTIVES.items()},
    "no detector": {"plausibility": None},
    "a forest with its own settings": {
        "plausibility": p2ce.PlausibilityForest(
            contamination=0.2, n_estimators=7, max_samples=64, random_state=3
        )
    },
    "contamination": {"plausibility": p2ce.PlausibilityForest(n_estimators=9), "contamination": 0.25},
    **{
        method.name: {"method": method}
        for method in (p2ce.paper.Mapocam(), p2ce.paper.P2CE(), p2ce.paper.P2CE(partial_plausibility=False))
    },
    "mapocam with settings": {"method": p2ce.paper.Mapocam(order="index", bound=None)},
    "p2ce with settings": {
        "method": p2ce.paper.P2CE(
            form="plain",
            at="person",
            explainer="sampling",
            background=12,
            bound="shap",
            errata="as printed",
            random_state=3,
            partial_plausibility=False,
        )
    },
    "ties": {"ties": True, "max_changes": None},
    "margin": {"bound": None, "margin": 0.05, "at_least": np.float32(0.55)},
    "no seed": {"random_state": None},
    "scale": {"scale": "probability", "max_changes": np.int64(1)},
    "displays": {
        "policy": COARSE.display(
            Income=NAMED, Owns={"values": {True: "yes", False: "no"}, "phrases": {True: "buy a home"}}
        )
    },
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(tmp_path: Path, name: str) -> None:
    loaded = assert_same_after(FIRST, PEOPLE, SOME, tmp_path, **{"policy": COARSE, **SETTINGS[name]})
    assert loaded.policy == SETTINGS[name].get("policy", COARSE)


def rejected(model: Any, frame: pd.DataFrame, **arguments: Any) -> dict[str, Any]:
    """Return a case: the model, its reference, some people whom it rejects, and arguments."""
    people = frame[model.predict(frame) == 0].head(3)
    return {"model": model, "reference": frame, "people": people, **arguments}


def a_pipeline_of_text_and_missing_values_with_a_cost_table() -> dict[str, Any]:
    table = random_table(5, columns=8, kinds=("age", "debt", "flag", "home", "job", "city", "years", "grade"))
    texts = [name for name in table.frame if name in ("home", "job", "city", "grade")]
    others = [name for name in table.frame if name not in texts]
    encoded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts),
        (make_pipeline(SimpleImputer(), StandardScaler()), others),
    )
    costs = {"home": {"own": 3.0, "rent": 1.0, None: 2.0}, "job": {"boss": 9.0}, "years": {float("nan"): 4.0}}
    return rejected(
        make_pipeline(encoded, LogisticRegression()).fit(table.frame, table.label),
        table.frame,
        objectives=[p2ce.objectives.CostTable("effort", costs, default=0.5), "changes"],
        policy=p2ce.Policy.infer(table.frame, protect=None).allow_missing("years"),
        max_changes=2,
    )


def a_bare_array_and_labels_that_are_no_text() -> dict[str, Any]:
    people = PEOPLE.astype(float)
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(people.to_numpy(), loans.label())
    people.columns = [0, 1, 2, 3, 4]
    return {"model": model, "reference": people, "people": people.loc[SOME.index]}


def hostile_and_foreign_labels() -> dict[str, Any]:
    people = PEOPLE.set_axis(["<script>alert(1)</script>", "renda é", "../up", "a: b # c", "'\"\\"], axis=1)
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(people, loans.label())
    return {"model": model, "reference": people, "people": people.loc[SOME.index]}


def another_class() -> dict[str, Any]:
    people = PEOPLE[FIRST.predict(PEOPLE) == 1].head(3)
    given = {"target": 0, "at_least": 0.6, "policy": COARSE}
    return {"model": FIRST, "reference": PEOPLE, "people": people, **given}


def a_regressor_with_an_open_range() -> dict[str, Any]:
    model = RandomForestRegressor(6, max_depth=4, random_state=0).fit(
        PEOPLE, PEOPLE["Income"] - PEOPLE["Debt"]
    )
    given = {"target": (45.0, None), "plausibility": None}
    return {"model": model, "reference": PEOPLE, "people": PEOPLE.head(3), **given}


def several_models_with_a_threshold_each() -> dict[str, Any]:
    second = make_pipeline(StandardScaler(), LogisticRegression()).fit(PEOPLE, loans.label())
    return {"model": [FIRST, second], "reference": PEOPLE, "people": SOME, "at_least": [0.4, None]}


def a_calibrated_estimate() -> dict[str, Any]:
    model = KNeighborsClassifier(7).fit(PEOPLE, loans.label())
    few = ACTIONS.candidates(Income=[12, 24, 36, 48], Debt=[-3.0, -1.0, 1.0, 3.0]).fix("Rate")
    bound = p2ce.ShapEstimate(
        miss_rate=0.2, sample_size=9, background=4, rows_per_candidate=2, random_state=5
    )
    return rejected(model, PEOPLE, policy=few, bound=bound, max_changes=2)


def a_group(rule: rules.Rule = GROUPS[0]) -> dict[str, Any]:
    table = random_table(4, columns=3, kinds=("age", "debt", "rate"), group=True)
    frame = table.frame.fillna(0.5)
    model = RandomForestClassifier(8, max_depth=5, random_state=0).fit(frame, table.label)
    return rejected(model, frame, policy=p2ce.Policy.infer(frame, protect=None).with_rules(rule))


MODELS = [
    *(a_pipeline_of_text_and_missing_values_with_a_cost_table, a_bare_array_and_labels_that_are_no_text),
    *(hostile_and_foreign_labels, another_class, a_regressor_with_an_open_range, a_calibrated_estimate),
    *(several_models_with_a_threshold_each, a_group, partial(a_group, GROUPS[1])),
]


@pytest.mark.parametrize("case", MODELS)
def test_models(tmp_path: Path, case: Any) -> None:
    given = case()
    assert_same_after(*(given.pop(name) for name in ("model", "reference", "people")), tmp_path, **given)


def test_no_kind_of_rule_is_left_out() -> None:
    assert {rule.kind for rule in [*EACH_RULE, *GROUPS]} == set(RULES)


@pytest.mark.parametrize("kind", ["polars", "arrow", "dict"])
def test_other_kinds_of_table(tmp_path: Path, kind: str) -> None:
    needs({"polars": "polars", "arrow": "pyarrow"}.get(kind, "numpy"))
    explainer = p2ce.Explainer(
        FIRST, as_kind(PEOPLE.reset_index(drop=True), kind), target=1, plausibility=FEW
    )
    loaded = again(explainer, FIRST, tmp_path)
    assert_same_results(explainer, loaded, SOME)
    assert loaded.explain(SOME.iloc[0].to_dict())._kind == kind


def test_someone_without_recourse(tmp_path: Path) -> None:
    policy = ACTIONS.fix("Income", "Debt", "Owns", "Rate")
    explainer = p2ce.Explainer(FIRST, PEOPLE, target=1, policy=policy, plausibility=FEW)
    results = assert_same_results(explainer, again(explainer, FIRST, tmp_path), SOME)
    assert any(explanation.status is p2ce.Status.NO_RECOURSE for explanation in results)


def test_the_bytes_are_the_same_each_time(tmp_path: Path) -> None:
    """Saved again, after a pickle, and after the caller's frame has changed."""
    people = loans.people()
    explainer = loans.explainer(reference=people)
    first = saved(explainer, tmp_path, "a").read_bytes()
    people.loc[:, "Income"] = 0
    people["Debt"] = 1.0
    for other in (explainer, pickle.loads(pickle.dumps(explainer)), loans.explainer()):
        assert saved(other, tmp_path, "b").read_bytes() == first


@pytest.mark.slow
def test_another_process_gives_the_same_explanation(tmp_path: Path) -> None:
    explainer = loans.explainer()
    program = (
        "import json, sys, p2ce\n"
        "from tests.populations import loans\n"
        "loaded = p2ce.Explainer.load(sys.argv[1], loans.forest())\n"
        "print(json.dumps(loaded.explain(loans.rejected().iloc[0].to_dict()).to_dict()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(saved(explainer, tmp_path))],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    expected = explainer.explain(SOME.iloc[0].to_dict()).to_dict()
    assert json.loads(done.stdout) == json.loads(json.dumps(expected))
