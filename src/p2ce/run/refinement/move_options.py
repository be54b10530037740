"""Move options closer to the instance's own values: by halving, evenly, or one change against another."""

import itertools

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.run.refinement.trials import PRECISION, Options, Trials
from p2ce.tables.codebook import MISSING

MOST_HALVINGS = 16
EVEN_HALVINGS = 8  # of a size
TRADES = (0.0, 0.5, 0.8)  # of a change: how much of it remains if another one grows for it


def shrink(trials: Trials, options: Options, *, from_today: bool = False) -> Options:
    """Move every changed number of options back towards today's value, in two orders of the columns.

    Between today's value and an option of the grid's front, the next candidate is known to fail. Other
    options are halved all the way ``from_today``.
    """
    before = trials.batch.values[options.instance]
    moved = trials.moved(options, before)
    if not moved.any():
        return options.taken(np.zeros(len(options.rows), dtype=np.bool_))
    size = np.where(moved, trials.sizes(options, before), -np.inf)
    largest_first = np.argsort(-size, axis=1, kind="stable")
    several = np.flatnonzero(moved.sum(axis=1) > 1)
    counts = moved.sum(axis=1)
    orders = [largest_first]
    # The other order: the smallest of the moved columns first.
    reverse = np.array(
        [np.concatenate([row[:k][::-1], row[k:]]) for row, k in zip(largest_first, counts, strict=True)]
    ).reshape(largest_first.shape)
    orders.append(reverse[several])
    owner = np.concatenate([np.arange(len(counts)), several])
    order, count = np.concatenate(orders), np.concatenate([counts, counts[several]])
    rows = options.rows[owner].copy()
    instance = options.instance[owner]
    for turn in range(int(counts.max())):
        some = np.flatnonzero(count > turn)
        column = order[some, turn]
        _halve(trials, instance, rows, some, column, from_today=from_today)
    changed = (rows != options.rows[owner]).any(axis=1)
    return trials.options(instance[changed], rows[changed])


def even_out(trials: Trials, options: Options) -> Options:
    """Let all changed numbers of an option move equally far, and no farther than needed.

    This costs least if the largest change counts.
    """
    before = trials.batch.values[options.instance]
    moved = trials.moved(options, before)
    some = np.flatnonzero(moved.sum(axis=1) > 1)
    options, before, moved = options.taken(some), before[some], moved[some]
    if not len(some):
        return options
    outer = np.where(moved, trials.sizes(options, before), 0.0).max(axis=1)
    inner = np.zeros(len(some))
    rows = _moved_by(trials, options, before, moved, np.broadcast_to(outer[:, None], before.shape))
    good = trials.judge(options.instance, rows).good
    for _ in range(EVEN_HALVINGS):
        todo = np.flatnonzero(good & (outer - inner > PRECISION * outer))
        if not len(todo) or trials.is_late:
            break
        middle = (inner[todo] + outer[todo]) / 2
        size = np.broadcast_to(middle[:, None], (len(todo), before.shape[1]))
        trial = _moved_by(trials, options.taken(todo), before[todo], moved[todo], size)
        fine = trials.judge(options.instance[todo], trial).good
        rows[todo[fine]] = trial[fine]
        outer[todo[fine]], inner[todo[~fine]] = middle[fine], middle[~fine]
    return trials.options(options.instance[good], rows[good])


def trade(trials: Trials, options: Options) -> Options:
    """Let one changed number move less, or not at all, and another one more to make up for it."""
    before = trials.batch.values[options.instance]
    moved, size = trials.moved(options, before), trials.sizes(options, before)
    owners, columns, sizes = [], [], []
    for at in np.flatnonzero(moved.sum(axis=1) > 1).tolist():
        for less, more in itertools.permutations(np.flatnonzero(moved[at]).tolist(), 2):
            for share in TRADES:
                factor = np.ones(size.shape[1])
                factor[less], factor[more] = share, 1.0 + 2.0 * (1.0 - share)
                owners.append(at)
                columns.append(more)
                sizes.append(factor * size[at])
    if not owners:
        return options.taken(np.zeros(0, dtype=np.int64))
    wider, column = options.taken(np.array(owners)), np.array(columns)
    rows = _moved_by(trials, wider, before[owners], moved[owners], np.array(sizes))
    good = trials.judge(wider.instance, rows).good
    instance, rows, column = wider.instance[good], rows[good], column[good]
    _halve(trials, instance, rows, np.arange(len(rows)), column, from_today=True)
    return trials.options(instance, rows)


def _moved_by(
    trials: Trials, options: Options, before: FloatArray, moved: BoolArray, size: FloatArray
) -> FloatArray:
    """Move the changed numbers of options by a number of deviations (m, d), in the same directions."""
    rows = options.rows.copy()
    for column, axis in trials.axes.items():
        some = np.flatnonzero(moved[:, column])
        here, far = before[some, column], size[some, column]
        way = np.sign(rows[some, column] - here)
        target = axis.near(here + way * far * axis.values.unit, far)
        candidates = trials.candidates(options.instance[some], column)
        least = np.where(candidates == MISSING, np.inf, candidates).min(axis=1)
        target = np.clip(target, least, candidates.max(axis=1))
        target = np.where(far == 0.0, here, target)
        forbidden = np.isin(target, axis.feature.special)
        rows[some, column] = np.where(forbidden, rows[some, column], target)
    return rows


def _halve(
    trials: Trials,
    instance: IntArray,
    rows: FloatArray,
    some: IntArray,
    column: IntArray,
    *,
    from_today: bool,
) -> None:
    """Move one column of some rows back, in place, as far as the rows are still accepted."""
    current = trials.batch.values[instance[some], column]
    outer = rows[some, column].copy()
    inner = current.copy() if from_today else _next_inside(trials, instance[some], column, outer, current)
    for _ in range(MOST_HALVINGS):
        middle = np.full(len(some), np.nan)
        for one, axis in trials.axes.items():
            mine = column == one
            if mine.any():
                middle[mine] = axis.between(inner[mine], outer[mine], current[mine])
        todo = np.flatnonzero(np.isfinite(middle))
        if not len(todo) or trials.is_late:
            return
        trial = rows[some[todo]]
        trial[np.arange(len(todo)), column[todo]] = middle[todo]
        good = trials.judge(instance[some[todo]], trial).good
        rows[some[todo[good]]] = trial[good]
        outer[todo[good]], inner[todo[~good]] = middle[todo[good]], middle[todo[~good]]


def _next_inside(
    trials: Trials, instance: IntArray, column: IntArray, value: FloatArray, current: FloatArray
) -> FloatArray:
    """Find the candidate next to a value, on the side of today's value."""
    place = np.array([trials.axes[one].place for one in column.tolist()], dtype=np.int64)
    candidates = trials.batch.placement.values[instance, place]
    up = (value > current)[:, None]
    inside = np.where(up, candidates < value[:, None], candidates > value[:, None])
    nearest = np.where(
        up[:, 0],
        np.where(inside, candidates, -np.inf).max(axis=1),
        np.where(inside, candidates, np.inf).min(axis=1),
    )
    # Never beyond today's own value.
    return np.asarray(np.where(up[:, 0], np.maximum(nearest, current), np.minimum(nearest, current)))
