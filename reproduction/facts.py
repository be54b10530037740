"""Collect the facts of a run that its readers need: settings, commits, machine, versions."""

import os
import platform
from dataclasses import asdict
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from reproduction.run import Run
from reproduction.scoring import REFERENCE_POINT
from reproduction.store import commit_of

LIBRARIES = ("p2ce", "numpy", "numba", "scikit-learn", "lightgbm", "torch", "shap", "optuna", "moocore")


def facts_of(run: Run, *, quick: bool, command: str, left_out: list[str]) -> dict[str, Any]:
    """Return the facts that run.json stores and the page shows."""
    return {
        "settings": asdict(run.effort.first),
        "effort": asdict(run.effort),
        "authors": commit_of(run.authors) if run.authors else None,
        "quick": quick,
        "command": command,
        "left_out": left_out,
        "date": date.today().isoformat(),
        "commit": ", ".join(sorted(run.commits)),
        "machine": machine(),
        "versions": {name: _version(name) for name in LIBRARIES} | run.versions,
        "reference_point": REFERENCE_POINT,
    }


def own_commit() -> str:
    """Return the commit of this project's code."""
    return commit_of(Path(__file__).parents[1], "src", "benchmarks", "reproduction")


def machine() -> str:
    """Describe the processor and Python."""
    names = [platform.processor() or platform.machine()]
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        names += [
            line.split(":", 1)[1].strip() for line in cpus.read_text().splitlines() if "model name" in line
        ]
    count = os.cpu_count()
    if hasattr(os, "sched_getaffinity") and (usable := len(os.sched_getaffinity(0))) != count:
        cores = f"{count} cores, of which this run used {usable}"
    else:
        cores = f"{count} cores"
    return f"{names[-1]}, {cores}, one thread for all but OCEAN, Python {platform.python_version()}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
