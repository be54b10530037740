"""State that a test module needs the public data sets, once for all of its tests."""

import os

import pytest

HAS_DATA = bool(os.environ.get("P2CE_DATA"))
REASON = "set P2CE_DATA to the folder with german.csv, taiwan.csv and adult.csv"


def require_data() -> None:
    """Skip the module that calls this, unless the data are there."""
    if not HAS_DATA:
        pytest.skip(REASON, allow_module_level=True)
