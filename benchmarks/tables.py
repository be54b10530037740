"""Print the table about whole tables: ``python -m benchmarks.tables [--kinds a,b]``."""

from benchmarks import one_thread  # isort: skip

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks.any_model import WIDTH
from benchmarks.data import NAMES, require
from benchmarks.sections import Row
from benchmarks.speed import table
from benchmarks.tables_cases import KINDS, build_table_case
from benchmarks.tables_sections import beside_brute_force

LIBRARIES = ("numpy", "numba", "scikit-learn", "lightgbm", "pandas")


def some_of(known: list[str]) -> Callable[[str], list[str]]:
    """Read a list like "german,adult"."""

    def chosen(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
        return names

    return chosen


def main() -> None:
    """Parse the command line, run the chosen measurements, print and store them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    kinds = ", ".join(f"{name}: {kind.title}" for name, kind in KINDS.items()).replace("%", "%%")
    parser.add_argument("--data", type=some_of(list(NAMES)), default=list(NAMES), help="data sets to use")
    parser.add_argument("--kinds", type=some_of(list(KINDS)), default=list(KINDS), help=kinds)
    parser.add_argument("--people", type=int, default=50, help="denied people per data set")
    parser.add_argument("--few", type=int, default=8, help="how many of them by brute force as well")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    require(options.data)

    machine = {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    } | {name: version(name) for name in LIBRARIES}
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(", ".join(f"{name} {value}" for name, value in machine.items()), style="dim")
    console.print(
        "Categories included, at most 3 changes, three objectives, isolation forest 5 %, the paper's grid; "
        f"{one_thread.TOLD}.",
        style="dim",
    )
    figures: dict[str, list[Row]] = {}
    with threadpool_limits(1):
        for kind in options.kinds:
            start = perf_counter()
            rows = figures[kind] = []
            for name in options.data:
                with console.status(f"Measuring: {KINDS[kind].title}, {name}"):
                    rows.append(
                        beside_brute_force(
                            build_table_case(name, kind, people=options.people), few=options.few
                        )
                    )
            console.print(table(f"{kind}: {KINDS[kind].title}", rows))
            console.print(f"{kind}: {perf_counter() - start:.0f} s\n", style="dim")
            if options.json:  # after each kind, so that an interrupted run leaves what it has
                arguments = {"people": options.people, "few": options.few}
                stored = {"machine": machine, "threads": 1, "arguments": arguments, "figures": figures}
                options.json.write_text(json.dumps(stored, indent=2, default=float))


if __name__ == "__main__":
    main()
