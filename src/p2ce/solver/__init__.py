"""How the grid is explored: boxes, brute force, and the paper's algorithms as settings."""
