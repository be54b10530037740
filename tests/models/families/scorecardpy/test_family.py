"""Is scorecard_ply with a card explained as it adds up points, for bins, labels and special values?"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.errors import InvalidReference
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box, assert_conforms
from tests.optional import needs
from tests.oracle import assert_is_front, brute_force_front

pytestmark = pytest.mark.filterwarnings("ignore")  # of the library, about pandas
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(18, 70, 80),
        "late": RNG.choice([0, 1, 2, -9], 80),
        "job": RNG.choice(["cook", "clerk", "smith", "poet"], 80),
        "unused": RNG.normal(0, 1, 80).round(1),
    }
)
POINTS = {
    "age": {"[-inf,26.0)": -9.0, "[26.0,40.0)": 0.0, "[40.0,inf)": 12.0},
    "late": {"-9": 3.0, "[-inf,1.0)": 5.0, "[1.0,inf)": -9.0, "missing": 0.0},
    "job": {"cook%,%clerk": 3.0, "smith": -4.0},
}
CARD = {"basepoints": pd.DataFrame({"variable": "basepoints", "bin": np.nan, "points": 450}, index=[0])} | {
    name: pd.DataFrame({"variable": name, "bin": list(points), "points": list(points.values())})
    for name, points in POINTS.items()
}


def model(**options: Any) -> Any:
    return partial(needs("scorecardpy").scorecard_ply, replace_blank_na=False, **{"card": CARD, **options})


@pytest.mark.parametrize("as_frame", [False, True])
def test_every_bin_label_and_special_value_has_its_points(as_frame: bool) -> None:
    made = model(card=pd.concat(CARD, ignore_index=True)) if as_frame else model()
    found, _ = assert_conforms(made, FRAME, target=None, at_least=460.0, undecided=1.0, unseen=False)
    assert found.family == "scorecardpy card (points)"
    cuts = dict(zip(found.columns, found.score.cuts, strict=True))
    assert cuts["age"].tolist() == np.nextafter([26.0, 40.0], -np.inf).tolist()
    assert cuts["late"].tolist() == [np.nextafter(1.0, -np.inf)]
    assert cuts["unused"].tolist() == []


def test_fronts_are_those_of_brute_force() -> None:
    policy = p2ce.Policy.infer(FRAME, special_values=None, protect=None)
    policy = policy.fix("unused").candidates(age=[20, 25, 26, 39, 40, 60], late=[-9, 0, 1, 2])
    explainer = p2ce.Explainer(model(), FRAME, policy=policy, at_least=465.0, plausibility=None)
    person = FRAME[(model()(FRAME)["score"] < 450) & (FRAME["late"] > 0)].iloc[0]
    truth = brute_force_front(
        person,
        FRAME,
        policy,
        accepts=lambda rows: model()(rows)["score"].to_numpy() >= 465.0,
        objectives=("mean_distance", "max_distance", "changes"),
        max_changes=3,
    )
    assert_is_front(explainer.explain(person), truth)


def test_other_columns_and_options_are_refused() -> None:
    with pytest.raises(InvalidReference, match="The card has points for 'age'"):
        parse_model(model(), reference=FRAME.drop(columns="age"), at_least=460.0, target=None)
    made = model(only_total_score=True)
    assert_black_box(made, FRAME, "without 'only_total_score'", at_least=460.0, target=None)
