"""Check the turn to the scale on which attributions add up."""

import numpy as np
from numpy.testing import assert_allclose

from p2ce.estimates.link_scale import Link, preferred_link, to_scale


def test_log_odds_undo_the_logistic_function() -> None:
    margins = np.linspace(-10.0, 10.0, 41)
    assert_allclose(to_scale(1.0 / (1.0 + np.exp(-margins)), Link.LOGIT), margins, atol=1e-9)


def test_certainty_stays_finite_and_in_order() -> None:
    turned = to_scale(np.array([0.0, 1e-9, 0.3, 1.0]), Link.LOGIT)
    assert np.isfinite(turned).all()
    assert (np.diff(turned) >= 0.0).all()


def test_decision_values_stay_as_they_are() -> None:
    values = np.array([-3.0, 7.0])
    assert_allclose(to_scale(values, Link.IDENTITY), values)


def test_votes_are_compared_as_they_are() -> None:
    rng = np.random.default_rng(0)
    assert preferred_link(rng.binomial(5, 0.3, size=300) / 5, probabilities=True) is Link.IDENTITY
    assert preferred_link(rng.random(300), probabilities=True) is Link.LOGIT
    assert preferred_link(rng.normal(size=300), probabilities=False) is Link.IDENTITY
