"""Try to beat proven options: ``python -m benchmarks.heuristics [--people 20] [--data german] [--fine]``.

``adversary.py`` searches in continuous space under the constraints of a default explainer. Every row that is
cheaper than the cheapest option by more than 2 % and 0.02 σ in total is judged by ``Explainer.check``. With
``--fine`` the options are also compared with those of a grid twenty times finer.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

import p2ce
from benchmarks.__main__ import WIDTH, machine, readable
from benchmarks.adversary import Finds, Space, find, person_of
from benchmarks.cases import NAMES, BareCallable, Case, case_of, load, require
from benchmarks.finer_grid import FineResult, explain_finely, figures_of
from benchmarks.measures import Row, batch, statuses, verdict, warmed, watch
from benchmarks.splits import choose
from benchmarks.wins import MAX, MEAN, Win, wins_over
from p2ce import rules

RUNS = 3  # of a batch after the first one; the quickest counts
SHOWN = 2  # people of a contest whose worst win is described
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
PRINTED = {  # figure → heading of its column
    "data": "data",
    "model": "model",
    "detector": "detector",
    "beaten by mean distance": "mean",
    "beaten by max distance": "max",
    "beaten by number of changes": "changes",
    "without any option": "none",
    "worst ratio": "ratio",
    "worst difference, σ": "σ",
    "ms per person in a batch": "ms",
    "rows evaluated per person": "rows",
    "seconds of heuristics per person": "s",
    "verdict": "verdict",
}
PRINTED_FINE = {
    "data": "data",
    "model": "model",
    "detector": "detector",
    "fine: median ratio": "median",
    "fine: worst ratio": "worst",
    "fine: worst difference, σ": "σ",
    "fine: beyond 2 % and 0.02 σ": "beyond",
    "fine: options where the default has none": "none",
    "fine: statuses": "statuses",
    "fine: seconds per person": "s",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contest:
    """One case with the default explainer that the heuristics compete with."""

    model: str  # a key of KINDS
    detector: str  # a key of DETECTORS
    case: Case
    people: pd.DataFrame
    explainer: p2ce.Explainer
    space: Space

    @property
    def facts(self) -> Row:
        return {"data": self.case.data.name, "model": self.model, "detector": self.detector}


@lru_cache
def _trained(name: str, kind: str, *, split: int, categories: bool) -> Case:
    return case_of(load(name, categories=categories, seed=split), kind, people=1)


def contest_of(name: str, model: str, detector: str, settings: argparse.Namespace) -> Contest:
    """Train a model on an unseen split and make the default explainer; the immutable features are fixed."""
    case = _trained(name, KINDS[model], split=settings.split, categories=settings.categories)
    explainer = default_explainer(case, model, detector)
    return Contest(
        model=model,
        detector=detector,
        case=case,
        people=choose(case.rejected, count=settings.people, rng=np.random.default_rng(settings.seed)),
        explainer=warmed(explainer),
        space=Space.of(
            explainer,
            score=case.scores,
            threshold=case.threshold,
            plausibility=None if detector == "none" else case.twin.plausibility,
        ),
    )


def default_explainer(case: Case, model: str, detector: str, **settings: Any) -> p2ce.Explainer:
    """Make an explainer on defaults; the model as a function or with a predicate where that is wanted."""
    policy = p2ce.Policy.infer(case.data.train, protect=None, special_values=None).fix(*case.data.immutable)
    if model == "predicate":
        policy = policy.with_rules(rules.predicate(_always_true))
    passed = (case.as_callable() if model == "function" else case).model
    given: dict[str, Any] = {"policy": policy, "target": 1} | DETECTORS[detector] | settings
    return p2ce.Explainer(passed, case.data.train, **given)


def _always_true(rows: pd.DataFrame) -> Any:
    return np.ones(len(rows), dtype=bool)


def compete(contest: Contest, settings: argparse.Namespace) -> tuple[Row, list[Win]]:
    """Explain the people, run the heuristics for each, and compare."""
    ours, people = contest.explainer, contest.people
    with watch(BareCallable, "__call__") as calls:
        explanations = batch(ours, people)
        evaluated = sum(rows for _, rows in calls)
    seconds = []
    for _ in range(RUNS):
        start = process_time()  # on a busy machine the clock on the wall says little
        batch(ours, people)
        seconds.append(process_time() - start)
    start = perf_counter()
    found: list[Finds] = []
    wins: list[Win] = []
    for place, explanation in enumerate(explanations):
        row = people.iloc[[place]]
        rng = np.random.default_rng([settings.seed, place])
        found.append(find(person_of(contest.space, ours, row, rng=rng)))
        wins += wins_over(explanation, found[-1], explainer=ours, space=contest.space, row=row)
    row_of_figures = {
        **contest.facts,
        "people": len(people),
        "statuses": statuses(explanations),
        **_count(wins, people=len(people)),
        "ms per person in a batch": 1e3 * min(seconds) / len(people),
        **({"rows evaluated per person": evaluated / len(people)} if evaluated else {}),
        "seconds of heuristics per person": (perf_counter() - start) / len(people),
        "verdict": verdict(not wins),
    }
    if settings.fine:
        row_of_figures |= figures_of(_explained_finely(contest, explanations, found, settings))
    return row_of_figures, wins


def _count(wins: Sequence[Win], *, people: int) -> Row:
    """Count the people for whom an option was beaten, and say by how much at worst."""

    by_mean, by_max = ([win for win in wins if win.objective == name] for name in (MEAN, MAX))
    by_changes = {win.person for win in wins if win.objective not in (MEAN, MAX)}
    finite = [win for win in by_mean if np.isfinite(win.ours)]
    return {
        "beaten by mean distance": f"{len(by_mean)}/{people}",
        "beaten by max distance": f"{len(by_max)}/{people}",
        "beaten by number of changes": f"{len(by_changes)}/{people}",
        "without any option": len(by_mean) - len(finite),
        "worst ratio": max((win.ratio for win in finite), default=1.0),
        "worst difference, σ": max((win.ours - win.theirs for win in finite), default=0.0),
        "won by": Counter(win.heuristic for win in by_mean),
        "wins": [str(win) for win in wins],
    }


def _explained_finely(
    contest: Contest,
    explanations: Sequence[p2ce.Explanation],
    found: Sequence[Finds],
    settings: argparse.Namespace,
) -> list[FineResult]:
    """Explain the same people on their fine grids, by the parsed model and without a predicate."""
    parsed = KINDS[contest.model]
    usual = warmed(default_explainer(contest.case, parsed, contest.detector))
    fine = warmed(default_explainer(contest.case, parsed, contest.detector, objectives="mean_distance"))
    return [
        explain_finely(
            fine,
            contest.space,
            contest.people.iloc[[place]],
            [explanation, usual.explain(contest.people.iloc[[place]])],
            found[place],
            time_limit=settings.time_limit,
        )
        for place, explanation in enumerate(explanations)
    ]


def options(arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.heuristics", description=__doc__)
    parser.add_argument("--data", nargs="+", choices=NAMES, default=list(NAMES), help="data sets to use")
    parser.add_argument("--models", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--detectors", nargs="+", choices=list(DETECTORS), default=list(DETECTORS))
    parser.add_argument("--people", type=int, default=20, help="rejected people of each contest")
    parser.add_argument("--split", type=int, default=1, help="seed of the split into training and test rows")
    parser.add_argument("--seed", type=int, default=0, help="seed of the chosen people and of random growth")
    parser.add_argument("--categories", action="store_true", help="with categories instead of numbers only")
    parser.add_argument("--fine", action="store_true", help="also compare with a grid twenty times finer")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per person on the fine grid")
    parser.add_argument("--json", type=Path, help="also write all figures to this file")
    settings = parser.parse_args(arguments)
    if settings.categories and "forest" in settings.models:
        parser.error("The model forest takes numbers only. Name other --models with --categories.")
    return settings


def main(arguments: list[str] | None = None) -> None:
    """Run the chosen contests, print and store their figures."""
    settings = options(arguments)
    require(settings.data)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    figures: list[Row] = []
    described: list[str] = []
    with threadpool_limits(1), console.status("Competing"):
        for name in settings.data:
            for model in settings.models:
                for detector in settings.detectors:
                    contest = contest_of(name, model, detector, settings)
                    row, wins = compete(contest, settings)
                    figures.append(row)
                    described += [
                        f"{', '.join(map(str, contest.facts.values()))}: {win}" for win in _worst(wins)
                    ]
            if settings.json:  # after each data set, so an interrupted run leaves what it has
                stored = {"machine": machine(), "settings": vars(settings) | {"json": ""}, "figures": figures}
                settings.json.write_text(json.dumps(stored, indent=2, default=float))
    title = f"People for whom a heuristic is cheaper, {settings.people} each, split {settings.split}"
    console.print(_lines(title, PRINTED, figures))
    if settings.fine:
        title = "The cheapest option by default / on a grid twenty times finer"
        console.print(_lines(title, PRINTED_FINE, figures))
    for line in described:
        console.print(line, highlight=False)


def _worst(wins: Sequence[Win]) -> list[Win]:
    """Choose the worst win of each person, and of these the worst few."""
    by_person: dict[Any, Win] = {}
    for win in sorted(wins, key=lambda win: win.ratio):
        by_person[win.person] = win
    return sorted(by_person.values(), key=lambda win: -win.ratio)[:SHOWN]


def _lines(title: str, columns: dict[str, str], figures: Sequence[Row]) -> Table:
    """Draw one line per contest."""
    table = Table(title=title, title_justify="left", padding=0)
    for place, heading in enumerate(columns.values()):
        table.add_column(heading, justify="left" if place < 3 else "right", no_wrap=place < 3)
    for row in figures:
        table.add_row(*(readable(row.get(figure, "–")) for figure in columns))
    return table


if __name__ == "__main__":
    main()
