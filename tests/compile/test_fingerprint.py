"""Fingerprints are equal for what is equal, whatever table or machine it comes from."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from p2ce.compile.fingerprint import fingerprint_of, model_fingerprint, same_scores, table_fingerprint
from p2ce.explainer import problems_of
from p2ce.tables import as_kind
from tests.optional import needs
from tests.populations import loans


def test_a_model_is_known_by_what_it_predicts() -> None:
    explainer = loans.explainer()
    other = loans.explainer(
        model=RandomForestClassifier(12, max_depth=5, random_state=1).fit(loans.people(), loans.label())
    )
    mark = model_fingerprint(problems_of(explainer).own, problems_of(explainer).known.compiled.values)
    assert mark == model_fingerprint(
        problems_of(loans.explainer()).own, problems_of(explainer).known.compiled.values
    )
    assert mark != model_fingerprint(problems_of(other).own, problems_of(explainer).known.compiled.values)
    assert len(mark) == 64


def test_last_bits_do_not_matter_and_nan_is_itself() -> None:
    scores = np.array([[0.123456789, np.nan, -0.0, 1e-300]])
    near = scores * (1 + 1e-12)
    assert fingerprint_of(scores) == fingerprint_of(near)
    assert same_scores(scores, near)
    assert not same_scores(scores, scores + 0.001)
    assert not same_scores(scores, scores[:, :2])


TABLE = {
    "Age": [41, 23, 35],
    "Income": [1.5, None, 2.5],
    "Housing": ["own", "rent", None],
    "Owns": [True, False, True],
}


@pytest.mark.parametrize("kind", ["polars", "arrow", "records"])
def test_the_kind_of_table_is_no_matter(kind: str) -> None:
    frame = pd.DataFrame(TABLE)
    needs({"polars": "polars", "arrow": "pyarrow"}.get(kind, "numpy"))
    assert table_fingerprint(as_kind(frame, kind)) == table_fingerprint(frame)


@pytest.mark.parametrize(
    "change",
    [
        {"Age": [41, 23, 36]},
        {"Income": [1.5, 0.0, 2.5]},
        {"Housing": ["own", "own", None]},
        {"Housing": ["own", "rent", "None"]},
        {"Other": [1, 2, 3]},
        {"Housing": pd.Categorical(["own", "rent", None], ordered=True)},
    ],
)
def test_every_value_and_name_counts(change: dict[str, Any]) -> None:
    assert table_fingerprint(pd.DataFrame({**TABLE, **change})) != table_fingerprint(pd.DataFrame(TABLE))
