"""Report the memory that questions of a million cells need: ``python -m benchmarks.memory <case file>``."""

import json
import sys
from itertools import combinations
from math import prod
from pathlib import Path

import joblib

from benchmarks.cases import Case, explainer, paper_actions

CELLS = 1_000_000


def kilobytes(field: str) -> int:
    """Read ``VmRSS`` (memory held now) or ``VmHWM`` (the most ever held) of this process."""
    # Not resource.getrusage: its peak also counts the parent that started this process.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1])
    raise SystemExit(f"This system does not report {field}; the memory section needs Linux.")


def changes_for(counts: list[int], cells: int) -> int:
    """The fewest changes with which at least ``cells`` cells are in reach."""
    reach = 0
    for size in range(1, len(counts) + 1):
        reach += sum(map(prod, combinations(counts, size)))
        if reach >= cells:
            return size
    raise SystemExit(f"This grid has only {reach:,} cells, {cells:,} were requested.")


def main(path: str) -> None:
    """Load the case, explain every person in turn, print the figures as JSON."""
    case: Case = joblib.load(path)
    case.model.predict_proba(case.people)
    loaded = kilobytes("VmRSS")

    free = [feature for feature in paper_actions(case.data).features if not feature.fixed]
    # One less each: the current value is usually a candidate as well.
    counts = [len(feature.candidates()) - 1 for feature in free]
    max_changes = changes_for(counts, CELLS)
    ours = explainer(case, max_changes=max_changes)
    ours.warm_up()
    ready = kilobytes("VmRSS")
    explanations = [ours.explain(row) for _, row in case.people.iterrows()]
    peak = kilobytes("VmHWM")
    print(
        json.dumps(
            {
                "max_changes": max_changes,
                "cells, most": max(e.certificate.cells for e in explanations if e.certificate),
                "MB of the loaded model": loaded / 1024,
                "MB above it, ready": (ready - loaded) / 1024,
                "MB above it, peak": (peak - loaded) / 1024,
                "MB of the search alone": (peak - ready) / 1024,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
