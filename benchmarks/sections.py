"""Measure each figure that the speed table shows."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.ensemble import IsolationForest

import p2ce
from benchmarks.cases import SEED, Case, brute_force, explainer, fine_actions

Row = dict[str, Any]
REPEATS = 5  # a time of milliseconds is the median of this many runs


def against_brute_force(case: Case, *, required: float) -> Row:
    """One process, verification included, beside brute force on the same people and the same grid."""
    ours, bar = warmed(explainer(case)), brute_force(case)
    rows = case.people.to_numpy(float)
    bar.front(rows[0])  # touch the memory and the model once, as for ours
    fronts = [bar.front(row) for row in rows]
    their_seconds = np.array([front.total_seconds for front in fronts])

    def batch(people: pd.DataFrame) -> list[p2ce.Explanation]:
        # Answers may be built when they are first looked at, so look at them all.
        return list(ours.explain_many(people, n_jobs=1, progress=False))

    explanations, seconds = timed(lambda: batch(case.people))
    # A batch has one time for all people, so the slowest person is found by explaining each alone.
    # That is a little unfair to us: nothing is shared then.
    people_alone = [case.people.iloc[[i]] for i in range(len(rows))]
    alone = np.array([timed(lambda row=row: batch(row))[1] for row in people_alone])
    equal = [
        front.equals([option.costs for option in explanation])
        for front, explanation in zip(fronts, explanations, strict=True)
    ]
    mean = seconds / len(rows)
    return {
        "data": case.data.name,
        "cells": round(np.mean([front.cells for front in fronts])),
        "ms per person, in a batch": 1e3 * mean,
        "ms alone, median": 1e3 * np.median(alone),
        "ms alone, slowest": 1e3 * alone.max(),
        "brute force ms, mean": 1e3 * their_seconds.mean(),
        "brute force ms, median": 1e3 * np.median(their_seconds),
        "brute force ms, slowest": 1e3 * their_seconds.max(),
        "times faster": their_seconds.mean() / mean,
        "times faster, required": required,
        "least ratio of one person alone": (their_seconds / alone).min(),
        "slower than brute force": int((alone > their_seconds).sum()),
        "fronts equal": f"{sum(equal)}/{len(equal)}",
        "statuses": statuses(explanations),
    }


def single_call(case: Case, *, own_forest: bool) -> Row:
    """Where the time of one ``explain`` goes; ``own_forest``: the detector is the user's own object.

    "calls, most" counts those to the model + those to the detector.
    """
    # Patched on the classes before the explainer reads them, since an instance with a method of its
    # own would rightly be rejected.
    watch_model = watch(LGBMClassifier, "predict_proba")
    watch_detector = watch(IsolationForest, "decision_function")
    with watch_model as model, watch_detector as detector:
        ours = warmed(explainer(case, own_forest=own_forest))
        totals, models, detectors, calls = [], [], [], []
        for _, row in case.people.iterrows():
            model.clear()
            detector.clear()
            start = perf_counter()
            ours.explain(row)
            totals.append(perf_counter() - start)
            models.append(sum(call.seconds for call in model))
            detectors.append(sum(call.seconds for call in detector))
            calls.append((len(model), len(detector)))
    total = np.mean(totals)
    return {
        "data": case.data.name,
        "detector": "sklearn" if own_forest else "p2ce",
        "ms, mean": 1e3 * total,
        "ms, median": 1e3 * np.median(totals),
        "ms, slowest": 1e3 * max(totals),
        "model call %": 100 * np.mean(models) / total,
        "detector call %": 100 * np.mean(detectors) / total,
        "the rest %": 100 * (1 - (np.mean(models) + np.mean(detectors)) / total),
        "calls, most": f"{max(m for m, _ in calls)} + {max(d for _, d in calls)}",
    }


def fine_grid(case: Case, *, time_limit: float) -> Row:
    """0.5 % steps, about 200 values a feature."""
    actions = fine_actions(case.data)
    widest = max(len(feature.candidates()) for feature in actions.features if not feature.fixed)
    return {"data": case.data.name, "most values": widest} | _each_alone(
        case, time_limit=time_limit, actions=actions
    )


def unlimited_changes(case: Case, *, time_limit: float) -> Row:
    """Every feature may change at once."""
    return {"data": case.data.name, "time limit s": time_limit} | _each_alone(
        case, time_limit=time_limit, max_changes=None
    )


def _each_alone(case: Case, *, time_limit: float, **options: Any) -> Row:
    ours = warmed(explainer(case, **options))
    seconds, explanations = [], []
    for _, row in case.people.iterrows():
        start = perf_counter()
        explanations.append(ours.explain(row, time_limit=time_limit))
        seconds.append(perf_counter() - start)
    proofs = [explanation.certificate for explanation in explanations if explanation.certificate]
    return {
        "cells, median": f"{np.median([float(proof.cells) for proof in proofs]):.2g}",
        "s, median": np.median(seconds),
        "s, mean": np.mean(seconds),
        "s, slowest": max(seconds),
        "proven": f"{sum(proof.proven for proof in proofs)}/{len(explanations)}",
        "open boxes, most": max(proof.open_boxes for proof in proofs),
        "open gap, largest": max(map(_open_gap, explanations)),
        "statuses": statuses(explanations),
    }


def processes(case: Case, *, people: int) -> Row:
    """One process beside two, for many people (copies of the denied test rows).

    Two processes are timed twice: as they are started, and after `warm_up(n_jobs=2)`.
    """
    ours = warmed(explainer(case))
    many = case.denied.iloc[np.random.default_rng(SEED).integers(len(case.denied), size=people)]
    calls, wholes = [], []
    for n_jobs, warm in ((1, False), (2, False), (2, True)):
        if warm:
            ours.warm_up(n_jobs=n_jobs)
        start = perf_counter()
        answers = ours.explain_many(many, n_jobs=n_jobs, progress=False)
        calls.append(perf_counter() - start)
        # Answers may be built when they are first looked at, and someone will look at them.
        for _ in answers:
            pass
        wholes.append(perf_counter() - start)
    return {
        "data": case.data.name,
        "people": people,
        "one process s": calls[0],
        "two processes s, started for it": calls[1],
        "two processes s, warm": calls[2],
        "times faster, started for it": calls[0] / calls[1],
        "times faster, warm": calls[0] / calls[2],
        "one process s, every answer looked at": wholes[0],
        "times faster, warm, every answer looked at": wholes[0] / wholes[2],
    }


def memory(case: Case) -> Row:
    """What a question of a million cells needs above the loaded model, in a process of its own."""
    return {"data": case.data.name} | measured_apart("benchmarks.memory", case)


def measured_apart(module: str, case: Case) -> Row:
    """Run a module on a stored case in a process of its own, which prints its figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.joblib"
        joblib.dump(case, path)
        done = subprocess.run(
            [sys.executable, "-m", module, str(path)], check=True, capture_output=True, text=True
        )
    measured: Row = json.loads(done.stdout)
    return measured


