"""Keep linear algebra on one thread: imported before NumPy, which reads these settings when it is loaded."""

import os

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TOLD = "linear algebra on one thread, on both sides (" + ", ".join(f"{name}=1" for name in VARIABLES) + ")"

os.environ.update(dict.fromkeys(VARIABLES, "1"))  # also for the processes that are started from here
