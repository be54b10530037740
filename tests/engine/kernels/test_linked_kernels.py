"""Kernels are compiled together with their entry, without what Numba does for other kinds of code."""

import numpy as np
from numba import types
from numba.core import typed_passes, untyped_passes
from numba.core.caching import NullCache

from p2ce.engine.kernels.jit import entry, kernel
from p2ce.engine.kernels.linked_kernels import UNUSED_PASSES


def test_the_passes_that_are_left_out_are_passes_of_numba() -> None:
    known = {*vars(untyped_passes), *vars(typed_passes)}
    assert known >= UNUSED_PASSES


def test_a_variable_of_several_blocks_holds_what_was_last_written() -> None:
    """Variables are neither loaded before they are overwritten nor cleared after their last use."""

    @kernel
    def smaller(values: np.ndarray, at: int, least: float) -> float:
        return min(values[at], least)

    @entry
    def least_and_steps(values: np.ndarray) -> tuple[float, int]:
        least = np.inf
        steps = 0
        for at in range(values.shape[0]):
            before = least
            least = smaller(values, at, before)
            if least < before:
                steps += 1
            elif at > 2:
                before = 0.0
                steps += 10
        return least, steps

    least_and_steps._cache = NullCache()  # type: ignore[attr-defined]
    assert least_and_steps(np.array([3.0, 2.0, 5.0, 1.0, 4.0])) == (1.0, 13)


def test_a_kernel_is_compiled_once_for_whole_numbers_of_any_width() -> None:
    @kernel
    def twice(number: int) -> int:
        return 2 * number

    @entry
    def added(values: np.ndarray) -> int:
        return twice(0) + twice(values[0]) + twice(values.shape[0])

    added._cache = NullCache()  # type: ignore[attr-defined]
    assert added(np.array([3], dtype=np.int32)) == 8
    assert [signature[0] for signature in twice.signatures] == [types.int64]  # type: ignore[attr-defined]
