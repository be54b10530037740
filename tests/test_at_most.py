"""Is "probability of default at most 8 %" what is searched, verified and written, for every kind of model?"""

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import Explanation, Status
from p2ce.errors import InvalidArgument, InvalidTarget, UnnamedTarget
from tests.oracle import assert_is_front, brute_force_front

MODELS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(9, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=12, max_depth=2, random_state=0),
    "linear": LogisticRegression(max_iter=5000),
    "network": MLPClassifier((5,), solver="lbfgs", max_iter=2000, random_state=0),
    "neighbours": KNeighborsClassifier(15),
}


@cache
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "Income": rng.integers(10, 100, 400),
            "Debts": rng.integers(0, 10, 400),
            "Years": rng.integers(0, 20, 400),
        }
    )


@cache
def labels() -> pd.Series:
    """Return 1 for a default."""
    frame = people()
    lean = -0.06 * (frame["Income"] - 55) + 0.5 * (frame["Debts"] - 5) - 0.1 * (frame["Years"] - 10)
    drawn = np.random.default_rng(1).random(len(frame)) < 1 / (1 + np.exp(-lean))
    return pd.Series(drawn.astype(int), name="default")


@cache
def fitted(name: str) -> Any:
    return MODELS[name].fit(people(), labels())


@cache
def policy() -> p2ce.Policy:
    ends = {name: people()[name].quantile(np.linspace(0, 1, 6), "nearest").tolist() for name in people()}
    return p2ce.Policy.infer(people(), protect=None).candidates(ends)


def explainer_of(model: Any, **arguments: Any) -> p2ce.Explainer:
    arguments = {"target": 1, "policy": policy(), "plausibility": None, "max_changes": 2, **arguments}
    return p2ce.Explainer(model, people(), **arguments)


def assert_is_the_front(explainer: p2ce.Explainer, person: pd.Series, accepts: Any) -> Explanation:
    found = explainer.explain(person)
    terms: dict[str, Any] = {"accepts": accepts, "max_changes": 2, "objectives": found.objectives}
    assert_is_front(found, brute_force_front(person.to_dict(), people(), policy(), **terms))
    return found


