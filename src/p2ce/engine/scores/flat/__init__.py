"""Scores as flat arrays that the kernels evaluate and bound."""
