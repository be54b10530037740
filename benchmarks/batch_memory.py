"""Report the memory that a batch of people needs: ``python -m benchmarks.batch_memory <case file>``."""

import json
import sys

import joblib

from benchmarks.cases import Case, explainer
from benchmarks.memory import kilobytes


def main(path: str) -> None:
    """Load the case, explain all people at once, print the figures as JSON."""
    case: Case = joblib.load(path)
    case.scores(case.people.to_numpy(float))
    loaded = kilobytes("VmRSS")
    ours = explainer(case)
    ours.warm_up()
    ready = kilobytes("VmRSS")
    explanations = list(ours.explain_many(case.people, n_jobs=1, progress=False))
    peak = kilobytes("VmHWM")
    print(
        json.dumps(
            {
                "people at once": len(explanations),
                "cells, most": max(e.certificate.cells for e in explanations if e.certificate),
                "MB of the loaded model": loaded / 1024,
                "MB above it, ready": (ready - loaded) / 1024,
                "MB above it, peak": (peak - loaded) / 1024,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
