"""Budgets of calls and rows: never exceeded, spent on options first, and without effect if they are large."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import p2ce
from p2ce import Status
from p2ce.errors import InvalidArgument, InvalidRow
from tests.properties.amount import examples

NAMES = ["income", "debts", "years", "rate"]
HUGE = 10**9


def people(count: int = 120, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "income": rng.integers(10, 60, count) * 100,
            "debts": rng.integers(0, 6, count),
            "years": rng.integers(0, 12, count),
            "rate": rng.normal(5.0, 2.0, count).round(1),
        }
    )


class Service:
    """A model that charges: it counts its calls and rows, and remembers what it has scored.

    ``failing`` lists calls, from 0, that raise an error after they were charged.
    """

    def __init__(self, shift: float = 0.0, failing: Sequence[int] = ()) -> None:
        self.shift, self.failing = shift, frozenset(failing)
        self.reset()

    def reset(self) -> None:
        self.calls = self.rows = 0
        self.seen: set[tuple[float, ...]] = set()

    @staticmethod
    def score(rows: pd.DataFrame, shift: float = 0.0) -> np.ndarray:
        income, debts, years, rate = (rows[name].to_numpy(dtype=np.float64) for name in NAMES)
        bent = np.tanh(income / 2000 - 1.5) + 0.4 * np.sin(years) - 0.35 * debts - 0.1 * rate + 0.3
        return np.asarray(1.0 / (1.0 + np.exp(-3.0 * (bent + shift))))

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        number = self.calls
        self.calls += 1
        self.rows += len(rows)
        if number in self.failing:
            raise ConnectionError("too many requests")
        self.seen |= {tuple(row) for row in rows[NAMES].to_numpy(dtype=np.float64).tolist()}
        return self.score(rows, self.shift)


def explainer_of(*services: Service, **arguments: Any) -> p2ce.Explainer:
    given = {"plausibility": None, "bound": None, "max_changes": 3, "target": 1} | arguments
    return p2ce.Explainer(list(services) if len(services) > 1 else services[0], people(), **given)


def rejected(count: int, shift: float = 0.0) -> pd.DataFrame:
    rows = people(200, seed=1)
    return rows[Service.score(rows, shift) < 0.5].head(count).reset_index(drop=True)


def spent(services: Sequence[Service]) -> tuple[int, int]:
    return sum(one.calls for one in services), sum(one.rows for one in services)


BUDGETS = st.tuples(
    st.none() | st.integers(1, 40) | st.integers(1, 400),
    st.none() | st.integers(1, 60) | st.integers(1, 3000),
).filter(lambda both: both != (None, None))


@examples(40)
@given(
    budgets=BUDGETS,
    count=st.integers(1, 2),
    person=st.integers(0, 5),
    failing=st.lists(st.integers(0, 40), max_size=4),
    changes=st.integers(1, 3),
    detector=st.booleans(),
    refine=st.booleans(),
)
def test_a_budget_is_never_exceeded_and_what_is_returned_is_verified(
    budgets: tuple[int | None, int | None],
    count: int,
    person: int,
    failing: list[int],
    changes: int,
    detector: bool,
    refine: bool,
) -> None:
    """Also with calls that fail, several models, and a detector, which counts as well."""
    max_calls, max_rows = budgets
    services = [Service(shift) for shift in (0.0, -0.1)[:count]]
    outlier = LocalOutlierFactor(novelty=True).fit(people().to_numpy(dtype=np.float64))
    plausible = Service()
    plausible.score = lambda rows, _: outlier.decision_function(rows.to_numpy(dtype=np.float64))  # type: ignore[method-assign]
    explainer = explainer_of(
        *services, max_changes=changes, refine=refine, plausibility=plausible if detector else None
    )
    everyone = [*services, plausible]
    for one in everyone:
        one.reset()
        one.failing = frozenset(failing)
    row = rejected(6, -0.1).iloc[person]
    found, why = None, ""
    try:
        found = explainer.explain(row, max_calls=max_calls, max_rows=max_rows)
    except p2ce.P2CEError as error:
        why = str(error)
    assert found is not None or failing or "does not cover scoring the person" in why
    calls, rows = spent(everyone)
    assert max_calls is None or calls <= max_calls
    assert max_rows is None or rows <= max_rows
    if found is None:
        return
    assert found.certificate is not None
    assert (found.certificate.calls, found.certificate.rows) == (calls, rows)
    assert (found.certificate.stopped_by is None) or found.status is Status.TIME_LIMIT
    for option in found:
        cell = pd.DataFrame([option.values])
        key = tuple(cell[NAMES].to_numpy(dtype=np.float64)[0].tolist())
        for one in services:
            assert key in one.seen
            assert one.score(cell, one.shift)[0] >= 0.5
        if detector:
            assert key in plausible.seen


@pytest.mark.parametrize("detector", [False, True])
def test_a_huge_budget_changes_nothing(detector: bool) -> None:
    rows = rejected(3)
    forest = p2ce.PlausibilityForest(n_estimators=20)
    explainer = explainer_of(Service(), plausibility=forest if detector else None)
    for place in range(len(rows)):
        plain = explainer.explain(rows.iloc[place])
        large = explainer.explain(rows.iloc[place], max_calls=HUGE, max_rows=HUGE)
        assert large == plain
        assert large.status is Status.OPTIMAL
        assert without_work(large) == without_work(plain)
    assert list(explainer.explain_many(rows, max_rows=HUGE)) == list(explainer.explain_many(rows))


def without_work(explanation: p2ce.Explanation) -> dict[str, Any]:
    """Return everything but the counts of work, which no explanation is compared by, and times."""
    data = explanation.to_dict()
    for name in ("elapsed", "timings"):
        data.pop(name, None)
    for name in ("boxes", "scored", "pruned", "verified", "discrepancies", "calls", "rows"):
        data["certificate"].pop(name, None)
    return data


def test_options_come_before_the_proof() -> None:
    """A budget far below what a proof takes finds an option for almost everyone, and says what stopped it."""
    service = Service(-0.4)
    explainer = explainer_of(service, refine=False)
    rows = rejected(12, -0.4)
    needed = [one.certificate.rows for one in explainer.explain_many(rows, max_rows=HUGE)]
    rows = rows[np.array(needed) > 300]
    assert len(rows) >= 8
    complete, some = explainer.explain_many(rows), explainer.explain_many(rows, max_rows=80)
    assert all(one.status is Status.TIME_LIMIT for one in some)
    assert {one.certificate.stopped_by for one in some} == {"max_rows"}
    assert sum(len(one) > 0 for one in some) >= len(rows) - 1
    for one, whole in zip(some, complete, strict=True):
        least = one.certificate.open_costs
        for option in whole:  # found already, or still open
            costs = option.costs
            is_found = any(all(mine.costs[name] <= costs[name] + 1e-9 for name in costs) for mine in one)
            assert is_found or all(least[name] <= costs[name] + 1e-9 for name in costs)


@pytest.mark.parametrize("limits", [{"max_rows": 200}, {"max_calls": 12}, {"max_calls": 20, "max_rows": 300}])
def test_each_person_of_many_has_a_budget_and_the_answer_of_explain(limits: dict[str, int]) -> None:
    service = Service(-0.2)
    explainer = explainer_of(service)
    rows = rejected(5, -0.2)
    alone = [explainer.explain(rows.iloc[place], **limits) for place in range(len(rows))]
    service.reset()
    many = explainer.explain_many(rows, **limits)
    assert list(many) == alone
    certificates = [one.certificate for one in many if one.certificate is not None]
    assert (service.calls, service.rows) == (
        sum(one.calls or 0 for one in certificates),
        sum(one.rows or 0 for one in certificates),
    )
    for one in certificates:
        assert (one.calls or 0) <= limits.get("max_calls", HUGE)
        assert (one.rows or 0) <= limits.get("max_rows", HUGE)


class Metered:
    """A model whose calls in any process are written to a file."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{len(rows)}\n".encode())
        os.close(handle)
        income, debts = rows["income"].to_numpy(dtype=np.float64), rows["debts"].to_numpy(dtype=np.float64)
        return np.asarray(1.0 / (1.0 + np.exp(2.0 - income / 1000.0 + 0.7 * debts)))


