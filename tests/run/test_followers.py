"""Does a feature that follows another one keep its own range, kind, step and values?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Policy, Status, rules
from p2ce.explainer import problems_of

PEOPLE = pd.DataFrame(
    {
        "income": np.repeat(np.arange(20, 40), 5),
        "accounts": np.tile(np.arange(10), 10),
        "share": np.tile([0.0, 0.25, 0.5, 0.75, 1.0], 20),
        "owns": np.tile([0.0, 1.0], 50),
    }
)
FREE = Policy.infer(PEOPLE).step(income=1)


def by_income(rows: pd.DataFrame) -> np.ndarray:
    """Prefer people of less income, and those with few accounts."""
    return -rows["income"].to_numpy(dtype=np.float64) - rows["accounts"].to_numpy(dtype=np.float64)


def explainer_of(policy: Policy, threshold: float) -> p2ce.Explainer:
    return p2ce.Explainer(
        by_income,
        PEOPLE,
        target=1,
        policy=policy,
        at_least=threshold,
        plausibility=None,
        objectives="changes",
    )


def person(**changed: Any) -> dict[str, Any]:
    return {"income": 30, "accounts": 0, "share": 0.5, "owns": 0.0, **changed}


def incomes(policy: Policy, row: dict[str, Any]) -> list[float]:
    """Return the incomes that the grid of one person offers."""
    explainer = explainer_of(policy, 0.0)
    values = problems_of(explainer).own.codebook.encode(pd.DataFrame([row]))[0]
    problem = problems_of(explainer).own
    (chain,), (levels,) = problem.chains, problem.levels_of(values[None, :])
    place = chain.members.tolist().index(problem.names.index("income"))
    return sorted(levels.values[0, : levels.count[0], place].tolist())


def test_a_count_is_never_advised_to_fall_below_zero() -> None:
    """Issue 13: advice '0 → −1' for a count whose printed range is 0–9."""
    explainer = explainer_of(FREE.fix("share", "owns").with_rules(rules.linked("income", "accounts")), -29.0)
    found = explainer.explain(person())
    assert found.status is Status.NO_RECOURSE
    # An inferred range forbids nothing, but the search does not lead there.
    judged = explainer.evaluate(person(), {"income": 29, "accounts": -1})
    assert judged.allowed
    assert not judged.on_grid
    (option,) = explainer.explain(person(accounts=1))
    assert (option.values["income"], option.values["accounts"]) == (29, 0)


@pytest.mark.parametrize(
    ("policy", "row", "expected"),
    [
        (FREE.with_rules(rules.linked("income", "accounts")), person(accounts=3), range(27, 37)),
        # Whoever stands outside today may stay there, and come back, but not go to another place outside.
        (FREE.with_rules(rules.linked("income", "accounts")), person(accounts=12), [*range(20, 28), 30]),
        (
            FREE.within(accounts=(2, 5)).with_rules(rules.linked("income", "accounts")),
            person(accounts=3),
            range(29, 33),
        ),
        (
            FREE.within(accounts=(-2, 5)).with_rules(rules.linked("income", "accounts")),
            person(),
            range(28, 36),
        ),
        (
            FREE.candidates(accounts=[1, 4, 9]).with_rules(rules.linked("income", "accounts")),
            person(),
            [30, 31, 34, 39],
        ),
        (FREE.step(accounts=3).with_rules(rules.linked("income", "accounts")), person(), [30, 33, 36, 39]),
        # Whole numbers stay whole although their column holds floats, and 0/1 stays 0/1.
        (FREE.with_rules(rules.linked("income", "owns", ratio=0.5)), person(), [30, 32]),
        (FREE.with_rules(rules.linked("income", "share", ratio=0.25)), person(), range(28, 33)),
    ],
    ids=["inferred range", "outside today", "narrower", "wider", "values", "step", "binary", "number"],
)
def test_a_drivers_value_that_pushes_a_follower_out_is_no_candidate(
    policy: Policy, row: dict[str, Any], expected: Any
) -> None:
    # The driver's own value of today is always there.
    assert set(incomes(policy, row)) | {30.0} == {float(one) for one in expected}


@pytest.mark.parametrize(
    "policy",
    [FREE.within(accounts=(0, 9)), FREE.candidates(accounts=list(range(10)))],
    ids=["range", "values"],
)
def test_a_check_agrees_about_what_was_said_of_a_follower(policy: Policy) -> None:
    linked = policy.fix("share", "owns").with_rules(rules.linked("income", "accounts"))
    explainer = explainer_of(linked, -29.0)
    assert explainer.explain(person()).status is Status.NO_RECOURSE
    judged = explainer.evaluate(person(), {"income": 29, "accounts": -1})
    assert not judged.allowed
    broken = judged.broken[0]
    assert (broken.restriction.kind, broken.restriction.feature) in (
        ("range", "accounts"),
        ("values", "accounts"),
    )
    assert (broken.before, broken.after) == (0, -1)


def test_a_follower_of_two_features_is_judged_by_their_sum() -> None:
    links = rules.linked("income", "accounts", ratio=-1), rules.linked("share", "accounts", ratio=4)
    explainer = explainer_of(FREE.fix("owns").with_rules(*links), -30.0)
    row = person(accounts=1)
    (option,) = explainer.explain(row)
    assert option.values["income"] + option.values["accounts"] <= 30
    assert option.values["accounts"] - 1 == 30 - option.values["income"] + 4 * (option.values["share"] - 0.5)
    assert explainer.evaluate(row, {"income": 29, "share": 0.25, "accounts": 1}).allowed
    judged = explainer.evaluate(row, {"income": 29, "share": 0.25, "accounts": 2})
    assert not judged.allowed
    (broken,) = judged.broken  # neither of the two links alone says where accounts go
    assert broken.restriction.rule == {
        "rule": "linked",
        "text": " + ".join(link.text() for link in links),
        "columns": ["income", "share", "accounts"],
    }
    assert "only by the sum of what these changes bring about: income and share" in str(judged)
