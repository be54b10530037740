"""Answer a study with this project: the default engine, and the paper's methods as its settings."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

import p2ce
from benchmarks.paper.settings import CONTAMINATION, MAX_CHANGES, THRESHOLD
from benchmarks.paper.store import Answered, Outcome
from benchmarks.paper.study import Study
from p2ce.objectives import MaxDistance, MeanDistance, Objective

REPEATS = 5  # of a batch, for the median of its times

# What the paper runs on a model that is neither linear nor trees: MAPOCAM without a bound of the score, and
# P²CE with its SHAP estimate, which it also uses for trees.
SETTINGS: dict[str, dict[str, Any]] = {
    "mapocam": {"method": "mapocam"},
    "p2ce-ablation": {"method": "p2ce-ablation"},
    "p2ce": {"method": "p2ce"},
    "proven": {},
}
BOUNDS = {
    ("mapocam", "mlp"): "none",
    ("p2ce", "lightgbm"): "shap-paper",
    ("p2ce", "mlp"): "shap-paper",
}


def objectives_of(study: Study, count: int) -> tuple[str | Objective, ...]:
    """The paper's c₁ alone, or c₁, c₂ and c₃, in plain standard deviations as there."""
    longest = MaxDistance(unit="std" if study.settings.scaled_maximum else "own")
    return (MeanDistance(unit="std"), longest, "changes")[:count]


def explainer_of(study: Study, method: str, *, objectives: int) -> p2ce.Explainer:
    """The engine with the settings of a method, asked the paper's question."""
    return p2ce.Explainer(
        study.trained.model,
        study.train,
        actions=study.actions,
        threshold=THRESHOLD,
        objectives=objectives_of(study, objectives),
        max_changes=MAX_CHANGES,
        plausibility=p2ce.IsolationForest(contamination=CONTAMINATION, random_state=study.settings.seed),
        bound=BOUNDS.get((method, study.model), "auto"),
        random_state=study.settings.seed,
        **SETTINGS[method],
    )


def answer(
    study: Study, method: str, *, objectives: int, progress: Callable[[str], None] | None = None
) -> Outcome:
    """Ask for everybody, and say what that took.

    The default engine is asked for all people at once, as a user would, and for each alone. The paper's
    methods are asked for one person after the other, as the paper timed them.
    """
    if progress:
        progress("preparing")
    explainer = explainer_of(study, method, objectives=objectives)
    explainer.warm_up()  # compiles, so that no clock runs meanwhile
    explainer.explain_many(study.people[:2], progress=False)
    if progress:
        progress("answering")
    explanations, alone = _one_by_one(explainer, study.people)
    if method == "proven":
        explanations, together = _all_at_once(explainer, study.people)
        seconds = [together / len(study.people)] * len(study.people)
    else:
        seconds = alone
    columns = list(study.train.columns)
    people = tuple(
        Answered(
            seconds=seconds[number],
            seconds_alone=alone[number],
            status=str(explanation.status),
            rows=tuple(tuple(float(option.values[name]) for name in columns) for option in explanation),
            error=explanation.message,
        )
        for number, explanation in enumerate(explanations)
    )
    return Outcome(people=people)


def _all_at_once(explainer: p2ce.Explainer, people: pd.DataFrame) -> tuple[list[p2ce.Explanation], float]:
    """The answers, and the median seconds of a whole batch."""
    seconds = []
    for _ in range(REPEATS):
        start = perf_counter()
        # Answers are built when they are looked at, and that is part of answering.
        explanations = list(explainer.explain_many(people, progress=False))
        seconds.append(perf_counter() - start)
    return explanations, float(np.median(seconds))


def _one_by_one(
    explainer: p2ce.Explainer, people: pd.DataFrame
) -> tuple[list[p2ce.Explanation], list[float]]:
    explanations, seconds = [], []
    for _, row in people.iterrows():
        start = perf_counter()
        explanations.append(explainer.explain(row))
        seconds.append(perf_counter() - start)
    return explanations, seconds
