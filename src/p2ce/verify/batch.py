"""Get a batch of people ready for the search: placed on the grid, priced, and shown to the scores."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.compiled.costs import CostTables, tabulate
from p2ce.compiled.foreign import ForeignPeople
from p2ce.grid.placement import Placement, place, point_rows
from p2ce.objectives.base import price
from p2ce.verify.outside import lay_out_networks
from p2ce.verify.setup import Setup

if TYPE_CHECKING:
    from p2ce.compiled.flat import FlatPeople


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """People placed, priced and laid out for the search."""

    values: FloatArray  # (n, d)
    placement: Placement
    tables: CostTables
    people: "FlatPeople"
    networks: list[ForeignPeople | None]  # per model: those that are read but not compiled

    def rows(self, grid_columns: IntArray, owner: IntArray, points: Int32Array) -> FloatArray:
        """Write points as rows of all the model's columns."""
        return point_rows(grid_columns, self.values, self.placement.values, owner, points)


def prepare(setup: Setup, values: FloatArray) -> Batch:
    """Place people (n, d) on the grid and price their candidates."""
    from p2ce.compiled.flat import lay_out_people

    placement = place(setup.grid, values)
    costs = price(
        setup.objectives,
        columns=setup.grid.columns.tolist(),
        values=placement.values,
        current=placement.current,
    )
    tables = tabulate(costs, [objective.join for objective in setup.objectives], placement)
    people = lay_out_people(setup.layout, setup.grid, placement, tables, values)
    networks = lay_out_networks(setup, placement, values)
    return Batch(values=values, placement=placement, tables=tables, people=people, networks=networks)
