"""A data set is loaded by its name, and by nothing else."""

from typing import Any

import pytest

from p2ce import datasets
from p2ce.errors import InvalidArgument


@pytest.mark.parametrize("name", ["German", "titanic", None, ["german"]])
def test_an_unknown_name_is_reported_the_known_ones(name: Any) -> None:
    with pytest.raises(InvalidArgument, match="'german'"):
        datasets.load(name)
