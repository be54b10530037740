"""A map of two features tells what the model, the detector and the policy themselves say."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Policy
from p2ce.present.charts.map_data import MapData, map_data
from p2ce.present.wording import wording_of
from p2ce.result.analysis import LEAST_PEOPLE
from tests.optional import needs
from tests.populations import loans
from tests.populations.loans import PERSON


def test_every_cell_is_what_check_says() -> None:
    policy = Policy.infer(loans.people(), protect=None).increase_only("Income")
    explainer = loans.explainer(policy=policy)
    found = explainer.explain(PERSON)
    drawn = explainer.feature_map(found, "Income", "Debt", size=9)
    assert drawn.columns == ("Income", "Debt")
    assert drawn.scores.shape == (len(drawn.values[1]), len(drawn.values[0]))
    assert drawn.plausible is not None
    for up, debt in enumerate(drawn.values[1]):
        for across, income in enumerate(drawn.values[0]):
            judged = explainer.evaluate(PERSON, {"Income": income, "Debt": debt})
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
    drawn = explainer.feature_map(found, "Home", "Owns", size=5)
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
        explainer.feature_map(explainer.explain(PERSON), across, up, size=size)


def test_the_map_belongs_to_the_problem_of_the_explanation() -> None:
    explainer = loans.explainer(max_changes=1)
    wider = explainer.explain(PERSON, max_changes=2)
    drawn = explainer.feature_map(wider, "Income", "Debt", size=5)
    for option in wider:
        if option.changes.keys() <= {"Income", "Debt"}:
            place = [drawn.values[axis].index(option.values[name]) for axis, name in enumerate(drawn.columns)]
            assert drawn.allowed[place[1], place[0]]
    own = fixed_income(explainer)
    assert not explainer.feature_map(own, "Income", "Debt", size=4).allowed.all()


def fixed_income(explainer: p2ce.Explainer) -> p2ce.Explanation:
    fixed = Policy.infer(loans.people(), protect=None).fix("Income")
    return explainer.explain(PERSON, policy=fixed)


def test_an_explanation_with_its_own_policy_can_be_drawn() -> None:
    needs("matplotlib")
    explainer = loans.explainer()
    assert p2ce.plot_map(explainer, fixed_income(explainer), "Income", "Debt").axes


def test_people_are_counted_in_blocks_of_cells() -> None:
    explainer = loans.explainer()
    drawn = explainer.feature_map(explainer.explain(PERSON), "Income", "Owns", size=12)
    frame = loans.people()
    incomes, columns = np.array(drawn.values[0], dtype=float), drawn.density.edges[0]
    assert (columns[0], columns[-1]) == (0, len(incomes))
    assert drawn.density.edges[1] == (0, 1, 2)
    for row, owns in enumerate((False, True)):
        mine = frame.loc[frame["Owns"] == owns, "Income"].to_numpy(float)
        mine = mine[(mine >= incomes[0]) & (mine <= incomes[-1])]
        # A person belongs to the cell of the value that is nearest; halfway, to the upper one.
        apart = np.abs(mine[:, None] - incomes)
        cells = len(incomes) - 1 - apart[:, ::-1].argmin(1)
        counts = np.histogram(cells, bins=np.array(columns) - 0.5)[0]
        assert drawn.density.people[row].tolist() == np.where(counts < LEAST_PEOPLE, 0, counts).tolist()


def test_nobody_of_the_reference_is_in_a_map_or_its_picture() -> None:
    needs("matplotlib")
    rng = np.random.default_rng(3)
    reference = pd.DataFrame({"Income": rng.normal(30.0, 9.0, 700), "Debt": rng.normal(1.0, 0.5, 700)})
    reference.loc[699] = [500.0, 40.0]  # alone far out
    explainer = p2ce.Explainer(
        lambda rows: (rows["Income"] / 60).clip(0, 1), reference, target=1, plausibility=None
    )
    person = {"Income": 20.123, "Debt": 1.456}
    drawn = explainer.feature_map(explainer.explain(person), "Income", "Debt", size=40)
    counted = drawn.density.people
    assert counted.sum() > 500
    assert counted[counted > 0].min() >= LEAST_PEOPLE
    data = map_data(drawn, wording_of(drawn.explanation))
    axes = data.across, data.up
    rows = reference.to_numpy()
    places = np.array([[axis.place(x) for axis, x in zip(axes, row, strict=True)] for row in rows])
    pairs = np.concatenate([rows, places])
    for owner in (drawn, drawn.density, data, *p2ce.plot_map(drawn).findobj()):
        for points in _points(owner):
            distance = np.abs(points[:, None, :] - pairs).max(axis=2)
            assert distance.min() > 1e-9, f"{owner} holds somebody"


def _points(owner: Any) -> "list[np.ndarray]":
    """Return all points that an object has: what an artist draws, and every array with pairs in it."""
    found: list[Any] = []
    if isinstance(owner, needs("matplotlib.collections").Collection):
        found.append(owner.get_offsets())
    if isinstance(owner, needs("matplotlib.lines").Line2D):
        found.append(owner.get_xydata())
    if isinstance(owner, MapData):
        found.append(np.array([corner for crowd in owner.crowds for corner in (crowd.begin, crowd.end)]))
    elif not isinstance(owner, needs("matplotlib.artist").Artist):
        found += [getattr(owner, name) for name in owner.__dataclass_fields__]
    arrays = [np.asarray(one) for one in found if isinstance(one, np.ndarray)]
    return [one.astype(float) for one in arrays if one.ndim == 2 and one.shape[1] == 2 and len(one)]
