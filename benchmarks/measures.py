"""Measure: each function gives the figures of one column of a printed table."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from itertools import combinations
from math import prod
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from scipy.stats import betabinom
from sklearn.ensemble import IsolationForest

import p2ce
from benchmarks.brute_force import BruteForce
from benchmarks.cases import SEED, BareCallable, Case
from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.compile.lay_out import on_finest_grid
from p2ce.explainer import problems_of
from p2ce.policy.features.decimals import as_typed, round_step
from p2ce.policy.features.feature import FeaturePolicy, Kind

Row = dict[str, Any]
Explained = list[p2ce.Explanation]
REPEATS = 5  # a time is the median of this many runs
UNSEEN = 4  # people who warm an explainer up that remembers earlier people
MARGIN = 0.05
MILLION = 1_000_000
# Settings under which some people have no option: a single change, and ever stricter decisions.
HARD: dict[str, dict[str, Any]] = {
    "one change": {"max_changes": 1},
    "one change, 0.8": {"max_changes": 1, "at_least": 0.8},
    "two changes, 0.9": {"max_changes": 2, "at_least": 0.9},
}


def beside_brute_force(
    case: Case,
    *,
    required: float,
    few: int | None = None,
    never_slower: bool = False,
    ours: p2ce.Explainer | None = None,
    bar: BruteForce | None = None,
) -> Row:
    """One process with verification, compared with brute force for the first ``few`` of the same people."""
    bar, ours = bar or case.brute_force(), warmed(ours or case.explainer())
    rows = case.data.codebook.encode(case.people)[:few]
    bar.front(rows[0])  # touch the memory and the model once, as for ours
    fronts = [bar.front(row) for row in rows]
    theirs = np.array([front.total_seconds for front in fronts])
    explanations, seconds = timed(lambda: batch(ours, case.people))
    # A batch has one time for all people, so the slowest person is found by explaining each alone.
    # That is a little unfair to us: nothing is shared then.
    people = [case.people.iloc[[place]] for place in range(len(rows))]
    alone = np.array([timed(partial(batch, ours, row))[1] for row in people])
    columns = list(case.data.train.columns)
    right = {
        "fronts equal": [
            front.equals(costs_of(one)) and (one.certificate is None or one.certificate.cells == front.cells)
            for front, one in zip(fronts, explanations, strict=False)
        ],
        "proven": [one.certificate is not None and one.certificate.proven for one in explanations],
        "rows accepted by the user's call": [_all_accepted(case, one) for one in explanations],
        "dtypes identical": [
            bool((one.to_frame()[columns].dtypes == case.data.train.dtypes).all()) for one in explanations
        ],
    }
    certificate = next((one.certificate for one in explanations if one.certificate), None)
    mean, slower = seconds / len(explanations), int((alone > theirs).sum())
    met = theirs.mean() / mean >= required and not (never_slower and slower)
    return {
        "data": case.data.name,
        "model": case.kind,
        "parsed as": "–" if certificate is None else certificate.model_family,
        "bound": "–" if certificate is None else certificate.bound,
        "people, and by brute force": f"{len(explanations)}, {len(fronts)}",
        "cells": round(np.mean([front.cells for front in fronts])),
        "ms per person": 1e3 * mean,
        "ms alone, median": 1e3 * np.median(alone),
        "ms alone, slowest": 1e3 * alone.max(),
        "brute force ms, mean": 1e3 * theirs.mean(),
        "brute force ms, median": 1e3 * np.median(theirs),
        "brute force ms, slowest": 1e3 * theirs.max(),
        "times faster": theirs.mean() / mean,
        "times faster, required": required,
        "least ratio of one person alone": (theirs / alone).min(),
        "slower than brute force": slower,
        **{name: share(yes) for name, yes in right.items()},
        "statuses": statuses(explanations),
        "verdict": verdict(met and all(map(all, right.values()))),
    }


def bare_callable(case: Case) -> Row:
    """The same network as a function of which nothing is known, compared with the parsed network."""
    truth = batch(warmed(case.explainer()), case.people)
    hidden = case.as_callable()
    with watch(BareCallable, "__call__") as calls:
        ours = warmed(hidden.explainer())
        calls.clear()
        explanations = batch(ours, case.people)
        rows = sum(rows for _, rows in calls)
    row = beside_brute_force(hidden, required=0, ours=ours)
    same = [points_of(one) == points_of(other) for one, other in zip(truth, explanations, strict=True)]
    return row | {
        "rows evaluated per person": rows / len(case.people),
        "cells scored per person": np.mean([e.certificate.scored for e in explanations if e.certificate]),
        "share of the cells": f"{100 * rows / len(case.people) / row['cells']:.1f} %",
        "same points as parsed": share(same),
        "verdict": verdict(all(same) and row["verdict"] == "met"),
    }


def several(cases: Sequence[Case]) -> Row:
    """All models of the list have to accept by a margin, compared with brute force over the same models."""
    first = cases[0]

    def accept(rows: FloatArray) -> BoolArray:
        accepted = np.ones(len(rows), dtype=bool)
        for case in cases:
            left = np.flatnonzero(accepted)
            accepted[left] = case.scores(rows[left]) >= case.threshold + MARGIN if left.size else False
        return accepted

    ours = replace(first, model=[case.model for case in cases]).explainer(margin=MARGIN)
    bar = replace(first.brute_force(), accepts=accept)
    row = beside_brute_force(first, required=0, ours=ours, bar=bar)
    return row | {"model": " + ".join(case.kind for case in cases), "margin": MARGIN}


def relaxations(case: Case) -> Row:
    """Processor time of the relaxations of people whom a narrow policy leaves without an option.

    Every number keeps close to the middle of the data, in one direction, and one feature changes at a time.
    """
    train, policy = case.data.train, case.data.policy
    for place, feature in enumerate(one for one in policy.features if not one.fixed):
        low, high = train[feature.name].quantile([0.3, 0.6])
        if feature.kind is not Kind.BINARY and low < high:
            policy = policy.within({feature.name: (low - feature.step, high + feature.step)})
        policy = (policy.increase_only if place % 2 else policy.decrease_only)(feature.name)
    ours = warmed(case.explainer(policy=policy, max_changes=1))
    none = ours.explain_many(case.people).without_recourse()
    if not len(none):
        return {"data": case.data.name, "people": 0, "required": "–", "verdict": "–"}
    ours.relaxations(none[0])
    alone = []
    for one in none:
        begin = time.process_time()
        ours.relaxations(one)
        alone.append(time.process_time() - begin)
    begin = time.process_time()
    found = ours.relaxations(none)
    median = 1e3 * float(np.median(alone))
    return {
        "data": case.data.name,
        "people": len(none),
        "restrictions": float(np.mean([len(why.considered) for why in found.values()])),
        "minimal sets": float(np.mean([len(why) for why in found.values()])),
        "ms, median alone": median,
        "ms, slowest alone": 1e3 * max(alone),
        "ms per person, together": 1e3 * (time.process_time() - begin) / len(none),
        "required": "median ≤ 100",
        "verdict": verdict(median <= 100),
    }


def estimated(case: Case) -> Iterator[Row]:
    """The complete search, the paper's own and the calibrated estimate, side by side on the same people.

    The paper's search gets the model as it is: trees and layers give the attributions, as in the paper.
    """
    truth = batch(warmed(case.explainer()), case.people)
    hidden = case.as_callable()
    estimates_from = case if case.kind == "lightgbm" else hidden
    complete = _one_search(hidden, truth, "complete", bound="auto")
    calibrated = _one_search(estimates_from, truth, "shap", bound="shap")
    faster = calibrated["ms per person"] < complete["ms per person"] and "ERROR" not in calibrated["statuses"]
    beside = {"model": case.kind, "required": "–", "verdict": "–"}
    yield complete | beside
    yield _one_search(case, truth, "p2ce", method=p2ce.paper.P2CE()) | beside  # for comparison only
    bar = beside if estimates_from is case else {"required": "faster still", "verdict": verdict(faster)}
    yield calibrated | beside | bar


def _one_search(case: Case, truth: Explained, search: str, **settings: Any) -> Row:
    watched = (LGBMClassifier, "predict_proba") if case.kind == "lightgbm" else (BareCallable, "__call__")
    with watch(*watched) as calls:
        start = perf_counter()
        ours = warmed(case.explainer(**settings))
        ready, rows_to_get_ready = perf_counter() - start, sum(rows for _, rows in calls)
        batch(ours, case.rejected.drop(case.people.index).head(UNSEEN))
        calls.clear()
        # Once only: attributions are remembered, so a second run would flatter the estimate.
        start = perf_counter()
        explanations = batch(ours, case.people)
        seconds, rows = perf_counter() - start, sum(rows for _, rows in calls)
    pairs = list(zip(truth, explanations, strict=True))
    equal = [costs_of(a) == costs_of(b) and b.status is not p2ce.Status.ERROR for a, b in pairs]
    certificate = next((e.certificate for e in explanations if e.certificate), None)
    rate: float | str = "–"
    chance: float | str = "–"
    people: int | str = "–"
    estimate = None if certificate is None else certificate.estimate
    if estimate is not None and estimate.miss_rate is not None and estimate.sample_size is not None:
        rate, people = estimate.miss_rate, estimate.sample_size
        # The rate holds on average over samples to calibrate on; with one of them it is Beta-distributed.
        above = rate * (people + 1)
        missed = equal.count(False)
        chance = float(betabinom.sf(missed - 1, len(explanations), above, people + 1 - above))
    return {
        "data": case.data.name,
        "model": case.kind,
        "search": search,
        "ms per person": 1e3 * seconds / len(explanations),
        "rows evaluated per person": rows / len(explanations),
        "s to get ready (calibration)": ready,
        "rows evaluated to get ready": rows_to_get_ready,
        "fronts equal": share(equal),
        "share of them": f"{100 * np.mean(equal):.0f} %",
        "same points": share([points_of(a) == points_of(b) for a, b in pairs]),
        "stated miss rate": rate,
        "chance of so many misses": chance,  # if the stated rate is true
        "people calibrated on": people,
        "residual": "–" if estimate is None or estimate.residual is None else estimate.residual,
        "explainer": "–" if estimate is None else estimate.method,
        "statuses": statuses(explanations),
    }


def single_call(case: Case, *, own_forest: bool) -> Row:
    """Where the time of one ``explain`` goes; ``own_forest``: the detector is the user's own object.

    "calls, most" counts those to the model + those to the detector.
    """
    # Patched on the classes before the explainer parses them, since an instance with a method of its
    # own would rightly be rejected.
    with (
        watch(LGBMClassifier, "predict_proba") as model,
        watch(IsolationForest, "decision_function") as detector,
    ):
        ours = warmed(case.explainer(own_forest=own_forest))
        totals, inside, calls = [], [], []
        for _, row in case.people.iterrows():
            model.clear()
            detector.clear()
            start = perf_counter()
            ours.explain(row)
            totals.append(perf_counter() - start)
            inside.append([sum(seconds for seconds, _ in each) for each in (model, detector)])
            calls.append((len(model), len(detector)))
    total = np.mean(totals)
    in_model, in_detector = 100 * np.mean(inside, axis=0) / total
    return {
        "data": case.data.name,
        "detector": "sklearn" if own_forest else "p2ce",
        "ms, mean": 1e3 * total,
        "ms, median": 1e3 * np.median(totals),
        "ms, slowest": 1e3 * max(totals),
        "model call %": in_model,
        "detector call %": in_detector,
        "the rest %": 100 - in_model - in_detector,
        "calls, most": " + ".join(str(most) for most in np.max(calls, axis=0)),
    }


def each_alone(case: Case, *, time_limit: float, **settings: Any) -> Row:
    """Explain one person after the other, within a time limit."""
    ours, seconds, explanations = warmed(case.explainer(**settings)), [], []
    features = [feature for feature in ours.policy.features if not feature.fixed]
    for _, row in case.people.iterrows():
        start = perf_counter()
        explanations.append(ours.explain(row, time_limit=time_limit))
        seconds.append(perf_counter() - start)
    proofs = [explanation.certificate for explanation in explanations if explanation.certificate]
    return {
        "data": case.data.name,
        "most values": max(len(feature.candidates()) for feature in features),
        "time limit s": time_limit,
        "cells, median": f"{np.median([float(proof.cells) for proof in proofs]):.2g}",
        "s, median": np.median(seconds),
        "s, mean": np.mean(seconds),
        "s, slowest": max(seconds),
        "proven": f"{sum(proof.proven for proof in proofs)}/{len(explanations)}",
        "open boxes, most": max(proof.open_boxes for proof in proofs),
        "open gap, largest": max(map(_open_gap, explanations)),
        "statuses": statuses(explanations),
    }


def linked(case: Case) -> Row:
    """A batch with no link, one link and two links of one feature, each in turn; a time is the median.

    An immutable number such as the age follows changeable ones of about the same range, year by year.
    """
    policy = case.data.policy
    numbers = [one for one in policy.features if one.kind in (Kind.WHOLE, Kind.NUMBER)]
    follower = max((one for one in numbers if one.fixed), key=lambda one: one.high - one.low)

    def apart(driver: FeaturePolicy) -> float:
        return abs(float(np.log((driver.high - driver.low) / (follower.high - follower.low))))

    first, second = sorted((one for one in numbers if not one.fixed and one.high > one.low), key=apart)[:2]

    def link(driver: FeaturePolicy) -> p2ce.rules.Rule:
        return p2ce.rules.linked(driver.name, follower.name)

    # Twenty candidates each, since two causes share an axis.
    few = policy.candidates(
        {one.name: np.unique(one.candidates()[:: -(-one.count() // 20)]).tolist() for one in (first, second)}
    )
    free = few.free(follower.name)
    policies = (few, free.with_rules(link(first)), free.with_rules(link(first), link(second)))
    ours = [warmed(case.explainer(policy=one)) for one in policies]
    times = np.zeros((REPEATS, len(ours)))
    for repeat in range(REPEATS):
        for number, explainer in enumerate(ours):
            start = perf_counter()
            batch(explainer, case.people)
            times[repeat, number] = perf_counter() - start
    none, one, two = np.median(times, axis=0)
    return {
        "data": case.data.name,
        "model": case.kind,
        "people": len(case.people),
        "no link ms": 1e3 * none / len(case.people),
        "one link, times": one / none,
        "two links, times": two / none,
    }


def processes(case: Case, *, people: int) -> Row:
    """One process compared with two, for many people (copies of the rejected test rows).

    Two processes are timed twice: as they are started, and after `warm_up(n_jobs=2)`.
    """
    ours = warmed(case.explainer())
    many = case.rejected.iloc[np.random.default_rng(SEED).integers(len(case.rejected), size=people)]
    calls, wholes = [], []
    for n_jobs, warm in ((1, False), (2, False), (2, True)):
        if warm:
            ours.warm_up(n_jobs=n_jobs)
        start = perf_counter()
        explanations = ours.explain_many(many, n_jobs=n_jobs)
        calls.append(perf_counter() - start)
        list(explanations)  # each is built when it is first used
        wholes.append(perf_counter() - start)
    return {
        "data": case.data.name,
        "people": people,
        "one process s": calls[0],
        "two processes s, started for it": calls[1],
        "two processes s, warm": calls[2],
        "times faster, started for it": calls[0] / calls[1],
        "times faster, warm": calls[0] / calls[2],
        "one process s, all built": wholes[0],
        "times faster, warm, all built": wholes[0] / wholes[2],
    }


def memory(case: Case, *, million: bool, most: float | None = None) -> Row:
    """What a million cells, or a batch of people, need above the loaded model, in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.joblib"
        joblib.dump((case, million), path)
        command = [sys.executable, "-m", "benchmarks.measures", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    row = {"data": case.data.name, "model": case.kind} | json.loads(done.stdout)
    met = most is None or row["MB above it, peak"] <= most
    return row | {"MB, at most": "–" if most is None else most, "verdict": verdict(met)}


def _memory_here(path: str) -> Row:
    case, million = joblib.load(path)
    case.scores(case.data.codebook.encode(case.people))
    loaded, settings = _kilobytes("VmRSS"), {}
    if million:
        free = [feature for feature in case.data.policy.features if not feature.fixed]
        # One less each: the current value is usually a candidate as well.
        settings = {"max_changes": _changes_for([len(feature.candidates()) - 1 for feature in free])}
    ours = warmed(case.explainer(**settings))
    ready = _kilobytes("VmRSS")
    alone = [ours.explain(row) for _, row in case.people.iterrows()] if million else batch(ours, case.people)
    peak = _kilobytes("VmHWM")
    return settings | {
        "people": len(alone),
        "cells, most": max(one.certificate.cells for one in alone if one.certificate),
        "MB of the loaded model": loaded / 1024,
        "MB above it, ready": (ready - loaded) / 1024,
        "MB above it, peak": (peak - loaded) / 1024,
        "MB of the search alone": (peak - ready) / 1024,
    }


def _kilobytes(field: str) -> int:
    """Read ``VmRSS`` (memory held now) or ``VmHWM`` (the most ever held) of this process."""
    # Not resource.getrusage: its peak also counts the parent that started this process.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1])
    raise SystemExit(f"This system does not report {field}; the memory cases need Linux.")


def _changes_for(counts: list[int]) -> int:
    """The fewest changes with which at least a million cells are in reach."""
    reach = 0
    for size in range(1, len(counts) + 1):
        reach += sum(map(prod, combinations(counts, size)))
        if reach >= MILLION:
            return size
    raise SystemExit(f"This grid has only {reach:,} cells, {MILLION:,} are needed.")


def grid_costs(case: Case) -> Iterator[Row]:
    """Compare the costs of two grids with those of the finest one, which takes its time."""
    default = p2ce.Policy.infer(case.data.train, protect=None, special_values=None).fix(*case.data.immutable)
    finest = case.explainer(policy=default)
    finer = on_finest_grid(problems_of(finest).own)  # what a person without an option is explained on
    assert finer is not None
    problems_of(finest).replace_own(finer)
    best = _cheapest(batch(finest, case.people, time_limit=60.0))
    for name, policy in _grids(default).items():
        ours = case.explainer(policy=policy)
        found = batch(ours, case.people)
        ratio = _cheapest(found) / best
        has_option = np.array([len(one) > 0 for one in found])
        median, mean = np.nanmedian(ratio, axis=0), np.nanmean(ratio, axis=0)
        yield {
            "data": case.data.name,
            "grid": name,
            "ms a person with an option (people)": _processor_time(ours, case.people[has_option]),
            "without one": _processor_time(ours, case.people[~has_option]),
            "cost ÷ the finest grid's, median (c₁, c₂)": f"{median[0]:.3f}, {median[1]:.3f}",
            "mean": f"{mean[0]:.3f}, {mean[1]:.3f}",
        }


def grid_misses(case: Case) -> Iterator[Row]:
    """Count the people with "no option" to whom a grid ten times finer gives one."""
    default = p2ce.Policy.infer(case.data.train, protect=None, special_values=None).fix(*case.data.immutable)
    for name, settings in HARD.items():
        finer = case.explainer(policy=_in_round_steps(default, finer=10), **settings)
        for grid, policy in _grids(default).items():
            found = batch(case.explainer(policy=policy, **settings), case.people)
            none = case.people[[one.status is p2ce.Status.NO_RECOURSE for one in found]]
            yield {
                "data": case.data.name,
                "settings": name,
                "grid": grid,
                "no option": f"{len(none)} of {len(case.people)}",
                "of these, wrongly": sum(len(one) > 0 for one in batch(finer, none)) if len(none) else 0,
            }


def _grids(default: p2ce.Policy) -> dict[str, p2ce.Policy]:
    return {"round steps of 5 %": _in_round_steps(default), "default": default}


def _in_round_steps(policy: p2ce.Policy, *, finer: int = 1) -> p2ce.Policy:
    """The largest round step of at most 5 % of each range, or so many times finer; whole ones at least 1."""
    steps = {}
    for feature in policy.features:
        width = as_typed(feature.high) - as_typed(feature.low)
        if feature.kind in (Kind.WHOLE, Kind.NUMBER) and not feature.fixed and width:
            steps[feature.name] = round_step(width / finer, whole=feature.kind is Kind.WHOLE)
    return policy.step(steps)


def _cheapest(found: Explained) -> FloatArray:
    """The least cost in each objective: (people, objectives), NaN without an option."""
    return np.array(
        [[min((o.costs[name] for o in one), default=np.nan) for name in one.objectives] for one in found]
    )


def _processor_time(ours: p2ce.Explainer, people: pd.DataFrame) -> str:
    """The least processor time of one batch, for a person; other work on the machine counts less so."""
    if not len(people):
        return "–"
    batch(ours, people)
    taken = []
    for _ in range(REPEATS):
        begin = time.process_time()
        batch(ours, people)
        taken.append(time.process_time() - begin)
    return f"{1e3 * min(taken) / len(people):.2f} ({len(people)})"


def warmed(ours: p2ce.Explainer) -> p2ce.Explainer:
    ours.warm_up()
    return ours


def batch(ours: p2ce.Explainer, people: pd.DataFrame, **settings: Any) -> Explained:
    return list(ours.explain_many(people, **settings))  # each is built when it is first used


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What ``work`` returns, and its median time; the first run, which fills caches, does not count."""
    result, seconds = work(), []
    for _ in range(REPEATS):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return result, float(np.median(seconds))


@contextmanager
def watch(owner: type, method: str) -> Iterator[list[tuple[float, int]]]:
    """Record how many seconds each call of ``owner.method`` takes, and how many rows it is about."""
    original, calls = getattr(owner, method), []

    @wraps(original)
    def watched(self: Any, rows: Any, *args: Any, **kwargs: Any) -> Any:
        start = perf_counter()
        try:
            return original(self, rows, *args, **kwargs)
        finally:
            calls.append((perf_counter() - start, len(rows)))

    setattr(owner, method, watched)
    try:
        yield calls
    finally:
        setattr(owner, method, original)


def _all_accepted(case: Case, explanation: p2ce.Explanation) -> bool:
    """Evaluate the user's own model and the twin of the detector on every counterfactual."""
    rows = explanation.to_frame()[list(case.data.train.columns)]
    if not len(rows):
        return True
    codes = case.data.codebook.encode(rows)
    models = [case.model] if not isinstance(case.model, list) else case.model
    accepted = all((replace(case, model=model).predict(rows) >= case.threshold).all() for model in models)
    return bool(accepted and case.twin.is_plausible(codes).all())


def _open_gap(explanation: p2ce.Explanation) -> float:
    """How much cheaper than the best option an open box might still be, as a share of that option's cost."""
    certificate, name = explanation.certificate, explanation.objectives[0]
    if certificate is None or not certificate.open_costs:
        return 0.0
    best = min((option.costs[name] for option in explanation), default=float("inf"))
    return max(0.0, 1.0 - certificate.open_costs[name] / best)


def costs_of(explanation: p2ce.Explanation) -> list[dict[str, float]]:
    return [option.costs for option in explanation]


def points_of(explanation: p2ce.Explanation) -> list[dict[str, object]]:
    return [dict(option.values) for option in explanation]


def statuses(explanations: Explained) -> str:
    counts = pd.Series([str(explanation.status) for explanation in explanations]).value_counts()
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def share(yes: Sequence[bool]) -> str:
    """How many of them, as "49/50"."""
    return f"{sum(yes)}/{len(yes)}"


def verdict(met: bool) -> str:
    """Return whether a bar was met."""
    return "met" if met else "MISSED"


if __name__ == "__main__":  # memory() starts this
    print(json.dumps(_memory_here(sys.argv[1])))
