"""Whatever is required in addition never makes anything cheaper."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import p2ce
from tests.oracle import no_cheaper
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, numeric_problems

Arguments = dict[str, Any]


def _ends(case: StatedProblem, name: str, share: float) -> tuple[float, float]:
    known = case.policy[name].candidates()
    at = float(known[int(share * (len(known) - 1))])
    return (float(known[0]), at) if case.seed % 2 else (at, float(known[-1]))


# What is required, and what then holds of every option. A share from 0 to 1 says how much is required.
STRICTER: dict[str, tuple[Callable[..., Arguments], Callable[..., bool]]] = {
    "fixed": (
        lambda case, name, share: {"policy": case.policy.fix(name)},
        lambda case, name, share, option: name not in option.changes,
    ),
    "increases": (
        lambda case, name, share: {"policy": case.policy.increase_only(name)},
        lambda case, name, share, option: option.values[name] >= case.person[name],
    ),
    "decreases": (
        lambda case, name, share: {"policy": case.policy.decrease_only(name)},
        lambda case, name, share, option: option.values[name] <= case.person[name],
    ),
    "narrow range": (
        lambda case, name, share: {"policy": case.policy.within({name: _ends(case, name, share)})},
        lambda case, name, share, option: (
            name not in option.changes
            or _ends(case, name, share)[0] <= option.values[name] <= _ends(case, name, share)[1]
        ),
    ),
    "fewer changes": (
        lambda case, name, share: {"max_changes": 1 + int(2 * share)},
        lambda case, name, share, option: len(option.changes) <= 1 + int(2 * share),
    ),
    "plausible": (
        lambda case, name, share: {
            "plausibility": p2ce.PlausibilityForest(n_estimators=10, contamination=0.05 + 0.4 * share)
        },
        lambda case, name, share, option: (
            option.plausibility >= 0.0 or option.admitted_by == "as plausible as today"
        ),
    ),
    "higher threshold": (
        lambda case, name, share: {"at_least": 0.5 + 0.4 * share},
        lambda case, name, share, option: option.score >= 0.5 + 0.4 * share,
    ),
}


@pytest.mark.parametrize("kind", STRICTER)
@examples(12)
@given(case=numeric_problems(max_changes=st.none()), which=st.integers(0, 100), share=st.floats(0.0, 1.0))
def test_a_requirement_holds_and_makes_nothing_cheaper(
    kind: str, case: StatedProblem, which: int, share: float
) -> None:
    require, holds = STRICTER[kind]
    name = str(case.frame.columns[which % case.frame.shape[1]])
    before = case.explain()
    assume(before.status is not p2ce.Status.ACCEPTED)
    stricter = case.explain(**require(case, name, share))
    assert no_cheaper(stricter, before)
    assert before.status is not p2ce.Status.NO_RECOURSE or stricter.status is p2ce.Status.NO_RECOURSE
    assert all(holds(case, name, share, option) for option in stricter)
