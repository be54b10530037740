"""Choose the scale on which attributions are added: log-odds for probabilities, else the score itself."""

from enum import StrEnum

import numpy as np

from p2ce.arrays import FloatArray

# A probability of exactly 0 or 1 has no finite log-odds. Beyond this, a model's certainty is rounding.
SMALLEST = 1e-6
VOTES = 0.01  # a share of exact zeros above this is taken for counted votes


class Link(StrEnum):
    """How the model's reported score becomes a number that attributions add up to."""

    LOGIT = "logit"
    IDENTITY = "identity"


def to_scale(values: FloatArray, link: Link) -> FloatArray:
    """Turn reported scores into the scale of the estimate; ascending, so that thresholds turn as well.

    On Adult with a neural network, pruning by probabilities left four times as many cells to score as
    pruning by log-odds: a probability flattens out where several changes add up.

    >>> to_scale(np.array([0.5, 1.0]), Link.LOGIT).round(3).tolist()
    [0.0, 13.816]
    """
    values = np.asarray(values, dtype=np.float64)
    if link is Link.IDENTITY:
        return values
    clipped = np.clip(values, SMALLEST, 1.0 - SMALLEST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def preferred_link(reported: FloatArray, *, probabilities: bool) -> Link:
    """Choose the scale from the scores (n,) of some reference rows.

    Shares of votes, as neighbours and deep forests report them, are often exactly 0, whose log-odds are
    an arbitrary number far out: for five neighbours on Adult, log-odds left 40 % of the cells to score,
    probabilities 25 %.

    >>> preferred_link(np.array([0.0, 0.2, 0.4]), probabilities=True).value
    'identity'
    """
    if not probabilities or not len(reported):
        return Link.IDENTITY
    return Link.IDENTITY if float(np.mean(reported == 0.0)) > VOTES else Link.LOGIT
