"""Get scores ready that are computed outside the compiled loop: networks, models that can only be asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compiled.foreign import ACCEPTED, DOUBTFUL, REFUSED, Boxes, ForeignPeople, Verdicts
from p2ce.compiled.score import CompiledScore
from p2ce.grid.placement import Placement, point_rows
from p2ce.search.waves import OutsideScore
from p2ce.verify.asking import ask
from p2ce.verify.rows import rows_frame
from p2ce.verify.setup import Setup


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AskedPeople:
    """A model or detector that can only be asked, with the people it is asked about."""

    setup: Setup
    values: FloatArray  # (n, d)
    placement: Placement
    call: Callable[[pd.DataFrame], FloatArray]
    threshold: float
    who: str
    known: FloatArray | None = (
        None  # (n, axes, width) what it said of single changes before, NaN where not asked
    )

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Put the cells to the user's own object, all in one call."""
        value = np.full(len(points), np.nan) if self.known is None else self._said_before(owner, points)
        new = np.flatnonzero(np.isnan(value))
        columns = self.setup.grid.columns
        rows = point_rows(columns, self.values, self.placement.values, owner[new], points[new])
        value[new] = ask(self.call, rows_frame(rows, self.setup.labels, self.setup.dtypes), self.who)
        return Verdicts(np.where(value >= self.threshold, ACCEPTED, REFUSED), value)

    def _said_before(self, owner: IntArray, points: Int32Array) -> FloatArray:
        """Look up the single changes that were asked about already."""
        assert self.known is not None
        moved = points != self.placement.position[owner]
        axis = moved.argmax(axis=1)
        value = self.known[owner, axis, points[np.arange(len(points)), axis]]
        return np.asarray(np.where(moved.sum(axis=1) == 1, value, np.nan))

    def hopeless(self, owner: IntArray, boxes: Boxes) -> BoolArray:  # noqa: ARG002
        """Nothing is known about a whole box."""
        return np.zeros(len(owner), dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadPeople:
    """A network with its people; what it is in doubt about is put to the user's own model."""

    network: ForeignPeople
    model: AskedPeople

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Judge by the network as read, and the few doubtful cells by the model."""
        said = self.network.judge(owner, points)
        doubtful = np.flatnonzero(said.verdict == DOUBTFUL)
        if not len(doubtful):
            return said
        verdict = said.verdict.copy()
        verdict[doubtful] = self.model.judge(owner[doubtful], points[doubtful]).verdict
        return Verdicts(verdict, said.value)

    def hopeless(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        """Bound the boxes by the network as read."""
        return self.network.hopeless(owner, boxes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SomePeople:
    """Some people of a batch, numbered anew."""

    people: ForeignPeople
    who: IntArray

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Judge cells of those people."""
        return self.people.judge(self.who[owner], points)

    def hopeless(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        """Bound boxes of those people."""
        return self.people.hopeless(self.who[owner], boxes)


def lay_out_networks(setup: Setup, placement: Placement, values: FloatArray) -> list[ForeignPeople | None]:
    """Show the people to every model that is read but not compiled; None for the others."""
    networks: list[ForeignPeople | None] = []
    for model in setup.models:
        if model.score is None or isinstance(model.score, CompiledScore):
            networks.append(None)
            continue
        columns = setup.columns_of(model)
        place = np.argsort(columns)  # of each of our columns among the model's own
        grid = replace(setup.grid, columns=place[setup.grid.columns])
        networks.append(model.score.lay_out(grid, placement, values[:, columns]))
    return networks


def outside_scores(
    setup: Setup,
    placement: Placement,
    values: FloatArray,
    networks: Sequence[ForeignPeople | None],
    who: IntArray,
    singles: FloatArray | None = None,
) -> list[OutsideScore]:
    """List the scores that are computed outside, in the order in which they are asked.

    Networks come first, being quick, then models that are asked, and last a detector: it is asked only
    about what every model accepts. ``singles`` is what the model said of single changes of these people,
    if it was asked before.
    """
    slots = setup.slots
    known = None
    if singles is not None and not setup.others:  # several models were asked for their joint score
        known = np.full(placement.values.shape, np.nan)
        known[who] = singles
    read, asked = [], []
    for i, (model, slot, network) in enumerate(zip(setup.models, slots.models, networks, strict=True)):
        if slot is not None:
            continue
        own = AskedPeople(
            setup=setup,
            values=values,
            placement=placement,
            call=model.ask,
            threshold=model.threshold,
            who=setup.name_of(i),
            known=known,
        )
        if network is not None:
            assert model.score is not None
            assert not isinstance(model.score, CompiledScore)
            both = ReadPeople(network=network, model=own)
            read.append(_some(both, who, has_bound=model.score.has_bound, keeps_values=False))
        else:
            asked.append(_some(own, who, has_bound=False, keeps_values=True))
    detector = setup.judges
    if detector is not None and slots.detector is None:
        assert detector.ask is not None, "a detector without a compiled score is asked"
        own = AskedPeople(
            setup=setup, values=values, placement=placement, call=detector.ask, threshold=0.0, who="detector"
        )
        asked.append(_some(own, who, has_bound=False, keeps_values=True))
    return read + asked


def _some(people: ForeignPeople, who: IntArray, *, has_bound: bool, keeps_values: bool) -> OutsideScore:
    return OutsideScore(
        people=SomePeople(people=people, who=who), has_bound=has_bound, keeps_values=keeps_values
    )
