"""Law: a tree of a table returns the entry of every stretch, at the ends and next to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.forest import leaves_reached
from p2ce.engine.scores.trees.step_tables import Stretches, tree_of_table
from p2ce.errors import UnsupportedModel
from tests.properties.amount import examples


def stretches(rng: np.random.Generator, entries: int) -> Stretches:
    ends = np.unique(rng.normal(size=int(rng.integers(0, 9))).round(1))
    return Stretches(ends, rng.integers(0, entries, len(ends) + 1))


@given(st.integers(0, 10**6), st.integers(1, 3))
@examples(60)
def test_a_tree_returns_the_entries_of_its_table(seed: int, dimensions: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 6, dimensions).tolist())
    table = rng.integers(0, 3, shape).astype(np.float64)  # few values, so that stretches are joined
    columns = rng.permutation(5)[:dimensions].tolist()
    axes = [stretches(rng, entries) for entries in shape]
    forest = assemble_forest([tree_of_table(columns, axes, table)])
    rows = rng.normal(size=(60, 5)).round(1)
    for column, (ends, _) in zip(columns, axes, strict=True):
        beside = np.concatenate([ends, np.nextafter(ends, np.inf), np.nextafter(ends, -np.inf), [-np.inf]])
        rows[:, column] = rng.choice(np.concatenate([beside, rows[:, column]]), len(rows))
    found = forest.value[leaves_reached(forest, rows)[:, 0]]
    wanted = table[tuple(axis.entries_of(rows[:, at]) for at, axis in zip(columns, axes, strict=True))]
    assert (found == wanted).all()


def test_stretches_with_the_same_entries_are_joined() -> None:
    table = np.repeat([1.0, 2.0], 8)
    tree = tree_of_table([0], [Stretches(np.arange(15.0), np.arange(16))], table)
    assert (tree.threshold[tree.left >= 0] == [7.0]).all()


def test_a_table_that_is_too_large_is_unsupported() -> None:
    wide = Stretches(np.arange(1999.0), np.arange(2000))
    with pytest.raises(UnsupportedModel, match="fewer bins"):
        tree_of_table([0, 1], [wide, wide], np.random.default_rng(0).normal(size=(2000, 2000)))
