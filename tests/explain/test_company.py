"""Does a person get the same answer alone and beside others, where libraries round rows differently?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.result.status import Status
from tests.populations import loans

Scorer = Callable[[pd.DataFrame], np.ndarray]


def single(rows: pd.DataFrame) -> np.ndarray:
    """Score rows in single precision, each by itself."""
    margin = rows["Income"] / 12.0 - rows["Debt"] + rows["Owns"] * 1.5 - 4.0
    return (1.0 / (1.0 + np.exp(-margin.to_numpy(dtype=np.float32)))).astype(np.float32)


def lower_in_company(rows: pd.DataFrame) -> np.ndarray:
    """Round rows down where others are asked about with them."""
    alone = single(rows)
    return (np.nextafter(alone, np.float32(0.0)) if len(rows) > 1 else alone).astype(np.float64)


def higher_in_company(rows: pd.DataFrame) -> np.ndarray:
    """Round rows up where others are asked about with them."""
    alone = single(rows)
    return (np.nextafter(alone, np.float32(1.0)) if len(rows) > 1 else alone).astype(np.float64)


def few() -> p2ce.ActionSet:
    choices = {"Income": [15, 25, 35, 45, 55], "Debt": [-2.5, -1.0, 0.5, 2.0]}
    return p2ce.ActionSet.infer(loans.people()).values(choices).fix("Rate", "Years")


def explainer(model: Any, threshold: float, **asked: Any) -> p2ce.Explainer:
    return p2ce.Explainer(
        model, loans.people(), actions=few(), plausibility=None, threshold=threshold, max_changes=2, **asked
    )


def achieved_scores(model: Scorer, people: pd.DataFrame) -> list[float]:
    """Give scores that options of a front have when they are asked about alone, and in company."""
    found = explainer(model, 0.5).explain_many(people)
    rows = pd.concat([one.to_frame(kind="pandas")[list(people)] for one in found])
    alone = [float(model(rows.iloc[[at]])[0]) for at in range(0, len(rows), 7)]
    return sorted({*alone, *model(rows.iloc[::7]).tolist()})


@pytest.mark.parametrize("model", [lower_in_company, higher_in_company])
@pytest.mark.parametrize("reading", ["asked", "doubted"])
def test_a_threshold_that_a_cell_just_reaches_decides_alike_in_any_company(
    model: Scorer, reading: str
) -> None:
    people = loans.people()
    people = people[single(people) < 0.45].iloc[:12]
    exact = 0
    for threshold in achieved_scores(model, people)[:12]:
        asking = explainer(model, threshold)
        if reading == "doubted":
            asking._problem = doubtful_network(asking._problem)
        together = asking.explain_many(people)
        for at in range(len(people)):
            alone = asking.explain(people.iloc[at])
            assert alone == together[at]
            assert alone.status in (Status.OPTIMAL, Status.NO_RECOURSE)
            for option in alone:
                own = float(model(pd.DataFrame([option.values]))[0])
                assert own >= threshold  # asked about alone, which is what decides
                exact += own == threshold
    assert exact


def doubtful_network(problem: Any) -> Any:
    """Give the callable a reading that doubts everything, as networks do close to the threshold."""
    from p2ce.scores.external import Placed, RowScore, Verdicts, undecided
    from p2ce.scores.score import Bound

    class Doubt:
        name, bound, flat = "doubt", Bound.COMPLETE, None
        accept_from, reject_below = np.inf, -np.inf

        def evaluate_rows(self, rows: np.ndarray) -> Verdicts:
            return undecided(len(rows))

        def prepare(self, placed: Placed) -> RowScore:
            return RowScore(evaluate_rows=self.evaluate_rows, placed=placed)

    model = replace(problem.model, score=Doubt(), report=None)
    return problem.with_models([model], detector=problem.detector, nullable=problem.nullable)


@pytest.mark.parametrize("bound", ["none", "shap"])
def test_a_person_is_answered_alike_whoever_else_is_asked_about(bound: str) -> None:
    people = loans.people()
    people = people[single(people) < 0.45].iloc[:70]
    spec = p2ce.ShapEstimate(people=5, background=4, rows=2) if bound == "shap" else bound
    asking = explainer(lambda rows: single(rows).astype(np.float64), 0.5, bound=spec)
    together = asking.explain_many(people)
    for at in range(0, len(people), 7):
        assert (
            asking.explain(people.iloc[at]) == together[at] == asking.explain_many(people.iloc[: at + 1])[at]
        )
