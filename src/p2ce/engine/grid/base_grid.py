"""The grid that all instances share: its axes and their candidate values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.base.visible import echoed
from p2ce.engine.grid.grouped_axis import Chain, Compound
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.policy import Policy
from p2ce.tables.codebook import MISSING, Codebook, Coding


class OneWay(NamedTuple):
    """Candidates of an axis that can be reached from one direction only."""

    up: FloatArray  # reachable from below
    down: FloatArray  # reachable from above


NOT_ONE_WAY = OneWay(np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BaseGrid:
    """The axes of the grid, one per feature that may change, without any instance.

    Axes are sorted by name, so the order of the columns cannot change a result. Some candidates can be
    reached from one direction only: a value just above a threshold from below the threshold, and a value
    just below it from above.

    >>> candidates = {"Loan": [500, 1000], "Age": [30, 40, 50]}
    >>> grid = BaseGrid.from_candidates(candidates, columns=["Loan", "Sex", "Age"])
    >>> grid.names, grid.columns.tolist(), grid.width
    (('Age', 'Loan'), [2, 0], 4)
    """

    names: tuple[str, ...]
    columns: IntArray  # (m,) position of each axis among the model's columns
    values: tuple[FloatArray, ...]  # ascending candidates of each axis
    direction: IntArray  # (m,) -1 down only, 0 either way, +1 up only
    fillable: BoolArray  # (m,) whether a missing value may be filled in
    special: tuple[FloatArray, ...]  # of each axis, codes that are not numbers, and so never candidates
    leaves_special: BoolArray  # (m,) whether an instance at such a code may move to any candidate
    lengths: IntArray  # (m,) number of candidates of each axis
    table: FloatArray  # (m, width) all candidates; each axis repeats its last one to fill the row
    down: tuple[Int32Array, ...]  # of each axis, the indices of candidates reachable downwards, ascending
    up: tuple[Int32Array, ...]  # likewise upwards
    slots: int  # the most candidates that any instance can have on any axis
    # (m, 2 · slots) the places in the flat table of the candidates reachable downwards, then of those
    # reachable upwards; the last of either is repeated to fill the slots
    reachable: IntArray

    @property
    def width(self) -> int:
        """The number of candidates on the longest axis, plus one."""
        return int(self.table.shape[1])

    @property
    def axis_count(self) -> int:
        return len(self.names)

    @classmethod
    def from_candidates(
        cls,
        candidates: Mapping[str, Sequence[float] | FloatArray],
        *,
        columns: Sequence[str],
        direction: Mapping[str, int] | None = None,
        stays_missing: Collection[str] = (),
        one_way: Mapping[str, OneWay] | None = None,
        special: Mapping[str, Sequence[float]] | None = None,
        leaves_special: Collection[str] = (),
    ) -> "BaseGrid":
        """Build a grid from plain data: name → candidates, in any order. The default direction is 0.

        ``stays_missing`` names the axes on which a missing value may not be filled in. ``one_way`` holds the
        candidates that can be reached from one direction only, and ``special`` the codes that are not
        numbers. ``leaves_special`` names the axes on which an instance at a special code may move.
        """
        names = tuple(sorted(candidates))
        position = {name: place for place, name in enumerate(columns)}
        for name in names:
            if name not in position:
                raise InvalidPolicy(
                    f"{echoed(name)} may change, but it is not a column of the model. "
                    f"{nearest(name, columns)}"
                )
        values = tuple(np.unique(np.asarray(candidates[name], dtype=np.float64)) for name in names)
        for name, axis in zip(names, values, strict=True):
            if not len(axis) or not np.isfinite(axis[axis != MISSING]).all():
                raise InvalidPolicy(
                    f"Axis {echoed(name)} needs at least one candidate, and all must be finite. "
                    "Fix the feature, or set candidates()."
                )
        turns = direction or {}
        width = max((len(axis) for axis in values), default=0) + 1
        rows = [np.append(axis, np.full(width - len(axis), axis[-1])) for axis in values]
        single = one_way or {}
        sides = [
            _sides(axis, single.get(name, NOT_ONE_WAY)) for name, axis in zip(names, values, strict=True)
        ]
        down, up = tuple(side[0] for side in sides), tuple(side[1] for side in sides)
        slots = max((_most(*side) for side in sides), default=0) + 1
        filled = [np.append(_filled(lower, slots), _filled(upper, slots)) for lower, upper in sides]
        return cls(
            names=names,
            columns=np.array([position[name] for name in names], dtype=np.int64),
            values=values,
            direction=np.array([int(turns.get(name, 0)) for name in names], dtype=np.int64),
            fillable=np.array([name not in stays_missing for name in names], dtype=np.bool_),
            special=tuple(np.array((special or {}).get(name, ()), dtype=np.float64) for name in names),
            leaves_special=np.array([name in leaves_special for name in names], dtype=np.bool_),
            lengths=np.array([len(axis) for axis in values], dtype=np.int64),
            table=np.array(rows, dtype=np.float64).reshape(len(rows), width),
            down=down,
            up=up,
            slots=slots,
            reachable=np.array(filled, dtype=np.int64).reshape(len(names), 2 * slots)
            + width * np.arange(len(names))[:, None],
        )


def _sides(axis: FloatArray, one_way: OneWay) -> tuple[Int32Array, Int32Array]:
    """Return the indices of an axis's candidates that are reachable downwards, and upwards."""
    places = np.arange(len(axis), dtype=np.int32)
    return places[~np.isin(axis, one_way.up)], places[~np.isin(axis, one_way.down)]


