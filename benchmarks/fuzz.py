"""Try hostile files by the clock: ``python -m benchmarks.fuzz --minutes 30 [--format lightgbm] [--seed 7]``.

Our own mutators, which know each format, rather than atheris: what may crash lies in LightGBM, XGBoost,
CatBoost, scikit-learn and ONNX Runtime, whose published builds have no coverage instrumentation.
``tests/hostile`` holds all of it, and runs a bounded part in CI.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Lock
from time import monotonic

from rich.console import Console
from rich.table import Table

from tests.hostile.runner import GOOD, INPUTS, Outcome, Runner
from tests.hostile.seeds import seeds_of

WORKERS = 2
ROUNDS = 4  # in how many turns the inputs of a run in CI are tried here
SHOWN = 20  # kinds of failures of a format


class Inputs:
    """Which input is next: formats take turns, in the proportions of CI, until the time is over."""

    def __init__(self, formats: list[str], end: float) -> None:
        self._lock = Lock()
        self._next = self._all(formats)
        self._end = end

    @staticmethod
    def _all(formats: list[str]) -> Iterator[tuple[str, int]]:
        for turn in count():
            for name in formats:
                share = -(-INPUTS[name] // ROUNDS)
                yield from ((name, number) for number in range(turn * share, (turn + 1) * share))

    def __iter__(self) -> Iterator[tuple[str, int]]:
        while monotonic() < self._end:
            with self._lock:
                yield next(self._next)


def main() -> None:
    """Fuzz until the time is over, print the counts, and end with 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--format", choices=list(INPUTS), action="append", help="one of several; all if none")
    parser.add_argument("--seed", type=int, default=1, help="CI tries those of 0")
    parser.add_argument("--folder", type=Path, help="where files are kept that something failed on")
    options = parser.parse_args()
    formats = options.format or list(INPUTS)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="hostile-"))
    for name in formats:
        seeds_of(name)  # before the clock, and before there are threads

    start = monotonic()
    inputs = Inputs(formats, start + 60 * options.minutes)

    def work(worker: int) -> list[tuple[str, Outcome]]:
        with Runner(folder / f"worker-{worker}") as runner:
            return [
                (name, outcome)
                for name, number in inputs
                for outcome in runner.run(name, seed=options.seed, numbers=range(number, number + 1))
            ]

    with ThreadPoolExecutor(WORKERS) as pool:
        found = [one for part in pool.map(work, range(WORKERS)) for one in part]
    print_counts(found, minutes=(monotonic() - start) / 60, seed=options.seed)
    sys.exit(1 if any(outcome.failed for _, outcome in found) else 0)


def print_counts(found: list[tuple[str, Outcome]], *, minutes: float, seed: int) -> None:
    """Print the numbers per format, and one example of each failure."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    table = Table(title=f"{len(found):,} inputs in {minutes:.1f} minutes, seed {seed}")
    for heading in ("format", "inputs", *GOOD, "failures"):
        table.add_column(heading, justify="left" if heading == "format" else "right")
    for name in dict.fromkeys(name for name, _ in found):
        kinds = Counter(outcome.kind for one, outcome in found if one == name)
        good = [kinds[kind] for kind in GOOD]
        failed = kinds.total() - sum(good)
        table.add_row(name, *(f"{number:,}" for number in (kinds.total(), *good, failed)))
    console.print(table)
    for name in dict.fromkeys(name for name, outcome in found if outcome.failed):
        alike: dict[tuple[str, str], list[Outcome]] = {}
        for one, outcome in found:
            if one == name and outcome.failed:
                # By place; where there is none, by the first word: which signal it was.
                place = outcome.place or outcome.message.partition(" ")[0]
                alike.setdefault((outcome.kind, place), []).append(outcome)
        for outcomes in sorted(alike.values(), key=len, reverse=True)[:SHOWN]:
            print(f"{len(outcomes)} × {outcomes[0]}")


if __name__ == "__main__":
    main()
