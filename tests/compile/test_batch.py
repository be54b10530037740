"""A batch keeps what is excluded of each instance, also of some of them."""

import numpy as np

from p2ce.compile.batch import place_and_price
from p2ce.explainer import problems_of
from p2ce.run.explain_batch import solve_batch
from p2ce.run.time_limits import LimitsLeft
from tests.populations import loans


def test_excluded_cells_are_on_no_front_and_others_take_their_place() -> None:
    problem = problems_of(loans.explainer()).own
    batch = place_and_price(problem, problem.codebook.encode(loans.rejected().iloc[:6]))
    everyone = np.arange(6)
    fronts = solve_batch(batch, everyone, LimitsLeft())
    owner = np.repeat(everyone, np.diff(fronts.first))
    assert len(owner) > 6
    first = np.unique(owner, return_index=True)[1]
    without = batch.excluding(owner[first], fronts.points[first], np.full(len(first), -1))
    again = solve_batch(without, everyone, LimitsLeft())
    excluded = {(int(owner[at]), tuple(fronts.points[at].tolist())) for at in first}
    found = set(
        zip(
            np.repeat(everyone, np.diff(again.first)).tolist(), map(tuple, again.points.tolist()), strict=True
        )
    )
    assert not excluded & found
    assert {
        (int(who), tuple(cell)) for who, cell in zip(owner, fronts.points.tolist(), strict=True)
    } - excluded <= found
    some = np.array([4, 1])
    part = solve_batch(without, some, LimitsLeft())
    for at, who in enumerate(some.tolist()):
        np.testing.assert_array_equal(
            part.points[part.first[at] : part.first[at + 1]],
            again.points[again.first[who] : again.first[who + 1]],
        )
