"""The search finds exactly the front that brute force finds, under every setting of its settings."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.solver import search_driver
from p2ce.engine.solver.branch_and_bound import Settings, make_settings, solve
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problems, ruled_problems

# What may differ from the usual settings: small boxes, few listed supports, no bounds.
VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "tiny boxes": {"dense_cells": 3},
    "no dense boxes": {"dense_cells": 0},
    "pairs listed": {"listed": 2},
    "singles listed": {"listed": 1, "dense_cells": 10},
    "nothing listed": {"listed": 0},
    "nothing listed, tiny boxes": {"listed": 0, "dense_cells": 7},
    "nothing listed, no dense boxes": {"listed": 0, "dense_cells": 0},
    "no bounds at all": {"bounds": False},
    "no bounds, tiny boxes": {"bounds": False, "dense_cells": 4},
    "no bounds, nothing listed": {"bounds": False, "listed": 0, "dense_cells": 2},
}
KINDS = {"numbers": problems, "rules and missing values": ruled_problems}
LIMITS = st.one_of(st.none(), st.integers(1, 6))


def settings_from(variant: str, *, max_changes: int | None, ties: bool) -> Settings:
    settings = make_settings(max_changes=max_changes, keep_ties=ties, use_bounds=True)
    changed = settings._replace(**VARIANTS[variant])
    return changed._replace(listed=min(changed.listed, changed.max_changes))


def assert_exact(problem: Problem, settings: Settings, excluded: list[list[list[int]]]) -> list[np.ndarray]:
    """Search for everyone and compare with brute force; give the fronts."""
    found = solve(problem.layout, problem.with_excluded(excluded), settings)
    assert found.finished.all()
    assert (found.open_boxes == 0).all()
    fronts = []
    for person, mine in enumerate(excluded):
        expected = problem.true_front(
            person, max_changes=settings.max_changes, keep_ties=settings.keep_ties, excluded=mine
        )
        got = problem.front_of(found, person)
        np.testing.assert_array_equal(got, expected)
        fronts.append(got)
    return fronts


def where_they_stand(problem: Problem) -> list[list[list[int]]]:
    """Ban everyone's own cell, as is done for people who may be accepted already."""
    return [[cell] for cell in problem.placement.position.tolist()]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", KINDS)
@examples(16)
@given(
    data=st.data(),
    max_changes=LIMITS,
    ties=st.booleans(),
    slice_of_work=st.sampled_from([0, 60, 500, 10**9]),
)
def test_front_equals_brute_force_wherever_the_search_pauses_and_after_cells_are_rejected(
    kind: str, variant: str, data: st.DataObject, max_changes: int | None, ties: bool, slice_of_work: int
) -> None:
    problem = data.draw(KINDS[kind])
    settings = settings_from(variant, max_changes=max_changes, ties=ties)
    excluded = where_they_stand(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_driver, "LONG_SLICE", slice_of_work)
        for _ in range(3):
            fronts = assert_exact(problem, settings, excluded)
            excluded = [[*mine, *front[::2].tolist()] for mine, front in zip(excluded, fronts, strict=True)]
