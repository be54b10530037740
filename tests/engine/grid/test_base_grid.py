"""Does the grid hold the axes that may change, whatever the order of the columns?"""

import numpy as np
import pandas as pd
import pytest

from p2ce.engine.grid import BaseGrid, grid_of
from p2ce.engine.grid.base_grid import OneWay
from p2ce.engine.grid.grouped_axis import Chain
from p2ce.errors import InvalidPolicy
from p2ce.policy import Policy

PEOPLE = pd.DataFrame({"Loan": np.arange(0, 5000, 50), "Age": np.arange(100), "Owns": [0, 1] * 50})


def test_axes_are_the_changeable_features_by_name() -> None:
    policy = Policy.infer(PEOPLE, protect=None).fix("Age").decrease_only("Loan")
    grid = grid_of(policy)
    assert grid.names == ("Loan", "Owns")
    assert grid.columns.tolist() == [0, 2]
    assert grid.direction.tolist() == [-1, 0]
    assert grid.axis_count == 2
    assert grid.width == len(policy["Loan"].candidates()) + 1
    for name, axis in zip(grid.names, grid.values, strict=True):
        np.testing.assert_array_equal(axis, policy[name].candidates())


def test_column_order_changes_only_the_columns() -> None:
    here, there = (
        grid_of(Policy.infer(frame, protect=None)) for frame in (PEOPLE, PEOPLE[["Owns", "Age", "Loan"]])
    )
    assert here.names == there.names == ("Age", "Loan", "Owns")
    assert there.columns.tolist() == [1, 2, 0]
    assert all(np.array_equal(a, b) for a, b in zip(here.values, there.values, strict=True))


def test_the_models_own_order_can_be_given() -> None:
    assert grid_of(Policy.infer(PEOPLE, protect=None), columns=["Owns", "Loan", "Age"]).columns.tolist() == [
        2,
        1,
        0,
    ]
    with pytest.raises(InvalidPolicy, match="'Loan' may change, but it is not a column of the model"):
        grid_of(Policy.infer(PEOPLE, protect=None), columns=["Owns", "Age"])


@pytest.mark.parametrize("bad", [[], [np.nan], [1.0, np.inf]])
def test_an_axis_needs_finite_candidates(bad: list[float]) -> None:
    with pytest.raises(InvalidPolicy, match="Axis 'a' needs at least one candidate"):
        BaseGrid.from_candidates({"a": bad}, columns=["a"])


def test_a_chain_has_its_levels_whatever_candidates_its_driver_has_for_one_direction() -> None:
    people = pd.DataFrame({"years": [0, 1, 2, 3], "age": [20, 30, 40, 50]})
    chain = Chain(name="years", members=np.array([0, 1]), drivers=1, counted=np.array([True, False]))
    one_way = {"years": OneWay(up=np.array([1.0, 2.0]), down=np.array([3.0]))}
    grid = grid_of(Policy.infer(people, protect=None), chains={chain: 5}, one_way=one_way)
    assert (grid.names, grid.columns.tolist()) == (("years",), [2])
    assert grid.values[0].tolist() == grid.up[0].tolist() == grid.down[0].tolist() == [0, 1, 2, 3, 4]
