"""A few options stand for a front: fewest changes, best in each objective, balanced, then most different."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.comparing import quanta
from p2ce.errors import InvalidArgument
from p2ce.result import Counterfactual, Explanation, Status
from p2ce.result.picks import BALANCED, DIFFERENT, ONLY, scaled_costs, strengths

OBJECTIVES = ("mean_distance", "changes", "regret")


def front(costs: list[tuple[float, ...]]) -> Explanation:
    return Explanation(
        status=Status.OPTIMAL,
        person={"Age": 41},
        at_least=0.5,
        target=1,
        objectives=OBJECTIVES[: len(costs[0])] if costs else OBJECTIVES,
        dtypes={"Age": "int64"},
        counterfactuals=tuple(
            Counterfactual(
                values={"Age": 41}, changes={}, costs=dict(zip(OBJECTIVES, one, strict=False)), score=0.6
            )
            for one in costs
        ),
    )


fronts = st.lists(
    st.tuples(st.floats(0, 9), st.integers(1, 3).map(float), st.floats(0, 9)), min_size=1, max_size=30
).map(front)


@given(fronts, st.integers(1, 12))
def test_picks_are_options_of_the_front_in_its_order_each_with_a_reason(
    explanation: Explanation, count: int
) -> None:
    picks = explanation.pick(count)
    numbers = [pick.number for pick in picks]
    assert len(picks) == min(count, len(explanation))
    assert numbers == sorted(set(numbers))
    for pick in picks:
        assert explanation[pick.number - 1] is pick.counterfactual
        assert pick.reasons
        assert pick.why


@given(fronts, st.integers(1, 12))
def test_no_pick_of_a_part_is_called_the_best_unless_it_is(explanation: Explanation, count: int) -> None:
    chosen = tuple(one.counterfactual for one in explanation.pick(count))
    if len(chosen) == len(explanation):
        return
    part = replace(explanation, counterfactuals=chosen, unlisted=len(explanation) - len(chosen))
    fewest = min(option.costs["changes"] for option in explanation)
    for pick in (*part.pick(3), *part.pick(len(part), weights={"changes": 1})):
        assert set(pick.reasons) <= {"changes", DIFFERENT, "weights"}
        assert "changes" not in pick.reasons or pick.counterfactual.costs["changes"] == fewest


@given(fronts, st.integers(1, 12))
def test_more_picks_keep_those_of_fewer(explanation: Explanation, count: int) -> None:
    fewer = {pick.number for pick in explanation.pick(count)}
    assert fewer <= {pick.number for pick in explanation.pick(count + 1)}


@given(fronts)
def test_reasons_are_true(explanation: Explanation) -> None:
    scaled = scaled_costs(explanation)
    far, worst = np.linalg.norm(scaled, axis=1), (scaled >= 1.0).any(axis=1)
    for pick in explanation.pick(len(explanation)):
        mine = pick.counterfactual.costs
        for reason in pick.reasons:
            if reason in OBJECTIVES:
                costs = np.array([mine[reason], *(option.costs[reason] for option in explanation)])
                assert quanta(costs)[0] == quanta(costs).min()
        if BALANCED in pick.reasons:
            assert not worst[pick.number - 1]
            assert far[pick.number - 1] == far[~worst].min()
        assert (ONLY in pick.reasons) == (len(explanation) == 1)


@given(fronts)
def test_with_room_for_all_objectives_each_has_its_best_option(explanation: Explanation) -> None:
    picked = explanation.pick(len(OBJECTIVES) + 1)
    for objective in OBJECTIVES:
        least = quanta(np.array([option.costs[objective] for option in explanation])).min()
        assert least in quanta(np.array([pick.counterfactual.costs[objective] for pick in picked]))


def test_three_of_a_front() -> None:
    explanation = front(
        [(0.1, 3.0, 5.0), (0.15, 2.0, 2.5), (0.5, 2.0, 1.0), (0.9, 1.0, 2.0), (0.2, 3.0, 2.9)]
    )
    picks = explanation.pick(4)
    assert [(pick.number, pick.why) for pick in picks] == [
        (1, "smallest change overall"),
        (2, "in between"),
        (3, "lowest regret"),
        (4, "fewest changes"),
    ]
    assert explanation.pick(5)[-1].reasons == (DIFFERENT,)
    assert explanation.pick(5)[-1].why == "different from the others"


@given(fronts, st.integers(1, 12))
def test_the_fewest_changes_are_always_among_the_picks(explanation: Explanation, count: int) -> None:
    fewest = min(option.costs["changes"] for option in explanation)
    assert any(pick.counterfactual.costs["changes"] == fewest for pick in explanation.pick(count))


def test_the_fewest_changes_need_not_be_an_objective() -> None:
    options = [
        Counterfactual(
            values={}, changes=dict.fromkeys(names, (0, 1)), costs={"mean_distance": cost}, score=1
        )
        for names, cost in (("ab", 0.1), ("abc", 0.2), ("a", 0.9), ("abd", 0.3))
    ]
    explanation = replace(front([]), objectives=("mean_distance",), counterfactuals=tuple(options))
    assert [(pick.number, pick.why) for pick in explanation.pick(1)] == [(3, "fewest changes")]
    assert [pick.number for pick in explanation.pick(2)] == [1, 3]


def test_one_option_and_none() -> None:
    assert front([(0.1, 1.0, 1.0)]).pick(3)[0].why == "the option found"
    assert front([]).pick(3) == ()


def test_a_strength_that_all_share_sets_none_apart() -> None:
    assert strengths(front([(0.1, 2.0), (0.2, 2.0)])) == [("mean_distance",), ()]


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "3", None])
def test_a_number_of_picks_that_is_none_is_rejected(count: object) -> None:
    with pytest.raises(InvalidArgument, match="whole number of options"):
        front([(0.1, 1.0)]).pick(count)  # type: ignore[arg-type]


@given(fronts, st.integers(1, 12), st.tuples(st.floats(0, 5), st.floats(0, 5), st.floats(0.1, 5)))
def test_with_weights_the_lowest_sums_are_picked_in_order(
    explanation: Explanation, count: int, weights: tuple[float, ...]
) -> None:
    given = dict(zip(explanation.objectives, weights, strict=True))
    picks = explanation.pick(count, weights=given)
    sums = [
        sum(weight * cost for weight, cost in zip(weights, costs, strict=True))
        for costs in scaled_costs(explanation).tolist()
    ]
    assert len(picks) == min(count, len(explanation))
    assert np.allclose([sums[one.number - 1] for one in picks], sorted(sums)[: len(picks)])
    assert all("low weighted sum" in one.why for one in picks)
    assert explanation.pick(count, weights={name: 7 * one for name, one in given.items()}) == picks


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({}, "a dict of objective"),
        ([1, 2], "a dict of objective"),
        ({"chnges": 1}, "Did you mean 'changes'"),
        ({"changes": -1}, "0 or more"),
        ({"changes": float("inf")}, "0 or more"),
        ({"changes": "much"}, "0 or more"),
        ({"changes": 0}, "all 0"),
    ],
)
def test_weights_that_do_not_fit_are_rejected(weights: object, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        front([(1.0, 2.0), (2.0, 1.0)]).pick(2, weights=weights)  # type: ignore[arg-type]
