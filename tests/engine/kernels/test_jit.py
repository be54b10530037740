"""Kernels run without being compiled, with the same results."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from p2ce.engine.kernels.interpreted_kernels import as_kernels_see
from p2ce.engine.kernels.jit import entry, types_loaded
from tests.interpreted import explanations


def test_kernels_find_the_same_in_python_as_compiled() -> None:
    """So that they can be stepped through, and measured by coverage."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.interpreted"],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = json.loads(json.dumps(explanations()))
    interpreted = json.loads(ran.stdout)
    assert {kind: one["status"] for kind, one in compiled.items()} == dict.fromkeys(compiled, "OPTIMAL")
    assert interpreted == compiled


def test_what_a_kernel_writes_to_its_view_is_in_the_array() -> None:
    spans = np.zeros((2, 3), dtype=[("base", np.int32), ("axes", np.int32, (3,))])
    (seen,) = as_kernels_see((spans,))
    seen[1][2].base = 7  # also the name of an attribute of every NumPy scalar
    seen[1, 2].axes[1] = 5
    seen[0, 0] = seen[1, 2]
    assert spans["base"].tolist() == [[7, 0, 0], [0, 0, 7]]
    assert spans["axes"][0, 0].tolist() == [0, 5, 0]
    assert seen[0, 0].base * (1 << 40) == 7 << 40  # 32 bits in the array, more in a kernel


def test_the_types_that_an_entry_has_seen_are_found_by_the_name_of_the_argument() -> None:
    added = entry(lambda number, queue: number if queue is None else number + queue)
    assert types_loaded(added, "queue") == set()
    assert (added(1, None), added(1, 2)) == (1, 3)
    assert types_loaded(added, "queue") == {"none", "int64"}
    assert types_loaded(added, "number") == {"int64"}
