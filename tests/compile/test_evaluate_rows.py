"""A detector is a score whose threshold is 0: a row with exactly this value is plausible everywhere."""

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.compile.evaluate_rows import judge_rows
from p2ce.explainer import problems_of
from tests.populations import loans


def nothing_against(rows: pd.DataFrame) -> np.ndarray:
    return np.zeros(len(rows))


@pytest.mark.parametrize("today", ["counts", "ignore"])
def test_what_a_detector_gives_0_is_plausible(today: p2ce.explainer.OfToday) -> None:
    free, bounded = (
        loans.explainer(policy=loans.few(), max_changes=1, plausibility=one, plausibility_of_today=today)
        for one in (None, nothing_against)
    )
    row = loans.rejected().iloc[0]
    found = bounded.explain(row)
    assert [one.values for one in found] == [one.values for one in free.explain(row)]
    assert len(found)
    assert found.certificate is not None
    assert not found.certificate.discrepancies
    problem = problems_of(bounded).own
    values = problem.codebook.encode(row.to_frame().T.infer_objects())
    assert judge_rows(
        problem, None, np.zeros(1, dtype=np.int64), values, problem.frame(values)
    ).admitted.all()
