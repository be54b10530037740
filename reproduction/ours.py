"""Run this project on a study: its own search, and the paper's algorithms as printed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

import p2ce
import p2ce.paper
from p2ce.objectives import MaxDistance, MeanDistance, Objective
from reproduction.settings import CONTAMINATION, MAX_CHANGES, THRESHOLD
from reproduction.store import Answered, Outcome
from reproduction.study import Study

REPEATS = 5  # of a batch, for the median of its times
WARM_UP = 1.0  # seconds


def method_of(name: str, *, seed: int) -> Any:
    """Return a method with the paper's settings, its defaults. The seed determines the background."""
    return {
        "proven": "exact",
        "mapocam": p2ce.paper.Mapocam(random_state=seed),
        "p2ce": p2ce.paper.P2CE(random_state=seed),
        "p2ce-ablation": p2ce.paper.P2CE(partial_plausibility=False, random_state=seed),
    }[name]


def objectives_of(study: Study, count: int) -> tuple[str | Objective, ...]:
    """Return the paper's c₁, or c₁, c₂ and c₃, in plain standard deviations."""
    longest = MaxDistance(unit="std" if study.settings.scaled_maximum else "own")
    return (MeanDistance(unit="std"), longest, "changes")[:count]


def explainer_of(study: Study, method: str, *, objectives: int) -> p2ce.Explainer:
    """Build the explainer of a method for the paper's problem."""
    return p2ce.Explainer(
        study.trained.model,
        study.train,
        target=1,
        policy=study.policy,
        at_least=THRESHOLD,
        objectives=objectives_of(study, objectives),
        max_changes=MAX_CHANGES,
        plausibility=p2ce.PlausibilityForest(contamination=CONTAMINATION, random_state=study.settings.seed),
        plausibility_of_today="ignore",  # as in the paper
        random_state=study.settings.seed,
        method=method_of(method, seed=study.settings.seed),
    )


def answer(
    study: Study,
    method: str,
    *,
    objectives: int,
    people: int | None = None,
    seconds_per_person: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Outcome:
    """Explain the first ``people`` (None for all), and return the results with their times.

    p2ce explains all people at once, as a user would, and each person alone. The paper's methods explain one
    person after the other, as in the paper's measurements.
    """
    if progress:
        progress("preparing")
    chosen = study.people[:people]
    limit = None if method == "proven" else seconds_per_person
    answered = []
    with counted_calls(study.trained.model) as calls:
        explainer = explainer_of(study, method, objectives=objectives)
        explainer.warm_up()  # compiles, outside the timed calls
        explainer.explain(chosen.iloc[0], time_limit=WARM_UP)
        for number, (_, row) in enumerate(chosen.iterrows()):
            if progress:
                progress("searching" if not number else f"{number} of {len(chosen)} people")
            calls.clear()
            start = perf_counter()
            explanation = explainer.explain(row, time_limit=limit)
            seconds = perf_counter() - start
            answered.append((explanation, seconds, len(calls)))
    together = _seconds_in_batch(explainer, chosen) if method == "proven" else None
    columns = list(study.train.columns)
    return Outcome(
        people=tuple(
            Answered(
                seconds=seconds if together is None else together,
                seconds_alone=seconds,
                status=str(explanation.status),
                rows=tuple(tuple(float(option.values[name]) for name in columns) for option in explanation),
                error=explanation.message,
                calls=calls,
                **_work(explanation.certificate),
            )
            for explanation, seconds, calls in answered
        )
    )


def _work(certificate: p2ce.result.Certificate | None) -> dict[str, Any]:
    if certificate is None:
        return {}
    return {
        "cells": certificate.scored,
        "explanations": 0 if certificate.estimate is None else certificate.estimate.attributed,
        "nodes": certificate.boxes,
        "pruned": dict(certificate.pruned),
    }


@contextmanager
def counted_calls(model: Any) -> Iterator[list[int]]:
    """Count the calls of the model itself, since parsed models are evaluated without one.

    This patches the class, because a model with an instance method is no longer parsed.
    """
    last = model[-1] if isinstance(model, Pipeline) else model
    name = "forward" if hasattr(model, "forward") else "predict_proba"
    kind = next(kind for kind in type(last).__mro__ if name in vars(kind))
    own, calls = vars(kind)[name], list[int]()

    @wraps(own)
    def counting(self: Any, *values: Any, **options: Any) -> Any:
        if self is last:
            calls.append(1)
        return own(self, *values, **options)

    setattr(kind, name, counting)
    try:
        yield calls
    finally:
        setattr(kind, name, own)


def _seconds_in_batch(explainer: p2ce.Explainer, people: pd.DataFrame) -> float:
    """Return one person's share of the time of a batch, the median of several."""
    seconds = []
    for _ in range(REPEATS):
        start = perf_counter()
        # Explanations are built when they are accessed, so that time counts as well.
        list(explainer.explain_many(people, progress=False))
        seconds.append(perf_counter() - start)
    return float(np.median(seconds)) / len(people)
