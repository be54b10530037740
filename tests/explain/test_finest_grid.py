"""Is nobody told that there is no option while the data hold one, and does every answer name its grid?"""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.explain import finest_grid as finest

RNG = np.random.default_rng(5)
PEOPLE = pd.DataFrame(
    {"Income": RNG.lognormal(7, 1, 800), "Stay": np.r_[RNG.integers(0, 6, 700), RNG.integers(6, 400, 100)]}
)
RARE = float(np.sort(PEOPLE["Income"])[400])  # an income that one person has, and no round number
PERSON = {"Income": 10.0, "Stay": 3}


def accepts_rare(rows: pd.DataFrame) -> np.ndarray:
    """Accept one income only."""
    return (rows["Income"].to_numpy() == RARE).astype(float)


def accepts_nobody_near(rows: pd.DataFrame) -> np.ndarray:
    """Accept incomes beyond all data."""
    return (rows["Income"].to_numpy() > 1e7).astype(float)


def explainer(model: object, actions: p2ce.ActionSet | None = None, **given: object) -> p2ce.Explainer:
    return p2ce.Explainer(model, PEOPLE, actions=actions, target=1, plausibility=None, **given)  # type: ignore[arg-type]


def test_an_option_that_only_the_finest_grid_holds_is_found_and_said_to_be_there() -> None:
    asked = explainer(accepts_rare, p2ce.ActionSet.infer(PEOPLE).fix("Stay"))
    assert RARE not in asked.actions["Income"].candidates()
    found = asked.explain(PERSON)
    assert found.status is p2ce.Status.OPTIMAL
    assert found.certificate is not None
    assert found.certificate.grid == "finest"
    assert [option.values["Income"] for option in found] == [RARE]
    (many,) = asked.explain_many(pd.DataFrame([PERSON]))
    assert many == found


def test_a_step_that_somebody_named_is_kept_and_named_among_what_can_be_lifted() -> None:
    actions = p2ce.ActionSet.infer(PEOPLE).step(Income=500).fix("Stay")
    asked = explainer(accepts_rare, actions)
    found = asked.explain(PERSON)
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate is not None
    assert found.certificate.grid == "given"
    why = asked.why_none(found)
    assert [relaxation.kinds for relaxation in why] == [("step",)]
    assert "Income in steps of 500" in why.relaxations[0].restrictions[0]
    assert why.relaxations[0].counterfactual.values["Income"] == RARE


def test_where_the_finest_grid_holds_nothing_either_that_is_what_is_proven() -> None:
    found = explainer(accepts_nobody_near, p2ce.ActionSet.infer(PEOPLE).fix("Stay")).explain(PERSON)
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate is not None
    assert (found.certificate.grid, found.certificate.finest_open) == ("finest", False)
    assert found.certificate.proven


def test_a_search_that_is_cut_on_the_finest_grid_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finest, "MOST_EVALUATIONS", 0)
    found = explainer(accepts_nobody_near, p2ce.ActionSet.infer(PEOPLE).fix("Stay")).explain(PERSON)
    assert found.status is p2ce.Status.NO_RECOURSE  # on the inferred grid, which was searched to its end
    assert found.certificate is not None
    assert (found.certificate.grid, found.certificate.finest_open) == ("inferred", True)
    assert found.certificate.proven


def test_people_of_one_batch_have_each_their_grid() -> None:
    def accepts(rows: pd.DataFrame) -> np.ndarray:
        rich = rows["Income"].to_numpy() >= 900
        return np.where(rows["Stay"] == 3, accepts_rare(rows), rich.astype(float))

    actions = p2ce.ActionSet.infer(PEOPLE).fix("Stay")
    people = pd.DataFrame([{"Income": 10.0, "Stay": stay} for stay in (1, 3, 2, 3)])
    many = explainer(accepts, actions).explain_many(people)
    grids = [found.certificate.grid for found in many if found.certificate is not None]
    assert grids == ["inferred", "finest", "inferred", "finest"]
    for row, found in zip(people.to_dict("records"), many, strict=True):
        assert found == explainer(accepts, actions).explain(row)


def test_the_options_of_a_tree_lie_next_to_its_thresholds() -> None:
    """Nothing between the person and an option of a single change is accepted: no step stands in the way."""
    y = (PEOPLE["Income"] > 1234.5) & (PEOPLE["Stay"] < 4)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(PEOPLE, y)
    rows = PEOPLE[tree.predict(PEOPLE) == 0][:40]
    cuts = np.unique(tree.tree_.threshold[tree.tree_.feature == 0])
    unit = PEOPLE["Income"].clip(*np.percentile(PEOPLE["Income"], (1, 99))).std(ddof=0)
    looked_at = 0
    for found in explainer(tree, objectives="mean_distance").explain_many(rows):
        for option in found:
            if list(option.changes) == ["Income"]:
                before, after = option.changes["Income"]
                between = cuts[(cuts >= min(before, after)) & (cuts <= max(before, after))]
                assert np.abs(between - after).min() <= 0.002 * unit + 1e-9
                looked_at += 1
    assert looked_at > 10


@pytest.mark.parametrize("seed", range(3))
def test_nobody_without_an_option_has_one_on_a_grid_ten_times_finer(seed: int) -> None:
    """Under the same policy and detector; the grid of the trial is the test's own."""
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {"a": rng.lognormal(3, 1.2, 600), "b": np.floor(rng.lognormal(2, 1, 600)), "c": rng.normal(0, 1, 600)}
    )
    y = rng.random(600) < 1 / (1 + np.exp(-(np.log(people["a"]) - 3 + people["c"] - 0.3 * people["b"] / 7)))
    model = RandomForestClassifier(12, max_depth=5, random_state=seed, n_jobs=1).fit(people, y)
    given = {"target": 1, "threshold": 0.8, "max_changes": 1}
    actions = p2ce.ActionSet.infer(people)
    asked = p2ce.Explainer(model, people, actions=actions, **given)  # type: ignore[arg-type]
    none = [
        row
        for row, found in zip(people.to_dict("records"), asked.explain_many(people[:300]), strict=False)
        if found.status is p2ce.Status.NO_RECOURSE
    ]
    assert len(none) > 3
    fine = {
        name: np.linspace(*np.percentile(people[name], (1, 99)), 400).round(0 if name == "b" else 6)
        for name in people
    }
    finer = p2ce.Explainer(model, people, actions=actions.values(fine), **given)  # type: ignore[arg-type]
    for found in finer.explain_many(pd.DataFrame(none)):
        assert found.status is p2ce.Status.NO_RECOURSE
