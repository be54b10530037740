"""A loaded explainer answers as the saved one did, to the byte."""

import json
import pickle
import subprocess
import sys
import textwrap
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
from p2ce.problem.rules.rule_names import RULES
from tests.archive.round_trips import FEW, again, assert_same_after, assert_same_answers, saved
from tests.populations import loans
from tests.populations.random_tables import GROUP, random_table

SOME = loans.refused().head(4)
FIRST = loans.forest()


def test_a_forest_with_everything_as_usual(tmp_path: Path) -> None:
    assert_same_after(FIRST, loans.people(), SOME, tmp_path)


def test_lightgbm_with_categories_and_missing_values(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    table = random_table(3, columns=6, kinds=("age", "debt", "years", "home", "grade", "rate"))
    model = lightgbm.LGBMClassifier(
        n_estimators=8, num_leaves=5, min_child_samples=3, min_data_per_group=2, n_jobs=1, verbose=-1
    ).fit(table.frame, table.label)
    rejected = table.frame[model.predict(table.frame) == 0].head(4)
    assert_same_after(model, table.frame, rejected, tmp_path, target=1)


def test_xgboost(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1).fit(loans.people(), loans.label())
    assert_same_after(model, loans.people(), SOME, tmp_path)


def test_a_pipeline_of_text_categories_and_missing_values(tmp_path: Path) -> None:
    table = random_table(5, columns=8, kinds=("age", "debt", "flag", "home", "job", "city", "years", "grade"))
    texts = [name for name in table.frame if name in ("home", "job", "city", "grade")]
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), texts),
            (
                make_pipeline(SimpleImputer(), StandardScaler()),
                [name for name in table.frame if name not in texts],
            ),
        ),
        LogisticRegression(),
    ).fit(table.frame, table.label)
    rejected = table.frame[model.predict(table.frame) == 0].head(4)
    assert_same_after(model, table.frame, rejected, tmp_path, max_changes=2)


@pytest.mark.parametrize("read", [True, False])
def test_a_network_of_torch_read_and_asked(tmp_path: Path, read: bool) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(3, 6), torch.nn.ReLU(), torch.nn.Linear(6, 1)).eval()
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)).round(1), columns=list("abc"))
    with torch.no_grad():
        scores = torch.sigmoid(network(torch.tensor(frame.to_numpy(), dtype=torch.float32))).numpy()[:, 0]
    threshold = float(np.quantile(scores, 0.7))

    def black_box(rows: pd.DataFrame) -> np.ndarray:
        with torch.no_grad():
            given = torch.tensor(rows.to_numpy(), dtype=torch.float32)
            return np.asarray(torch.sigmoid(network(given)).numpy()[:, 0], dtype=np.float64)

    actions = p2ce.ActionSet.infer(frame).step(a=0.5, b=0.5, c=0.5)
    people = frame[scores < threshold].head(3)
    model: Any = network if read else black_box
    assert_same_after(model, frame, people, tmp_path, threshold=threshold, actions=actions)


def test_a_model_of_a_bare_array_and_labels_that_are_no_text(tmp_path: Path) -> None:
    people = loans.people().astype(float)
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(people.to_numpy(), loans.label())
    people.columns = [0, 1, 2, 3, 4]
    loaded = assert_same_after(model, people, people.loc[SOME.index], tmp_path)
    assert loaded.explain(people.loc[SOME.index[0]]).to_frame().columns[0] in (0, "0")


def test_hostile_and_foreign_labels(tmp_path: Path) -> None:
    names = ["<script>alert(1)</script>", "renda é", "../up", "a: b # c", "'\"\\"]
    people = loans.people().set_axis(names, axis=1)
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(people, loans.label())
    assert_same_after(model, people, people.loc[SOME.index], tmp_path)


@pytest.mark.parametrize("kind", ["polars", "arrow", "dict"])
def test_other_kinds_of_table(tmp_path: Path, kind: str) -> None:
    pytest.importorskip({"polars": "polars", "arrow": "pyarrow"}.get(kind, "numpy"))
    from p2ce.tables import as_kind

    plain = loans.people().reset_index(drop=True)
    explainer = p2ce.Explainer(FIRST, as_kind(plain, kind), plausibility=FEW)
    loaded = again(explainer, FIRST, tmp_path)
    assert_same_answers(explainer, loaded, SOME)
    row = SOME.iloc[0].to_dict()
    assert loaded.explain(row).kind == kind


