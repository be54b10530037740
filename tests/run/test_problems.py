"""What a call overrides is compiled and calibrated once, and gives what a new explainer gives."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Policy
from p2ce.explainer import problems_of
from p2ce.run.problems import MOST_PROBLEMS
from tests.populations import loans
from tests.populations.loans import PERSON

FREE = Policy.infer(loans.people(), protect=None).step(Income=5, Debt=1)


class Counted:
    """A function that counts the rows for which it is called."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.rows += len(frame)
        points = frame["Income"] / 12 - frame["Debt"] + frame["Owns"] * 1.5 - frame["Rate"]
        return 1 / (1 + np.exp(4.0 - points.to_numpy(dtype=float)))

    def since(self, call: Any, *args: Any, **given: Any) -> tuple[Any, int]:
        """Return the result of a call, and the rows that were evaluated meanwhile."""
        before = self.rows
        result = call(*args, **given)
        return result, self.rows - before


def made(model: Any, **given: Any) -> p2ce.Explainer:
    settings = {
        "policy": FREE,
        "plausibility": None,
        "max_changes": 2,
        "bound": p2ce.ShapEstimate(sample_size=8),
    }
    return p2ce.Explainer(model, loans.people(), **{**settings, **given})


def untimed(found: p2ce.Explanation, *, problem: bool = True) -> str:
    """Return an explanation as text, without the seconds that it took."""
    return json.dumps({**found.to_dict(problem=problem), "elapsed": 0, "timings": {}})


def narrow() -> Policy:
    return FREE.fix("Rate").within(Income=(10, 60))


OVERRIDES = {
    "policy": lambda: {"policy": narrow()},
    "max_changes": lambda: {"max_changes": 1},
    "objectives": lambda: {"objectives": ["changes", "euclidean"]},
    "all": lambda: {"policy": narrow(), "max_changes": 1, "objectives": ["changes", "euclidean"]},
}


@pytest.mark.parametrize("which", OVERRIDES)
def test_a_second_call_costs_no_calibration(which: str) -> None:
    model = Counted()
    explainer = made(model)
    own, _ = model.since(explainer.explain, PERSON)
    given = OVERRIDES[which]()
    first, cost = model.since(explainer.explain, PERSON, **given)
    again, cost_again = model.since(explainer.explain, PERSON, **given)
    equal, cost_of_equal = model.since(explainer.explain, PERSON, **OVERRIDES[which]())
    assert cost > 4 * cost_again > 0  # most of the first call is calibration
    assert cost_of_equal == cost_again
    fresh = made(Counted(), **given).explain(PERSON)
    for found in (first, again, equal):
        assert found == fresh
        assert untimed(found) == untimed(first)
    assert untimed(first, problem=False) == untimed(fresh, problem=False)
    assert explainer.explain(PERSON) == own


def test_many_rows_and_one_row_share_what_is_calibrated() -> None:
    model = Counted()
    explainer = made(model)
    one, cost = model.since(explainer.explain, PERSON, policy=narrow())
    many, cost_of_many = model.since(explainer.explain_many, pd.DataFrame([PERSON]), policy=narrow())
    assert list(many) == [one]
    assert cost_of_many < cost / 4


def test_threads_calibrate_once() -> None:
    policy, alone, shared = narrow(), Counted(), Counted()
    explainer = made(alone)
    one_by_one = [explainer.explain(PERSON, policy=policy) for _ in range(4)]
    explainer = made(shared)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: explainer.explain(PERSON, policy=policy), range(4)))
    assert found == one_by_one
    assert shared.rows == alone.rows
    (entry,) = problems_of(explainer).known.others
    assert entry.is_prepared


def test_the_problems_of_calls_are_few_and_the_newest() -> None:
    explainer = loans.explainer(max_changes=1)
    often = FREE.within(Income=(10, 30))
    for top in range(31, 31 + 2 * MOST_PROBLEMS):
        kept = problems_of(explainer).of_call(often)
        problems_of(explainer).of_call(FREE.within(Income=(10, top)))
    known = problems_of(explainer).known
    assert len(known.others) == MOST_PROBLEMS
    assert known.others[-2].problem is kept
    again = pickle.loads(pickle.dumps(explainer))
    assert not problems_of(again).known.others  # calibrated anew where they are needed
    assert len(problems_of(again).known.overrides) == len(known.overrides)
    assert again.explain(PERSON, policy=often) == explainer.explain(PERSON, policy=often)


def test_calls_that_share_a_part_of_what_they_override_are_not_mixed_up() -> None:
    """The same policy with other objectives, the same objectives with another policy, and other limits."""
    policies, objectives = (None, narrow()), (None, ["changes"], ["euclidean"])
    calls = [
        {"policy": policy, "objectives": wanted, "max_changes": limit}
        for limit in (1, 2)
        for policy in policies
        for wanted in objectives
    ]
    explainer = loans.explainer(max_changes=3, plausibility=None)
    fresh = [
        problems_of(
            loans.explainer(plausibility=None, **{name: one for name, one in call.items() if one})
        ).own
        for call in calls
    ]
    for call, wanted in [*zip(calls, fresh, strict=True), *zip(calls[::-1], fresh[::-1], strict=True)]:
        problem = problems_of(explainer).of_call(**call)
        assert problem.policy == wanted.policy
        assert problem.objective_names == wanted.objective_names
        assert problem.max_changes == wanted.max_changes
