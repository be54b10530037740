"""Is a Scorecard explained as its own probabilities and points say, with its cut points as candidates?"""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import p2ce
from p2ce.errors import InvalidReference, NotFitted
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box
from tests.optional import needs
from tests.oracle import assert_is_front, brute_force_front

pytestmark = pytest.mark.filterwarnings("ignore")  # of the library, about pandas
OBJECTIVES = ("mean_distance", "max_distance", "changes")


@cache
def card(**options: Any) -> tuple[Any, pd.DataFrame]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(3.0, 0.5, 500).round(1),
            "late": rng.choice([0, 1, 2, 3, -9], 500),
            "job": rng.choice(["cook", "clerk", "smith"], 500),
        }
    )
    pull = np.log(frame["income"]) - 0.5 * frame["late"].clip(0) + 0.7 * (frame["job"] == "cook")
    good = (pull + rng.normal(0, 0.5, 500) > 2.5).astype(int)
    optbinning = needs("optbinning")
    process = optbinning.BinningProcess(list(frame), categorical_variables=["job"], special_codes=[-9])
    scale = {"pdo": 20, "odds": 50, "scorecard_points": 600}
    made = optbinning.Scorecard(
        process, LogisticRegression(), scaling_method="pdo_odds", scaling_method_params=scale, **options
    )
    return made.fit(frame, good, metric_special="empirical", metric_missing="empirical"), frame


def policy(frame: pd.DataFrame) -> p2ce.Policy:
    return p2ce.Policy.infer(frame, special_values={"late": [-9]}, protect=None)


@pytest.mark.parametrize("points", [False, True])
def test_fronts_are_those_of_brute_force_through_the_card(points: bool) -> None:
    made, frame = card(rounding=True, reverse_scorecard=True)
    stated = p2ce.Policy.infer(frame, special_values=None, protect=None)
    stated = stated.candidates(income=[8.0, 14.0, 19.5, 25.0, 40.0], late=[-9, 0, 1, 2])
    model, given = (made.score, {"at_least": 640.0}) if points else (made, {"target": 1, "at_least": 0.7})

    def accepts(rows: pd.DataFrame) -> Any:
        return made.score(rows) >= 640.0 if points else made.predict_proba(rows)[:, 1] >= 0.7

    explainer = p2ce.Explainer(model, frame, policy=stated, plausibility=None, **given)
    rejected = frame[~accepts(frame)].groupby("late").head(2)
    assert len(rejected) > 5
    for _, person in rejected.iterrows():
        found = explainer.explain(person)
        truth = brute_force_front(
            person, frame, stated, accepts=accepts, objectives=OBJECTIVES, max_changes=3
        )
        assert_is_front(found, truth)
        assert found.certificate.bound == "additive"


def test_values_on_both_sides_of_every_cut_are_candidates_and_codes_are_not() -> None:
    made, frame = card()
    explainer = p2ce.Explainer(made, frame, policy=policy(frame), target=1, plausibility=None)
    found = parse_model(made, reference=frame)
    assert found.evaluate.method.__self__ is made  # verification calls the card, not the model inside
    income, late, _ = found.score.cuts
    splits = made.binning_process_.get_binned_variable("income").splits
    assert set(income) <= set(np.nextafter(splits, -np.inf))
    assert len(income) > 2
    assert set(late) <= {np.nextafter(at, -np.inf) for at in (0.5, 1.5, 2.5)}
    rejected = frame[made.predict_proba(frame)[:, 1] < 0.5]
    many = explainer.explain_many(rejected)
    assert {one.certificate.refined for one in many if one.certificate is not None} == {0}
    options = many.to_frame()
    assert (made.predict_proba(options[list(frame)])[:, 1] >= 0.5).all()
    came = options["late"].to_numpy() != rejected.loc[options["id"], "late"].to_numpy()
    assert -9 not in set(options.loc[came, "late"])
    # No value nearer than the option's own would pass: it lies at the cut.
    steps = sorted(set(options["income"]) - set(rejected["income"]))
    assert all(np.min(np.abs(value - income)) <= 0.1001 for value in steps), (steps, income)


def test_a_card_that_is_not_fitted_or_made_for_other_columns_says_so() -> None:
    made, frame = card()
    with pytest.raises(NotFitted, match="This Scorecard is not fitted"):
        parse_model(
            needs("optbinning").Scorecard(made.binning_process, LogisticRegression()), reference=frame
        )
    with pytest.raises(InvalidReference, match="fitted on column 'late'"):
        parse_model(made, reference=frame.drop(columns="late"))


def test_names_of_bins_are_refused_with_advice() -> None:
    from sklearn.preprocessing import OneHotEncoder

    made, frame = card()
    names = {"binning_transform_params": {name: {"metric": "bins"} for name in frame}}
    process = needs("optbinning").BinningProcess(list(frame), categorical_variables=["job"], **names)
    good = made.predict(frame)
    model = make_pipeline(process, OneHotEncoder(), LogisticRegression()).fit(frame, good)
    assert_black_box(model, frame, 'Use the metric "woe"')
