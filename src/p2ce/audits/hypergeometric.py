"""Compute tails of hypergeometric distributions: how many marked people a random subset has."""

from typing import TypeAlias

import numpy as np

from p2ce.arrays import FloatArray, IntArray

Whole: TypeAlias = IntArray | int

COLUMNS = 64  # terms that are added at a time
ROWS = 4_096  # distributions at a time, which bounds the memory
NEGLIGIBLE = 1e-17  # of a sum


def at_least(count: Whole, people: Whole, marked: Whole, size: Whole) -> FloatArray:
    """Return the probability that a random subset of `size` of the people has at least `count` marked ones.

    >>> at_least(*np.array([[2], [4], [2], [2]])).round(6).tolist()  # both of two marked people
    [0.166667]
    """
    cases = np.stack(
        np.broadcast_arrays(*(np.asarray(one, np.int64) for one in (count, people, marked, size)))
    )
    begins = range(0, cases.shape[1], ROWS)
    found: FloatArray = np.concatenate([_at_least(*cases[:, begin : begin + ROWS]) for begin in begins])
    return found


def at_most(count: Whole, people: Whole, marked: Whole, size: Whole) -> FloatArray:
    """Return the probability of at most `count` marked ones: of at least so many that are not marked."""
    return at_least(size - count, people, people - marked, size)


def _at_least(count: IntArray, people: IntArray, marked: IntArray, size: IntArray) -> FloatArray:
    least, most = np.maximum(0, size + marked - people), np.minimum(size, marked)
    mode = (size + 1) * (marked + 1) // (people + 2)
    # Terms are added away from the mode, where they fall: above it, or below it for the complement.
    upwards = count > mode
    step = np.where(upwards, 1, -1)
    term = np.where(upwards, count, count - 1)
    inside = (term >= least) & (term <= most)
    sums = np.zeros(len(count))
    open_rows = np.flatnonzero(inside)
    last = np.exp(_log_probability(*(one[open_rows] for one in (term, people, marked, size))))
    sums[open_rows] = last
    term = term[open_rows]
    while len(open_rows):
        n, k, m = people[open_rows, None], marked[open_rows, None], size[open_rows, None]
        up = upwards[open_rows, None]
        terms = term[:, None] + step[open_rows, None] * np.arange(COLUMNS)
        # The ratio of the next probability to this one, which is 0 behind the last.
        ratios = np.where(
            up,
            (k - terms) * (m - terms) / np.maximum((terms + 1) * (n - k - m + terms + 1), 1),
            terms * (n - k - m + terms) / np.maximum((k - terms + 1) * (m - terms + 1), 1),
        )
        products = last[:, None] * np.cumprod(np.maximum(ratios, 0.0), axis=1)
        sums[open_rows] += products.sum(axis=1)
        last = products[:, -1]
        goes_on = last > NEGLIGIBLE * sums[open_rows]
        term = (term + step[open_rows] * COLUMNS)[goes_on]
        last, open_rows = last[goes_on], open_rows[goes_on]
    found = np.where(upwards, sums, 1.0 - sums)
    return np.clip(np.where(count <= least, 1.0, np.where(count > most, 0.0, found)), 0.0, 1.0)


def _log_probability(term: IntArray, people: IntArray, marked: IntArray, size: IntArray) -> FloatArray:
    from scipy.special import gammaln

    def chosen(of: IntArray, so_many: IntArray) -> FloatArray:
        found: FloatArray = gammaln(of + 1) - gammaln(so_many + 1) - gammaln(of - so_many + 1)
        return found

    return chosen(marked, term) + chosen(people - marked, size - term) - chosen(people, size)
