"""Is it settled by all of the reference whether a one-hot group may be empty, whoever asks?"""

import numpy as np
import pandas as pd

import p2ce
from p2ce import Policy, rules
from p2ce.compile.compile_arguments import KEPT_ROWS

ROWS = 2 * KEPT_ROWS + 2
HOMES = ["own", "rent", "free"]


def people(*, gap: int | None) -> pd.DataFrame:
    """Return everyone one home, but for one row that has none."""
    homes = np.eye(3, dtype=int)[np.arange(ROWS) % 3]
    if gap is not None:
        homes[gap] = 0
    return pd.DataFrame(homes, columns=HOMES).assign(income=np.arange(ROWS) % 50)


def without_a_home(rows: pd.DataFrame) -> np.ndarray:
    """Accept who has no home at all."""
    return (rows[HOMES].sum(axis=1) == 0).to_numpy(dtype=float)


def test_one_row_that_is_not_kept_decides_for_explain_as_well() -> None:
    """Issue 13: the constructor found all of the reference, explain(policy=…) a thinned one."""
    row = {"own": 1, "rent": 0, "free": 0, "income": 10}
    for gap, options in ((None, 0), (0, 1), (1, 1), (ROWS - 1, 1)):
        frame = people(gap=gap)
        policy = Policy.infer(frame).fix("income").with_rules(rules.one_hot("home", HOMES))
        plain = p2ce.Explainer(without_a_home, frame, target=1, plausibility=None)
        whole = p2ce.Explainer(without_a_home, frame, target=1, policy=policy, plausibility=None)
        found, own = whole.explain(row), plain.explain(row, policy=policy)
        assert len(found) == options
        assert found.status is own.status
        assert [option.values for option in found] == [option.values for option in own]
        assert found.certificate is not None
        assert own.certificate is not None
        assert found.certificate.rules == own.certificate.rules
        # The same problem, so each explainer takes the other's explanation.
        assert found.problem is not None
        assert own.problem is not None
        assert found.problem.hashes == own.problem.hashes
        for option in found:
            assert plain.evaluate(row, option.values, explanation=own).ok
        again = plain.explain(row, policy=policy.fix("own", "rent", "free"))
        assert again.certificate is not None
        assert again.certificate.rules == found.certificate.rules
