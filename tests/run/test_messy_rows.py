"""Are rows explained as they come: numbered columns, columns of no use, and the null of JSON?"""

import json
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.errors import InvalidRow

ARRAY = np.random.default_rng(0).normal(0, 1, (120, 3)).round(2)
GOOD = (ARRAY.sum(axis=1) > 0).astype(int)
NUMBERED = pd.DataFrame(ARRAY)
NAMED = pd.DataFrame(ARRAY, columns=["Income", "Debt", "Years"])
BAD = int(np.argmin(ARRAY.sum(axis=1)))


def _explainer(model: Any, reference: Any, **settings: Any) -> p2ce.Explainer:
    return p2ce.Explainer(model, reference, target=1, plausibility=None, max_changes=2, **settings)


@pytest.mark.parametrize("fitted_on", [ARRAY, NUMBERED])
@pytest.mark.parametrize("make", [LogisticRegression, lambda: DecisionTreeClassifier(max_depth=3)])
def test_columns_may_be_numbers(make: Callable[[], Any], fitted_on: Any) -> None:
    """They are the same for every form of row, and in policies, limits and objectives."""
    policy = p2ce.Policy.infer(NUMBERED).fix(0).within({1: (-1, 3)}).within_change({2: (-1, 4)})
    explainer = _explainer(
        make().fit(fitted_on, GOOD),
        NUMBERED,
        policy=policy,
        objectives=[p2ce.objectives.WeightedDistance({"1": 2.0}), "changes"],
    )
    frame = NUMBERED.iloc[[BAD]]
    found = explainer.explain(frame)
    assert len(found)
    assert all(set(option.changes) <= {"1", "2"} for option in found)
    rows = [
        frame.iloc[0],
        frame.iloc[0].to_dict(),
        ARRAY[BAD],
        {str(at): x for at, x in enumerate(ARRAY[BAD])},
    ]
    for row in rows:
        assert explainer.explain(row) == found
    many = explainer.explain_many(frame, limits=pd.DataFrame({"1_high": [3.0]}, index=frame.index))
    assert list(many) == [found]
    assert list(found.to_frame().columns)[1:4] == ["0", "1", "2"]


def test_columns_of_no_use_are_ignored_and_named_once(caplog: pytest.LogCaptureFixture) -> None:
    explainer = _explainer(LogisticRegression().fit(NAMED, GOOD), NAMED)
    plain = explainer.explain(NAMED.iloc[[BAD]])
    wide = NAMED.assign(Since=pd.Timestamp("2026-11-18"), note="x")
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        assert explainer.explain(wide.iloc[[BAD]]) == plain
        assert explainer.explain({**wide.iloc[BAD].to_dict()}) == plain
        assert list(explainer.explain_many(wide.iloc[[BAD]])) == [plain]
        explainer.scores(wide)
        explainer.evaluate(wide.iloc[[BAD]], {"Income": 3.0})
    told = [record.getMessage() for record in caplog.records]
    assert told == ["Columns that the model does not use are ignored: 'Since', 'note'."]


@pytest.mark.parametrize("name", ["Incme", "income", "Dbet", "Year", "Yearss"])
def test_a_column_that_may_be_meant_as_another_is_an_error(name: str) -> None:
    explainer = _explainer(LogisticRegression().fit(NAMED, GOOD), NAMED)
    with pytest.raises(InvalidRow, match=f"'{name}' is not a column of the model. Did you mean"):
        explainer.explain(NAMED.assign(**{name: 1.0}).iloc[[BAD]])


def test_null_is_a_missing_value() -> None:
    reference = NAMED.mask(NAMED > 1.5)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(reference, GOOD)
    explainer = _explainer(model, reference)
    row = json.loads('{"Income": null, "Debt": -2, "Years": -1.5}')
    found = explainer.explain(row)
    assert found.person["Income"] is None
    expected = explainer.explain(pd.DataFrame([{"Income": np.nan, "Debt": -2.0, "Years": -1.5}]))
    assert [option.changes["Debt"] for option in found if "Debt" in option.changes] == [
        option.changes["Debt"] for option in expected if "Debt" in option.changes
    ]
    assert [option.costs for option in found] == [option.costs for option in expected]
    assert [option.costs for option in explainer.explain_many([row, row])[1]] == [
        option.costs for option in found
    ]
