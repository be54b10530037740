"""Check that trees and sums over inputs stay what they are when written over the table's columns."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.score import seen_as_given
from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.forest import leaves_reached
from p2ce.engine.scores.trees.tree_nodes import TreeNodes
from p2ce.models.preprocessing.input_maps import InputMap, LabelTable, input_maps_of
from p2ce.models.preprocessing.operations import (
    REJECT,
    Above,
    Arithmetic,
    Bins,
    Cast,
    Clip,
    Elementwise,
    FillMissing,
    FlagMissing,
    Lookup,
    ZeroIsMissing,
)
from p2ce.models.preprocessing.rewrite import (
    contributions,
    pieces_of,
    rank,
    reach_of_inputs,
    rewrite_forest,
    unrank,
)
from tests.properties.amount import examples

ROUND = st.integers(-8, 8).map(float)
PRECISION = st.sampled_from([np.dtype(np.float64), np.dtype(np.float32)])


def scaling(how, by):
    return Arithmetic(how, np.array([by]))


def lookup(keys, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([0.0, 1.0, 2.5, np.nan, REJECT], len(keys) + 2)
    return Lookup(np.array(sorted(keys)), values[:, None])


OPERATIONS = st.one_of(
    st.builds(scaling, st.sampled_from(["subtract", "add"]), st.floats(-9, 9)),
    st.builds(scaling, st.sampled_from(["multiply", "divide"]), st.floats(0.01, 9) | st.floats(-9, -0.01)),
    st.builds(Cast, PRECISION),
    st.builds(lambda low, wide: Clip(low, low + abs(wide)), ROUND, ROUND),
    st.builds(lambda value: FillMissing(np.array([value])), ROUND),
    st.builds(lambda value, marker: FillMissing(np.array([value]), marker), ROUND, ROUND),
    st.builds(FlagMissing, ROUND | st.just(float("nan"))),
    st.builds(Above, ROUND),
    st.builds(lambda edges: Bins(np.array(sorted(edges))), st.sets(ROUND, min_size=1, max_size=4)),
    st.builds(lookup, st.sets(ROUND, min_size=1, max_size=4), st.integers(0, 99)),
    st.builds(Elementwise, st.sampled_from([np.absolute, np.negative, np.square, np.rint, np.sign])),
    st.builds(ZeroIsMissing),
)
CHAINS = st.lists(OPERATIONS, max_size=4).map(tuple)


def table(column, place, labels, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([-np.inf, 0.0, 1.0, 3.0], (labels + 2, 1))
    return LabelTable(column, np.array([place]), values)


@st.composite
def lenses(draw):
    """Draw some inputs over two columns of numbers and one of categories."""
    chains = draw(st.lists(st.tuples(st.integers(0, 1), CHAINS), min_size=1, max_size=5))
    maps_by_input = [InputMap(source=source, operations=chain) for source, chain in chains]
    made = table(2, len(maps_by_input), draw(st.integers(1, 5)), draw(st.integers(0, 99)))
    return input_maps_of([*maps_by_input, InputMap(source=2, is_category=True)], [made], column_count=3)


def forest_over(inputs, rng, thresholds, trees=3, depth=4):
    """Grow random full trees, every leaf of which has its own value."""
    grown = []
    count = 2 ** (depth + 1) - 1
    inner = np.arange(count) < 2**depth - 1
    for tree in range(trees):
        place = np.arange(count)
        grown.append(
            TreeNodes(
                left=np.where(inner, 2 * place + 1, -1),
                right=np.where(inner, 2 * place + 2, -1),
                feature=rng.integers(0, inputs, count),
                threshold=rng.choice(thresholds, count),
                value=np.where(inner, 0.0, 1000.0 * tree + place),
            )
        )
    return assemble_forest(grown)


def own(forest, seen):
    return forest.value[leaves_reached(forest, seen)]


def raw(maps, codes):
    """Show rows without taking out infinite inputs, which trees compare like others."""
    shown = maps.show(codes)
    for j, input_map in enumerate(maps.maps_by_input):
        if not input_map.is_category:
            shown[:, j] = input_map.apply(codes[:, input_map.source])
    return shown


@examples(60)
@given(lenses(), st.integers(0, 10_000), st.booleans())
def test_rewritten_trees_reach_the_same_leaves(maps, seed, miss):
    rng = np.random.default_rng(seed)
    thresholds = np.concatenate([rng.normal(0, 3, 6), [-1.0, 0.0, 0.5, 1.0, 2.0]])
    forest = forest_over(len(maps.maps_by_input), rng, thresholds)
    written = rewrite_forest(forest, maps, np.array([miss] * 3))
    cuts = written.threshold[
        (written.feature >= 0) & (written.feature < 2) & (np.abs(written.threshold) < 1e300)
    ]
    values = np.concatenate([cuts, rng.normal(0, 5, 20), np.arange(-8.0, 9.0), [0.0, 1e300, -1e300, 5e-324]])
    values = np.concatenate([values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)])
    codes = np.array([*range(len(maps.tables[0].values)), 50.0])
    if miss:
        values, codes = np.append(values, [-np.inf] * 9), np.append(codes, -np.inf)
    rows = np.stack([rng.choice(values, 600), rng.choice(values, 600), rng.choice(codes, 600)], axis=1)
    rows[: len(values[:600]), 0] = values[:600]
    assert np.array_equal(own(forest, raw(maps, rows)), own(written, rows))


@examples(60)
@given(CHAINS, st.integers(0, 10_000))
def test_a_shape_is_what_the_input_does(chain, seed):
    """Between two cuts an input rises, falls or rests, also from one float to the next."""
    input_map = InputMap(source=0, operations=chain)
    shape = pieces_of(input_map)
    assert shape is not None
    rng = np.random.default_rng(seed)
    near = np.concatenate([shape.cuts, rng.normal(0, 5, 30), np.arange(-8.0, 9.0), [1e308, -1e308]])
    points = rank(near)[:, None] + np.arange(-4, 5)
    values = np.unique(unrank(points.ravel()))
    values = values[np.isfinite(values)]
    stretch = np.searchsorted(shape.cuts, values, side="left")
    shown = input_map.apply(values)
    same = stretch[1:] == stretch[:-1]
    turn = shape.directions[stretch[1:]]
    with np.errstate(invalid="ignore"):
        assert (shown[1:] >= shown[:-1])[same & (turn > 0)].all()
        assert (shown[1:] <= shown[:-1])[same & (turn < 0)].all()
    assert (shown[1:] == shown[:-1])[same & (turn == 0)].all()


def test_floats_are_numbered_in_order():
    values = np.array([-np.inf, -1e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e308, np.inf])
    numbers = rank(values)
    assert (np.diff(numbers) > 0).all()
    assert np.array_equal(unrank(numbers), values)
    assert rank(np.array([-0.0]))[0] == 0


def test_scaled_trees_keep_their_size():
    rng = np.random.default_rng(0)
    chain = (scaling("subtract", 3.0), scaling("divide", 0.7))
    maps = input_maps_of([InputMap(source=0, operations=chain)], [], column_count=1)
    forest = forest_over(1, rng, rng.normal(0, 3, 20))
    written = rewrite_forest(forest, maps, np.array([False]))
    assert len(written.feature) == len(forest.feature)
    assert np.array_equal(written.right, forest.right)


@examples(40)
@given(lenses(), st.integers(0, 10_000), st.booleans())
def test_contributions_add_up_to_the_weighted_sum(maps, seed, bent):
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, 1, len(maps.maps_by_input))
    see = np.sin if bent else seen_as_given
    limits = np.full(len(maps.maps_by_input), np.inf)
    rows = np.stack(
        [rng.normal(0, 5, 50), rng.integers(-8, 9, 50), rng.integers(0, len(maps.tables[0].values), 50)],
        axis=1,
    )
    with np.errstate(all="ignore"):
        wanted = (see(maps.show(rows)) * weights).sum(axis=1)
        found = contributions(maps, weights, see, limits)(rows).sum(axis=1)
    size = np.abs(np.where(np.isfinite(maps.show(rows)), maps.show(rows), 0.0)) @ np.abs(weights) + 1.0
    plain = np.isfinite(wanted)
    assert (np.isfinite(found) == plain).all()
    assert (np.abs(found[plain] - wanted[plain]) <= 1e-14 * size[plain]).all()


@examples(40)
@given(lenses(), st.floats(0.1, 100.0), st.integers(0, 10_000))
def test_inputs_stay_within_their_reach(maps, far, seed):
    rng = np.random.default_rng(seed)
    rows = np.stack(
        [rng.uniform(-far, far, 80), rng.choice([-far, far, 0.0, 1.0, -np.inf], 80), rng.integers(0, 9, 80)],
        axis=1,
    )
    rows[:, 1] = np.where(np.abs(rows[:, 1]) <= far, rows[:, 1], -np.inf)
    shown = maps.show(rows)
    reach, proven = reach_of_inputs(maps, np.array([far, far, 1.0]), shown, 64.0)
    assert proven.all()
    assert (np.where(np.isfinite(shown), np.abs(shown), 0.0) <= reach).all()


def test_what_lies_beyond_an_unproven_reach_is_not_judged():
    maps = input_maps_of([InputMap(source=0, operations=(Elementwise(np.exp),))], [], column_count=1)
    shown = maps.show(np.array([[0.0], [1.0]]))
    reach, proven = reach_of_inputs(maps, np.array([9.0]), shown, 64.0)
    assert not proven.any()
    assert reach[0] == 64.0 * np.e
    view = contributions(maps, np.ones(1), seen_as_given, reach)
    assert np.isfinite(view(np.array([[5.0]]))).all()
    assert np.isnan(view(np.array([[6.0]]))).all()
