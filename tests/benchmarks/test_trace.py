"""The path of a row does not grow: the functions, files and folders that one `explain` runs through."""

import numba
import pytest

from benchmarks.trace import path_of, small_explainer

MOST_FUNCTIONS, MOST_FILES, MOST_FOLDER_CHANGES = 95, 34, 60


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="interpreted kernels call each other")
def test_the_path_of_a_row_stays_short():
    explainer, row = small_explainer()
    for _ in range(2):
        explainer.explain(row)
    path = path_of(explainer.explain, row)
    assert len(path.functions) <= MOST_FUNCTIONS
    assert len(path.files) <= MOST_FILES
    assert len(path.folders) - 1 <= MOST_FOLDER_CHANGES
