"""An instance gets the same explanation alone and in a batch, where libraries round rows differently."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.result.certificate import Status
from tests.populations import loans

Scorer = Callable[[pd.DataFrame], np.ndarray]


def single(rows: pd.DataFrame) -> np.ndarray:
    """Score rows in single precision, each by itself."""
    margin = rows["Income"] / 12.0 - rows["Debt"] + rows["Owns"] * 1.5 - 4.0
    return (1.0 / (1.0 + np.exp(-margin.to_numpy(dtype=np.float32)))).astype(np.float32)


def lower_in_company(rows: pd.DataFrame) -> np.ndarray:
    """Round rows down where others are evaluated with them."""
    alone = single(rows)
    return (np.nextafter(alone, np.float32(0.0)) if len(rows) > 1 else alone).astype(np.float64)


def higher_in_company(rows: pd.DataFrame) -> np.ndarray:
    """Round rows up where others are evaluated with them."""
    alone = single(rows)
    return (np.nextafter(alone, np.float32(1.0)) if len(rows) > 1 else alone).astype(np.float64)


def few() -> p2ce.Policy:
    choices = {"Income": [15, 25, 35, 45, 55], "Debt": [-2.5, -1.0, 0.5, 2.0]}
    return p2ce.Policy.infer(loans.people(), protect=None).candidates(choices).fix("Rate", "Years")


def explainer(model: Any, threshold: float, **arguments: Any) -> p2ce.Explainer:
    return p2ce.Explainer(
        model,
        loans.people(),
        policy=few(),
        plausibility=None,
        at_least=threshold,
        max_changes=2,
        **{"target": 1, **arguments},
    )


def achieved_scores(model: Scorer, people: pd.DataFrame) -> list[float]:
    """Return scores that options of a front have when they are evaluated alone, and in company."""
    found = explainer(model, 0.5).explain_many(people)
    rows = pd.concat([one.to_frame(kind="pandas")[list(people)] for one in found])
    alone = [float(model(rows.iloc[[at]])[0]) for at in range(0, len(rows), 7)]
    return sorted({*alone, *model(rows.iloc[::7]).tolist()})


@pytest.mark.parametrize("model", [lower_in_company, higher_in_company])
def test_a_threshold_that_a_cell_just_reaches_decides_alike_in_any_company(model: Scorer) -> None:
    people = loans.people()
    people = people[single(people) < 0.45].iloc[:6]
    exact = 0
    for threshold in achieved_scores(model, people)[:8]:
        made = explainer(model, threshold)
        together = made.explain_many(people)
        for at in range(len(people)):
            alone = made.explain(people.iloc[at])
            assert alone == together[at]
            assert alone.status in (Status.OPTIMAL, Status.NO_RECOURSE)
            for option in alone:
                own = float(model(pd.DataFrame([option.values]))[0])
                assert own >= threshold  # evaluated alone, which is what decides
                exact += own == threshold
    assert exact
