"""Checks are for authors: whoever only explains does not load them."""

import subprocess
import sys

from p2ce import testing


def test_importing_the_library_loads_no_checks() -> None:
    code = "import sys, p2ce; print([name for name in sys.modules if name.startswith('p2ce.testing')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_public_names() -> None:
    names = {"DetectorReport", "ModelReport", "check_detector", "check_model", "check_adapter"}
    assert set(testing.__all__) == names
    assert all(hasattr(testing, name) for name in names)
