"""Branch and bound over boxes of the grid, and its brute-force twin."""
