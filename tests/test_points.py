"""Do points show the same people accepted and rejected as the model, and change nothing of the search?"""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import Explanation, Points
from p2ce.errors import InvalidArgument, InvalidTarget
from p2ce.present.numbers import Numbers, shown_points_limit
from tests.test_at_most import explainer_of, fitted, people

CARD = Points(base=600, odds=50, pdo=20)
finite = st.floats(-2000, 2000)


def by_hand(chance: Any) -> Any:
    """Return points of a probability of default."""
    return 600 + 20 / np.log(2) * (np.log((1 - chance) / chance) - np.log(50))


def rejected(limit: float) -> pd.Series:
    return people()[fitted("linear").predict_proba(people())[:, 1] > limit].iloc[0]


def test_points_change_what_people_see_and_nothing_else(tmp_path: Any) -> None:
    model, person = fitted("linear"), rejected(0.3)
    plain = explainer_of(model, at_most=0.08).explain(person)
    explainer = explainer_of(model, at_most=0.08, report=CARD)
    found = explainer.explain(person)
    assert found == plain  # points follow from scores
    assert found.points.person == pytest.approx(by_hand(found.person_score))
    assert (found.points.at_least, found.points.at_most) == (pytest.approx(by_hand(0.08)), None)
    table = found.to_frame()
    assert table["points"].to_numpy() == pytest.approx(by_hand(table["score"].to_numpy()))
    assert "points" not in plain.to_frame()
    assert (table["points"] >= found.points.limit).all()
    text = found.to_text(audience="officer")
    assert f"The score is {found.points.person:.0f} points and must be at least" in text
    assert "points" in explainer.explain_many(people().head(3)).summary().columns
    assert " points)" in str(explainer.evaluate(person, found[0]))
    again = Explanation.from_json(found.to_json())
    assert (again.points, again[0].points) == (found.points, found[0].points)
    explainer.save(tmp_path / "saved.p2ce")
    loaded = p2ce.Explainer.load(tmp_path / "saved.p2ce", model).explain(person)
    assert loaded.to_json() == found.to_json()


def test_the_same_score_has_the_same_points_from_either_class() -> None:
    person = rejected(0.3)
    bad = explainer_of(fitted("linear"), at_most=0.25, report=CARD).explain(person)
    good = explainer_of(fitted("linear"), target=0, at_least=0.75, report=CARD).explain(person)
    log_odds = explainer_of(
        fitted("linear"), at_most=math.log(0.25 / 0.75), scale="decision", report=CARD
    ).explain(person)
    for other in (good, log_odds):
        assert other.points.person == pytest.approx(bad.points.person)
        assert other.points.at_least == pytest.approx(bad.points.at_least)
        assert [option.points for option in other] == pytest.approx([option.points for option in bad])


def test_several_models_show_the_least_points() -> None:
    models, person = [fitted("linear"), fitted("forest")], rejected(0.3)
    found = explainer_of(models, at_most=0.25, report=CARD).explain(person)
    each = [by_hand(one.predict_proba(person.to_frame().T)[0, 1]) for one in models]
    assert found.points.person == pytest.approx(min(each))
    with pytest.raises(InvalidTarget, match="report= needs one probability"):
        explainer_of(models, at_most=[0.25, 0.3], report=CARD)


def test_a_function_may_rise_or_fall(tmp_path: Any) -> None:
    person, model = rejected(0.3), fitted("linear")
    rising = explainer_of(model, at_most=0.08, report=lambda chance: 1000 * (1 - chance))
    found = rising.explain(person)
    assert (found.points.at_least, found.points.at_most) == (pytest.approx(920), None)
    falling = explainer_of(model, at_most=0.08, report=lambda chance: 1e4 * chance).explain(person)
    assert (falling.points.at_least, falling.points.at_most) == (None, pytest.approx(800))
    assert "must be at most 800" in falling.to_text(audience="officer")
    rising.save(tmp_path / "saved.p2ce")
    with pytest.raises(InvalidArgument, match="report="):
        p2ce.Explainer.load(tmp_path / "saved.p2ce", model)
    again = p2ce.Explainer.load(tmp_path / "saved.p2ce", model, report=lambda chance: 1000 * (1 - chance))
    assert again.explain(person).to_json() == found.to_json()


def test_a_rejected_score_never_seems_to_reach_the_threshold() -> None:
    """A function that rounds gives many scores the very points of the limit."""
    explainer = explainer_of(fitted("linear"), at_most=0.08, report=lambda chance: round(100 * (1 - chance)))
    for found in explainer.explain_many(people()):
        reaches = found.points.person >= found.points.limit
        assert reaches == (found.person_score <= 0.08)


@given(points=finite, limit=finite, decimals=st.sampled_from([None, 0, 1, 2]), upper=st.booleans())
def test_displayed_points_are_on_the_side_of_the_displayed_limit(
    points: float, limit: float, decimals: int | None, upper: bool
) -> None:
    numbers, sign = Numbers("en_GB"), -1.0 if upper else 1.0
    for near in (
        points,
        limit,
        math.nextafter(limit, -math.inf),
        math.nextafter(limit, math.inf),
        limit - 1e-4,
    ):
        shown = float(numbers.points(near, limit, decimals, upper=upper).replace(",", ""))
        least = float(numbers.points_limit(limit, decimals, upper=upper).replace(",", ""))
        assert least == pytest.approx(shown_points_limit(limit, decimals, upper=upper))
        rejected_by_more_than_noise = sign * (limit - near) > 1e-9 * max(1.0, abs(limit))
        assert not (rejected_by_more_than_noise and sign * shown >= sign * least)
        assert sign * near < sign * limit or sign * shown >= sign * least - 1e-9


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("points", "report must be p2ce.Points"),
        (lambda chance: (chance - 0.4) ** 2, "changes direction"),
        (lambda _: 5.0, "same points for every score"),
        (lambda _: "many", "must return a number"),
    ],
)
def test_a_report_that_orders_people_otherwise_is_rejected(report: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        explainer_of(fitted("tree"), at_most=0.2, report=report)


@pytest.mark.parametrize(
    "arguments", [{"pdo": 0}, {"odds": -1}, {"base": "a"}, {"round": 0.5}, {"round": -1}]
)
def test_points_check_their_numbers(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="of Points"):
        Points(**arguments)


def test_a_range_has_no_points() -> None:
    with pytest.raises(InvalidTarget, match="report= needs one probability"):
        explainer_of(lambda rows: rows["Income"], target=(50, None), report=CARD)
