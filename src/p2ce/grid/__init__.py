"""WHERE people may move: the candidates of each axis, for everyone and for each person."""

from p2ce.grid.base_grid import BaseGrid, grid_of
from p2ce.grid.placement import Placement, place

__all__ = ["BaseGrid", "Placement", "grid_of", "place"]
