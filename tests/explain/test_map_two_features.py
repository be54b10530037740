"""A map of two features tells what the model, the detector and the policy themselves say."""

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import ActionSet
from tests.populations import loans

PERSON = {"Income": 15, "Debt": 1.0, "Owns": False, "Rate": 0.5, "Years": 2}


def test_every_cell_is_what_check_says() -> None:
    actions = ActionSet.infer(loans.people()).increase_only("Income")
    explainer = loans.explainer(actions=actions)
    found = explainer.explain(PERSON)
    drawn = explainer.map_of(found, "Income", "Debt", size=9)
    assert drawn.columns == ("Income", "Debt")
    assert drawn.scores.shape == (len(drawn.values[1]), len(drawn.values[0]))
    assert drawn.plausible is not None
    for up, debt in enumerate(drawn.values[1]):
        for across, income in enumerate(drawn.values[0]):
            told = explainer.check(PERSON, {"Income": income, "Debt": debt})
            assert drawn.scores[up, across] == told.score
            assert drawn.accepted[up, across] == told.valid
            assert drawn.plausible[up, across] == told.plausible
            assert drawn.allowed[up, across] == told.allowed


def test_the_person_and_the_options_lie_on_the_axes() -> None:
    explainer = loans.explainer()
    found = explainer.explain(PERSON)
    drawn = explainer.map_of(found, "Income", "Debt", size=5)
    for axis, name in enumerate(drawn.columns):
        wanted = {PERSON[name], *(option.values[name] for option in found)}
        assert wanted <= set(drawn.values[axis])
        assert list(drawn.values[axis]) == sorted(drawn.values[axis])
    assert all(isinstance(value, int) for value in drawn.values[0])
    assert drawn.population.shape[1] == 2


def test_yes_no_and_categories_are_lanes() -> None:
    frame = loans.people().assign(Home=np.where(loans.people()["Owns"], "own", "rent"))

    def score(rows: pd.DataFrame) -> "np.ndarray":
        return ((rows["Income"] > 30) & (rows["Home"] == "own")).to_numpy(float)

    explainer = p2ce.Explainer(score, frame)
    found = explainer.explain({**PERSON, "Home": "rent"})
    drawn = explainer.map_of(found, "Home", "Owns", size=5)
    assert set(drawn.values[0]) == {"own", "rent"}
    assert drawn.values[1] == (False, True)


def test_without_a_detector_nothing_is_called_implausible() -> None:
    explainer = loans.explainer(plausibility=None)
    assert explainer.map_of(explainer.explain(PERSON), "Income", "Debt", size=3).plausible is None


@pytest.mark.parametrize(
    ("across", "up", "size", "told"),
    [
        ("Incom", "Debt", 9, "Did you mean 'Income'"),
        ("Income", "Income", 9, "two different features"),
        ("Income", "Debt", 1, "from 2 to 1000"),
        ("Income", "Debt", 2_000, "from 2 to 1000"),
    ],
)
def test_what_cannot_be_drawn_is_refused(across: str, up: str, size: int, told: str) -> None:
    explainer = loans.explainer()
    with pytest.raises(p2ce.P2CEError, match=told):
        explainer.map_of(explainer.explain(PERSON), across, up, size=size)


def test_the_map_belongs_to_the_question_that_was_asked() -> None:
    explainer = loans.explainer(max_changes=1)
    wider = explainer.explain(PERSON, max_changes=2)
    drawn = explainer.map_of(wider, "Income", "Debt", size=5)
    for option in wider:
        if option.changes.keys() <= {"Income", "Debt"}:
            place = [drawn.values[axis].index(option.values[name]) for axis, name in enumerate(drawn.columns)]
            assert drawn.allowed[place[1], place[0]]
    fixed = ActionSet.infer(loans.people()).fix("Income")
    own = explainer.explain(PERSON, actions=fixed)
    with pytest.raises(p2ce.P2CEError, match="its policy is another"):
        explainer.map_of(own, "Income", "Debt")
    assert not explainer.map_of(own, "Income", "Debt", size=4, actions=fixed).allowed.all()


def test_what_was_not_explained_has_no_map() -> None:
    explainer = loans.explainer()
    with pytest.raises(p2ce.P2CEError, match="takes what explain"):
        explainer.map_of("somebody", "Income", "Debt")  # type: ignore[arg-type]
    people = loans.refused().iloc[:1].astype({"Debt": object})
    people["Debt"] = "much"
    with pytest.raises(p2ce.P2CEError, match="could not be explained"):
        explainer.map_of(explainer.explain_many(people)[0], "Income", "Debt")
    explainer = loans.explainer(threshold=0.5)
    other = loans.explainer(model=lambda rows: (rows["Income"] > 30).to_numpy(float), threshold=0.5)
    with pytest.raises(p2ce.P2CEError, match="its model is another"):
        other.map_of(explainer.explain(PERSON), "Income", "Debt")


def test_a_model_is_asked_once_also_where_many_cells_lie_at_the_threshold() -> None:
    calls: list[int] = []

    def level(rows: pd.DataFrame) -> "np.ndarray":
        calls.append(len(rows))
        return np.where(rows["Income"] > 30, 0.5, 0.2)

    explainer = p2ce.Explainer(level, loans.people())
    found = explainer.explain(PERSON)
    calls.clear()
    explainer.map_of(found, "Income", "Debt", size=30)
    assert len(calls) == 1
