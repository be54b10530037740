"""Many rows: batches, processes, progress."""