EACH_RULE = [
    rules.linked("Years", "Income"),
    rules.inequality("Debt + Rate <= 1.5"),
    rules.if_then(if_={"Owns": True}, then={"Debt": (None, 1.0)}),
    rules.exclusive("Income", "Debt"),
    rules.together("Income", "Years"),
    rules.forbid("Owns", {True: [False]}),
    rules.allow_only("Owns", {False: [True]}),
    rules.predicate("tests.archive.predicates:modest", name="modest", columns=["Income"]),
]


@pytest.mark.parametrize("rule", EACH_RULE, ids=lambda rule: rule.kind)
def test_rules_of_every_kind(tmp_path: Path, rule: Any) -> None:
    actions = p2ce.ActionSet.infer(loans.people()).fix("Rate").protect("Owns").within(Income=(15, 55))
    assert_same_after(FIRST, loans.people(), SOME, tmp_path, actions=actions.rule(rule))


OBJECTIVES = {
    "names": ["changes", "percentile_shift", "euclidean"],
    "one": "max_distance",
    "parameters": [
        p2ce.MeanDistance(category=0.25),
        p2ce.MaxDistance(unit="own", category=2.0),
        p2ce.MaxDistance(),
        p2ce.Euclidean(category=3),
    ],
    "weights": [
        p2ce.WeightedDistance({"Income": 3.0, "Debt": 0.1}, name="pain", join="max", unit="std", default=0.5),
        p2ce.WeightedDistance({}, category=0.0),
    ],
    "costs": [
        p2ce.CostTable("effort", {"Owns": {True: 2.0, False: 1.0}}, default=1.5, join="max"),
        "changes",
    ],
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_objectives_with_their_parameters(tmp_path: Path, name: str) -> None:
    assert_same_after(FIRST, loans.people(), SOME, tmp_path, objectives=OBJECTIVES[name], max_changes=2)


def test_a_cost_table_of_labels_and_missing_values(tmp_path: Path) -> None:
    table = random_table(2, columns=4, kinds=("age", "years", "home", "job"))
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["home", "job"]), (SimpleImputer(), ["age", "years"])
        ),
        RandomForestClassifier(6, max_depth=4, random_state=0),
    ).fit(table.frame, table.label)
    costs = {"home": {"own": 3.0, "rent": 1.0, None: 2.0}, "job": {"boss": 9.0}, "years": {float("nan"): 4.0}}
    rejected = table.frame[model.predict(table.frame) == 0].head(4)
    assert_same_after(
        model,
        table.frame,
        rejected,
        tmp_path,
        objectives=[p2ce.CostTable("effort", costs, default=0.5), "changes"],
        actions=p2ce.ActionSet.infer(table.frame).allow_missing("years"),
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"plausibility": None},
        {
            "plausibility": p2ce.IsolationForest(
                contamination=0.2, n_estimators=7, max_samples=64, random_state=3
            )
        },
        {"plausibility": FEW, "contamination": 0.25},
        {"method": "mapocam"},
        {"method": "p2ce"},
        {"method": "p2ce-ablation"},
        {"method": p2ce.paper.Mapocam(order="index", bound="none")},
        {
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
        {"ties": True, "max_changes": None},
        {"bound": "none", "margin": 0.05, "threshold": np.float32(0.55)},
        {"random_state": None},
        {"target": 0, "threshold": 0.6},
        {"scale": "probability", "max_changes": np.int64(1)},
    ],
    ids=str,
)
def test_every_option(tmp_path: Path, arguments: dict[str, Any]) -> None:
    people = loans.people()
    some = people[FIRST.predict(people) == 1].head(3) if arguments.get("target") == 0 else SOME
    few = p2ce.ActionSet.infer(people).values(
        Income=[12, 24, 36, 48], Debt=[-3.0, -1.0, 1.0, 3.0], Rate=[0.0, 0.5, 1.0], Years=[0, 5, 10]
    )
    assert_same_after(FIRST, people, some, tmp_path, actions=few, **arguments)


def test_a_regressor_with_an_open_range(tmp_path: Path) -> None:
    people = loans.people()
    model = RandomForestRegressor(6, max_depth=4, random_state=0).fit(
        people, people["Income"] - people["Debt"]
    )
    assert_same_after(model, people, people.head(3), tmp_path, target=(45.0, None), plausibility=None)


