"""Many rows: batches, processes, progress.

Processes are loky's, started anew and never forked, because a forked child that runs an OpenMP kernel is
killed. A problem is pickled once and loaded once per process. The instances of a lost process are explained
again in a new one, batch by batch, then one by one.
"""
