"""Check that input maps return what their operations and tables say, missing and rejected values included."""

import numpy as np
import pytest

from p2ce.models.preprocessing.input_maps import (
    InputMap,
    LabelTable,
    Operation,
    input_maps_of,
    may_be_missing,
)
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
    RejectMissing,
    ZeroIsMissing,
)

KEYS = np.array([1.0, 2.0, 4.0])
EDGES = np.array([-1.0, 0.0, 3.0])
HOT = [Lookup(KEYS, np.append(np.eye(3)[place], [0.0, REJECT])[:, None]) for place in range(3)]
NUMBERS: list[tuple[Operation, ...]] = [
    (),
    (Arithmetic("subtract", np.array([2.0])), Arithmetic("divide", np.array([3.0]))),
    (Arithmetic("subtract", np.array([-7.0])), Arithmetic("divide", np.array([0.3]))),
    (Cast(np.dtype(np.float32)), Arithmetic("multiply", np.array([0.1])), Clip(-1.0, 1.0)),
    (FillMissing(np.array([5.0])),),
    (FillMissing(np.array([6.0])),),
    (FillMissing(np.array([6.0]), 2.0),),
    (FlagMissing(),),
    (FlagMissing(3.0),),
    (Above(1.5),),
    (Bins(EDGES),),
    (Bins(EDGES), Arithmetic("add", np.array([1.0]))),
    (HOT[0],),
    (HOT[1],),
    (HOT[2],),
    (Elementwise(np.log1p),),
    (Elementwise(np.absolute), Elementwise(np.negative)),
    (ZeroIsMissing(), RejectMissing()),
]


def maps():
    """Make input maps over two columns of numbers and one of categories."""
    maps_by_input = [InputMap(source=place % 2, operations=chain) for place, chain in enumerate(NUMBERS)]
    # Encoders put what comes from one column side by side.
    maps_by_input = [
        InputMap(source=0, operations=input_map.operations)
        if any(isinstance(operation, Lookup | Bins) for operation in input_map.operations)
        else input_map
        for input_map in maps_by_input
    ]
    inputs = np.array([len(maps_by_input), len(maps_by_input) + 1])
    table = LabelTable(2, inputs, np.array([[0.0, 1.0], [1.0, 0.0], [0.5, np.nan], [-np.inf, 0.0]]))
    maps_by_input += [InputMap(source=2, is_category=True)] * 2
    return input_maps_of(maps_by_input, [table], column_count=3)


def rows():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0.0, 3.0, 200), KEYS, EDGES, [0.0, -0.0, -np.inf, 1e300, -1e300]])
    codes = np.array([0.0, 1.0, 2.0, 7.0, -np.inf])
    return np.stack(
        [rng.permutation(values), rng.permutation(values), rng.choice(codes, len(values))], axis=1
    )


def test_bundles_show_what_each_strand_says_alone():
    found, codes = maps(), rows()
    shown = found.show(codes)
    assert np.array_equal(codes, rows())  # left alone
    for j, input_map in enumerate(found.maps_by_input):
        if not input_map.is_category:
            alone = input_map.apply(codes[:, input_map.source])
            alone = np.where(np.isfinite(alone) | (alone == -np.inf), alone, np.nan)
            # Minus infinity from an overflow is rejected, that of a missing value stays.
            overflow = (alone == -np.inf) & np.isnan(shown[:, j])
            assert np.array_equal(shown[~overflow, j], alone[~overflow], equal_nan=True), input_map
            assert set(codes[overflow, input_map.source]) <= {
                1e300,
                -1e300,
                -1.0,
            }  # and the logarithm of zero
    assert len(found.bundles) < len(NUMBERS)


def test_labels_are_looked_up_and_unknown_ones_are_alike():
    found = maps()
    codes = np.zeros((5, 3))
    codes[:, 2] = [1, 0, 2, 99, -np.inf]
    shown = found.show(codes)[:, -2:]
    wanted = [[1.0, 0.0], [0.0, 1.0], [0.5, np.nan], [0.5, np.nan], [-np.inf, 0.0]]
    assert np.array_equal(shown, wanted, equal_nan=True)


@pytest.mark.parametrize("miss", [False, True])
def test_an_input_that_can_be_missing_is_known_to_be(miss):
    found, codes = maps(), rows()
    if not miss:
        codes = codes[np.isfinite(codes).all(axis=1)]
    missing = (found.show(codes) == -np.inf).any(axis=0)
    own = may_be_missing(found, np.array([miss] * 3), unseen=True)
    # The logarithm of a negative number is not a number either, which whoever takes it has to know.
    function = [
        any(isinstance(one, Elementwise) for one in input_map.operations) for input_map in found.maps_by_input
    ]
    assert (own | function)[missing].all()
    assert not own[4:8].any()


def test_what_only_strangers_miss_is_told_apart():
    odd = Lookup(KEYS, np.array([1.0, 2.0, 3.0, np.nan, 0.0])[:, None])
    table = LabelTable(1, np.array([1]), np.array([[0.0], [-np.inf], [0.0]]))
    maps_by_input = [InputMap(source=0, operations=(odd,)), InputMap(source=1, is_category=True)]
    found = input_maps_of(maps_by_input, [table], column_count=2)
    nowhere = np.array([False, False])
    assert may_be_missing(found, nowhere, unseen=True).tolist() == [True, True]
    assert may_be_missing(found, nowhere, unseen=False).tolist() == [False, False]
