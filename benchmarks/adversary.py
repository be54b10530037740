"""Find cheap counterfactuals by simple heuristics in continuous space, as an adversary of proven ones.

The adversary knows nothing of the library's grids and bounds. It keeps the same constraints: fixed features
and directions, the range of the reference, whole numbers and labels, the limit of changes. Four heuristics
propose rows. The cheapest that model and detector accept are bisected back towards the person.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pandas as pd

import p2ce
from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.objectives.objective import Reference
from p2ce.policy.features.feature import Kind
from p2ce.tables.codebook import MISSING, Codebook, codebook_of

Evaluate = Callable[[FloatArray], FloatArray]  # codes (n, d) → values (n,)

POINTS = 32  # of a scanned axis: half at quantiles of the reference, half evenly spread over its range
NEIGHBOURS = 20  # accepted rows of the reference, from which features are copied
STEPS, SIZES = 40, (0.02, 0.1, 0.3, 1.0)  # of the greedy search: how many, and how long in units
RADII, DRAWS = np.geomspace(0.05, 10.0, 25), 200  # of random growth: in units, and rows for each
HALVINGS = 22  # of a bisection: a column of two million whole numbers is searched to the last one
RESOLUTION = 1e-3  # units: where the bisection of a continuous column ends
CHEAPEST, EACH_SUPPORT = 15, 40  # rows that are bisected: by cost and number of changes, and of supports
TRADED = 6  # rows by either cost in which one change goes further
PLAUSIBLE_FROM = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Space:
    """What a heuristic may do, and what judges it. Rows are codes, as ``p2ce.tables.codebook`` has them."""

    codebook: Codebook
    reference: FloatArray  # (N, d)
    unit: FloatArray  # (d,) one σ of a column, as the objectives count it
    low: FloatArray  # (d,) the ends of the reference
    high: FloatArray
    direction: IntArray  # (d,) the sign that a change must have; 0 for either
    movable: BoolArray  # (d,)
    grain: FloatArray  # (d,) the smallest step: 1 of whole numbers, 0 of continuous ones
    is_category: BoolArray  # (d,)
    max_changes: int
    score: Evaluate
    threshold: float
    plausibility: Evaluate | None  # None where plausibility is not required
    accepted: FloatArray  # rows of the reference that the model accepts

    @classmethod
    def of(
        cls,
        explainer: p2ce.Explainer,
        *,
        score: Evaluate,
        threshold: float,
        plausibility: Evaluate | None,
        max_changes: int = 3,
        own_resolution: bool = False,
    ) -> "Space":
        """Take constraints and units from an explainer; columns with missing values stay as they are.

        With ``own_resolution`` a column of whole hundreds keeps to hundreds.
        """
        codebook = codebook_of(explainer.reference)
        people = Reference(
            names=explainer.policy.names, values=codebook.encode(explainer.reference), codebook=codebook
        )
        features = explainer.policy.features
        known = (people.values != MISSING).all(axis=0)
        is_whole = np.array([feature.kind is not Kind.NUMBER for feature in features])
        grain = is_whole.astype(np.float64)
        for column in np.flatnonzero(is_whole & known & ~people.is_category) if own_resolution else ():
            grain[column] = max(1, np.gcd.reduce(people.values[:, column].astype(np.int64)))
        return cls(
            codebook=codebook,
            reference=people.values,
            unit=people.unit("robust"),
            low=people.values.min(axis=0),
            high=people.values.max(axis=0),
            direction=np.array([int(feature.direction) for feature in features]),
            movable=known & ~np.array([feature.fixed for feature in features]),
            grain=grain,
            is_category=people.is_category,
            max_changes=max_changes,
            score=score,
            threshold=threshold,
            plausibility=plausibility,
            accepted=people.values[score(people.values) >= threshold],
        )

    @property
    def number_count(self) -> int:
        """How many columns hold numbers: a mean distance is a sum over all columns divided by it."""
        return max(1, int(np.count_nonzero(~self.is_category)))

    def rounded(
        self,
        values: FloatArray,
        columns: Any = slice(None),
        *,
        by: Callable[[FloatArray], FloatArray] = np.rint,
    ) -> FloatArray:
        """Round values of some columns, by default of all, to multiples of their smallest step."""
        grain = self.grain[columns]
        multiples = by(values / np.where(grain > 0.0, grain, 1.0)) * grain
        return np.where(grain > 0.0, multiples, values)

    def proposal(self, row: pd.DataFrame, codes: FloatArray) -> dict[str, Any]:
        """Return what a row of codes changes for a person, in the user's own values."""
        moved = np.flatnonzero(self.codebook.encode(row)[0] != codes).tolist()
        names = [str(row.columns[column]) for column in moved]
        return {
            name: self.codebook[name].plain(codes[column]) for name, column in zip(names, moved, strict=True)
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finds:
    """Rows that the model and the detector accept within the constraints, and what they cost in σ."""

    rows: FloatArray  # (n, d)
    total: FloatArray  # (n,) the sum over all features of |Δ|/unit; a changed category counts 1
    largest: FloatArray  # (n,) the largest of these
    changes: IntArray  # (n,)
    heuristic: IntArray  # (n,) which of HEURISTICS found it


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Person:
    """One person in a space: which rows are allowed for them, what these cost, and whether they would do."""

    space: Space
    row: FloatArray  # (d,)
    floor: float  # the least plausibility of a counterfactual
    rng: np.random.Generator

    def moves(self, rows: FloatArray) -> FloatArray:
        """Return how far each feature moves, (n, d), in units."""
        moved = rows != self.row
        with np.errstate(invalid="ignore"):  # a missing value that stays
            distance = np.abs(rows - self.row) / self.space.unit
        return np.where(moved, np.where(self.space.is_category, 1.0, distance), 0.0)

    def tidied(self, rows: FloatArray) -> FloatArray:
        """Return allowed rows, each once: forbidden moves are undone, the others rounded and clipped."""
        space = self.space
        moved = np.clip(space.rounded(rows), space.low, space.high)
        moved = np.where(rows != self.row, moved, self.row)
        with np.errstate(invalid="ignore"):  # a missing value stays
            allowed = space.movable & ((moved - self.row) * space.direction >= 0)
        tidy = np.where(allowed, moved, self.row)
        changes = (tidy != self.row).sum(axis=1)
        return np.unique(tidy[(changes > 0) & (changes <= space.max_changes)], axis=0)

    def accepts(self, rows: FloatArray) -> BoolArray:
        """Return which rows the model and the detector accept; the detector sees only the accepted ones."""
        space = self.space
        if not len(rows):
            return np.zeros(0, dtype=bool)
        found = np.asarray(space.score(rows) >= space.threshold)
        if space.plausibility is not None and found.any():
            found[found] = space.plausibility(rows[found]) >= self.floor
        return found


def person_of(
    space: Space, explainer: p2ce.Explainer, row: pd.DataFrame, *, rng: np.random.Generator
) -> Person:
    """Encode a person, a frame of one row, and find out how plausible a counterfactual of theirs must be.

    An explainer that calls today's row plausible although the detector does not accepts whatever is no less
    plausible than that.
    """
    codes, floor = space.codebook.encode(row)[0], PLAUSIBLE_FROM
    if space.plausibility is not None and explainer.evaluate(row, {}).plausible:
        floor = min(floor, float(space.plausibility(codes[None, :])[0]))
    return Person(space=space, row=codes, floor=floor, rng=rng)


def find(person: Person) -> Finds:
    """Run all heuristics for one person and bisect their best rows; the cheapest come first."""
    rows, kinds = np.empty((0, len(person.row))), np.empty(0, dtype=np.int64)
    for kind, heuristic in enumerate(HEURISTICS.values()):
        proposed = person.tidied(heuristic(person))
        proposed = proposed[person.accepts(proposed)]
        rows = np.concatenate([rows, proposed])
        kinds = np.concatenate([kinds, np.full(len(proposed), kind)])
    chosen = _worth_bisecting(person, rows)
    shrunk, origin = _shrunk(person, rows[chosen])
    rows, kinds = np.concatenate([rows, shrunk]), np.concatenate([kinds, kinds[chosen][origin]])
    traded, origin = _traded(person, rows)
    return _finds(person, np.concatenate([rows, traded]), np.concatenate([kinds, kinds[origin]]))


def _finds(person: Person, rows: FloatArray, kinds: IntArray) -> Finds:
    moves = person.moves(rows)
    total = moves.sum(axis=1)
    order = np.argsort(total, kind="stable")
    return Finds(
        rows=rows[order],
        total=total[order],
        largest=moves.max(axis=1, initial=0.0)[order],
        changes=(moves > 0).sum(axis=1)[order],
        heuristic=kinds[order],
    )


# --- what is proposed -------------------------------------------------------------------------------------


def copies_of_neighbours(person: Person) -> FloatArray:
    """Copy up to three features of the nearest accepted and plausible rows: undo all others."""
    space = person.space
    moves = np.where(space.movable, person.moves(space.accepted), 0.0)
    nearest = space.accepted[np.argsort(moves.sum(axis=1), kind="stable")[: 5 * NEIGHBOURS]]
    if space.plausibility is not None and len(nearest):
        nearest = nearest[space.plausibility(nearest) >= person.floor]
    blocks = []
    for neighbour in nearest[:NEIGHBOURS]:
        differing = np.flatnonzero(space.movable & (neighbour != person.row))
        for kept in _supports(differing, space.max_changes):
            block = np.repeat(person.row[None, :], len(kept), axis=0)
            np.put_along_axis(block, kept, neighbour[kept], axis=1)
            blocks.append(block)
    return _joined(person, blocks)


def scan_of_pairs(person: Person) -> FloatArray:
    """Scan every feature and every pair of features on a coarse grid over the range of the reference."""
    axes = {column: _axis(person.space, column) for column in np.flatnonzero(person.space.movable).tolist()}
    blocks = []
    for size in range(1, min(2, person.space.max_changes) + 1):
        for columns in combinations(axes, size):
            points = np.array(list(product(*(axes[column] for column in columns))))
            block = np.repeat(person.row[None, :], len(points), axis=0)
            block[:, columns] = points
            blocks.append(block)
    return _joined(person, blocks)


def greedy_steps(person: Person) -> FloatArray:
    """Take the single step that raises the score most for its cost, in one, two and three features."""
    space, found = person.space, []
    for most in range(1, space.max_changes + 1):
        row = person.row
        score = space.score(row[None, :])[0]
        for _ in range(STEPS):
            tried = np.concatenate([*_steps_from(person, row), np.empty((0, len(row)))])
            tried = tried[(tried != person.row).sum(axis=1) <= most]
            tried = tried[(tried != row).any(axis=1)]
            if not len(tried):
                break
            scores = space.score(tried)
            paid = np.abs(person.moves(tried).sum(axis=1) - person.moves(row[None, :]).sum())
            best = int(np.argmax((scores - score) / np.maximum(paid, RESOLUTION)))
            if scores[best] <= score:
                break
            row, score = tried[best], scores[best]
            if score >= space.threshold:
                found.append(row)  # an implausible one may become plausible by further steps
                if person.accepts(row[None, :])[0]:
                    break
    return _joined(person, [np.array(found).reshape(-1, len(person.row))])


def random_growth(person: Person) -> FloatArray:
    """Draw rows in up to three features at growing distances from the person: growing spheres, sparse."""
    space, rng, columns = person.space, person.rng, np.flatnonzero(person.space.movable)
    most = min(space.max_changes, len(columns))
    if not most:
        return np.empty((0, len(person.row)))
    count = len(RADII) * DRAWS
    order = np.argsort(rng.random((count, len(columns))), axis=1)[:, :most]
    drawn = np.arange(most) < rng.integers(1, most + 1, count)[:, None]
    shares = rng.dirichlet(np.ones(most), count) * drawn
    signs = rng.choice([-1.0, 1.0], (count, most))
    reach = np.repeat(RADII, DRAWS)[:, None] * shares / shares.sum(axis=1, keepdims=True)
    chosen = columns[order]
    values = person.row[chosen] + signs * reach * space.unit[chosen]
    # A category has no direction: any of its labels.
    labels = np.floor(rng.random((count, most)) * (space.high[chosen] + 1.0))
    values = np.where(space.is_category[chosen], labels, values)
    rows = np.repeat(person.row[None, :], count, axis=0)
    np.put_along_axis(rows, chosen, np.where(drawn, values, person.row[chosen]), axis=1)
    return rows


HEURISTICS: dict[str, Callable[[Person], FloatArray]] = {
    "back from neighbours": copies_of_neighbours,
    "one and two features": scan_of_pairs,
    "greedy steps": greedy_steps,
    "random growth": random_growth,
}


def _joined(person: Person, blocks: list[FloatArray]) -> FloatArray:
    return np.concatenate([np.empty((0, len(person.row))), *blocks])


def _supports(columns: IntArray, most: int) -> Iterator[IntArray]:
    """Yield all sets of 1, 2, … columns, each as an array (sets, columns)."""
    for size in range(1, min(most, len(columns)) + 1):
        yield np.array(list(combinations(columns.tolist(), size)))


def _axis(space: Space, column: int) -> FloatArray:
    """Return the values at which a column is scanned."""
    low, high = space.low[column], space.high[column]
    if space.is_category[column]:
        return np.arange(low, high + 1.0)
    shares = np.linspace(0.0, 1.0, POINTS // 2)
    points = np.concatenate([np.quantile(space.reference[:, column], shares), low + shares * (high - low)])
    return np.unique(space.rounded(points, column))


def _steps_from(person: Person, row: FloatArray) -> Iterator[FloatArray]:
    """Yield the rows one step away, feature by feature."""
    space = person.space
    for column in np.flatnonzero(space.movable).tolist():
        if space.is_category[column]:
            values = _axis(space, column)
        else:
            lengths = space.rounded(np.array(SIZES) * space.unit[column], column, by=np.ceil)
            values = row[column] + np.concatenate([-lengths, lengths])
            values = np.clip(values, space.low[column], space.high[column])
        values = values[(values - person.row[column]) * space.direction[column] >= 0]
        block = np.repeat(row[None, :], len(values), axis=0)
        block[:, column] = values
        yield block


# --- what is made of it -----------------------------------------------------------------------------------


def _worth_bisecting(person: Person, rows: FloatArray) -> IntArray:
    """Choose the cheapest rows by either cost and number of changes, and the cheapest of each support."""
    moves = person.moves(rows)
    total, largest, changes = moves.sum(axis=1), moves.max(axis=1, initial=0.0), (moves > 0).sum(axis=1)
    chosen: list[int] = []
    for size in range(1, person.space.max_changes + 1):
        of_size = np.flatnonzero(changes == size)
        for cost in (total, largest):
            chosen += of_size[np.argsort(cost[of_size], kind="stable")[:CHEAPEST]].tolist()
    order = np.argsort(total, kind="stable")
    _, first = np.unique(rows[order] != person.row, axis=0, return_index=True)
    chosen += order[np.sort(first)[:EACH_SUPPORT]].tolist()
    return np.unique(np.array(chosen, dtype=np.int64))


def _shrunk(person: Person, rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """Move accepted rows back towards the person; also return the row that each comes from.

    In every order of the changed features, each goes back as far as the others allow. Before that, all are
    capped at the same distance: that serves the largest move.
    """
    if not len(rows):
        return rows, np.empty(0, dtype=np.int64)
    capped = _capped(person, rows)
    starts = np.concatenate([rows, capped])
    origin = np.tile(np.arange(len(rows)), 2)
    most = person.space.max_changes
    # The changed columns of each row come first; −1 behind them.
    moved = starts != person.row
    columns = np.argsort(~moved, axis=1, kind="stable")[:, :most]
    columns = np.where(np.take_along_axis(moved, columns, axis=1), columns, -1)
    orders = list(permutations(range(columns.shape[1])))
    tried = np.tile(starts, (len(orders), 1))
    turns = np.concatenate([columns[:, order] for order in orders])
    for turn in turns.T:
        tried = _bisected(person, tried, turn)
    return np.concatenate([capped, tried]), np.concatenate(
        [np.arange(len(rows)), np.tile(origin, len(orders))]
    )


def _traded(person: Person, rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """Let one change of the cheapest rows go further, so the others may go back."""
    moves = person.moves(rows)
    order = [
        np.argsort(cost, kind="stable")[:TRADED]
        for cost in (moves.sum(axis=1), moves.max(axis=1, initial=0.0))
    ]
    best = np.unique(np.concatenate(order))
    lengths = person.space.rounded(np.array(SIZES)[:, None] * person.space.unit, by=np.ceil)
    further = lengths[:, None, :] * np.sign(rows[best] - person.row)
    pushed, origin = [], []
    for column in np.flatnonzero(person.space.movable & ~person.space.is_category).tolist():
        for size in further[:, :, column]:
            block = rows[best]
            block[:, column] += size
            holds = (size != 0) & (block[:, column] <= person.space.high[column])
            holds &= block[:, column] >= person.space.low[column]
            holds[holds] = person.accepts(block[holds])
            pushed.append(block[holds])
            origin.append(best[holds])
    starts, places = np.concatenate([rows[:0], *pushed]), np.concatenate([best[:0], *origin])
    shrunk, start = _shrunk(person, starts)
    return shrunk, places[start]


def _bisected(person: Person, rows: FloatArray, columns: IntArray) -> FloatArray:
    """Move one column of each accepted row back towards the person as far as it stays accepted."""
    space, rows, every = person.space, rows.copy(), np.arange(len(rows))
    column = np.maximum(columns, 0)
    near, far = person.row[column], rows[every, column]
    finest = np.where(space.grain[column] > 0.0, space.grain[column], RESOLUTION * space.unit[column])

    def moved_to(values: FloatArray, which: IntArray) -> BoolArray:
        trial = rows[which]
        trial[np.arange(len(which)), column[which]] = values
        return person.accepts(trial)

    open_ = np.flatnonzero((columns >= 0) & (near != far))
    undone = moved_to(near[open_], open_)
    far[open_[undone]] = near[open_[undone]]
    for _ in range(HALVINGS):
        open_ = np.flatnonzero((columns >= 0) & (np.abs(far - near) > finest) & ~space.is_category[column])
        if not len(open_):
            break
        middle = space.rounded((near[open_] + far[open_]) / 2, column[open_])
        holds = moved_to(middle, open_)
        far[open_[holds]], near[open_[~holds]] = middle[holds], middle[~holds]
    rows[every, column] = far
    return rows


def _capped(person: Person, rows: FloatArray) -> FloatArray:
    """Cap all moves of a row at the same number of units, as few as keep it accepted."""
    space = person.space
    moves = person.moves(rows)
    near, far = np.zeros(len(rows)), moves.max(axis=1)
    best = rows.copy()
    for _ in range(HALVINGS):
        open_ = np.flatnonzero(far - near > RESOLUTION)
        if not len(open_):
            break
        middle = (near[open_] + far[open_]) / 2
        reach = middle[:, None] * space.unit
        trial = person.row + np.clip(rows[open_] - person.row, -reach, reach)
        # Towards the person, or a rounded move would exceed the cap.
        trial = np.where(
            trial > person.row, space.rounded(trial, by=np.floor), space.rounded(trial, by=np.ceil)
        )
        trial = np.where(space.is_category | (rows[open_] == person.row), rows[open_], trial)
        holds = (trial != person.row).any(axis=1) & person.accepts(trial)
        best[open_[holds]] = trial[holds]
        far[open_[holds]], near[open_[~holds]] = middle[holds], middle[~holds]
    return best
