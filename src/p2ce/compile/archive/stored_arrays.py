"""Write arrays in NumPy's own format, and check every claim of the header when reading them."""

import io
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import BoolArray
from p2ce.base.zip_parts import Damaged
from p2ce.compile.archive.stored_values import NUMBERS

ENDING = ".npy"
FIRST = 10  # bytes before the header: magic, version, and the header's length
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00.."
    rb"\{'descr': '(?P<type>[<>|=]\w{1,3})', 'fortran_order': False, "
    rb"'shape': \((?P<count>\d{1,18}),\), \} *\n",
    re.DOTALL,
)


def write_array(array: npt.NDArray[Any]) -> bytes:
    """Return an array of numbers or bools with one dimension as the bytes of an .npy file."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def read_array(content: bytes, *, kinds: str = "biuf") -> npt.NDArray[Any]:
    """Read an array that `write_array` wrote. A false header cannot make it reserve memory."""
    # NumPy's own reader parses the header as Python and guesses its meaning.
    header = HEADER.match(content)
    if header is None:
        raise Damaged("an array has an unexpected header")
    try:
        dtype = np.dtype(header["type"].decode())
    except TypeError as error:
        raise Damaged("an array holds an unknown type") from error
    if dtype.name not in NUMBERS or dtype.kind not in kinds:
        raise Damaged(f"an array holds {dtype!s:.40}")
    start = FIRST + int.from_bytes(content[FIRST - 2 : FIRST], "little")
    if start < header.end() or int(header["count"]) * dtype.itemsize != len(content) - start:
        raise Damaged("an array does not have its stated length")
    if dtype.kind == "b" and (np.frombuffer(content, dtype=np.uint8, offset=start) > 1).any():
        raise Damaged("a bool is neither true nor false")
    # A writable copy in this machine's byte order.
    return np.frombuffer(content, dtype=dtype, offset=start).astype(dtype.newbyteorder("="))


def write_codes(codes: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
    """Return positions among ``count`` values, −1 for none, in the smallest type that fits."""
    return codes.astype(np.min_scalar_type(-max(count, 1)))


def read_codes(codes: npt.NDArray[Any], count: int, *, missing: bool = True) -> npt.NDArray[np.int64]:
    """Check positions among ``count`` values."""
    if codes.dtype.kind != "i" or (len(codes) and (codes.min() < -int(missing) or codes.max() >= count)):
        raise Damaged("a cell points to a value that does not exist")
    return codes.astype(np.int64)


def read_mask(mask: npt.NDArray[Any], count: int) -> BoolArray:
    """Check marks of missing values."""
    if mask.dtype.kind != "b" or len(mask) != count:
        raise Damaged("marks of missing values do not fit their column")
    return mask
