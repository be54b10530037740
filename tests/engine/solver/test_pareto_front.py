"""Check the compiled front against a plain list of points."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from p2ce.engine.kernels.jit import entry
from p2ce.engine.solver.pareto_front import add_point, find_tied, is_dominated, new_front
from tests.properties.amount import examples


@entry
def offer(front, costs, steps, index, keep_ties):
    """Offer a point as the search does: 2 beaten, 1 taken or tied, 0 no room."""
    if is_dominated(front, costs):
        return 2
    return 1 if add_point(front, costs, steps, index, keep_ties) else 0


@entry
def tied_with(front, costs):
    return find_tied(front, costs)


offers = st.integers(1, 3).flatmap(
    lambda objectives: st.lists(
        st.tuples(
            st.lists(st.integers(0, 3), min_size=objectives, max_size=objectives),
            st.lists(st.integers(0, 2), min_size=2, max_size=2),
        ).map(lambda point: (point[0], sum(point[1]), point[1])),
        min_size=1,
        max_size=20,
    )
)


def expected_front(given_offers: list, keep_ties: bool) -> set:
    """Keep what no one beats; among equals all, or the one that comes first in the order of ties."""
    kept = set()
    for costs, steps, index in given_offers:
        beaten = any(
            all(a <= b for a, b in zip(other, costs, strict=True)) and other != costs
            for other, _, _ in given_offers
        )
        first = min((s, i) for c, s, i in given_offers if c == costs)
        if not beaten and (keep_ties or (steps, index) == first):
            kept.add((tuple(costs), tuple(index)) if keep_ties else (tuple(costs), steps, tuple(index)))
    return kept


@examples(150)
@given(given_offers=offers, keep_ties=st.booleans())
@example(given_offers=[([1], 1, [1, 0]), ([1], 1, [0, 1])], keep_ties=False)
@example(given_offers=[([1], 1, [0, 1]), ([1], 1, [1, 0])], keep_ties=False)
def test_the_front_is_what_a_plain_list_would_keep(given_offers: list, keep_ties: bool) -> None:
    objectives = len(given_offers[0][0])
    front = new_front(64, objectives, 2)
    for costs, steps, index in given_offers:
        outcome = offer(front, np.array(costs), steps, np.array(index, dtype=np.int32), keep_ties)
        assert outcome in (1, 2)
    count = int(front.used[0])
    found = set()
    for at in range(count):
        costs, index = tuple(front.costs[at, :objectives].tolist()), tuple(front.points[at].tolist())
        found.add((costs, index) if keep_ties else (costs, int(front.costs[at, objectives]), index))
    assert len(found) == count
    assert found == expected_front(given_offers, keep_ties)
    for at in range(count):
        assert tied_with(front, front.costs[at, :objectives].copy()) >= 0
    assert tied_with(front, np.full(objectives, 9)) == -1


def test_a_full_front_says_so_and_loses_nothing() -> None:
    front = new_front(2, 2, 2)
    index = np.zeros(2, dtype=np.int32)
    assert offer(front, np.array([0, 9]), 0, index, False) == 1
    assert offer(front, np.array([9, 0]), 0, index, False) == 1
    assert offer(front, np.array([5, 5]), 0, index, False) == 0
    assert front.costs[:2, :2].tolist() == [[0, 9], [9, 0]]
    # Something beaten needs no room.
    assert offer(front, np.array([9, 9]), 0, index, False) == 2
