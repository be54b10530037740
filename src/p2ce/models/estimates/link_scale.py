"""Choose the scale on which attributions are added: log-odds for probabilities, else the score itself."""

from enum import StrEnum

import numpy as np

from p2ce.base.arrays import FloatArray

# A probability of 0 or 1 has no finite log-odds. A model's certainty beyond this limit is rounding noise.
SMALLEST = 1e-6
VOTES = 0.01  # with a larger share of exact zeros, scores are taken for shares of votes


class LinkScale(StrEnum):
    """How the model's reported score is converted to a number that attributions add up to."""

    LOGIT = "logit"
    MINUS_LOGIT = "minus logit"  # of probabilities that are negated, since they must be at most so much
    IDENTITY = "identity"


def to_scale(values: FloatArray, link: LinkScale) -> FloatArray:
    """Convert reported scores to the scale of the estimate; it is increasing, so thresholds convert too.

    On Adult with a neural network, pruning by probabilities left four times as many cells to score as
    pruning by log-odds: probabilities flatten out where several changes add up.

    >>> to_scale(np.array([0.5, 1.0]), LinkScale.LOGIT).round(3).tolist()
    [0.0, 13.816]
    """
    values = np.asarray(values, dtype=np.float64)
    if link is LinkScale.IDENTITY:
        return values
    if link is LinkScale.MINUS_LOGIT:
        return -to_scale(-values, LinkScale.LOGIT)
    clipped = np.clip(values, SMALLEST, 1.0 - SMALLEST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def link_of_probabilities(*, negated: bool) -> LinkScale:
    """Return the scale of probabilities, or of minus probabilities, which must be at most so much."""
    return LinkScale.MINUS_LOGIT if negated else LinkScale.LOGIT


def preferred_link(scores: FloatArray, *, probabilities: bool, negated: bool = False) -> LinkScale:
    """Choose the scale from the scores (n,) of some reference rows.

    Shares of votes, as reported by nearest neighbours and deep forests, are often exactly 0. The log-odds of
    0 are clipped to an arbitrary large number. For five neighbours on Adult, log-odds left 40 % of the cells
    to score, probabilities 25 %.

    >>> preferred_link(np.array([0.0, 0.2, 0.4]), probabilities=True).value
    'identity'
    """
    if not probabilities or not len(scores):
        return LinkScale.IDENTITY
    if float(np.mean(scores == 0.0)) > VOTES:
        return LinkScale.IDENTITY
    return link_of_probabilities(negated=negated)
