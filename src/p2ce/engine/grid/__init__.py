"""Candidate values per axis: shared by all instances (BaseGrid), and of each instance (Placement)."""

from p2ce.engine.grid.base_grid import BaseGrid, grid_of
from p2ce.engine.grid.placement import Placement, place

__all__ = ["BaseGrid", "Placement", "grid_of", "place"]
