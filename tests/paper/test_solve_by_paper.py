"""The paper's algorithms take any model and detector, claim only what holds, and show only what is valid."""

import os
import subprocess
import sys
import time
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.errors import InvalidArgument
from p2ce.paper import P2CE, Mapocam
from p2ce.result.status import Status
from tests.oracle import no_cheaper
from tests.populations import loans

CHOICES = {
    "Income": [12, 24, 36, 48],
    "Debt": [-3.0, -1.0, 1.0, 3.0],
    "Rate": [0.0, 0.5, 1.0],
    "Years": [0, 5, 10],
}
PROVEN = (Status.OPTIMAL, Status.NO_RECOURSE)


def few() -> p2ce.ActionSet:
    return p2ce.ActionSet.infer(loans.people()).values(CHOICES)


def margin(rows: pd.DataFrame) -> np.ndarray:
    together = rows["Owns"] * rows["Years"] / 4.0 - rows["Debt"] * rows["Rate"]
    return np.asarray(rows["Income"] / 12.0 - rows["Debt"] + together - 5.0, dtype=np.float64)


def explainer(model: Any = margin, **changed: Any) -> p2ce.Explainer:
    asked = {"actions": few(), "plausibility": None, "method": "p2ce", "target": 1, **changed}
    if model is margin:
        asked.setdefault("threshold", 0.0)
    return p2ce.Explainer(model, loans.people(), **asked)


def refused(model: Any = margin) -> pd.DataFrame:
    people = loans.people()
    if model is margin:
        return people[margin(people) < 0.0]
    return people[model.predict_proba(people)[:, 1] < 0.5]


def detector(name: str) -> Any:
    if name == "function":
        return lambda rows: 3.5 - rows["Debt"].abs()
    if name == "local":
        return LocalOutlierFactor(10, novelty=True).fit(loans.people())
    return {"none": None, "forest": loans.detector(), "our forest": p2ce.IsolationForest(n_estimators=10)}[
        name
    ]


MODELS: dict[str, Any] = {
    "boosting": lambda: GradientBoostingClassifier(n_estimators=20, random_state=0),
    "linear": lambda: LogisticRegression(max_iter=1000),
    "scaled": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "network": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((6,), solver="lbfgs", max_iter=2000, random_state=0)
    ),
    "neighbours": lambda: KNeighborsClassifier(5),
}
# What the paper's experiments do, model by model: by P²CE, by MAPOCAM, and the explainer.
AUTO = {
    "boosting": ("shap-paper", "tree leaves", "tree"),
    "linear": ("additive", "additive", None),
    "scaled": ("additive", "additive", None),
    "network": ("shap-paper", "none", "deep"),
    "neighbours": ("shap-paper", "none", "sampling"),
}


def fitted(name: str) -> Any:
    return MODELS[name]().fit(loans.people(), loans.label())


def costs(explanation: p2ce.Explanation) -> list[tuple[float, ...]]:
    return sorted(tuple(option.costs.values()) for option in explanation)


@pytest.mark.parametrize("name", MODELS)
def test_by_default_everything_is_as_in_the_papers_experiments(name: str) -> None:
    model = fitted(name)
    people = refused(model).iloc[:6]
    by_p2ce, by_mapocam, explained_by = AUTO[name]
    forest = {"plausibility": p2ce.IsolationForest(n_estimators=20, contamination=0.2)}
    exact = explainer(model, method="exact", **forest).explain_many(people)
    found = explainer(model, **forest).explain_many(people)
    for one, truth in zip(found, exact, strict=True):
        assert one.certificate.bound == by_p2ce
        assert (one.certificate.attributed > 0) == (by_p2ce == "shap-paper")
        assert no_cheaper(one, truth)
        if one.status in PROVEN:
            assert costs(one) == costs(truth)
        else:
            assert one.status is Status.HEURISTIC
            assert one.certificate.unproven_because == "estimate"
            assert one.certificate.pruned["estimate"] > 0
            assert one.certificate.explainer == explained_by
    free = explainer(model, method="exact").explain_many(people)
    for one, truth in zip(
        explainer(model, method="mapocam", **forest).explain_many(people), free, strict=True
    ):
        assert (one.certificate.bound, one.certificate.method) == (by_mapocam, "mapocam")
        assert one.status is truth.status
        assert costs(one) == costs(truth)
        assert all(option.plausibility is not None for option in one)


@pytest.mark.parametrize("max_changes", [1, 2, None])
@pytest.mark.parametrize("name", ["none", "forest", "our forest", "local", "function"])
def test_any_detector_with_and_without_the_partial_test(name: str, max_changes: int | None) -> None:
    asked = {"plausibility": detector(name), "max_changes": max_changes}
    people = refused().iloc[:8]
    exact = explainer(method="exact", **asked)
    truth = exact.explain_many(people)
    whole = explainer(method=P2CE(bound="none"), **asked).explain_many(people)
    ablation = explainer(method=P2CE(bound="none", partial_plausibility=False), **asked).explain_many(people)
    for one, other, true in zip(whole, ablation, truth, strict=True):
        assert one.status is other.status is true.status
        assert costs(one) == costs(other) == costs(true)
        assert one.certificate.scored <= other.certificate.scored
        assert other.certificate.pruned["plausibility bound"] == 0
        for option in one:
            judged = exact.check(one.person, option.values, explanation=true)
            assert (judged.valid, judged.allowed, judged.better) == (True, True, ())
            assert judged.plausible in (None, True)


