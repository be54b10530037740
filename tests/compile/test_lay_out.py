"""What is laid out again is what would have been laid out at first."""

import numpy as np
import pandas as pd

import p2ce
from p2ce.compile.batch import place_and_price
from p2ce.compile.lay_out import with_limit
from p2ce.explainer import problems_of
from p2ce.rules import linked

PEOPLE = pd.DataFrame({"income": np.arange(20, 40), "accounts": np.arange(20) % 7, "owns": np.arange(20) % 2})


def test_a_limit_for_an_instance_is_the_limit_that_the_instance_gets() -> None:
    """A follower that counts as a change of its own makes the limit a budget, which is laid out too."""
    policy = p2ce.Policy.infer(PEOPLE).with_rules(linked("income", "accounts", counts="each"))
    model = lambda rows: rows["income"] / 100  # noqa: E731
    explainer = p2ce.Explainer(model, PEOPLE, policy=policy, at_least=0.3, plausibility=None, max_changes=3)
    own, values = problems_of(explainer).own, problems_of(explainer).own.codebook.encode(PEOPLE.iloc[:1])
    for limit in (1, 2, None):
        limited = p2ce.Explainer(
            model, PEOPLE, policy=policy, at_least=0.3, plausibility=None, max_changes=limit
        )
        first = place_and_price(problems_of(limited).own, values).instances
        later = place_and_price(with_limit(own, limit), values).instances
        np.testing.assert_array_equal(first.thresholds, later.thresholds)
        np.testing.assert_array_equal(first.gains, later.gains)