@pytest.mark.parametrize("name", MODELS)
def test_the_front_is_that_of_the_models_own_probability(name: str) -> None:
    """The limits are what the model reports of some cell, the next float below, and round ones."""
    model = fitted(name)
    reported = np.sort(model.predict_proba(people())[:, 1])
    exact = float(reported[len(reported) // 5])
    for limit in (0.08, exact, float(np.nextafter(exact, 0.0))):
        explainer = explainer_of(model, at_most=limit)
        assert (explainer.at_least, explainer.at_most) == (None, limit)
        rejected = people()[model.predict_proba(people())[:, 1] > limit]
        for place in (0, len(rejected) // 2):
            found = assert_is_the_front(
                explainer,
                rejected.iloc[place],
                lambda rows, top=limit: model.predict_proba(rows)[:, 1] <= top,
            )
            assert (found.at_least, found.at_most, found.scale) == (None, limit, "probability")
            own = model.predict_proba(rejected.iloc[[place]])[0, 1]
            assert found.person_score == pytest.approx(own)
            assert found.person_score > limit
            for option in found:
                own = model.predict_proba(pd.DataFrame([option.values]))[0, 1]
                assert option.score == pytest.approx(own)
                assert max(option.score, own) <= limit
        assert np.allclose(explainer.scores(people()), model.predict_proba(people())[:, 1])


@pytest.mark.parametrize("name", ["forest", "linear", "neighbours"])
def test_a_margin_goes_inwards(name: str) -> None:
    model = fitted(name)
    explainer = explainer_of(model, at_most=0.3, margin=0.05)
    assert explainer.at_most == 0.25
    rejected = people()[model.predict_proba(people())[:, 1] > 0.25].iloc[0]
    found = assert_is_the_front(explainer, rejected, lambda rows: model.predict_proba(rows)[:, 1] <= 0.25)
    assert "25% (with a margin of 5 percentage points)" in found.to_text(audience="officer")


@pytest.mark.parametrize("name", ["boosting", "linear"])
def test_a_decision_value_may_be_limited_from_above(name: str) -> None:
    model = fitted(name)
    explainer = explainer_of(model, at_most=-0.7, scale="decision")
    person = people()[model.decision_function(people()) > -0.7].iloc[0]
    found = assert_is_the_front(explainer, person, lambda rows: model.decision_function(rows) <= -0.7)
    assert found.person_score == pytest.approx(model.decision_function(person.to_frame().T)[0])
    assert "must be at most -0.7" in found.to_text(audience="officer")


@pytest.mark.parametrize("limits", [0.2, [0.2, 0.35]], ids=["one for all", "one for each"])
def test_several_models_stay_at_most_at_their_limits(limits: Any) -> None:
    """One limit shows the highest probability; several limits show the least room."""
    models = [fitted("forest"), fitted("linear")]
    tops = limits if isinstance(limits, list) else [limits, limits]

    def accepts(rows: pd.DataFrame) -> Any:
        return np.all(
            [one.predict_proba(rows)[:, 1] <= top for one, top in zip(models, tops, strict=True)], axis=0
        )

    person = people()[~accepts(people())].iloc[3]
    found = assert_is_the_front(explainer_of(models, at_most=limits), person, accepts)
    chances = [one.predict_proba(person.to_frame().T)[0, 1] for one in models]
    if isinstance(limits, list):
        assert (found.scale, found.at_least, found.at_most) == ("lead", 0.0, None)
        room = min(top - chance for top, chance in zip(tops, chances, strict=True))
        assert found.person_score == pytest.approx(room)
        assert "the strictest misses its threshold by" in found.to_text(audience="officer")
    else:
        assert found.at_most == 0.2
        assert found.person_score == pytest.approx(max(chances))


def test_a_function_may_score_the_unfavourable_outcome(caplog: pytest.LogCaptureFixture) -> None:
    def probability_of_default(rows: pd.DataFrame) -> Any:
        return fitted("linear").predict_proba(rows)[:, 1]

    explainer = explainer_of(probability_of_default, target=None, at_most=0.2)
    person = people()[probability_of_default(people()) > 0.2].iloc[0]
    assert_is_the_front(explainer, person, lambda rows: probability_of_default(rows) <= 0.2)
    assert "unfavourable" not in caplog.text


def test_the_limits_of_a_regressor_are_its_range(tmp_path: Any) -> None:
    model = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(people(), people()["Debts"] * 3.0)
    for given, target in (
        ({"at_most": 9.0}, (None, 9.0)),
        ({"at_least": 4.0, "at_most": 9.0}, (4.0, 9.0)),
    ):
        explainer = explainer_of(model, **{"target": None, **given})
        person = people()[model.predict(people()) > 10].iloc[0]
        found = explainer.explain(person)
        assert found == explainer_of(model, target=target).explain(person)
        assert found.target == target
        explainer.save(tmp_path / "saved.p2ce")
        assert p2ce.Explainer.load(tmp_path / "saved.p2ce", model).explain(person) == found


def test_any_class_of_several_may_be_limited() -> None:
    """A softmax is proven by the probability itself; a forest by its own margin."""
    three = np.digitize(people()["Income"] + 5 * people()["Years"], [60, 120])
    models = (
        LogisticRegression(max_iter=5000),
        RandomForestClassifier(8, max_depth=4, random_state=0),
        GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0),
        MLPClassifier((4,), solver="lbfgs", max_iter=500, random_state=0),
    )
    for model in models:
        model.fit(people(), three)
        person = people()[model.predict_proba(people())[:, 1] > 0.4].iloc[0]
        explainer = explainer_of(model, target=1, at_most=0.25)
        assert not explainer.describe().is_black_box
        assert_is_the_front(
            explainer, person, lambda rows, model=model: model.predict_proba(rows)[:, 1] <= 0.25
        )


def test_the_probability_is_that_of_the_outcome_that_was_named() -> None:
    person = people()[fitted("linear").predict_proba(people())[:, 1] > 0.5].iloc[0]
    arguments: dict[str, Any] = {"at_most": 0.08, "plausibility": None}
    by_label = p2ce.Explainer(fitted("linear"), people(), target=1, y=labels(), **arguments).explain(person)
    assert re.search(r"The probability of default is [\d.]+% and must be at most 8%\.", str(by_label))
    stated = explainer_of(fitted("linear"), at_most=0.08, outcome="late payment").explain(person)
    assert "The probability of late payment is" in str(stated)
    plain = explainer_of(fitted("linear"), at_most=0.08).explain(person)
    assert "The probability of class 1 is" in str(plain)
    spanish = plain.to_text(audience="officer", language="es")
    assert "La probabilidad de la clase 1 es" in spanish
    assert "no puede superar 8\N{NO-BREAK SPACE}%" in spanish


def test_the_name_of_the_label_says_which_class_is_limited() -> None:
    explainer = p2ce.Explainer(fitted("linear"), people(), y=labels(), at_most=0.08, plausibility=None)
    person = people()[explainer.scores(people()) > 0.3].iloc[0]
    found = explainer.explain(person)
    assert found.target == 1
    assert all(option.score <= 0.08 for option in found)


def test_associations_and_the_text_point_towards_what_is_favourable() -> None:
    limited = p2ce.Explainer(
        fitted("boosting"), people(), target=1, at_most=0.3, y=labels(), plausibility=None
    )
    reached = p2ce.Explainer(
        fitted("boosting"), people(), target=0, at_least=0.7, y=labels(), plausibility=None
    )
    for one, other in zip(limited.policy.features, reached.policy.features, strict=True):
        assert one.association == other.association


def test_evaluations_maps_and_files_keep_the_direction(tmp_path: Any) -> None:
    model = fitted("forest")
    explainer = explainer_of(model, at_most=0.3)
    person = people()[model.predict_proba(people())[:, 1] > 0.6].iloc[0]
    found = explainer.explain(person)
    option = found[0]
    assert explainer.evaluate(person, option).valid
    assert explainer.evaluate(person, option).score == option.score
    assert not explainer.evaluate(person, person.to_dict()).valid
    drawn = explainer.feature_map(found, "Income", "Debts", size=5)
    assert (drawn.accepted == (drawn.scores <= 0.3)).all()
    assert Explanation.from_json(found.to_json()) == found
    explainer.save(tmp_path / "saved.p2ce")
    again = p2ce.Explainer.load(tmp_path / "saved.p2ce", model)
    assert (again.at_most, again.explain(person)) == (0.3, found)
    p2ce.evidence.save(found, tmp_path / "case.zip", explainer=explainer)
    assert p2ce.evidence.replay(tmp_path / "case.zip", model).same


def test_an_estimate_prunes_in_the_same_direction() -> None:
    """Estimated on log-odds, whether class 1 must be unlikely or class 0 likely."""
    model = fitted("linear")
    arguments: dict[str, Any] = {"bound": "shap", "max_changes": 2}
    person = people()[model.predict_proba(people())[:, 1] > 0.6].iloc[0]
    limited = explainer_of(model, at_most=0.25, **arguments).explain(person)
    reached = explainer_of(model, target=0, at_least=0.75, **arguments).explain(person)
    assert limited.status is reached.status is Status.HEURISTIC
    assert [option.values for option in limited] == [option.values for option in reached]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"target": (None, 0.08)}, InvalidTarget, r"target=1, at_most=0\.08"),
        ({"target": None, "at_most": 0.08}, UnnamedTarget, "Say which class at_most= limits: target=1 "),
        ({"at_most": 8}, InvalidArgument, r"For 8 %, write 0\.08\."),
        ({"at_least": 560}, InvalidArgument, "got 560. If it is in points of a scorecard, convert it"),
        ({"target": (0.5, None)}, InvalidTarget, r"target=1, at_least=0\.5"),
        ({"at_least": 0.1, "at_most": 0.5}, InvalidArgument, "Pass one of them"),
        ({"at_most": 1.2}, InvalidArgument, r"at_most must lie in \[0, 1\]; got 1\.2"),
        ({"at_most": "low"}, InvalidArgument, "at_most must be a number; got 'low'"),
        ({"at_most": np.nan}, InvalidArgument, "at_most must lie"),
        ({"at_most": 0.05, "margin": 0.1}, InvalidArgument, r"margin=0\.1 from at_most=0\.05"),
        ({"at_most": [0.1, 0.2]}, InvalidArgument, "at_most has 2 values for 1 model"),
        ({"at_most": 0.1, "outcome": 3}, InvalidArgument, "outcome must be text"),
    ],
)
def test_a_limit_that_makes_no_sense_says_what_to_pass(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        explainer_of(fitted("tree"), **arguments)


def test_every_model_of_a_list_needs_a_limit() -> None:
    with pytest.raises(InvalidArgument, match="leaves a model without a limit"):
        explainer_of([fitted("tree"), fitted("forest")], at_most=[0.2, None])
