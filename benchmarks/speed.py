"""Print the speed table: ``python -m benchmarks.speed [--only SECTION] [--json FILE]``."""

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks import sections
from benchmarks.cases import Case, build_case
from benchmarks.data import NAMES, require
from benchmarks.sections import Row

LIBRARIES = ("numpy", "numba", "scikit-learn", "lightgbm", "pandas")
REQUIRED = {"german": 100, "taiwan": 200, "adult": 50}  # how many times faster than brute force, LightGBM
Cases = Callable[[str, str], Case]  # name of the data, kind of the model


def lightgbm(cases: Cases, options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        yield sections.against_brute_force(cases(name, "lightgbm"), required=REQUIRED[name])


def logistic(cases: Cases, options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        yield sections.against_brute_force(cases(name, "logistic"), required=100)


def single(cases: Cases, options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        for own_forest in (False, True):
            yield sections.single_call(cases(name, "lightgbm"), own_forest=own_forest)


def fine(cases: Cases, options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        yield sections.fine_grid(cases(name, "lightgbm"), time_limit=options.time_limit)


def unlimited(cases: Cases, options: argparse.Namespace) -> Iterator[Row]:
    for name in ("adult", "taiwan"):
        if name in options.data:
            yield sections.unlimited_changes(cases(name, "lightgbm"), time_limit=options.time_limit)


def memory(cases: Cases, options: argparse.Namespace) -> Iterator[Row]:
    if "taiwan" in options.data:
        yield sections.memory(cases("taiwan", "lightgbm"))


def processes(cases: Cases, options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        yield sections.processes(cases(name, "lightgbm"), people=options.many)


SECTIONS: dict[str, tuple[str, Callable[[Cases, argparse.Namespace], Iterator[Row]]]] = {
    "lightgbm": ("LightGBM, at most 3 changes, beside brute force", lightgbm),
    "logistic": ("Logistic regression, at most 3 changes, beside brute force", logistic),
    "single": ("A single explain call, LightGBM", single),
    "fine": ("Fine grid: 0.5 % steps, at most 3 changes", fine),
    "unlimited": ("No limit on the number of changes", unlimited),
    "memory": ("Memory for a million cells", memory),
    "processes": ("Two processes beside one", processes),
}


def table(title: str, rows: list[Row]) -> Table:
    """One line per figure and one column per row: there are more figures than fit side by side."""
    drawn = Table(title=title, title_justify="left", show_header=False)
    drawn.add_column()
    for _ in rows:
        drawn.add_column(justify="right")
    for figure in rows[0]:
        drawn.add_row(figure, *(_readable(row[figure]) for row in rows))
    return drawn


def _readable(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main() -> None:
    """Parse the command line, run the chosen measurements, print and store them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), help="sections to run")
    parser.add_argument("--data", nargs="+", choices=NAMES, default=list(NAMES), help="data sets to use")
    parser.add_argument("--people", type=int, default=50, help="denied people per data set")
    parser.add_argument("--many", type=int, default=20_000, help="people of the section 'processes'")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per person: fine, unlimited")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    require(options.data)

    def cases(name: str, kind: str) -> Case:
        return build_case(name, kind, people=options.people)

    machine = {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    } | {name: version(name) for name in LIBRARIES}
    console = Console()
    console.print(", ".join(f"{name} {value}" for name, value in machine.items()), style="dim")
    figures: dict[str, list[Row]] = {}
    with threadpool_limits(1):  # one core for both sides
        for name in options.only:
            title, measure = SECTIONS[name]
            with console.status(f"Measuring: {title}"):
                rows = figures[name] = list(measure(cases, options))
            if rows:
                console.print(table(title, rows))
            if options.json:  # after each section, so that an interrupted run leaves what it has
                stored = {"machine": machine, "figures": figures}
                options.json.write_text(json.dumps(stored, indent=2, default=float))


if __name__ == "__main__":
    main()
