"""Models whose scores do not repeat: options hold in every later call, and what is too close is undecided."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import p2ce
from p2ce import Status
from p2ce.errors import InvalidArgument, InvalidOutput
from tests.oracle import brute_force_front, reported_quanta
from tests.properties.amount import examples
from tests.run.test_budgets import NAMES, Service, people, rejected

HALF = 0.5
POLICY = {
    "income": list(range(1000, 6000, 250)),
    "debts": [0, 1, 2, 3, 4, 5],
    "years": list(range(12)),
    "rate": [2.0, 4.0, 6.0, 8.0],
}


class Drifting:
    """A model whose score of a row depends on its place in the batch, on its batch, and on earlier calls.

    Two scores of a row differ by at most ``noise``.
    """

    def __init__(self, noise: float) -> None:
        self.noise, self.calls = noise, 0

    @staticmethod
    def exact(rows: pd.DataFrame) -> np.ndarray:
        return 0.02 + 0.96 * Service.score(rows)

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        phase = 12.9898 * np.arange(len(rows)) + 78.233 * len(rows) + 3.7 * self.calls
        return self.exact(rows) + 0.5 * self.noise * np.sin(phase)


def explainer_of(model: Any, **arguments: Any) -> p2ce.Explainer:
    policy = p2ce.Policy.infer(people(), protect=None).candidates(POLICY)
    given = {"plausibility": None, "bound": None, "target": 1, "at_least": HALF, "policy": policy} | arguments
    return p2ce.Explainer(model, people(), **given)


@examples(40)
@given(
    noise=st.sampled_from([1e-4, 3e-3, 0.02, 0.1]),
    person=st.integers(0, 11),
    changes=st.integers(1, 3),
    earlier=st.integers(0, 1000),
    rows=st.none() | st.integers(20, 400),
)
def test_options_hold_in_every_call_and_nothing_sure_is_missing(
    noise: float, person: int, changes: int, earlier: int, rows: int | None
) -> None:
    model = Drifting(noise)
    explainer = explainer_of(model, max_changes=changes, score_tolerance=noise)
    model.calls = earlier
    row = rejected(12).iloc[person]
    found = explainer.explain(row, max_rows=rows)
    if found.status is Status.ACCEPTED:
        assert model.exact(row.to_frame().T)[0] >= HALF + 0.5 * noise
        return
    for option in found:
        assert option.score >= HALF + noise
        # So every call accepts it: no score differs from the exact one by more than half of the noise.
        assert model.exact(pd.DataFrame([option.values]))[0] - 0.5 * noise >= HALF
    if found.status is Status.TIME_LIMIT:
        assert rows is not None
        return
    assert found.status in (Status.OPTIMAL, Status.NO_RECOURSE)
    assert found.certificate.score_tolerance == noise

    def front(least: float, below: float = np.inf) -> Any:
        return brute_force_front(
            row,
            people(),
            explainer.policy,
            accepts=lambda cells: (model.exact(cells) >= least) & (model.exact(cells) < below),
            max_changes=changes,
            objectives=found.objectives,
        )

    costs = reported_quanta(found)
    for sure in front(HALF + 1.5 * noise + 1e-9).costs:  # accepted in any call, with the tolerance
        assert any(all(mine <= theirs for mine, theirs in zip(cost, sure, strict=True)) for cost in costs)
    # Whatever could be accepted, and is cheaper than all options, is counted as undecided.
    possible = front(HALF - 0.5 * noise + 1e-9, HALF + 0.5 * noise - 1e-9).costs
    cheaper = [
        cost
        for cost in possible
        if not any(all(mine <= theirs for mine, theirs in zip(one, cost, strict=True)) for one in costs)
    ]
    assert len(cheaper) <= found.certificate.undecided


def test_scores_that_do_not_repeat_are_an_error_that_names_the_tolerance() -> None:
    with pytest.raises(InvalidOutput, match=r"called twice .* score_tolerance=0\.0[0-9]+\."):
        explainer_of(Drifting(0.01))
    with pytest.raises(InvalidOutput, match=r"score_tolerance=.* instead of 0\.0001"):
        explainer_of(Drifting(0.01), score_tolerance=1e-4)


def test_scores_that_depend_on_the_batch_only_are_allowed_too() -> None:
    """As those of tabular foundation models: the same batch gives the same scores."""

    def model(rows: pd.DataFrame) -> np.ndarray:
        return Drifting.exact(rows) + 1e-3 * np.sin(len(rows) + np.arange(len(rows)))

    with pytest.raises(InvalidOutput, match=r"other rows are in its batch.* score_tolerance="):
        explainer_of(model)
    explainer = explainer_of(model, score_tolerance=2e-3)
    found = explainer.explain(rejected(1).iloc[0])
    assert found.status is Status.OPTIMAL
    assert all(option.score >= HALF + 2e-3 for option in found)
    assert "may score the same values differently" in found.to_text(audience="auditor")


def test_a_model_that_varies_by_more_than_stated_is_noticed() -> None:
    model = Drifting(0.01)
    explainer = explainer_of(model, score_tolerance=0.01)
    model.noise = 0.3
    found = explainer.explain_many(rejected(6))
    assert any("pass a score_tolerance= above 0.01" in (one.message or "") for one in found)


def test_a_saved_explainer_keeps_the_tolerance(tmp_path: Path) -> None:
    model = Drifting(0.01)
    explainer = explainer_of(model, score_tolerance=0.01)
    explainer.save(tmp_path / "drifting.p2ce")
    again = p2ce.Explainer.load(tmp_path / "drifting.p2ce", model)
    found = again.explain(rejected(1).iloc[0])
    assert found.certificate.score_tolerance == 0.01
    assert again.problem.settings["score_tolerance"] == 0.01
    assert again.evaluate(rejected(1).iloc[0], found[0], explanation=found).score >= HALF
    with pytest.raises(InvalidArgument, match="whose scores repeat"):
        p2ce.evidence.save(found, tmp_path / "evidence.zip", explainer=again)


def test_a_tolerance_is_for_black_boxes_with_a_threshold() -> None:
    rows = people()
    model = LogisticRegression(max_iter=5000).fit(rows[NAMES], Service.score(rows) > HALF)
    with pytest.raises(InvalidArgument, match="supported natively"):
        explainer_of(model, target=True, score_tolerance=0.01)
    for wrong in (-0.1, "0.1", True, np.nan, np.inf):
        with pytest.raises(InvalidArgument, match="score_tolerance must be a number"):
            explainer_of(Drifting(0.01), score_tolerance=wrong)

    def three(frame: pd.DataFrame) -> np.ndarray:
        score = Service.score(frame)
        return np.column_stack([1.0 - score, 0.4 * score, 0.6 * score])

    with pytest.raises(InvalidArgument, match=r"score_tolerance=0\.01 has no scale"):
        explainer_of(three, target=2, at_least=None, score_tolerance=0.01)
