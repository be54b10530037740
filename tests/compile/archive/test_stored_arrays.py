"""Arrays come back as they were, and what NumPy writes is what is read."""

import io

import numpy as np
import pytest

from p2ce.base.zip_parts import Damaged
from p2ce.compile.archive.stored_arrays import read_array, read_codes, write_array, write_codes
from p2ce.compile.archive.stored_values import NUMBERS


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_every_type_in_either_order_of_bytes(name: str, order: str) -> None:
    array = np.arange(3).astype(np.dtype(name).newbyteorder(order))
    found = read_array(write_array(array))
    assert found.dtype == np.dtype(name)
    assert found.tolist() == array.tolist()


def test_what_numpy_writes_is_read_and_the_other_way_round() -> None:
    stream = io.BytesIO()
    np.save(stream, np.array([1.5, np.nan]), allow_pickle=False)
    assert np.array_equal(read_array(stream.getvalue()), [1.5, np.nan], equal_nan=True)
    assert np.load(io.BytesIO(write_array(np.arange(4))), allow_pickle=False).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("count", [0, 1, 127, 128, 129, 40_000])
def test_places_fit_their_type(count: int) -> None:
    places = np.arange(-1, count)
    assert read_codes(write_codes(places, count), count).tolist() == places.tolist()
    with pytest.raises(Damaged):
        read_codes(np.array([count]), count)


@pytest.mark.parametrize(
    "array",
    [np.zeros((2, 2)), np.array(["a"]), np.array(["2020-01-01"], dtype="M8[D]"), np.zeros(2, dtype=complex)],
)
def test_other_arrays_are_rejected(array: np.ndarray) -> None:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    with pytest.raises(Damaged):
        read_array(stream.getvalue())
