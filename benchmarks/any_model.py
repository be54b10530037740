"""Print the table about any model: ``python -m benchmarks.any_model [--only SECTION]``."""

from benchmarks import one_thread  # isort: skip

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks import any_sections
from benchmarks.cases import Case, build_case
from benchmarks.data import NAMES, require
from benchmarks.sections import Row
from benchmarks.speed import table

LIBRARIES = ("numpy", "numba", "scikit-learn", "lightgbm", "shap", "pandas")
REQUIRED = {"german": 3, "taiwan": 20, "adult": 3}  # how many times faster than brute force, MLP
WIDTH = 110  # of what is printed to a file
SIDE_BY_SIDE = 3  # columns of a table: three data sets, or three searches


def network(options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        yield any_sections.network(_case(name, "mlp", options), required=REQUIRED[name])


def bare_callable(options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        yield any_sections.bare_callable(_case(name, "mlp", options))


def estimated(options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        yield from any_sections.estimated(_case(name, "mlp", options))


def estimated_trees(options: argparse.Namespace) -> Iterator[Row]:
    if "taiwan" in options.data:
        yield from any_sections.estimated(_case("taiwan", "lightgbm", options))


def black_boxes(options: argparse.Namespace) -> Iterator[Row]:
    for kind in ("svc", "knn"):
        for name in options.data:
            case = build_case(name, kind, people=options.few, rows=options.rows)
            trained_on = min(options.rows, len(case.data.train))
            yield any_sections.black_boxes(case, trained_on=trained_on)


def memory(options: argparse.Namespace) -> Iterator[Row]:
    if "taiwan" in options.data:
        yield from any_sections.memory(_case("taiwan", "mlp", options))


def several(options: argparse.Namespace) -> Iterator[Row]:
    for name in options.data:
        kinds = ("mlp", "lightgbm", "logistic")
        yield any_sections.several([build_case(name, kind, people=options.few) for kind in kinds])


def _case(name: str, kind: str, options: argparse.Namespace) -> Case:
    return build_case(name, kind, people=options.people)


SECTIONS: dict[str, tuple[str, Callable[[argparse.Namespace], Iterator[Row]]]] = {
    "network": ("MLP (100, 100), parsed and proven, beside brute force", network),
    "callable": ("The same MLP as a bare callable: the complete search", bare_callable),
    "estimated": ("The same callable: the complete search beside the estimates", estimated),
    "trees": (
        "LightGBM, 100 trees, as a black box: the complete search beside the estimates",
        estimated_trees,
    ),
    "black-box": (
        "SVC (rbf) and 5 nearest neighbours, on few training rows and people",
        black_boxes,
    ),
    "memory": ("Memory for a batch of people, MLP", memory),
    "several": ("MLP, LightGBM and logistic regression all have to accept", several),
}


def main() -> None:
    """Parse the command line, run the chosen measurements, print and store them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.any_model", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), help="sections to run")
    parser.add_argument("--data", nargs="+", choices=NAMES, default=list(NAMES), help="data sets to use")
    parser.add_argument("--people", type=int, default=50, help="denied people per data set")
    parser.add_argument("--few", type=int, default=8, help="people of the sections 'black-box' and 'several'")
    parser.add_argument(
        "--rows", type=int, default=3000, help="most training rows of the section 'black-box'"
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    require(options.data)

    machine = {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    } | {name: version(name) for name in LIBRARIES if find_spec(name.replace("scikit-learn", "sklearn"))}
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(", ".join(f"{name} {value}" for name, value in machine.items()), style="dim")
    console.print(
        f"At most 3 changes, three objectives, isolation forest 5 %, the paper's grid; {one_thread.TOLD}.",
        style="dim",
    )
    figures: dict[str, list[Row]] = {}
    with threadpool_limits(1):
        for name in options.only:
            title, measure = SECTIONS[name]
            start = perf_counter()
            with console.status(f"Measuring: {title}"):
                rows = figures[name] = list(measure(options))
            for first in range(0, len(rows), SIDE_BY_SIDE):
                console.print(table(title, rows[first : first + SIDE_BY_SIDE]))
            console.print(f"{name}: {perf_counter() - start:.0f} s\n", style="dim")
            if options.json:  # after each section, so that an interrupted run leaves what it has
                arguments = {"people": options.people, "few": options.few, "rows": options.rows}
                stored = {"machine": machine, "threads": 1, "arguments": arguments, "figures": figures}
                options.json.write_text(json.dumps(stored, indent=2, default=float))


if __name__ == "__main__":
    main()
