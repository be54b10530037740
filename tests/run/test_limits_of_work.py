"""A limit of work leaves a person unfinished at the same point, alone and in a batch, and claims nothing."""

from typing import Any

import numpy as np
import pytest

import p2ce
from p2ce.explainer import problems_of
from p2ce.run.explain_batch import explain_batch
from p2ce.run.time_limits import LimitClock, SearchLimits
from p2ce.run.verified import Verified
from tests.populations import loans
from tests.run.estimation.test_evaluation_budget import rejected, wavy

# A compiled search, a black-box model, and a black-box model under an estimate that prunes.
SEARCHES: dict[str, dict[str, Any]] = {
    "compiled": {"max_changes": None},
    "black box": {"max_changes": 3, "bound": None},
    "estimated": {
        "max_changes": 2,
        "bound": p2ce.ShapEstimate(sample_size=20, background=3, rows_per_candidate=1),
    },
}


def explainer(kind: str) -> p2ce.Explainer:
    if kind == "compiled":
        return loans.explainer(**SEARCHES[kind])
    return p2ce.Explainer(wavy, loans.people(), plausibility=None, at_least=0.9, **SEARCHES[kind])


def rows_of(verified: Verified, person: int) -> np.ndarray:
    return verified.found.rows[verified.found.instance == person]


@pytest.mark.parametrize("kind", SEARCHES)
def test_who_exceeds_it_is_unfinished_alone_and_in_a_batch(kind: str) -> None:
    made = explainer(kind)
    problem = problems_of(made).prepared(problems_of(made).own, LimitClock(None))
    people = loans.rejected() if kind == "compiled" else rejected(0.9)
    values = problem.codebook.encode(people.iloc[:8])
    whole = explain_batch(problem, values, finest=False)
    assert whole.outcomes.finished.all()
    statuses = set()
    for share in (0.2, 0.6):
        most = int(np.quantile(whole.outcomes.work, share))
        together = explain_batch(problem, values, SearchLimits(work=most), finest=False)
        statuses |= set(together.outcomes.finished.tolist())
        for person in range(len(values)):
            alone = explain_batch(problem, values[[person]], SearchLimits(work=most), finest=False)
            mine, all_of_us = alone.outcomes, together.outcomes
            assert mine.finished[0] == all_of_us.finished[person]
            assert mine.work[0] == all_of_us.work[person]
            np.testing.assert_array_equal(alone.found.rows, rows_of(together, person))
            np.testing.assert_array_equal(mine.open_totals[0], all_of_us.open_totals[person])
            if all_of_us.finished[person]:
                np.testing.assert_array_equal(alone.found.rows, rows_of(whole, person))
            else:
                assert all_of_us.work[person] > most
                assert all_of_us.open_boxes[person] >= 1
    assert statuses == {True, False}
