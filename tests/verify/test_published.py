"""The paper's own form of the estimate: it runs everywhere, claims nothing, and shows only what is valid."""

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.neural_network import MLPClassifier

import p2ce
from p2ce.result.status import Status
from tests.properties.cases import no_cheaper
from tests.verify import loans

CHOICES = {
    "Income": [12, 24, 36, 48],
    "Debt": [-3.0, -1.0, 1.0, 3.0],
    "Rate": [0.0, 0.5, 1.0],
    "Years": [0, 5, 10],
}


def few() -> p2ce.ActionSet:
    return p2ce.ActionSet.infer(loans.people()).values(CHOICES)


def margin(rows: pd.DataFrame) -> np.ndarray:
    together = rows["Owns"] * rows["Years"] / 4.0 - rows["Debt"] * rows["Rate"]
    return np.asarray(rows["Income"] / 12.0 - rows["Debt"] + together - 5.0, dtype=np.float64)


def explainer(model: Any = margin, **changed: Any) -> p2ce.Explainer:
    asked = {"actions": few(), "plausibility": None, "bound": "shap-paper", "threshold": 0.0, **changed}
    return p2ce.Explainer(model, loans.people(), **asked)


def refused() -> pd.DataFrame:
    people = loans.people()
    return people[margin(people) < 0.0]


def detector(name: str) -> Any:
    if name == "function":
        return lambda rows: 3.5 - rows["Debt"].abs()
    if name == "local":
        return LocalOutlierFactor(10, novelty=True).fit(loans.people())
    return {"none": None, "forest": loans.detector(), "our forest": p2ce.IsolationForest(n_estimators=10)}[
        name
    ]


@pytest.mark.parametrize("max_changes", [1, 2, None])
@pytest.mark.parametrize("name", ["none", "forest", "our forest", "local", "function"])
def test_what_is_shown_is_valid_and_nothing_is_claimed(name: str, max_changes: int | None) -> None:
    asking = explainer(plausibility=detector(name), max_changes=max_changes)
    exact = explainer(plausibility=detector(name), max_changes=max_changes, bound="auto")
    people = refused().iloc[:12]
    found = asking.explain_many(people)
    assert set(found.statuses) == {Status.HEURISTIC}
    for one, truth in zip(found, exact.explain_many(people), strict=True):
        certificate = one.certificate
        assert not certificate.proven
        assert certificate.bound == "shap-paper"
        assert (certificate.miss_rate, certificate.sample_size) == (None, None)
        assert certificate.explainer == "sampling"
        assert no_cheaper(one, truth)
        for option in one:
            judged = exact.check(one.person, option.values, explanation=one)
            assert judged.valid
            assert judged.allowed
            assert judged.plausible in (None, True)
            assert not judged.better
    assert any(len(one) for one in found)


def test_ties_are_kept_where_asked_for() -> None:
    people = refused().iloc[:12]
    single = explainer(objectives="changes").explain_many(people)
    several = explainer(objectives="changes", ties=True).explain_many(people)
    for one, all_of_them in zip(single, several, strict=True):
        assert len({option.costs["changes"] for option in all_of_them}) == len(one) <= 1
        assert {tuple(option.changes.items()) for option in one} <= {
            tuple(option.changes.items()) for option in all_of_them
        }
    assert any(len(all_of_them) > 1 for all_of_them in several)


@pytest.mark.parametrize("name", ["network", "neighbours", "forest"])
def test_models_that_can_be_read_are_asked_as_in_the_paper(name: str) -> None:
    people, label = loans.people(), loans.label()
    model = {
        "network": lambda: MLPClassifier((6,), solver="lbfgs", max_iter=2000, random_state=0).fit(
            people.astype(float), label
        ),
        "neighbours": lambda: KNeighborsClassifier(5).fit(people, label),
        "forest": loans.forest,
    }[name]()
    asking = p2ce.Explainer(model, people, actions=few(), plausibility=None, bound="shap-paper")
    own = people.astype(float) if name == "network" else people
    some = people[model.predict_proba(own)[:, 1] < 0.5].iloc[:5]
    found = asking.explain_many(some)
    assert set(found.statuses) == {Status.HEURISTIC}
    assert all(option.score >= 0.5 for one in found for option in one)
    assert all("opaque" in one.certificate.model_family for one in found)


def test_the_largest_attributions_alone_do_miss() -> None:
    """That is why it is here only to be compared with."""
    people = refused()
    found = explainer().explain_many(people)
    exact = explainer(bound="auto").explain_many(people)
    same = sum(one.counterfactuals == truth.counterfactuals for one, truth in zip(found, exact, strict=True))
    assert 0 < same < len(people)


def test_someone_whose_time_is_over_keeps_nothing_that_could_mislead() -> None:
    def slow(rows: pd.DataFrame) -> np.ndarray:
        time.sleep(0.005)
        return margin(rows)

    asking = explainer(slow, max_changes=None)
    asking.warm_up()
    begin = time.perf_counter()
    found = asking.explain_many(refused().iloc[:4], time_limit=0.0)
    assert time.perf_counter() - begin < 2.0
    assert set(found.statuses) == {Status.TIME_LIMIT}
    for one in found:
        assert len(one) == 0
        assert one.certificate.open_boxes == 1
        assert set(one.certificate.open_costs.values()) == {0.0}


def test_a_listener_can_stop_it() -> None:
    heard = []

    def stop(news: Any) -> bool:
        heard.append(news)
        return False

    found = explainer(max_changes=None).explain(refused().iloc[0], listener=stop)
    assert heard
    assert found.status is Status.TIME_LIMIT
