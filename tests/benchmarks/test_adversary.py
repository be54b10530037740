"""The adversary keeps the constraints, prices rows as the library does, and finds optima that are known."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from tests.properties.amount import examples

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.adversary import Finds, Space, find, person_of
from benchmarks.wins import beats, wins_over

WEIGHTS = {"Income": 1.0, "Debt": -20.0, "Rate": -5.0, "Owns": 12.0}
PERSON = pd.DataFrame(
    {"Income": [30], "Debt": [3], "Rate": [2.5], "Owns": [False], "Age": [40]}, index=["me"]
)


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "Income": rng.integers(10, 120, 400),
            "Debt": rng.integers(0, 6, 400),
            "Rate": rng.normal(2.0, 1.0, 400),
            "Owns": rng.random(400) < 0.4,
            "Age": rng.integers(20, 70, 400),
        }
    )


def score(rows: pd.DataFrame) -> np.ndarray:
    return sum(weight * rows[name].to_numpy(dtype=float) for name, weight in WEIGHTS.items())


def contest(threshold: float, **settings: object) -> tuple[p2ce.Explainer, Space, Finds]:
    reference = people()
    policy = p2ce.Policy.infer(reference).fix("Age").increase_only("Income")
    explainer = p2ce.Explainer(
        score, reference, policy=policy, at_least=threshold, plausibility=None, **settings
    )
    space = Space.of(
        explainer,
        score=lambda codes: score(pd.DataFrame(codes, columns=reference.columns)),
        threshold=threshold,
        plausibility=None,
    )
    return explainer, space, find(person_of(space, explainer, PERSON, rng=np.random.default_rng(0)))


@examples(6)
@given(threshold=st.integers(-40, 60))
def test_finds_are_accepted_allowed_and_priced_as_the_library_prices_them(threshold: int) -> None:
    explainer, space, found = contest(float(threshold))
    assert len(found.rows)
    for place in range(0, len(found.rows), len(found.rows) // 20 + 1):
        evaluation = explainer.evaluate(PERSON, space.proposal(PERSON, found.rows[place]))
        assert evaluation.ok
        assert len(evaluation.changes) == found.changes[place] <= 3
        assert space.number_count * evaluation.costs["mean_distance"] == pytest.approx(found.total[place])
        assert evaluation.costs["max_distance"] == pytest.approx(found.largest[place])


@examples(10)
@given(missing=st.floats(1.0, 60.0).map(lambda one: round(one, 3)))
def test_the_cheapest_single_change_is_found(missing: float) -> None:
    _, space, found = contest(float(score(PERSON)[0]) + missing)
    reach = {"Income": space.high[0] - 30.0, "Debt": 3.0, "Rate": 2.5 - space.low[2], "Owns": 1.0}
    needed = {name: missing / abs(weight) for name, weight in WEIGHTS.items()}
    needed |= {name: float(np.ceil(needed[name])) for name in ("Income", "Debt", "Owns")}
    costs = [
        needed[name] / space.unit[place] for place, name in enumerate(WEIGHTS) if needed[name] <= reach[name]
    ]
    assert found.total[found.changes == 1].min() == pytest.approx(min(costs), abs=0.002)


def test_a_win_is_reported_where_the_grid_is_too_coarse_and_none_where_it_is_fine() -> None:
    coarse, space, found = contest(10.0)
    for steps, expected in (
        ({"Income": 40, "Debt": 3, "Rate": 2.0}, True),
        ({"Income": 1, "Rate": 0.005}, False),
    ):
        policy = coarse.policy.step(steps)
        explainer = p2ce.Explainer(score, people(), policy=policy, at_least=10.0, plausibility=None)
        explanation = explainer.explain(PERSON)
        wins = list(wins_over(explanation, found, explainer=explainer, space=space, row=PERSON))
        assert bool(wins) == expected, wins
        assert all(win.person == "me" and beats(win.theirs, win.ours) for win in wins)


def test_plausibility_is_required_as_the_explainer_requires_it() -> None:
    reference = people()

    def richer_is_odd(rows: pd.DataFrame) -> np.ndarray:
        return 60.0 - rows["Income"].to_numpy(dtype=float)

    explainer = p2ce.Explainer(
        score, reference, policy=p2ce.Policy.infer(reference), at_least=30.0, plausibility=richer_is_odd
    )
    columns = reference.columns
    space = Space.of(
        explainer,
        score=lambda codes: score(pd.DataFrame(codes, columns=columns)),
        threshold=30.0,
        plausibility=lambda codes: richer_is_odd(pd.DataFrame(codes, columns=columns)),
    )
    found = find(person_of(space, explainer, PERSON, rng=np.random.default_rng(0)))
    assert len(found.rows)
    assert (found.rows[:, 0] <= 60.0).all()
