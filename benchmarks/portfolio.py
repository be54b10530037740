"""Explain a million people to Parquet, as the command line does: ``python -m benchmarks.portfolio``.

People are rows of German, Taiwan and Adult, drawn with replacement; every number is jittered. The model is
LightGBM, 100 trees of 31 leaves. Measured are the whole runs in separate processes, from the command to
the manifest, with all memory; how much faster two workers are than one; and an audit of 10⁵ people.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

import p2ce
from benchmarks.cases import NAMES, SEED, load, require

ROW_GROUP = 4096
STEPS = ("read", "explain", "tables", "write")  # of a worker; the search is a part of explaining
JITTER = 0.02  # of a standard deviation
MOST_MINUTES = {"german": 8.0, "taiwan": 8.0, "adult": 4.0}  # for a million people on two cores
MOST_GB = 1.5  # of each process
LEAST_SPEEDUP = 1.8  # of two workers compared with one
MOST_PARENT = 0.05  # of all CPU time
MOST_AUDIT_SECONDS = 10.0
AUDITED = 100_000


def jittered(people: pd.DataFrame, count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw people with replacement and move each number a little, within its range; yes/no columns stay."""
    drawn = people.iloc[rng.integers(0, len(people), count)].reset_index(drop=True)
    for name in drawn.columns:
        column = people[name]
        if column.nunique() <= 2:
            continue
        noise = rng.normal(0.0, JITTER * float(column.std()), count)
        moved = np.clip(drawn[name] + noise, column.min(), column.max())
        # Sums of money that are mostly 0 stay 0: a refund of 3 cents is no one's.
        moved = np.where(drawn[name] == 0, 0, np.rint(moved))
        drawn[name] = moved.astype(column.to_numpy().dtype)
    return drawn


def write_people(path: Path, people: pd.DataFrame, count: int) -> None:
    """Write so many jittered people, one row group at a time, with an id and a group to audit."""
    rng = np.random.default_rng(SEED)
    writer = None
    for begin in range(0, count, ROW_GROUP):
        some = jittered(people, min(ROW_GROUP, count - begin), rng)
        some.insert(0, "id", np.arange(begin, begin + len(some)))
        some["branch"] = rng.choice(["north", "south", "east", "west"], len(some))
        some["channel"] = rng.choice(["online", "agent"], len(some))
        table = pa.Table.from_pandas(some, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=ROW_GROUP)
    assert writer is not None
    writer.close()


class Memory(threading.Thread):
    """Watch how much memory a process and its children hold, each by itself."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._watched = psutil.Process(process)
        self._ends = threading.Event()
        self.peak = 0.0  # bytes of the largest process

    def run(self) -> None:
        while not self._ends.wait(0.2):
            try:
                everyone = [self._watched, *self._watched.children(recursive=True)]
            except psutil.NoSuchProcess:
                return
            for one in everyone:
                try:
                    self.peak = max(self.peak, one.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue

    def end(self) -> float:
        """Stop, and give the gigabytes of the largest process."""
        self._ends.set()
        self.join()
        return self.peak / 1e9


def run(folder: Path, people: Path, out: str, workers: int) -> dict[str, Any]:
    """Run the command line on a file; give seconds, memory and what the run says of itself."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "p2ce", "portfolio", "run", "--no-progress"),
            *("--explainer", str(folder / "explainer.p2ce"), "--model", str(folder / "model.txt")),
            *("--data", str(people), "--out", str(folder / out), "--jobs", str(workers)),
            *("--id-column", "id", "--keep", "branch", "--keep", "channel"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    memory = Memory(process.pid)
    memory.start()
    said, _ = process.communicate()
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise SystemExit(f"The run ended with exit code {process.returncode}: {said}")
    results = p2ce.portfolio.PortfolioResults(folder / out)
    timings = json.loads((folder / out / "timings.json").read_text())
    return {"seconds": seconds, "memory": memory.end(), "results": results, "timings": timings}


def measure(name: str, count: int, few: int) -> dict[str, tuple[str, bool | None]]:
    """Measure one data set: figures as text, and whether they reach their bar."""
    data = load(name)
    model = lightgbm.LGBMClassifier(
        n_estimators=100, num_leaves=31, n_jobs=1, verbose=-1, random_state=SEED
    ).fit(data.train, data.outcome)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        policy = p2ce.Policy.infer(data.train, protect=None, special_values=None).fix(*data.immutable)
        p2ce.Explainer(model, data.train, policy=policy, target=1).save(folder / "explainer.p2ce")
        model.booster_.save_model(folder / "model.txt")
        write_people(folder / "few.parquet", data.test, few)
        write_people(folder / "people.parquet", data.test, count)
        one, two = (run(folder, folder / "few.parquet", f"few-{n}", n) for n in (1, 2))
        whole = run(folder, folder / "people.parquet", "results", 2)
        begin = time.perf_counter()
        audited = few >= AUDITED
        if audited:
            p2ce.audit(folder / "few-2", groups=["branch", "channel"])
        audit_seconds = time.perf_counter() - begin
        shards = whole["timings"]["shards"]
        steps = {step: sum(shard[step] for shard in shards) for step in (*STEPS, "search")}
        working = sum(steps[step] for step in STEPS)
        outside = 1 - steps["search"] / working
        parent = whole["timings"]["parent"] / (whole["timings"]["parent"] + working)
        minutes, bar = whole["seconds"] / 60, MOST_MINUTES[name] * count / 1e6
        # Starting takes its seconds once, whoever works.
        speedup = one["timings"]["explaining"] / two["timings"]["explaining"]
        size = sum(file.stat().st_size for file in (folder / "results").rglob("*.parquet"))
        return {
            "people": (f"{count:,}", None),
            "rejected": (f"{_rejected(whole['results']):,}", None),
            "options": (f"{whole['results'].manifest.options:,}", None),
            "minutes": (f"{minutes:.2f} (bar {bar:.2f})", minutes <= bar),
            "people per second and core": (f"{count / whole['seconds'] / 2:,.0f}", None),
            "outside the search": (f"{outside:.0%}", None),
            "largest process, GB": (f"{whole['memory']:.2f}", whole["memory"] <= MOST_GB),
            f"two workers compared with one, {few:,}": (f"{speedup:.2f}", speedup >= LEAST_SPEEDUP),
            "parent's share of the work": (f"{parent:.1%}", parent <= MOST_PARENT),
            "Parquet, MB": (f"{size / 1e6:,.0f}", None),
            f"audit of {few:,}, seconds": (
                f"{audit_seconds:.1f}" if audited else "–",
                audit_seconds <= MOST_AUDIT_SECONDS if audited else None,
            ),
        }


def _rejected(results: Any) -> int:
    accepted = results.manifest.statuses.get("ACCEPTED", 0)
    return int(results.manifest.people - accepted)


def main() -> None:
    """Measure all data sets, print a table, and end with exit code 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=list(NAMES), help="german, taiwan, adult")
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--few", type=int, default=AUDITED, help="people for one worker compared with two")
    settings = parser.parse_args()
    require(settings.data)
    console = Console(width=110)
    measured = {}
    for name in settings.data:
        console.print(f"{name} …", style="dim")
        measured[name] = measure(name, settings.people, settings.few)
    table = Table("", *measured)
    for row in next(iter(measured.values())):
        cells = [measured[name][row] for name in measured]
        table.add_row(row, *(text if held is not False else f"[red]{text}[/]" for text, held in cells))
    console.print(table)
    missed = [
        f"{name}: {row}"
        for name, rows in measured.items()
        for row, (_, held) in rows.items()
        if held is False
    ]
    if missed:
        raise SystemExit("Missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
