"""Are transformers of one column evaluated as in the pipeline, and is what is proven behind them true?"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, SplineTransformer

import p2ce
from p2ce.engine.scores.input_forest import InputForestScore
from p2ce.errors import InvalidArgument, InvalidOutput
from p2ce.extend import columnwise
from p2ce.models.parse_model import parse_model
from p2ce.models.preprocessing.tabulated import ColumnTable, evaluate_column
from tests.models.laws import assert_black_box
from tests.models.preprocessing.tables import Waves
from tests.oracle import assert_is_front, brute_force_front

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "debt": RNG.integers(0, 9, 240),
        "income": RNG.lognormal(3.0, 0.5, 240).round(1),
        "years": RNG.integers(0, 6, 240).astype(float),
    }
)
LABEL = (np.log(FRAME["income"]) - 0.2 * FRAME["debt"] + 0.3 * np.sin(FRAME["years"]) > 2.3).astype(int)


def fitted(*steps: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(*steps).fit(FRAME, LABEL)


class Counted(FunctionTransformer):
    """Count the values that are transformed."""

    def transform(self, rows: Any) -> Any:
        self.seen_ = getattr(self, "seen_", 0) + len(rows)
        return super().transform(rows)


def test_a_table_is_what_the_transformer_says_and_evaluates_a_value_once() -> None:
    step = Counted(np.sqrt).fit(FRAME[["debt"]])
    table = ColumnTable(step=step, given=FRAME[["debt"]].head(1), place=0, outputs=1)
    values = np.array([4.0, 1.0, np.nan, 4.0, 2.5, np.nan])
    for _ in range(2):
        found = table.at(values)[:, 0]
        assert np.array_equal(found, np.sqrt(values), equal_nan=True)
    assert step.seen_ == 4
    assert table.at(np.array([9.0, 1.0])).tolist() == [[3.0], [1.0]]
    assert step.seen_ == 5


def test_what_a_transformer_rejects_is_rejected_and_nothing_else() -> None:
    def choosy(rows: Any) -> Any:
        if (np.asarray(rows) > 6).any():
            raise ValueError("too much")
        return rows

    step = FunctionTransformer(choosy).fit(FRAME[["debt"]])
    found = evaluate_column(step, FRAME[["debt"]].head(1), 0, np.array([1.0, 9.0, 3.0, 7.0, 6.0]), 1)
    assert found[:, 0].tolist() == [1.0, np.inf, 3.0, np.inf, 6.0]


def test_whole_numbers_reach_a_transformer_in_their_own_type() -> None:
    kinds = []

    def kept(rows: Any) -> Any:
        kinds.append(rows.dtypes.iloc[0].kind)
        return rows

    evaluate_column(FunctionTransformer(kept), FRAME[["debt"]].head(1), 0, np.array([1.0, 2.0]), 1)
    evaluate_column(FunctionTransformer(kept), FRAME[["debt"]].head(1), 0, np.array([1.5]), 1)
    assert kinds == ["i", "f"]


BEHIND = {
    "a forest": RandomForestClassifier(5, max_depth=4, random_state=0),
    "boosted trees": GradientBoostingClassifier(n_estimators=6, random_state=0),
    "a sum": LogisticRegression(),
    "a network": MLPClassifier((5,), max_iter=30, random_state=0),
}
BEFORE = {
    "splines": SplineTransformer(4, degree=2),
    "a power": PowerTransformer(),
    "logarithms": FunctionTransformer(np.log1p),
    "waves": Waves(periods=(2.0, 5.0)),
}


@pytest.mark.parametrize("last", BEHIND)
@pytest.mark.parametrize("before", BEFORE)
def test_fronts_are_those_of_brute_force_through_the_users_own_pipeline(before: str, last: str) -> None:
    model = fitted(BEFORE[before], BEHIND[last])
    policy = p2ce.Policy.infer(FRAME, special_values=None).candidates(
        debt=[0, 1, 2, 4, 6, 8], income=[6.0, 10.5, 16.25, 22.0, 31.0], years=[0.0, 1.0, 2.5, 3.0, 5.0]
    )
    explainer = p2ce.Explainer(model, FRAME, policy=policy, target=1, plausibility=None, refine=False)
    rejected = FRAME[model.predict(FRAME) == 0]
    for _, person in rejected.iloc[:3].iterrows():
        found = explainer.explain(person)
        truth = brute_force_front(
            person,
            FRAME,
            policy,
            accepts=lambda rows: model.predict_proba(rows)[:, 1] >= 0.5,
            objectives=("mean_distance", "max_distance", "changes"),
            max_changes=3,
        )
        assert_is_front(found, truth)
        assert found.certificate.bound != "complete"


def test_options_between_candidates_pass_the_users_own_pipeline() -> None:
    model = fitted(FunctionTransformer(np.log1p), BEHIND["a forest"])
    explainer = p2ce.Explainer(model, FRAME, target=1)
    rejected = FRAME[model.predict(FRAME) == 0].head(12)
    many = explainer.explain_many(rejected)
    refined = sum(one.certificate.refined for one in many)
    options = many.to_frame()[list(FRAME)]
    assert refined > 0
    assert (model.predict_proba(options)[:, 1] >= 0.5).all()


def test_a_forest_behind_its_own_threshold_is_turned() -> None:
    from sklearn.model_selection import FixedThresholdClassifier

    model = FixedThresholdClassifier(fitted(FunctionTransformer(np.log1p), BEHIND["a forest"]), threshold=0.3)
    model.fit(FRAME, LABEL)
    for target in (0, 1):
        found = parse_model(model, reference=FRAME, target=target)
        assert isinstance(found.score, InputForestScore)


def test_a_transformer_that_looks_at_other_rows_is_not_followed() -> None:
    ranks = FunctionTransformer(lambda rows: rows.rank(pct=True))
    model = make_pipeline(ranks, LogisticRegression()).fit(FRAME[["income"]], LABEL)
    with pytest.raises(InvalidOutput, match="score each row by itself"):
        parse_model(model, reference=FRAME[["income"]])


def test_a_transformer_of_several_columns_has_to_be_declared() -> None:
    def added(rows: Any) -> Any:
        return np.asarray(rows).cumsum(axis=1)

    model = fitted(FunctionTransformer(added), LogisticRegression())
    assert_black_box(model, FRAME, "p2ce.extend.columnwise")
    columnwise(added)  # which is not true
    assert_black_box(model, FRAME, "transforms column")


def test_only_what_holds_a_mark_is_declared() -> None:
    with pytest.raises(InvalidArgument, match="expects the class of a transformer, or a function"):
        columnwise(3)
    with pytest.raises(InvalidArgument, match="takes no attributes"):
        columnwise(len)
