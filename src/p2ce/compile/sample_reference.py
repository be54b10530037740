"""Evaluate some rows of the reference before a model is used: does it distinguish rows?"""

import logging
import time
from typing import NamedTuple

from p2ce.base.arrays import FloatArray, every_nth
from p2ce.compile.compiled_problem import ParsedProblem
from p2ce.compile.evaluate_rows import scoring_of

log = logging.getLogger("p2ce")

SAMPLED_ROWS = 256
TRIED_INSTANCES = 3  # rejected rows on which a search is tried, before an estimate is fitted


class SampledRows(NamedTuple):
    """Some rows of the reference, and the model's decisions about them."""

    rejected: FloatArray  # (at most `TRIED_INSTANCES`, d)
    accepted: FloatArray  # (at most `SAMPLED_ROWS`, d)
    row_seconds: float  # seconds to evaluate a row in a batch


def sample_rows(problem: ParsedProblem, rows: FloatArray) -> SampledRows:
    """Evaluate some rows of the reference.

    If the model makes the same decision for all of them, it probably receives the wrong inputs.
    """
    some = rows[every_nth(len(rows), SAMPLED_ROWS)]  # spread out, since a frame may be sorted
    begin = time.perf_counter()
    is_rejected = scoring_of(problem)(some) < problem.threshold
    seconds = (time.perf_counter() - begin) / len(some)
    rejected = some[is_rejected]
    if len(some) > 1 and len(rejected) in (0, len(some)):
        decides = "rejects" if len(rejected) else "accepts"
        log.warning(
            "The model %s all %d reference rows that were evaluated. If it was trained on scaled or encoded "
            "data, pass it together with that step (a Pipeline, a module that scales by itself).",
            decides,
            len(some),
        )
    return SampledRows(rejected[:TRIED_INSTANCES], some[~is_rejected], seconds)
