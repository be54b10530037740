"""Is any of several classes reached where, and only where, the model predicts one of them?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import p2ce
from p2ce import Explanation
from p2ce.base.any_of import AnyOf
from p2ce.engine.solver.undominated import dominates
from p2ce.errors import InvalidTarget
from tests.oracle import assert_is_front, brute_force_front
from tests.test_targets import CLASSIFIERS, explainer_of, few, fitted, wine

WANTED = ["barbera", "grignolino"]
OTHERS: dict[str, Any] = {
    "neighbours": KNeighborsClassifier(8),
    "kernel machine": SVC(random_state=0),
    "voting": VotingClassifier(
        [("linear", LogisticRegression(max_iter=5000)), ("near", KNeighborsClassifier(5))], voting="soft"
    ),
    "stacking": StackingClassifier(
        [("one", RandomForestClassifier(4, max_depth=3, random_state=0)), ("near", KNeighborsClassifier(5))],
        final_estimator=LogisticRegression(max_iter=5000),
        cv=2,
    ),
}


def model_of(name: str) -> Any:
    frame, label = wine()
    return fitted(name) if name in CLASSIFIERS else OTHERS[name].fit(frame, label)


def truth(person: pd.Series, accepts: Any, objectives: Any) -> Any:
    terms: dict[str, Any] = {"accepts": accepts, "max_changes": 2, "objectives": objectives}
    return brute_force_front(person.to_dict(), wine()[0], few(wine()[0]), **terms)


@pytest.mark.parametrize("name", [*CLASSIFIERS, *OTHERS])
def test_one_of_several_classes_must_win(name: str) -> None:
    frame, model = wine()[0], model_of(name)
    explainer = explainer_of(model, frame, target=WANTED)
    assert explainer.describe().is_black_box == (name in OTHERS)
    others = frame[~np.isin(model.predict(frame), WANTED)]
    for place in (0, len(others) - 1):
        person = others.iloc[place]
        found = explainer.explain(person)
        assert_is_front(
            found, truth(person, lambda rows: np.isin(model.predict(rows), WANTED), found.objectives)
        )
        assert found.target == AnyOf(("barbera", "grignolino"))
        for option in found:
            assert model.predict(pd.DataFrame([option.values])[list(frame)])[0] in WANTED
            assert option.score >= 0.0


@pytest.mark.parametrize("name", ["forest", "scaled linear"])
def test_the_front_is_the_undominated_union_of_the_fronts_of_each_class(name: str) -> None:
    frame, model = wine()[0], model_of(name)
    person = frame[model.predict(frame) == "barolo"].iloc[0]
    together = explainer_of(model, frame, target=WANTED).explain(person)
    each = [explainer_of(model, frame, target=one).explain(person) for one in WANTED]
    costs = {tuple(option.costs.values()) for found in each for option in found}
    best = {one for one in costs if not any(dominates(np.array(two), np.array(one)) for two in costs - {one})}
    assert np.allclose(sorted(tuple(option.costs.values()) for option in together), sorted(best))


@pytest.mark.parametrize("name", [*CLASSIFIERS, "neighbours"])
@pytest.mark.parametrize("limit", [{"at_least": 0.9}, {"at_most": 0.3}])
def test_a_limit_of_several_classes_is_about_the_sum_of_their_probabilities(
    limit: dict[str, float], name: str
) -> None:
    frame, model = wine()[0], model_of(name)
    places = [list(model.classes_).index(one) for one in WANTED]

    def accepts(rows: pd.DataFrame) -> Any:
        chance = model.predict_proba(rows)[:, places].sum(axis=1)
        return chance >= limit["at_least"] if "at_least" in limit else chance <= limit["at_most"]

    explainer = explainer_of(model, frame, target=WANTED, **limit)
    assert explainer.describe().is_black_box == (name in OTHERS)
    person = frame[~accepts(frame)].iloc[0]
    found = explainer.explain(person)
    assert_is_front(found, truth(person, accepts, found.objectives))


def test_of_equal_probabilities_the_first_class_wins_as_in_predict() -> None:
    """The wanted class wins a tie with a later class, and loses one with an earlier class."""

    class Even:
        classes_ = np.array(["a", "b", "c", "d"])

        def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
            first = np.where(rows["x"] > 2, 0.1, 0.4)
            second = np.where(rows["x"] > 4, 0.1, 0.4)
            rest = (1.0 - first - second) / 2
            return np.column_stack([first, second, rest, rest])

        def predict(self, rows: pd.DataFrame) -> np.ndarray:
            return self.classes_[self.predict_proba(rows).argmax(axis=1)]

    frame = pd.DataFrame({"x": np.arange(8) % 7})
    for target in (["b", "d"], ["a", "d"], ["b", "c"]):
        explainer = p2ce.Explainer(Even(), frame, target=target, plausibility=None)
        accepted = explainer.scores(frame) >= 0.0
        assert (accepted == np.isin(Even().predict(frame), target)).all()


def test_texts_and_files_name_all_of_them(tmp_path: Any) -> None:
    frame, model = wine()[0], model_of("forest")
    explainer = explainer_of(model, frame, target=WANTED)
    person = frame[model.predict(frame) == "barolo"].iloc[0]
    found = explainer.explain(person)
    text = found.to_text(audience="officer")
    assert 'Class "barbera" or "grignolino" must come first, and is' in text
    assert "«barbera» o «grignolino»" in found.to_text(audience="officer", language="es")
    assert Explanation.from_json(found.to_json()) == found
    explainer.save(tmp_path / "saved.p2ce")
    again = p2ce.Explainer.load(tmp_path / "saved.p2ce", model)
    assert again.explain(person).to_json() == found.to_json()
    p2ce.evidence.save(found, tmp_path / "case.zip", explainer=explainer)
    assert p2ce.evidence.replay(tmp_path / "case.zip", model).same


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([], "empty list"),
        (["barolo", "barbera", "grignolino"], "every prediction is accepted"),
        (["barolo", "gold"], "'gold' is none of them"),
    ],
)
def test_a_list_that_makes_no_sense_says_why(target: list[str], message: str) -> None:
    with pytest.raises(InvalidTarget, match=message):
        explainer_of(model_of("tree"), wine()[0], target=target)


def test_a_list_of_one_class_is_that_class() -> None:
    explainer = explainer_of(model_of("tree"), wine()[0], target=["barolo"])
    assert explainer.describe().target == "barolo"
    frame, label = wine()
    two = RandomForestClassifier(8, random_state=0).fit(frame, label == "barolo")
    assert explainer_of(two, frame, target=[True]).at_least == explainer_of(two, frame, target=True).at_least
