"""A data set is loaded by its name, and by nothing else; nothing heavy is loaded before."""

import subprocess
import sys
from typing import Any

import pytest

from p2ce import datasets
from p2ce.errors import InvalidArgument


@pytest.mark.parametrize("name", ["German", "titanic", None, ["german"]])
def test_an_unknown_name_is_reported_the_known_ones(name: Any) -> None:
    with pytest.raises(InvalidArgument, match="'german'"):
        datasets.load(name)


def test_nothing_is_loaded_for_fetching_before_it_is_needed() -> None:
    code = "import sys, p2ce.datasets; print(sorted({'sklearn', 'numba'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