def test_the_partial_test_prunes() -> None:
    forest = p2ce.IsolationForest(n_estimators=20, contamination=0.5)
    people = refused().iloc[:10]
    found = explainer(method=P2CE(bound="none"), plausibility=forest, max_changes=None).explain_many(people)
    assert sum(one.certificate.pruned["plausibility bound"] for one in found) > 0


@pytest.mark.parametrize("order", ["importance", "index"])
@pytest.mark.parametrize("form", ["k-limited", "plain"])
@pytest.mark.parametrize("at", ["partial", "person"])
def test_what_is_shown_is_valid_whatever_the_settings(order: str, form: str, at: str) -> None:
    people = refused().iloc[:10]
    truth = explainer(method="exact").explain_many(people)
    method = P2CE(order=order, form=form, at=at, background=20, random_state=3)
    found = explainer(method=method).explain_many(people)
    for one, true in zip(found, truth, strict=True):
        assert one.status in (Status.HEURISTIC, *PROVEN)
        assert no_cheaper(one, true)
        assert all(option.score >= 0.0 for option in one)
        if at == "person":
            assert one.certificate.attributed == 1
    assert found.to_frame().equals(explainer(method=method).explain_many(people).to_frame())


@pytest.mark.parametrize("name", ["kernel", "permutation"])
def test_explainers_of_shap(name: str) -> None:
    pytest.importorskip("shap")
    method = P2CE(explainer=name, background=4, at="person")
    found = explainer(method=method).explain(refused().iloc[0])
    assert found.certificate.explainer == name


def test_the_papers_estimate_does_miss() -> None:
    people = refused()
    found = explainer(method=P2CE(errata="as printed", background=10)).explain_many(people)
    exact = explainer(method="exact").explain_many(people)
    same = sum(costs(one) == costs(truth) for one, truth in zip(found, exact, strict=True))
    assert 0 < same < len(people)


def test_as_printed_nothing_is_proven_and_every_rule_is_kept_all_the_same() -> None:
    model = fitted("boosting")
    people = refused(model).iloc[:8]
    found = explainer(model, method=P2CE(errata="as printed", bound="tree"), max_changes=1).explain_many(
        people
    )
    for one in found:
        assert one.status is Status.HEURISTIC
        assert one.certificate.unproven_because == "misprint"
        assert all(len(option.changes) <= 1 for option in one)
        assert p2ce.to_text(one, audience="auditor")


def test_several_models_targets_and_rules() -> None:
    boosting, linear = fitted("boosting"), fitted("linear")
    both = [boosting, linear]
    some = refused(boosting).iloc[:4]
    rule = few().rule(p2ce.rules.exclusive("Income", "Debt"))
    for asked in ({}, {"actions": rule}, {"target": 0, "threshold": 0.3}):
        exact = explainer(both, method="exact", **asked).explain_many(some)
        found = explainer(both, method=P2CE(bound="none"), **asked).explain_many(some)
        assert [costs(one) for one in found] == [costs(one) for one in exact]


def test_labels_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "job": rng.choice(["clerk", "cook", "none"], 80),
            "income": rng.choice([10.0, 20.0, 30.0, np.nan], 80),
        }
    )
    label = (frame["income"].fillna(15.0) + 8 * (frame["job"] == "clerk") > 22).astype(int)
    encoded = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = encoded.fit(frame, label)
    asked = {"plausibility": None, "target": 1, "actions": p2ce.ActionSet.infer(frame, grid="paper")}
    people = frame[model.predict(frame) == 0].iloc[:10]
    exact = p2ce.Explainer(model, frame, **asked).explain_many(people)
    found = p2ce.Explainer(model, frame, method=P2CE(bound="none"), **asked).explain_many(people)
    assert [costs(one) for one in found] == [costs(one) for one in exact]
    assert any(len(one) for one in found)


def test_the_grid_is_the_papers_unless_one_is_given() -> None:
    model = fitted("boosting")
    found = p2ce.Explainer(model, loans.people(), method="p2ce", plausibility=None, target=1)
    assert found.actions == p2ce.ActionSet.infer(loans.people(), grid="paper")
    answer = found.explain(refused(model).iloc[0])
    assert answer.certificate.grid == "given"


