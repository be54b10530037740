"""Summarise how a population is distributed over each column, to show where an option lies."""

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.result.problem_record import Distribution
from p2ce.tables.codebook import MISSING, Codebook, Coding

MOST_BINS = 24
MOST_LABELS = 20
TAILS = (1.0, 99.0)  # percentiles between which bins lie if a few rows are far out
FAR_OUT = 3.0  # times that width


def distributions(values: FloatArray, codebook: Codebook) -> dict[str, Distribution]:
    """Summarise every column of the reference's codes (n, d)."""
    return {coding.name: _spread(values[:, column], coding) for column, coding in enumerate(codebook.codings)}


def _spread(codes: FloatArray, coding: Coding) -> Distribution:
    known = codes[codes != MISSING]
    missing = 1.0 - len(known) / len(codes)
    if not len(known):
        return Distribution(missing=missing)
    distinct, counts = np.unique(known, return_counts=True)
    share = counts / len(codes)
    if coding.is_category or set(distinct.tolist()) <= {0.0, 1.0}:
        order = np.argsort(-share, kind="stable")
        listed = order[:MOST_LABELS]
        return Distribution(
            labels=tuple(coding.plain(float(code)) for code in distinct[listed]),
            shares=tuple(share[listed].tolist()),
            other=float(share[order[MOST_LABELS:]].sum()),
            missing=missing,
        )
    edges = _edges(known, distinct)
    # Rows beyond the ends are counted in the bins at the ends.
    bins, _ = np.histogram(np.clip(known, edges[0], edges[-1]), bins=edges)
    return Distribution(
        edges=tuple(edges.tolist()), shares=tuple((bins / len(codes)).tolist()), missing=missing
    )


def _edges(known: FloatArray, distinct: FloatArray) -> FloatArray:
    """Choose the ends of bins. Whole numbers lie inside theirs, with the same number of steps in each bin."""
    low, high = float(known.min()), float(known.max())
    first, last = np.percentile(known, TAILS)
    if high - low > FAR_OUT * (last - first) > 0:
        low, high = float(first), float(last)
    if len(distinct) > 1 and (distinct == np.floor(distinct)).all() and np.abs(distinct).max() < 2.0**52:
        # Loans of 6, 12, 18 months would look like a comb in bins whose width is not a multiple of 6.
        step = float(np.gcd.reduce(np.diff(distinct).astype(np.int64)))
        low = float(distinct[0] + step * np.floor((low - distinct[0]) / step))
        steps = np.floor((high - low) / step) + 1.0
        width = step * np.ceil(steps / MOST_BINS)
        count = int(np.ceil(step * steps / width))
        return np.asarray(low - step / 2.0 + width * np.arange(count + 1))
    if low == high:
        room = max(abs(low), 1.0) * 0.5
        low, high = low - room, high + room
    return np.linspace(low, high, MOST_BINS + 1)