@pytest.mark.slow
def test_budgets_hold_in_other_processes(tmp_path: Path) -> None:
    model = Metered(tmp_path / "calls")
    explainer = p2ce.Explainer(model, people(), target=1, plausibility=None, bound=None)
    rows = people(60, seed=3)
    rows = rows[model(rows) < 0.5].head(8)
    one = explainer.explain_many(rows, max_calls=9, max_rows=120)
    (tmp_path / "calls").unlink()
    two = explainer.explain_many(rows, max_calls=9, max_rows=120, n_jobs=2)
    charged = [int(line) for line in (tmp_path / "calls").read_text().split()]
    assert list(one) == list(two)
    assert len(charged) == sum(each.certificate.calls for each in two)
    assert sum(charged) == sum(each.certificate.rows for each in two)
    assert all(each.certificate.calls <= 9 and each.certificate.rows <= 120 for each in two)


def test_a_classifier_that_is_called_twice_for_a_row_counts_twice() -> None:
    """A kernel machine of three classes decides by two methods."""
    rows = people(150)
    label = np.digitize(Service.score(rows), np.quantile(Service.score(rows), [0.33, 0.66]))
    model = make_pipeline(StandardScaler(), SVC(random_state=0)).fit(rows, label)
    explainer = p2ce.Explainer(model, rows, target=2, plausibility=None, bound=None)
    row = rows[model.predict(rows) == 0].iloc[0]
    with pytest.raises(InvalidArgument, match=r"max_calls=1 does not cover scoring .* at least 2 calls"):
        explainer.explain(row, max_calls=1)
    found = explainer.explain(row, max_calls=2)
    assert found.status is Status.TIME_LIMIT
    assert found.person_score < 0.0
    assert found.certificate.calls == 2
    found = explainer.explain(row, max_calls=40)
    assert len(found)
    assert found.certificate.calls <= 40


