"""The paper's algorithms take any model and detector, claim only what holds, and show only what is valid."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce.errors import InvalidArgument
from p2ce.paper import P2CE, Mapocam
from p2ce.result.certificate import Status
from tests.clock import Clock
from tests.oracle import no_cheaper
from tests.populations import loans

PROVEN = (Status.OPTIMAL, Status.NO_RECOURSE)


def margin(rows: pd.DataFrame) -> np.ndarray:
    together = rows["Owns"] * rows["Years"] / 4.0 - rows["Debt"] * rows["Rate"]
    return np.asarray(rows["Income"] / 12.0 - rows["Debt"] + together - 5.0, dtype=np.float64)


def explainer(model: Any = margin, **changed: Any) -> p2ce.Explainer:
    arguments = {"policy": loans.few(), "plausibility": None, "method": P2CE(), "target": 1, **changed}
    if model is margin:
        arguments.setdefault("at_least", 0.0)
    return p2ce.Explainer(model, loans.people(), **{"target": 1, **arguments})


def rejected(model: Any = margin) -> pd.DataFrame:
    people = loans.people()
    if model is margin:
        return people[margin(people) < 0.0]
    return people[model.predict_proba(people)[:, 1] < 0.5]


def detector(name: str) -> Any:
    if name == "function":
        return lambda rows: 3.5 - rows["Debt"].abs()
    if name == "local":
        return LocalOutlierFactor(10, novelty=True).fit(loans.people())
    return {"none": None, "forest": loans.detector(), "our forest": p2ce.PlausibilityForest(n_estimators=10)}[
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
    people = rejected(model).iloc[:3]
    by_p2ce, by_mapocam, explained_by = AUTO[name]
    forest = {"plausibility": p2ce.PlausibilityForest(n_estimators=20, contamination=0.2)}
    exact = explainer(model, method="exact", plausibility_of_today="ignore", **forest).explain_many(people)
    found = explainer(model, **forest).explain_many(people)
    for one, truth in zip(found, exact, strict=True):
        assert one.certificate.bound == by_p2ce
        assert (one.certificate.estimate is not None) == (by_p2ce == "shap-paper")
        assert no_cheaper(one, truth)
        if one.status in PROVEN:
            assert costs(one) == costs(truth)
        else:
            assert one.status is Status.HEURISTIC
            assert one.certificate.unproven_because == "estimate"
            assert one.certificate.pruned["estimate"] > 0
            assert one.certificate.estimate.method == explained_by
            assert one.certificate.estimate.attributed > 0
    free = explainer(model, method="exact").explain_many(people)
    for one, truth in zip(
        explainer(model, method=Mapocam(), **forest).explain_many(people), free, strict=True
    ):
        assert (one.certificate.bound, one.certificate.method) == (by_mapocam, "mapocam")
        assert one.status is truth.status
        assert costs(one) == costs(truth)
        assert all(option.plausibility is not None for option in one)


@pytest.mark.parametrize(("name", "max_changes"), [("forest", 2), ("our forest", None), ("function", None)])
def test_any_detector_with_and_without_the_partial_test(name: str, max_changes: int | None) -> None:
    arguments = {"plausibility": detector(name), "max_changes": max_changes}
    people = rejected().iloc[:4]
    exact = explainer(method="exact", plausibility_of_today="ignore", **arguments)
    truth = exact.explain_many(people)
    whole = explainer(method=P2CE(bound=None), **arguments).explain_many(people)
    ablation = explainer(method=P2CE(bound=None, partial_plausibility=False), **arguments).explain_many(
        people
    )
    for one, other, true in zip(whole, ablation, truth, strict=True):
        assert one.status is other.status is true.status
        assert costs(one) == costs(other) == costs(true)
        assert one.certificate.scored <= other.certificate.scored
        assert other.certificate.pruned["plausibility bound"] == 0
        for option in one:
            judged = exact.evaluate(one.person, option.values, explanation=true)
            assert (judged.valid, judged.allowed, judged.better) == (True, True, ())
            assert judged.plausible in (None, True)


@pytest.mark.parametrize("method", [P2CE(), Mapocam(order="index", bound=None)], ids=lambda one: one.name)
def test_explanations_and_evidence_state_the_settings_and_are_read_again(
    method: Mapocam, tmp_path: Path
) -> None:
    explainer = loans.explainer(method=method)
    found = explainer.explain(loans.PERSON)
    assert found.problem is not None
    assert found.problem.settings["method"] == repr(method)
    assert p2ce.Explanation.from_json(found.to_json()) == found
    p2ce.evidence.save(found, tmp_path / "case.zip", explainer=explainer)
    assert p2ce.evidence.replay(tmp_path / "case.zip", loans.forest()).same


def test_the_grid_is_the_papers_unless_one_is_given() -> None:
    model = fitted("boosting")
    found = p2ce.Explainer(model, loans.people(), method=P2CE(), plausibility=None, target=1)
    assert found.policy == p2ce.Policy.infer(loans.people(), grid="paper")
    explanation = found.explain(rejected(model).iloc[0])
    assert explanation.certificate.grid == "given"


def test_someone_whose_time_is_over_keeps_what_was_found(clock: Clock) -> None:
    def slow(rows: pd.DataFrame) -> np.ndarray:
        clock.move(0.002)
        return margin(rows)

    made = explainer(slow, at_least=0.0, max_changes=None, method=P2CE(bound=None, order="index"))
    made.warm_up()
    person = rejected().iloc[0]
    none = made.explain(person, time_limit=0.0)
    assert none.status is Status.TIME_LIMIT
    assert none.certificate.open_boxes == 1
    assert set(none.certificate.open_costs.values()) == {0.0}
    begin = clock.now
    some = made.explain(person, time_limit=0.3)
    assert clock.now - begin <= 0.3 + 2 * 0.002
    assert some.status in (Status.TIME_LIMIT, *PROVEN)
    assert no_cheaper(some, made.explain(person))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ties": True}, "ties=True needs method='exact'"),
        ({"bound": None}, "pass the bound to the method"),
        ({"policy": loans.few().with_rules(p2ce.rules.linked("Income", "Debt"))}, "one feature at a time"),
        ({"method": P2CE(bound="tree")}, "needs a tree ensemble"),
        ({"method": Mapocam(bound="monotone")}, "needs a linear model"),
        ({"method": P2CE(explainer="tree")}, "ensemble of trees"),
        ({"method": "p2c"}, "p2ce.paper.P2CE"),
    ],
)
def test_what_they_do_not_support_is_rejected_with_advice(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        explainer(**arguments).explain(rejected().iloc[0])


@pytest.mark.parametrize(
    "settings",
    [{"order": "size"}, {"bound": "shp"}, {"background": 0}, {"background": True}, {"random_state": -1}],
)
def test_settings_say_what_is_expected(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match=f"{next(iter(settings))} (is|must be)"):
        P2CE(**settings)
    with pytest.raises(InvalidArgument, match="partial_plausibility must be True or False"):
        P2CE(partial_plausibility=1)  # type: ignore[arg-type]


def test_actions_for_one_person_are_held_to_the_same_rules() -> None:
    """One-hot groups among `explain(policy=…)` gave a false OPTIMAL: bounds read beyond the row."""
    model = fitted("boosting")
    together = loans.few().with_rules(p2ce.rules.linked("Income", "Debt"))
    made = explainer(model)
    with pytest.raises(InvalidArgument, match="one feature at a time"):
        made.explain(rejected(model).iloc[0], policy=together)
