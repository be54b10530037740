"""Measure how long a person takes, beside brute force through the model's own predictions."""

import os
import platform
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.apps.messages import counted, error_line, notice, printable, stdout_console, working
from p2ce.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from rich.console import Console

    from p2ce.apps.command_inputs import Inputs
    from p2ce.explainer import Explainer

SAME, DIFFERENT = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """Whom to time, and by what."""

    title: str
    explainer: "Explainer"
    rejected: "pd.DataFrame"


def run_bench(
    inputs: "Inputs | None",
    *,
    people: int,
    brute: int,
    largest: int,
    settings: "Mapping[str, Any] | None" = None,
    console: "Console | None" = None,
) -> int:
    """Time people, compare fronts, print a table; give the exit code.

    Without ``inputs`` people are made up, and ``settings`` are arguments of their explainer.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    console = console or stdout_console()
    with working("Reading …"):
        case = _made_up(people, settings or {}) if inputs is None else _of_files(inputs, people)
        case.explainer.warm_up()
    console.print(machine_line(), style="dim", soft_wrap=True)
    console.print(case.title, style="bold", markup=False, soft_wrap=True)
    with threadpool_limits(1):  # one core for both sides
        return _measure(case, console, brute=brute, largest=largest)


def _measure(case: Case, console: "Console", *, brute: int, largest: int) -> int:
    with working("Timing explain and explain_many …"):
        single = _timed_one_by_one(case)
        together, share = _timed_together(case)
    rows = [("explain, one call each", single), ("explain_many, each person", together)]
    if brute and case.explainer.policy.rules:
        notice("Brute force knows no rules between features, and is left out.")
        brute = 0
    with working("Timing brute force …"):
        forced, wrong, skipped = _brute_force(case, brute, largest)
    if forced:
        rows.append((f"brute force, first {len(forced)}", forced))
    _print_times(console, rows)
    console.print(f"explain_many took {1e3 * share:,.2f} ms per person with everything around it.")
    if forced:
        same = len(forced) - wrong
        console.print(
            f"Fronts equal to brute force: {same} of {len(forced)}.", style="green" if not wrong else "red"
        )
        console.print(
            f"explain_many is {np.median(forced) / share:,.0f} times as fast as brute force (median)."
        )
    if skipped:
        left_out = counted(skipped, "person", "people")
        console.print(f"Brute force left out {left_out}: grids above {largest:,} combinations.")
    if wrong:
        error_line("A front differs from brute force. Please report it with the model and the data.")
    return DIFFERENT if wrong else SAME


def machine_line() -> str:
    """Describe the machine of the measurement."""
    from importlib.metadata import version

    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, one of them used"
    return f"p2ce {version('p2ce')}, Python {platform.python_version()}, {system}"


def _made_up(people: int, settings: "Mapping[str, Any]") -> Case:
    from p2ce.apps.demo_command import explainer_and_rejected

    explainer, rejected = explainer_and_rejected(seed=0, **settings)
    return _case(explainer, rejected, people, "made up")


def _of_files(inputs: "Inputs", people: int) -> Case:
    from p2ce.apps.command_inputs import check_files, make_ready

    check_files(inputs)
    ready = make_ready(inputs)
    rejected = ready.people[ready.explainer.scores(ready.people) < ready.explainer.threshold]
    return _case(ready.explainer, rejected, people, printable(inputs.data or inputs.reference))


def _case(explainer: "Explainer", rejected: "pd.DataFrame", most: int, source: str) -> Case:
    if not len(rejected):
        raise InvalidArgument(
            f"The model rejects none of the people ({source}): there is nothing to time. "
            "Give other people, or a higher --threshold."
        )
    chosen, facts = rejected.head(most), explainer.describe()
    who = counted(len(chosen), "rejected applicant")
    title = f"{who} ({source}), {facts.family}, {facts.cells:,} combinations"
    return Case(title=title, explainer=explainer, rejected=chosen)


def _timed_one_by_one(case: Case) -> list[float]:
    from p2ce.errors import P2CEError

    times = []
    for place in range(len(case.rejected)):
        row = case.rejected.iloc[[place]]
        begun = time.perf_counter()
        try:
            case.explainer.explain(row)
        except P2CEError:
            continue  # a row that cannot be parsed has no meaningful time
        times.append(time.perf_counter() - begun)
    return times


def _timed_together(case: Case) -> tuple[list[float], float]:
    """Return what each person took in one call for all, and the share of each in the whole call."""
    begun = time.perf_counter()
    entries = list(case.explainer.explain_many(case.rejected))
    return [entry.elapsed for entry in entries], (time.perf_counter() - begun) / len(case.rejected)


def _brute_force(case: Case, most: int, largest: int) -> tuple[list[float], int, int]:
    """Time brute force on the first people, and count fronts that differ and grids that are too large."""
    from p2ce.testing.brute_force_front import brute_force_front

    times: list[float] = []
    wrong = skipped = 0
    for place in range(min(most, len(case.rejected))):
        row = case.rejected.iloc[[place]]
        found = case.explainer.explain(row)
        if found.certificate is None or found.certificate.cells > largest:
            skipped += 1
            continue
        begun = time.perf_counter()
        truth = brute_force_front(case.explainer, row)
        times.append(time.perf_counter() - begun)
        wrong += not _same_front(found, truth)
    return times, wrong, skipped


def _same_front(found: Any, truth: Any) -> bool:
    from p2ce.testing.check_fronts import same_costs

    names = found.objectives
    costs = np.array([[option.costs[name] for name in names] for option in found]).reshape(-1, len(names))
    if len(costs) != len(truth):
        return False
    return same_costs(costs, truth)


def _print_times(console: "Console", rows: list[tuple[str, list[float]]]) -> None:
    from rich.table import Table

    table = Table(show_edge=False, pad_edge=False)
    table.add_column("milliseconds per person")
    for heading in ("median", "95th", "slowest"):
        table.add_column(heading, justify="right")
    for name, times in rows:
        if not times:
            continue
        milliseconds = 1e3 * np.array(times)
        figures = [np.median(milliseconds), np.percentile(milliseconds, 95), milliseconds.max()]
        table.add_row(name, *(_figure(float(one)) for one in figures))
    console.print(table)


def _figure(milliseconds: float) -> str:
    return f"{milliseconds:,.2f}" if milliseconds < 10 else f"{milliseconds:,.0f}"
