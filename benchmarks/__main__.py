"""Run benchmark cases and print their figures next to their bars: ``python -m benchmarks [case …]``."""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks import ONE_THREAD, measures
from benchmarks.cases import NAMES, Case, build_case, require
from benchmarks.measures import Row

LIBRARIES = ("numpy", "numba", "scikit-learn", "lightgbm", "shap", "pandas")
MOST_MB = 500.0  # that a batch may need above the loaded model
WIDTH, SIDE_BY_SIDE = 110, 3  # of what is printed to a file; columns of a table


class Benchmark(NamedTuple):
    """One case: what is measured, for every data set or for those that it names."""

    title: str
    measure: Callable[[str, argparse.Namespace], Iterator[Row]]
    data: tuple[str, ...] = NAMES


def _case(name: str, kind: str, settings: argparse.Namespace, **more: Any) -> Case:
    return build_case(name, kind, **({"people": settings.people} | more))


def _beside(kind: str, *, required: float | dict[str, float], **more: Any) -> Any:
    """Compared with brute force; ``required`` is how many times faster than it we are to be."""

    def measure(name: str, settings: argparse.Namespace) -> Iterator[Row]:
        bar = required[name] if isinstance(required, dict) else required
        few = settings.few if more else None  # through pipelines brute force takes long
        yield measures.beside_brute_force(_case(name, kind, settings, **more), required=bar, few=few)

    return measure


def _black_boxes(name: str, settings: argparse.Namespace) -> Iterator[Row]:
    for kind in ("svc", "knn"):
        case = build_case(name, kind, people=settings.few, rows=settings.rows)
        row = measures.beside_brute_force(case, required=1, never_slower=True)
        yield row | {"trained on rows": min(settings.rows, len(case.data.train))}


def _ensembles(name: str, settings: argparse.Namespace) -> Iterator[Row]:
    """Compare each family of ensembles with brute force."""
    for kind, required in ENSEMBLES.items():
        yield measures.beside_brute_force(_case(name, kind, settings), required=required, few=settings.few)


def _glass_boxes(name: str, settings: argparse.Namespace) -> Iterator[Row]:
    for kind, bar in (("boosting machine", 10), ("additive", 20), ("lines", 3)):
        yield measures.beside_brute_force(_case(name, kind, settings), required=bar, few=settings.few)


def _memory(name: str, settings: argparse.Namespace) -> Iterator[Row]:
    yield measures.memory(_case(name, "lightgbm", settings), million=True)
    for case in (network := _case(name, "mlp", settings), network.as_callable()):
        yield measures.memory(case, million=False, most=MOST_MB)


