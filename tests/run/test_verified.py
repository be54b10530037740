"""Results are never written to: every array that a batch returns is read-only."""

from dataclasses import fields

import numpy as np
import pytest

import p2ce
from p2ce.explainer import problems_of
from p2ce.run.explain_batch import explain_batch
from tests.populations import loans


@pytest.mark.parametrize(
    "policy",
    [p2ce.Policy.infer(loans.people()), p2ce.Policy.infer(loans.people()).fix("Income", "Debt", "Owns")],
    ids=["options", "none"],
)
def test_every_array_of_a_batch_is_read_only(policy: p2ce.Policy) -> None:
    explainer = loans.explainer(price_of_plausibility=True, policy=policy)
    problem = problems_of(explainer).own
    verified = explain_batch(problem, problem.codebook.encode(loans.rejected().head(4)))
    assert (verified.outcomes.without_plausibility > 0).any()  # the later searches have run
    for record in (verified.outcomes, verified.found):
        for field in fields(record):
            array = getattr(record, field.name)
            assert isinstance(array, np.ndarray)
            if array.size:
                with pytest.raises(ValueError, match="read-only"):
                    array.flat[0] = array.flat[0]