def _filled(places: Int32Array, size: int) -> Int32Array:
    """Repeat the last of some places, up to a size."""
    last = places[-1:] if len(places) else np.zeros(1, dtype=np.int32)
    return np.concatenate([places, np.repeat(last, size)])[:size]


def _most(down: Int32Array, up: Int32Array) -> int:
    """Return the most candidates that any instance can have: those reachable below plus those above."""
    places = np.arange(int(max(down.max(initial=0), up.max(initial=0))) + 2)
    below, above = np.searchsorted(down, places), len(up) - np.searchsorted(up, places)
    return int((below + above).max())


def grid_of(
    policy: Policy,
    *,
    columns: Sequence[str] | None = None,
    codebook: Codebook | None = None,
    compounds: Sequence[Compound] = (),
    chains: Mapping[Chain, int] | None = None,
    one_way: Mapping[str, OneWay] | None = None,
) -> BaseGrid:
    """Build the grid of a policy; ``columns`` are the model's, by default those of the policy.

    Without a codebook, every column holds plain numbers. Grouped columns have one axis. It stands for an
    additional column, after all others. ``chains`` has the most levels that an instance can have.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"Term": [6, 12, 24], "Age": [20, 40, 60]})
    >>> grid_of(Policy.infer(people).fix("Age")).names
    ('Term',)
    """
    names = list(policy.names if columns is None else columns)
    chains = chains or {}
    groups: list[Compound | Chain] = [*compounds, *chains]
    members = {names[member] for group in groups for member in group.members}
    movable = [feature for feature in policy.features if not feature.fixed and feature.name not in members]
    alone = {feature.name for feature in movable}
    codings = {
        feature.name: (
            Coding(name=feature.name, dtype=feature.dtype) if codebook is None else codebook[feature.name]
        )
        for feature in movable
    }
    # A feature has no axis if its range holds no value that its column can hold.
    candidates = {
        feature.name: codes
        for feature in movable
        if len(codes := feature.codes(codings[feature.name])) or not feature.is_inferred
    }
    for compound in compounds:
        if compound.may_go_to.any():
            candidates[compound.name] = np.flatnonzero(compound.may_go_to).astype(np.float64)
    for chain, most in chains.items():
        candidates[chain.name] = np.arange(most, dtype=np.float64)
    # A group may have the same name as its first member, whose own column then has no axis.
    taken = {group.name for group in groups}
    own = [name if name not in taken else f"{name} (alone)" for name in names]
    return BaseGrid.from_candidates(
        candidates,
        columns=[*own, *(group.name for group in groups)],
        direction={feature.name: int(feature.direction) for feature in movable},
        stays_missing={feature.name for feature in movable if not feature.fillable},
        # A group may have the name of a feature, but its candidates are not that feature's values.
        one_way={name: sides for name, sides in (one_way or {}).items() if name in alone},
        special={feature.name: feature.special for feature in movable if feature.special},
        leaves_special={feature.name for feature in movable if feature.leaves_special},
    )
