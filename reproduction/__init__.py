"""Run the experiments of the paper with this project and its peers: ``python -m reproduction``.

The import keeps linear algebra on one thread, here and in the processes that are started from here.
NumPy reads these settings when it is loaded, so they are set first.
"""

from benchmarks import ONE_THREAD

__all__ = ["ONE_THREAD"]
