"""Measure each figure that the table about any model shows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from scipy.stats import betabinom

import p2ce
from benchmarks.brute_force import BruteForce, Front
from benchmarks.cases import BareCallable, Case, as_callable, brute_force, explainer
from benchmarks.sections import Row, measured_apart, statuses, timed, warmed, watch
from p2ce.arrays import BoolArray, FloatArray

AIM_MS = 10.0  # per person, for a network
MOST_MB = 500.0  # above the loaded model
MARGIN = 0.05
FEW_REPEATS = 3  # of what may take seconds
UNSEEN = 4  # people who warm an explainer up that remembers earlier people
Explained = list[p2ce.Explanation]


def network(case: Case, *, required: float) -> Row:
    """A network that is read, beside brute force through its own predict_proba."""
    ours, fronts = warmed(explainer(case)), fronts_of(case)
    explanations, seconds = timed(lambda: _batch(ours, case.people))
    alone = _alone(ours, case.people)
    row = _beside_brute_force(case, fronts, explanations, seconds)
    right = _equal_costs(fronts, explanations) + _proven(explanations)
    return row | {
        "one explain alone, median ms": 1e3 * float(np.median(alone)),
        "one explain alone, slowest ms": 1e3 * float(alone.max()),
        "times faster, required": required,
        "ms per person, aimed at": AIM_MS,
        "verdict": verdict(all(right) and row["times faster"] >= required),
        "verdict on the aim": verdict(row["ms per person"] <= AIM_MS),
    }


def bare_callable(case: Case) -> Row:
    """The same network as a function of which nothing is known, beside the network that is read."""
    truth = _batch(warmed(explainer(case)), case.people)
    hidden, fronts = as_callable(case), fronts_of(case)
    with watch(BareCallable, "__call__") as calls:
        ours = warmed(explainer(hidden))
        calls.clear()
        explanations = _batch(ours, case.people)
        rows = sum(call.rows for call in calls)
        _, seconds = timed(lambda: _batch(ours, case.people), repeats=FEW_REPEATS)
    row = _beside_brute_force(hidden, fronts, explanations, seconds)
    same = [_points(one) == _points(other) for one, other in zip(truth, explanations, strict=True)]
    scored = np.mean([e.certificate.scored for e in explanations if e.certificate])
    return row | {
        "rows evaluated per person": rows / len(case.people),
        "cells scored per person": float(scored),
        "share of the cells": f"{100 * rows / sum(front.cells for front in fronts):.1f} %",
        "same points as read": share(same),
        "required": "same, proven",
        "verdict": verdict(all(same) and all(_proven(explanations))),
    }


def estimated(case: Case) -> Iterator[Row]:
    """The complete search, the paper's own and the calibrated estimate, side by side on the same people.

    The paper's search gets the model as it is: trees and layers give the attributions, as in the paper.
    """
    truth = _batch(warmed(explainer(case)), case.people)
    hidden = as_callable(case)
    estimates_from = case if case.kind == "lightgbm" else hidden
    complete, complete_ms = _one_search(hidden, truth, "complete", bound="auto")
    paper, _ = _one_search(case, truth, "p2ce", method="p2ce")
    calibrated, ms = _one_search(estimates_from, truth, "shap", bound="shap")
    yield complete | {"model": case.kind, "required": "–", "verdict": "–"}
    yield paper | {"model": case.kind, "required": "–", "verdict": "–"}  # for comparison only
    faster = verdict(ms < complete_ms and "ERROR" not in calibrated["statuses"])
    required = ("–", "–") if estimates_from is case else ("faster still", faster)
    yield calibrated | {"model": case.kind, "required": required[0], "verdict": required[1]}


def _one_search(case: Case, truth: Explained, search: str, **required: str) -> tuple[Row, float]:
    watched = (LGBMClassifier, "predict_proba") if case.kind == "lightgbm" else (BareCallable, "__call__")
    with watch(*watched) as calls:
        start = perf_counter()
        ours = warmed(explainer(case, **required))
        ready = perf_counter() - start
        rows_to_get_ready = sum(call.rows for call in calls)
        _batch(ours, _others(case))
        calls.clear()
        # Once only: attributions are remembered, so a second run would flatter the estimate.
        start = perf_counter()
        explanations = _batch(ours, case.people)
        seconds = perf_counter() - start
        rows = sum(call.rows for call in calls)
    answered = list(zip(truth, explanations, strict=True))
    same = [_points(one) == _points(other) for one, other in answered]
    equal = [
        _costs(one) == _costs(other) and other.status is not p2ce.Status.ERROR for one, other in answered
    ]
    ms = 1e3 * seconds / len(explanations)
    row = {
        "data": case.data.name,
        "model": case.kind,
        "search": search,
        "ms per person": ms,
        "rows evaluated per person": rows / len(explanations),
        "s to get ready (calibration)": ready,
        "rows evaluated to get ready": rows_to_get_ready,
        "fronts equal": share(equal),
        "share of them": f"{100 * np.mean(equal):.0f} %",
        "same points": share(same),
    }
    return row | _stated(explanations, missed=equal.count(False)), ms


def _stated(explanations: Explained, *, missed: int) -> Row:
    """What the results say about the estimate, and how likely so many misses or more are if that is true."""
    certificate = next((e.certificate for e in explanations if e.certificate), None)
    rate, chance, people = "–", "–", "–"
    if certificate is not None and certificate.miss_rate is not None:
        rate, people = certificate.miss_rate, certificate.sample_size
        # The rate holds on average over samples to calibrate on; with one of them it is Beta-distributed.
        above = rate * (people + 1)
        chance = float(betabinom.sf(missed - 1, len(explanations), above, people + 1 - above))
    return {
        "stated miss rate": rate,
        "chance of so many misses": chance,
        "people calibrated on": people,
        "residual": "–" if certificate is None or certificate.residual is None else certificate.residual,
        "explainer": "–" if certificate is None else certificate.explainer or "–",
        "statuses": statuses(explanations),
    }


def black_boxes(case: Case, *, trained_on: int, score: Callable[..., Any] | None = None) -> Row:
    """A model, or only its function ``score``, beside brute force; each person also alone: "never slower"."""
    required = case if score is None else replace(case, model=score)
    ours, fronts = warmed(explainer(required)), fronts_of(case)
    explanations, seconds = timed(lambda: _batch(ours, case.people), repeats=FEW_REPEATS)
    alone = _alone(ours, case.people)
    theirs = np.array([front.total_seconds for front in fronts])
    row = _beside_brute_force(case, fronts, explanations, seconds)
    slower = int((alone > theirs).sum())
    return row | {
        "bound": explanations[0].certificate.bound if explanations[0].certificate else "–",
        "trained on rows": trained_on,
        "people": len(fronts),
        "least ratio, person alone": float((theirs / alone).min()),
        "people slower alone": slower,
        "required": "never slower",
        "verdict": verdict(row["times faster"] >= 1 and not slower),
    }


def memory(case: Case) -> Iterator[Row]:
    """What a batch of people needs above the loaded model, in processes of their own."""
    for search, one in (("parsed", case), ("bare callable", as_callable(case))):
        row = {"data": case.data.name, "network": search} | measured_apart("benchmarks.batch_memory", one)
        yield row | {
            "MB, at most": MOST_MB,
            "verdict": verdict(row["MB above it, peak"] <= MOST_MB),
        }


def several(cases: Sequence[Case]) -> Row:
    """All models of the list have to accept by a margin, beside brute force over the same models."""
    first = cases[0]
    bar = replace(brute_force(first), accepts=lambda rows: _all_accept(cases, rows))
    fronts = _fronts(bar, first.people)
    ours = warmed(explainer(replace(first, model=[case.model for case in cases]), margin=MARGIN))
    explanations, seconds = timed(lambda: _batch(ours, first.people))
    row = _beside_brute_force(first, fronts, explanations, seconds)
    right = _equal_costs(fronts, explanations) + _proven(explanations)
    return row | {
        "models": " + ".join(case.kind for case in cases),
        "margin": MARGIN,
        "people": len(fronts),
        "required": "equal, proven",
        "verdict": verdict(all(right)),
    }


def _all_accept(cases: Sequence[Case], rows: FloatArray) -> BoolArray:
    accepted = np.ones(len(rows), dtype=bool)
    for case in cases:
        left = np.flatnonzero(accepted)
        if left.size:
            accepted[left] = case.scores(rows[left]) >= case.threshold + MARGIN
    return accepted


@lru_cache
def fronts_of(case: Case) -> list[Front]:
    """Brute force for every person of a case; the same case is not searched twice in a run."""
    return _fronts(brute_force(case), case.people)


def _fronts(bar: BruteForce, people: pd.DataFrame) -> list[Front]:
    rows = people.to_numpy(float)
    bar.front(rows[0])  # touch the memory and the model once, as for ours
    return [bar.front(row) for row in rows]


def _beside_brute_force(case: Case, fronts: list[Front], explanations: Explained, seconds: float) -> Row:
    theirs = np.mean([front.total_seconds for front in fronts])
    mean = seconds / len(fronts)
    return {
        "data": case.data.name,
        "model": case.kind,
        "cells": round(np.mean([front.cells for front in fronts])),
        "ms per person": 1e3 * mean,
        "brute force ms": 1e3 * float(theirs),
        "times faster": float(theirs / mean),
        "fronts equal": share(_equal_costs(fronts, explanations)),
        "proven": share(_proven(explanations)),
        "statuses": statuses(explanations),
    }


def _batch(ours: p2ce.Explainer, people: pd.DataFrame) -> Explained:
    # Answers may be built when they are first looked at, so look at them all.
    return list(ours.explain_many(people, n_jobs=1, progress=False))


def _alone(ours: p2ce.Explainer, people: pd.DataFrame) -> FloatArray:
    """Seconds of one explain call for each person."""
    rows = [row for _, row in people.iterrows()]
    return np.array([timed(lambda row=row: ours.explain(row), repeats=FEW_REPEATS)[1] for row in rows])


def _others(case: Case) -> pd.DataFrame:
    """Denied people who are not explained."""
    return case.denied.drop(case.people.index).head(UNSEEN)


def _equal_costs(fronts: list[Front], explanations: Explained) -> list[bool]:
    pairs = zip(fronts, explanations, strict=True)
    return [front.equals(_costs(explanation)) for front, explanation in pairs]


def _proven(explanations: Explained) -> list[bool]:
    return [e.certificate is not None and e.certificate.proven for e in explanations]


def _costs(explanation: p2ce.Explanation) -> list[dict[str, float]]:
    return [option.costs for option in explanation]


def _points(explanation: p2ce.Explanation) -> list[dict[str, object]]:
    return [dict(option.values) for option in explanation]


def share(yes: Sequence[bool]) -> str:
    """How many of them, as "49/50"."""
    return f"{sum(yes)}/{len(yes)}"


def verdict(met: bool) -> str:
    """Say whether a target was met."""
    return "met" if met else "MISSED"
