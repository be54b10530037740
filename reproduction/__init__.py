"""Run the experiments of the paper with this project and its peers: ``python -m reproduction``.

The import keeps linear algebra on one thread, in this process and in those that it starts.
NumPy loads these settings when it is imported, so they are set first.
"""

from benchmarks import ONE_THREAD

__all__ = ["ONE_THREAD"]
