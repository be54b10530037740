"""The search: candidates, scores and branch and bound. NumPy and Numba only."""
