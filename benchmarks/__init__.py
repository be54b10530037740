"""Benchmarks: ``python -m benchmarks``, and of it ``.heuristics``, ``.portfolio`` and ``.fuzz``.

Linear algebra stays on one thread, here and in the processes that are started from here. NumPy reads these
settings when it is loaded, so they are set first.
"""

import os

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