def test_someone_whose_time_is_over_keeps_what_was_found() -> None:
    def slow(rows: pd.DataFrame) -> np.ndarray:
        time.sleep(0.002)
        return margin(rows)

    asking = explainer(slow, threshold=0.0, max_changes=None, method=P2CE(bound="none", order="index"))
    asking.warm_up()
    person = refused().iloc[0]
    none = asking.explain(person, time_limit=0.0)
    assert none.status is Status.TIME_LIMIT
    assert none.certificate.open_boxes == 1
    assert set(none.certificate.open_costs.values()) == {0.0}
    begin = time.perf_counter()
    some = asking.explain(person, time_limit=0.3)
    assert time.perf_counter() - begin < 3.0
    assert some.status in (Status.TIME_LIMIT, *PROVEN)
    assert no_cheaper(some, asking.explain(person))


def test_a_listener_can_stop_it() -> None:
    heard = []

    def stop(news: Any) -> bool:
        heard.append(news)
        return False

    found = explainer(max_changes=None).explain(refused().iloc[0], listener=stop)
    assert heard
    assert found.status is Status.TIME_LIMIT


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_answers_do_not_depend_on_company_or_processes(n_jobs: int) -> None:
    model = fitted("boosting")
    people = refused(model).iloc[:6]
    asking = explainer(model)
    alone = [asking.explain(person) for _, person in people.iterrows()]
    assert list(asking.explain_many(people, n_jobs=n_jobs)) == alone


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"ties": True}, "ties=True needs method='exact'"),
        ({"bound": "none"}, "bounds of their own"),
        ({"actions": few().rule(p2ce.rules.linked("Income", "Debt"))}, "one feature at a time"),
        ({"method": P2CE(bound="tree")}, "needs a tree ensemble"),
        ({"method": Mapocam(bound="monotone")}, "needs a linear model"),
        ({"method": P2CE(explainer="tree")}, "ensemble of trees"),
        ({"method": "p2c"}, "'p2ce-ablation'"),
    ],
)
def test_what_they_do_not_know_is_refused_with_advice(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        explainer(**asked).explain(refused().iloc[0])


@pytest.mark.parametrize(
    "settings",
    [{"order": "size"}, {"bound": "shp"}, {"background": 0}, {"background": True}, {"random_state": -1}],
)
def test_settings_say_what_is_expected(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match=f"{next(iter(settings))} (is|must be)"):
        P2CE(**settings)
    with pytest.raises(InvalidArgument, match="partial_plausibility is True or False"):
        P2CE(partial_plausibility=1)  # type: ignore[arg-type]


def test_actions_for_one_person_are_held_to_the_same_rules() -> None:
    """One-hot groups among `explain(actions=…)` gave a false OPTIMAL: bounds read beyond the row."""
    model = fitted("boosting")
    together = few().rule(p2ce.rules.linked("Income", "Debt"))
    asking = explainer(model)
    with pytest.raises(InvalidArgument, match="one feature at a time"):
        asking.explain(refused(model).iloc[0], actions=together)


@pytest.mark.parametrize("name", ["p2ce", "mapocam"])
def test_trees_that_are_too_deep_to_attribute_are_sampled(name: str) -> None:
    count = 70
    rows = np.vstack([np.zeros((40, count)), np.repeat(np.eye(count), 3, axis=0)]).astype(int)
    frame = pd.DataFrame(rows, columns=[f"x{place}" for place in range(count)])
    label = np.r_[np.zeros(40), np.ones(3 * count)].astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(frame, label)
    asked = {"plausibility": None, "max_changes": 1, "target": 1}
    small = {"p2ce": P2CE(background=2, at="person"), "mapocam": Mapocam(background=2)}[name]
    found = p2ce.Explainer(model, frame, method=small, **asked).explain(frame.iloc[0])
    assert len(found)
    with pytest.raises(InvalidArgument, match="columns on a path"):
        p2ce.Explainer(model, frame, method=P2CE(explainer="tree"), **asked).explain(frame.iloc[0])


@pytest.mark.parametrize("method", ["mapocam", P2CE(bound="tree")])
def test_the_reasons_of_a_kept_answer_can_be_asked_of_a_new_explainer(method: Any) -> None:
    model = fitted("boosting")
    tight = few().fix("Income", "Debt", "Years")
    asked = {"actions": tight, "method": method, "max_changes": 1}
    none = [one for one in explainer(model, **asked).explain_many(refused(model)) if not len(one)]
    assert none
    assert none[0].status is Status.NO_RECOURSE
    assert explainer(model, **asked).why_none(none[0], time_limit=5.0) is not None


def test_compiling_does_not_count_as_time() -> None:
    """In a process of its own, since others have compiled here already."""
    program = """
import numpy as np, pandas as pd, p2ce
from sklearn.tree import DecisionTreeClassifier
frame = pd.DataFrame(np.random.default_rng(0).integers(0, 6, (200, 3)), columns=list("abc"))
model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, frame.sum(axis=1) > 8)
explainer = p2ce.Explainer(model, frame, plausibility=None, method="mapocam", target=True)
person = frame[~model.predict(frame)].iloc[0]
print(explainer.explain(person, time_limit=2.0).status)
"""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
        )
    assert done.stdout.strip() == "OPTIMAL"
