"""A model contradicts its scores if it decides what they prove otherwise, or reports another value."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.base.arrays import FloatArray
from p2ce.compile.batch import place_and_price
from p2ce.compile.lay_out import with_models
from p2ce.explainer import problems_of
from p2ce.run.verify.verify_cells import verify_cells

ROWS = pd.DataFrame({"a": np.arange(10.0)})
TREE = DecisionTreeClassifier(random_state=0).fit(ROWS, ROWS["a"] >= 5)


def contradicted(evaluate: Callable[[pd.DataFrame], FloatArray], **of_scores: object) -> list[bool]:
    """Verify the grid cells of all rows as they are today, by another model than the one that was parsed."""
    problem = problems_of(p2ce.Explainer(TREE, ROWS, target=True, plausibility=None)).own
    problem = with_models(
        problem,
        [replace(problem.model, evaluate=evaluate, **of_scores)],
        codebook=problem.codebook,
        detector=None,
        nullable=problem.nullable,
    )
    batch = place_and_price(problem, problem.codebook.encode(ROWS))
    instance = np.arange(len(ROWS))
    found = verify_cells(
        batch, instance, batch.placement.position, recorded={}, with_instances=False, until=None
    )
    return list(found.contradicted)


def truth(frame: pd.DataFrame) -> FloatArray:
    return np.where(frame["a"] >= 5, 1.0, 0.0)


@pytest.mark.parametrize("wrong", [[2], [7], [0, 9], []])
def test_a_decision_or_a_value_that_the_scores_do_not_have_contradicts_them(wrong: list[int]) -> None:
    expected = [row in wrong for row in range(len(ROWS))]
    lies = np.array(expected)

    def decides_otherwise(frame: pd.DataFrame) -> FloatArray:
        known = lies[frame["a"].to_numpy().astype(int)]
        return np.where(known, 1.0 - truth(frame), truth(frame))

    def reports_otherwise(frame: pd.DataFrame) -> FloatArray:
        known = lies[frame["a"].to_numpy().astype(int)]
        return np.where(known, np.abs(truth(frame) - 1e-3), truth(frame))

    assert contradicted(decides_otherwise, report=None) == expected  # values are not compared
    assert contradicted(reports_otherwise) == expected
