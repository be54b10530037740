"""Benchmarks: ``python -m benchmarks``, and of it ``.heuristics``, ``.portfolio`` and ``.fuzz``.

``python -m benchmarks`` is one table of cases over `cases` (data, model, explainer, brute force over the same
candidates) and `measures`; `brute_force` is the bar, written to be fast. ``python -m benchmarks.portfolio``
runs the command line over a million people.

Linear algebra stays on one thread, here and in the processes that are started from here. NumPy reads these
settings when it is loaded, so they are set first.
"""

import os

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