# Trees alone become one forest. The last three are combined scores, evaluated outside the compiled search.
ENSEMBLES = {"bagging": 10, "adaboost": 10, "calibrated": 5, "voting": 5, "stacking": 5}
CASES = {
    "lightgbm": Benchmark(
        "LightGBM, at most 3 changes, compared with brute force",
        _beside("lightgbm", required={"german": 100, "taiwan": 200, "adult": 50}),
    ),
    "logistic": Benchmark(
        "Logistic regression, compared with brute force", _beside("logistic", required=100)
    ),
    "scorecard": Benchmark(
        "optbinning Scorecard, compared with brute force", _beside("scorecard", required=5)
    ),
    "curves": Benchmark(
        "Random forest behind splines, compared with brute force", _beside("curves", required=5)
    ),
    "network": Benchmark(
        "MLP (100, 100), parsed, compared with brute force (aim: 10 ms per person)",
        _beside("mlp", required={"german": 3, "taiwan": 20, "adult": 3}),
    ),
    "callable": Benchmark(
        "The same MLP as a black box, evaluated completely: the same points, proven",
        lambda name, settings: iter([measures.bare_callable(_case(name, "mlp", settings))]),
    ),
    "estimated": Benchmark(
        "The same black box: the complete search compared with the estimates",
        lambda name, settings: measures.estimated(_case(name, "mlp", settings)),
    ),
    "trees": Benchmark(
        "LightGBM, 100 trees, as a black box: the complete search compared with the estimates",
        lambda name, settings: measures.estimated(_case(name, "lightgbm", settings)),
        ("taiwan",),
    ),
    "black-box": Benchmark(
        "SVC (rbf) and 5 nearest neighbours, on few training rows and people: never slower", _black_boxes
    ),
    "several": Benchmark(
        "MLP, LightGBM and logistic regression all have to accept: equal and proven",
        lambda name, settings: iter(
            [
                measures.several(
                    [build_case(name, k, people=settings.few) for k in ("mlp", "lightgbm", "logistic")]
                )
            ]
        ),
    ),
    "glass-box": Benchmark("Glass-box models, compared with brute force", _glass_boxes),
    "relaxations": Benchmark(
        "Relaxations of people without an option under a narrow policy",
        lambda name, settings: iter([measures.relaxations(_case(name, "lightgbm", settings))]),
    ),
    "table-lightgbm": Benchmark(
        "Categories: LightGBM, its own splits", _beside("lightgbm", required=50, categories=True)
    ),
    "table-logistic": Benchmark(
        "Categories: one-hot, scaled, logistic", _beside("logistic", required=50, categories=True)
    ),
    "table-network": Benchmark(
        "Categories: one-hot, scaled, MLP (100, 100)", _beside("mlp", required=10, categories=True)
    ),
    "table-gaps": Benchmark(
        "Categories, 10 % missing: histogram boosting",
        _beside("histogram", required=50, categories=True, gaps=True),
    ),
    "ensembles": Benchmark("Ensembles of scikit-learn, compared with brute force", _ensembles),
    "single": Benchmark(
        "A single explain call, LightGBM",
        lambda name, settings: (
            measures.single_call(_case(name, "lightgbm", settings), own_forest=own) for own in (False, True)
        ),
    ),
    "fine": Benchmark(
        "Fine grid: 0.5 % steps, about 200 values a feature, at most 3 changes",
        lambda name, settings: iter(
            [
                measures.each_alone(
                    case := _case(name, "lightgbm", settings),
                    time_limit=settings.time_limit,
                    policy=case.data.fine_actions(),
                )
            ]
        ),
    ),
    "unlimited": Benchmark(
        "No limit on the number of changes",
        lambda name, settings: iter(
            [
                measures.each_alone(
                    _case(name, "lightgbm", settings), time_limit=settings.time_limit, max_changes=None
                )
            ]
        ),
        ("adult", "taiwan"),
    ),
    "grid": Benchmark(
        "The default grid compared with round steps of 5 %: processor time and cost",
        lambda name, settings: measures.grid_costs(_case(name, "lightgbm", settings)),
    ),
    "grid-misses": Benchmark(
        "People without an option to whom a grid ten times finer gives one",
        lambda name, settings: measures.grid_misses(_case(name, "lightgbm", settings)),
    ),
    "memory": Benchmark(
        "Memory for a million cells, and for a batch of people with an MLP (Linux)", _memory, ("taiwan",)
    ),
    "linked": Benchmark(
        "A linked feature, and one with two causes, compared with none: at most twice the time",
        lambda name, settings: (
            measures.linked(_case(name, kind, settings)) for kind in ("lightgbm", "logistic", "mlp")
        ),
    ),
    "processes": Benchmark(
        "Two processes compared with one",
        lambda name, settings: iter(
            [measures.processes(_case(name, "lightgbm", settings), people=settings.many)]
        ),
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Parse the command line, run the chosen cases, print and store their figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help="those of --list; all if left out")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--data", nargs="+", choices=NAMES, default=list(NAMES), help="data sets to use")
    parser.add_argument("--people", type=int, default=50, help="rejected people per data set")
    parser.add_argument("--few", type=int, default=8, help="people of slow cases, or by brute force")
    parser.add_argument("--rows", type=int, default=3000, help="most training rows of the case black-box")
    parser.add_argument("--many", type=int, default=20_000, help="people of the case processes")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per person: fine, unlimited")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    settings = parser.parse_args(arguments)
    if unknown := [name for name in settings.cases if name not in CASES]:
        parser.error(f"{', '.join(unknown)}: expected one of {', '.join(CASES)}")
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    if settings.list:
        for name, benchmark in CASES.items():
            console.print(f"{name:15} {benchmark.title}", highlight=False)
        return
    require(settings.data)
    facts = machine()
    console.print(", ".join(f"{name} {value}" for name, value in facts.items()), style="dim")
    console.print(
        "At most 3 changes, three objectives, isolation forest 5 %, the paper's grid; linear algebra on one "
        f"thread, on both sides ({', '.join(f'{name}=1' for name in ONE_THREAD)}).",
        style="dim",
    )
    figures: dict[str, list[Row]] = {}
    with threadpool_limits(1):  # one core for both sides
        for name in settings.cases or CASES:
            title, measure, available = CASES[name]
            start, rows = perf_counter(), figures.setdefault(name, [])
            with console.status(f"Measuring: {title}"):
                for data in settings.data:
                    rows += measure(data, settings) if data in available else ()
            for first in range(0, len(rows), SIDE_BY_SIDE):
                console.print(_table(title, rows[first : first + SIDE_BY_SIDE]))
            console.print(f"{name}: {perf_counter() - start:.0f} s\n", style="dim")
            if settings.json:  # after each case, so an interrupted run leaves what it has
                stored = {"machine": facts, "settings": vars(settings) | {"json": ""}, "figures": figures}
                settings.json.write_text(json.dumps(stored, indent=2, default=float))


def machine() -> dict[str, Any]:
    facts = {"python": platform.python_version(), "processor": platform.machine(), "cores": os.cpu_count()}
    for name in LIBRARIES:
        try:
            facts[name] = version(name)
        except PackageNotFoundError:
            continue
    return facts


def _table(title: str, rows: list[Row]) -> Table:
    """One line per figure and one column per row: there are more figures than fit side by side."""
    drawn = Table(title=title, title_justify="left", show_header=False)
    drawn.add_column()
    for _ in rows:
        drawn.add_column(justify="right")
    for figure in dict.fromkeys(figure for row in rows for figure in row):
        drawn.add_row(figure, *(readable(row.get(figure, "–")) for row in rows))
    return drawn


def readable(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
