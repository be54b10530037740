"""Print what the default grid is worth: ``python -m benchmarks.grid [--people N] [--data german,adult]``.

For LightGBM on each data set, beside the rule of thumb that it replaced (round steps of 5 % of the range):
how long a person takes, what the cheapest options cost beside those of the finest grid, and for how many
people with "no option" a grid ten times finer holds one after all.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

import p2ce
from benchmarks.cases import Case, build_case, explainer
from benchmarks.data import NAMES, DataSet, require
from p2ce.arrays import FloatArray
from p2ce.problem.decimals import as_typed, round_step
from p2ce.problem.feature import Kind

TIMES = 3
# Questions under which some people have no option: a single change, and ever stricter decisions.
HARD: dict[str, dict[str, Any]] = {
    "one change": {"max_changes": 1},
    "one change, 0.8": {"max_changes": 1, "threshold": 0.8},
    "two changes, 0.9": {"max_changes": 2, "threshold": 0.9},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A strategy of choosing candidates."""

    name: str
    actions: p2ce.ActionSet


def default_actions(data: DataSet) -> p2ce.ActionSet:
    """What `ActionSet.infer` chooses, with the immutable features fixed."""
    return p2ce.ActionSet.infer(data.train).fix(*data.immutable)


def in_round_steps(actions: p2ce.ActionSet, *, finer: int = 1) -> p2ce.ActionSet:
    """The largest round step of at most 5 % of each range, or so many times finer; whole ones at least 1."""
    steps = {}
    for feature in actions.features:
        width = as_typed(feature.high) - as_typed(feature.low)
        if feature.kind in (Kind.WHOLE, Kind.NUMBER) and not feature.fixed and width:
            steps[feature.name] = round_step(width / finer, whole=feature.kind is Kind.WHOLE)
    return actions.step(steps)


def cheapest(found: Sequence[p2ce.Explanation]) -> FloatArray:
    """Give the least cost in each objective: (people, objectives), NaN without an option."""
    rows = [
        [min((option.costs[name] for option in one), default=np.nan) for name in one.objectives]
        for one in found
    ]
    return np.array(rows)


def seconds_of(engine: p2ce.Explainer, people: pd.DataFrame) -> float:
    """Give the least processor time of one batch, for a person; other work on the machine counts less so."""
    engine.explain_many(people)
    taken = []
    for _ in range(TIMES):
        begin = time.process_time()
        list(engine.explain_many(people))
        taken.append(time.process_time() - begin)
    return min(taken) / len(people)


def cost_rows(case: Case) -> list[list[str]]:
    """Compare the costs of the grids with those of the finest one, which takes its time."""
    default = default_actions(case.data)
    finest = explainer(case, actions=default)
    finer = finest._problem.on_finest_grid  # what a person without an option is searched on
    assert finer is not None
    finest._problem = finer
    best = cheapest(finest.explain_many(case.people, time_limit=60.0))
    rows = []
    for grid in (
        Grid(name="round steps of 5 %", actions=in_round_steps(default)),
        Grid(name="default", actions=default),
    ):
        engine = explainer(case, actions=grid.actions)
        found = engine.explain_many(case.people)
        ratio = cheapest(found) / best
        median, mean = np.nanmedian(ratio, axis=0), np.nanmean(ratio, axis=0)
        has_option = np.array([len(one) > 0 for one in found])
        times = [
            f"{1e3 * seconds_of(engine, people):.2f} ({len(people)})" if len(people) else "–"
            for people in (case.people[has_option], case.people[~has_option])
        ]
        rows.append(
            [
                case.data.name,
                grid.name,
                *times,
                f"{median[0]:.3f}, {median[1]:.3f}",
                f"{mean[0]:.3f}, {mean[1]:.3f}",
            ]
        )
    return rows


def none_rows(case: Case) -> list[list[str]]:
    """Count the people with "no option" to whom a grid ten times finer gives one."""
    rows = []
    default = default_actions(case.data)
    for name, question in HARD.items():
        for grid in (
            Grid(name="round steps of 5 %", actions=in_round_steps(default)),
            Grid(name="default", actions=default),
        ):
            engine = explainer(case, actions=grid.actions, **question)
            found = engine.explain_many(case.people)
            none = [one.status is p2ce.Status.NO_RECOURSE for one in found]
            people = case.people[none]
            wrong = 0
            if len(people):
                finer = explainer(case, actions=in_round_steps(default, finer=10), **question)
                wrong = sum(len(one) > 0 for one in finer.explain_many(people))
            rows.append([case.data.name, name, grid.name, f"{len(people)} of {len(case.people)}", str(wrong)])
    return rows


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--data", default=",".join(NAMES))
    options = parser.parse_args()
    require(options.data.split(","))
    costs = Table(
        "data",
        "grid",
        "ms a person with an option (people)",
        "without one",
        "cost, median (c₁, c₂)",
        "mean",
        title="Cost ÷ the finest grid's",
    )
    nones = Table(
        "data", "question", "grid", "no option", "of these, wrongly", title="A grid ten times finer"
    )
    with threadpool_limits(1):
        for name in options.data.split(","):
            case = build_case(name, "lightgbm", people=options.people)
            for row in cost_rows(case):
                costs.add_row(*row)
            for row in none_rows(case):
                nones.add_row(*row)
    console = Console()
    console.print(costs)
    console.print(nones)


if __name__ == "__main__":
    main()
