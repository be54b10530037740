"""A limit of work leaves a person unfinished at the same point, alone and in a batch, and claims nothing."""

from typing import Any

import numpy as np
import pytest

import p2ce
from p2ce.explain.explain_batch import answer_people
from p2ce.solver.waves import CELL_WORK
from tests.explain.test_evaluation_budget import refused, wavy
from tests.populations import loans

# A compiled search, a black-box model, and a black-box model under an estimate that prunes.
ASKED: dict[str, dict[str, Any]] = {
    "compiled": {"max_changes": None},
    "black box": {"max_changes": 3, "bound": "none"},
    "estimated": {"max_changes": 2, "bound": p2ce.ShapEstimate(people=20, background=3, rows=1)},
}


def explainer(kind: str) -> p2ce.Explainer:
    if kind == "compiled":
        return loans.explainer(**ASKED[kind])
    return p2ce.Explainer(wavy, loans.people(), plausibility=None, threshold=0.9, **ASKED[kind])


@pytest.mark.parametrize("kind", ASKED)
def test_who_exceeds_it_is_unfinished_alone_and_in_a_batch(kind: str) -> None:
    asking = explainer(kind)
    problem = asking._made_ready(asking._problem)
    people = loans.refused() if kind == "compiled" else refused(0.9)
    values = problem.codebook.encode(people.iloc[:8])
    whole = answer_people(problem, values)
    assert whole.finished.all()
    statuses = set()
    for share in (0.2, 0.6):
        most = int(np.quantile(whole.work, share))
        together = answer_people(problem, values, most_work=most)
        statuses |= set(together.finished.tolist())
        for person in range(len(values)):
            alone = answer_people(problem, values[[person]], most_work=most)
            assert alone.finished[0] == together.finished[person]
            assert alone.work[0] == together.work[person]
            mine = slice(together.first[person], together.first[person + 1])
            np.testing.assert_array_equal(alone.after, together.after[mine])
            np.testing.assert_array_equal(alone.open_costs[0], together.open_costs[person])
            if together.finished[person]:
                truth = slice(whole.first[person], whole.first[person + 1])
                np.testing.assert_array_equal(alone.after, whole.after[truth])
            else:
                assert together.work[person] > most
                assert together.open_boxes[person] >= 1
    assert statuses == {True, False}


def test_an_evaluation_of_a_black_box_counts_as_a_thousand_units() -> None:
    asking = explainer("black box")
    problem = asking._made_ready(asking._problem)
    answers = answer_people(problem, problem.codebook.encode(refused(0.9).iloc[:8]), most_work=50 * CELL_WORK)
    assert not answers.finished.all()
    assert (answers.work[~answers.finished] > 50 * CELL_WORK).all()
