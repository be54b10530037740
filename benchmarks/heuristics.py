"""Try to beat proven options by heuristics: ``python -m benchmarks.heuristics [--people N] [--data german …]``.

``benchmarks/adversary.py`` searches in continuous space under the constraints of a default explainer. Every row
that is cheaper than the cheapest option by more than 2 % and 0.02 σ in total is judged by ``Explainer.check``.
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from threadpoolctl import threadpool_limits

import p2ce
from benchmarks.__main__ import SIDE_BY_SIDE, WIDTH, drawn_table, machine
from benchmarks.adversary import Space, find, person_of
from benchmarks.cases import NAMES, BareCallable, Case, case_of, load, require
from benchmarks.measures import Row, batch, share, statuses, verdict, warmed, watch
from benchmarks.paper.splits import choose
from benchmarks.wins import Win, wins_over
from p2ce import rules

SHOWN = 3  # wins that are described for each case
# Model of the command line → kind of ``benchmarks.cases``.
KINDS = {
    "logistic": "logistic",
    "mlp": "mlp",
    "function": "lightgbm",
    "predicate": "lightgbm",
    "lightgbm": "lightgbm",
    "forest": "forest",
}
DETECTORS: dict[str, dict[str, Any]] = {"default": {}, "none": {"plausibility": None}}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contest:
    """One case with the default explainer that the heuristics compete with."""

    model: str  # a key of KINDS
    detector: str  # a key of DETECTORS
    case: Case
    people: pd.DataFrame
    explainer: p2ce.Explainer
    space: Space


@lru_cache
def _case(name: str, model: str, *, split: int, categories: bool) -> Case:
    data = load(name, categories=categories, seed=split)
    return case_of(data, KINDS[model], people=1)


def contest_of(name: str, model: str, detector: str, settings: argparse.Namespace) -> Contest:
    """Train a model on an unseen split and make the default explainer; the immutable features are fixed."""
    case = _case(name, model, split=settings.split, categories=settings.categories)
    data, actions = case.data, p2ce.ActionSet.infer(case.data.train).fix(*case.data.immutable)
    if model == "predicate":
        actions = actions.rule(rules.predicate(_always, name="always"))
    judge = case.as_callable() if model == "function" else case
    explainer = p2ce.Explainer(judge.model, data.train, actions=actions, target=1, **DETECTORS[detector])
    twin = case.twin
    return Contest(
        model=model,
        detector=detector,
        case=case,
        people=choose(case.rejected, count=settings.people, rng=np.random.default_rng(settings.seed)),
        explainer=explainer,
        space=Space.of(
            explainer,
            score=case.scores,
            threshold=case.threshold,
            plausibility=None if detector == "none" else twin.plausibility,
        ),
    )


def _always(rows: pd.DataFrame) -> Any:
    return np.ones(len(rows), dtype=bool)


def compete(contest: Contest, settings: argparse.Namespace) -> tuple[Row, list[Win]]:
    """Explain the people, run the heuristics for each, and compare."""
    ours = warmed(contest.explainer)
    with watch(BareCallable, "__call__") as calls:
        explanations = batch(ours, contest.people)
        evaluated = sum(rows for _, rows in calls)
    start = perf_counter()
    batch(ours, contest.people)
    milliseconds = 1e3 * (perf_counter() - start) / len(explanations)
    start, wins = perf_counter(), []
    for place, explanation in enumerate(explanations):
        row = contest.people.iloc[[place]]
        rng = np.random.default_rng([settings.seed, place])
        finds = find(person_of(contest.space, ours, row), rng=rng)
        wins += wins_over(explanation, finds, explainer=ours, space=contest.space, row=row)
    seconds = perf_counter() - start
    return {
        "data": contest.case.data.name,
        "model": contest.model,
        "detector": contest.detector,
        "people": len(explanations),
        "statuses": statuses(explanations),
        **_figures(wins, explanations),
        "ms per person in a batch": milliseconds,
        **({"rows evaluated per person": evaluated / len(explanations)} if evaluated else {}),
        "seconds of heuristics per person": seconds / len(explanations),
        "verdict": verdict(not wins),
    }, wins


def _figures(wins: list[Win], explanations: list[p2ce.Explanation]) -> Row:
    """Count the people for whom an option was beaten, and say by how much at worst."""
    best = [win for win in wins if win.objective == "mean distance"]
    finite = [win for win in best if np.isfinite(win.ours)]

    def beaten(which: str) -> str:
        people = {win.person for win in wins if which in win.objective}
        return f"{len(people)}/{len(explanations)}"

    return {
        "beaten by mean distance": share([True] * len(best) + [False] * (len(explanations) - len(best))),
        "of these, without any option": len(best) - len(finite),
        "beaten by max distance": beaten("max distance"),
        "beaten for some number of changes": beaten("at most"),
        "worst ratio": max((win.ratio for win in finite), default=1.0),
        "worst difference, σ": max((win.ours - win.theirs for win in finite), default=0.0),
        "won by": ", ".join(f"{n} {name}" for name, n in Counter(win.heuristic for win in best).most_common())
        or "–",
    }


def main(arguments: list[str] | None = None) -> None:
    """Parse the command line, run the chosen contests, print and store their figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heuristics", description=__doc__)
    parser.add_argument("--data", nargs="+", choices=NAMES, default=list(NAMES), help="data sets to use")
    parser.add_argument("--models", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--detectors", nargs="+", choices=list(DETECTORS), default=list(DETECTORS))
    parser.add_argument("--people", type=int, default=20, help="rejected people per contest")
    parser.add_argument("--split", type=int, default=1, help="seed of the split into training and test rows")
    parser.add_argument("--seed", type=int, default=0, help="seed of the chosen people and of random growth")
    parser.add_argument("--categories", action="store_true", help="with categories instead of numbers only")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    settings = parser.parse_args(arguments)
    require(settings.data)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    figures: list[Row] = []
    with threadpool_limits(1):
        for name in settings.data:
            rows, described = [], []
            for model in settings.models:
                for detector in settings.detectors:
                    row, wins = compete(contest_of(name, model, detector, settings), settings)
                    rows.append(row)
                    worst = sorted(wins, key=lambda win: win.ratio, reverse=True)[:SHOWN]
                    described += [f"{name}, {model}, detector {detector}, {win}" for win in worst]
            for first in range(0, len(rows), SIDE_BY_SIDE):
                title = f"Heuristics against default explanations, split {settings.split}"
                console.print(drawn_table(title, rows[first : first + SIDE_BY_SIDE]))
            for line in described:
                console.print(line, highlight=False)
            figures += rows
            if settings.json:
                stored = {"machine": machine(), "settings": vars(settings) | {"json": ""}, "figures": figures}
                settings.json.write_text(json.dumps(stored, indent=2, default=float))


if __name__ == "__main__":
    main()
