"""The search: candidates, scores, branch and bound, and the kernels they are compiled to.

NumPy and Numba only. Nothing here knows policies, tables or libraries: it sees codes (float64), axes with
candidates, and scores that have to reach thresholds.
"""