def test_several_models_with_a_threshold_each(tmp_path: Path) -> None:
    second = make_pipeline(StandardScaler(), LogisticRegression()).fit(loans.people(), loans.label())
    models, thresholds = [FIRST, second], [0.4, None]
    assert_same_after(models, loans.people(), SOME, tmp_path, threshold=thresholds)


def test_a_calibrated_estimate_is_made_again(tmp_path: Path) -> None:
    model = KNeighborsClassifier(7).fit(loans.people(), loans.label())
    people = loans.people()
    few = p2ce.ActionSet.infer(people).values(Income=[12, 24, 36, 48], Debt=[-3.0, -1.0, 1.0, 3.0])
    bound = p2ce.ShapEstimate(miss_rate=0.2, people=9, background=4, rows=2, random_state=5)
    some = people[model.predict(people) == 0].head(2)
    assert_same_after(model, people, some, tmp_path, actions=few.fix("Rate"), bound=bound, max_changes=2)


def test_no_kind_of_rule_is_left_out() -> None:
    assert {rule.kind for rule in [*EACH_RULE, *GROUPS]} == set(RULES)


GROUPS = [rules.one_hot("place", list(GROUP)), rules.at_most_one_of(*GROUP)]


@pytest.mark.parametrize("rule", GROUPS, ids=lambda rule: rule.kind)
def test_columns_that_are_one_category(tmp_path: Path, rule: Any) -> None:
    table = random_table(4, columns=3, kinds=("age", "debt", "rate"), group=True)
    frame = table.frame.fillna(0.5)
    model = RandomForestClassifier(8, max_depth=5, random_state=0).fit(frame, table.label)
    actions = p2ce.ActionSet.infer(frame).rule(rule)
    assert_same_after(model, frame, frame[model.predict(frame) == 0].head(4), tmp_path, actions=actions)


def test_someone_without_recourse(tmp_path: Path) -> None:
    actions = p2ce.ActionSet.infer(loans.people()).fix("Income", "Debt", "Owns", "Rate")
    explainer = p2ce.Explainer(FIRST, loans.people(), actions=actions, plausibility=FEW)
    answers = assert_same_answers(explainer, again(explainer, FIRST, tmp_path), SOME)
    assert any(answer.status is p2ce.Status.NO_RECOURSE for answer in answers)


def test_displays_stay(tmp_path: Path) -> None:
    shown = {
        "name": {"en": "yearly income", "pt": "a renda"},
        "unit": "EUR",
        "unit_first": True,
        "decimals": 0,
    }
    actions = p2ce.ActionSet.infer(loans.people()).display(
        Income=shown, Owns={"values": {True: "yes", False: "no"}, "phrases": {True: "buy a home"}}
    )
    loaded = assert_same_after(FIRST, loans.people(), SOME, tmp_path, actions=actions)
    assert loaded.actions["Income"].display.name_in("pt") == "a renda"


def test_the_bytes_are_the_same_each_time(tmp_path: Path) -> None:
    first, second = (saved(loans.explainer(), tmp_path, name) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_the_callers_frame_may_change_after_the_explainer_was_made(tmp_path: Path) -> None:
    people = loans.people()
    explainer = loans.explainer(reference=people)
    before = saved(explainer, tmp_path, "a").read_bytes()
    people.loc[:, "Income"] = 0
    people["Debt"] = 1.0
    assert saved(explainer, tmp_path, "b").read_bytes() == before


def test_a_pickled_explainer_saves_the_same(tmp_path: Path) -> None:
    explainer = loans.explainer()
    copied = pickle.loads(pickle.dumps(explainer))
    assert saved(copied, tmp_path, "a").read_bytes() == saved(explainer, tmp_path, "b").read_bytes()


def test_another_process_gives_the_same_answers(tmp_path: Path) -> None:
    explainer = loans.explainer()
    path = saved(explainer, tmp_path)
    row = SOME.iloc[0].to_dict()
    program = textwrap.dedent(
        """
        import json, sys
        import p2ce
        from tests.populations import loans
        loaded = p2ce.load(sys.argv[1], loans.forest())
        print(json.dumps(loaded.explain(loans.refused().iloc[0].to_dict()).to_dict()))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(explainer.explain(row).to_dict()))