def warmed(ours: p2ce.Explainer) -> p2ce.Explainer:
    ours.warm_up()
    return ours


def timed(work: Callable[[], Any], *, repeats: int = REPEATS) -> tuple[Any, float]:
    """What ``work`` returns, and its median time; the first run, which fills caches, does not count."""
    result, seconds = work(), []
    for _ in range(repeats):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return result, float(np.median(seconds))


class Call(NamedTuple):
    """One call of a method that is watched."""

    seconds: float
    rows: int


@contextmanager
def watch(owner: type, method: str) -> Iterator[list[Call]]:
    """Record how long each call of ``owner.method`` takes, and how many rows it is about."""
    original, calls = getattr(owner, method), []

    @wraps(original)
    def watched(self: Any, rows: Any, *args: Any, **kwargs: Any) -> Any:
        start = perf_counter()
        try:
            return original(self, rows, *args, **kwargs)
        finally:
            calls.append(Call(perf_counter() - start, len(rows)))

    setattr(owner, method, watched)
    try:
        yield calls
    finally:
        setattr(owner, method, original)


def _open_gap(explanation: p2ce.Explanation) -> float:
    """How much cheaper than the best option an open box might still be, as a share of that option's cost."""
    certificate, name = explanation.certificate, explanation.objectives[0]
    if certificate is None or not certificate.open_costs:
        return 0.0
    best = min((option.costs[name] for option in explanation), default=float("inf"))
    return max(0.0, 1.0 - certificate.open_costs[name] / best)


def statuses(explanations: list[p2ce.Explanation]) -> str:
    counts = pd.Series([str(explanation.status) for explanation in explanations]).value_counts()
    return ", ".join(f"{count} {status}" for status, count in counts.items())