def test_failed_calls_are_charged_and_named() -> None:
    service = Service()
    explainer = explainer_of(service)
    service.reset()
    service.failing = frozenset(range(100))
    with pytest.raises(InvalidArgument, match=r"max_calls=2 does not cover .*too many requests"):
        explainer.explain(rejected(1).iloc[0], max_calls=2)
    assert service.calls == 2
    service.reset()
    service.failing = frozenset([0, 3, 4])
    found = explainer.explain(rejected(1).iloc[0], max_calls=40)
    assert service.calls == found.certificate.calls <= 40
    assert len(found)


def test_nothing_is_calibrated_within_a_budget(caplog: pytest.LogCaptureFixture) -> None:
    service = Service()
    explainer = explainer_of(service, bound="shap", max_changes=2)
    service.reset()
    found = explainer.explain(rejected(1).iloc[0], max_rows=100)
    assert service.rows <= 100
    assert found.status is not Status.HEURISTIC
    explainer.warm_up()
    service.reset()
    explainer.explain(rejected(1).iloc[0], max_rows=100)
    assert service.rows <= 100


def test_a_missing_value_that_the_reference_never_has_is_an_error() -> None:
    """The model would have to be checked with such rows first, with calls that no one asked for."""
    service = Service()
    explainer = explainer_of(service)
    row = rejected(1).iloc[0].astype(float).to_dict() | {"debts": np.nan}
    service.reset()
    with pytest.raises(InvalidRow, match="max_calls and max_rows forbid"):
        explainer.explain(row, max_rows=100)
    many = explainer.explain_many(pd.DataFrame([row]), max_rows=100)
    assert many[0].error == "row"
    assert service.calls == 0


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "many"])
@pytest.mark.parametrize("name", ["max_calls", "max_rows"])
def test_what_is_no_budget_is_rejected(name: str, wrong: object) -> None:
    explainer = explainer_of(Service())
    with pytest.raises(InvalidArgument, match=f"{name} must be a whole number, 1 or more"):
        explainer.explain(rejected(1).iloc[0], **{name: wrong})
    with pytest.raises(InvalidArgument, match=name):
        explainer.explain_many(rejected(2), **{name: wrong})


def test_a_budget_needs_a_black_box() -> None:
    from sklearn.linear_model import LogisticRegression

    rows = people()
    model = LogisticRegression(max_iter=5000).fit(rows, Service.score(rows) > 0.5)
    explainer = p2ce.Explainer(model, rows, target=True, plausibility=None)
    with pytest.raises(InvalidArgument, match="supported natively"):
        explainer.explain(rows.iloc[0], max_rows=100)
