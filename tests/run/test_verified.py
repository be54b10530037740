"""Results are never written to, and say that there is no option only where nothing speaks against it."""

from dataclasses import fields, replace

import numpy as np
import pytest

import p2ce
from p2ce.explainer import problems_of
from p2ce.run.explain_batch import explain_batch
from p2ce.run.verified import Counterfactuals, Verified, nothing_known
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


@pytest.mark.parametrize(
    "changed", [{"finished": False}, {"trusted": False}, {"gave_up": True}, {"favourable": True}]
)
def test_no_option_is_proven_only_where_nothing_speaks_against_it(changed: dict[str, bool]) -> None:
    known = nothing_known(2, 1, np.ones((2, 1), dtype=np.int32), 0.0)
    none = Counterfactuals(**{field.name: np.zeros(0, dtype=np.int64) for field in fields(Counterfactuals)})
    sure = Verified(outcomes=known, found=none, verify_seconds=0.0)
    assert sure.without_options().tolist() == [0, 1]
    doubtful = known.with_values(np.array([1]), **changed)
    assert replace(sure, outcomes=doubtful).without_options().tolist() == [0]
