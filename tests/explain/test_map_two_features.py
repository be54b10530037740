"""A map of two features tells what the model, the detector and the policy themselves say."""

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import ActionSet
from tests.populations import loans
from tests.populations.loans import PERSON


def test_every_cell_is_what_check_says() -> None:
    actions = ActionSet.infer(loans.people(), protect=None).increase_only("Income")
    explainer = loans.explainer(actions=actions)
    found = explainer.explain(PERSON)
    drawn = explainer.map_of(found, "Income", "Debt", size=9)
    assert drawn.columns == ("Income", "Debt")
    assert drawn.scores.shape == (len(drawn.values[1]), len(drawn.values[0]))
    assert drawn.plausible is not None
    for up, debt in enumerate(drawn.values[1]):
        for across, income in enumerate(drawn.values[0]):
            judged = explainer.check(PERSON, {"Income": income, "Debt": debt})
            assert drawn.scores[up, across] == judged.score
            assert drawn.accepted[up, across] == judged.valid
            assert drawn.plausible[up, across] == judged.plausible
            assert drawn.allowed[up, across] == judged.allowed


def test_labels_are_listed() -> None:
    frame = loans.people().assign(Home=np.where(loans.people()["Owns"], "own", "rent"))

    def score(rows: pd.DataFrame) -> "np.ndarray":
        return ((rows["Income"] > 30) & (rows["Home"] == "own")).to_numpy(float)

    explainer = p2ce.Explainer(score, frame, target=1)
    found = explainer.explain({**PERSON, "Home": "rent"})
    drawn = explainer.map_of(found, "Home", "Owns", size=5)
    assert set(drawn.values[0]) == {"own", "rent"}
    assert drawn.values[1] == (False, True)


@pytest.mark.parametrize(
    ("across", "up", "size", "judged"),
    [
        ("Incom", "Debt", 9, "Did you mean 'Income'"),
        ("Income", "Income", 9, "two different features"),
        ("Income", "Debt", 1, "from 2 to 1000"),
        ("Income", "Debt", 2_000, "from 2 to 1000"),
    ],
)
def test_what_cannot_be_drawn_is_rejected(across: str, up: str, size: int, judged: str) -> None:
    explainer = loans.explainer()
    with pytest.raises(p2ce.P2CEError, match=judged):
        explainer.map_of(explainer.explain(PERSON), across, up, size=size)


def test_the_map_belongs_to_the_problem_of_the_explanation() -> None:
    explainer = loans.explainer(max_changes=1)
    wider = explainer.explain(PERSON, max_changes=2)
    drawn = explainer.map_of(wider, "Income", "Debt", size=5)
    for option in wider:
        if option.changes.keys() <= {"Income", "Debt"}:
            place = [drawn.values[axis].index(option.values[name]) for axis, name in enumerate(drawn.columns)]
            assert drawn.allowed[place[1], place[0]]
    fixed = ActionSet.infer(loans.people(), protect=None).fix("Income")
    own = explainer.explain(PERSON, actions=fixed)
    with pytest.raises(p2ce.P2CEError, match="its policy is another"):
        explainer.map_of(own, "Income", "Debt")
    assert not explainer.map_of(own, "Income", "Debt", size=4, actions=fixed).allowed.all()
