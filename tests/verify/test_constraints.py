"""Check that the vectorised and the spoken re-check of the constraints agree."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from p2ce import ActionSet
from p2ce.verify.constraints import allowed_rows, broken_rules

FRAME = pd.DataFrame({"a": np.arange(50), "b": np.arange(50) / 10, "c": [0, 1] * 25})
ACTIONS = {
    "free": ActionSet.infer(FRAME),
    "fixed": ActionSet.infer(FRAME).fix("a"),
    "turned": ActionSet.infer(FRAME).increase_only("a").decrease_only("b"),
    "narrow": ActionSet.infer(FRAME).within(a=(10, 20), b=(1.0, 2.0)),
    "named": ActionSet.infer(FRAME).values(a=[5, 15, 25]).within(a=(10, 30)),
}
NAMES = ("a", "b", "c")
rows = st.tuples(
    st.sampled_from([0, 5, 10, 15, 25, 60]), st.sampled_from([0.0, 1.0, 1.5, 4.0]), st.integers(0, 1)
)


@given(
    kind=st.sampled_from(sorted(ACTIONS)),
    before=rows,
    after=rows,
    max_changes=st.sampled_from([None, 1, 2, 3]),
)
def test_words_and_verdicts_agree(kind: str, before: tuple, after: tuple, max_changes: int | None) -> None:
    actions = ACTIONS[kind]
    then, now = np.array([before], dtype=float), np.array([after], dtype=float)
    fine = allowed_rows(actions, NAMES, then, now, max_changes=max_changes)
    words = broken_rules(
        actions,
        dict(zip(NAMES, then[0].tolist(), strict=True)),
        dict(zip(NAMES, now[0].tolist(), strict=True)),
        max_changes=max_changes,
    )
    assert fine.tolist() == [not words]


def test_staying_is_always_allowed() -> None:
    outside = np.array([[99.0, 9.0, 1.0]])
    for actions in ACTIONS.values():
        assert allowed_rows(actions, NAMES, outside, outside, max_changes=1).all()
