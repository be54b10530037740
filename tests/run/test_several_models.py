"""A list of models means that all of them accept; a margin means that they do so with room to spare."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import p2ce
from p2ce.result.target import shown_end
from tests.oracle import assert_is_front, brute_force_front
from tests.populations import loans
from tests.populations.small_models import COMPILED, EXTERNAL, Family, score_of
from tests.properties.amount import examples

Scorer = Callable[[pd.DataFrame], np.ndarray]
COLUMNS = list(loans.people().columns)


def function(rows: pd.DataFrame) -> np.ndarray:
    """Accept in bands, which no other model here does."""
    return np.asarray(0.5 + 0.4 * np.sin(rows["Income"] / 9.0 - rows["Debt"]), dtype=np.float64)


MODELS: dict[str, Family] = {
    "LightGBM": COMPILED["LightGBM"],
    "network": EXTERNAL["tanh network"],
    "function": Family(fit=lambda *_: function),
    "neighbours": EXTERNAL["neighbours"],
    "machine": EXTERNAL["rbf machine"],
    "linear": COMPILED["scaled logistic regression"],
    "forest": COMPILED["random forest"],
    "naive Bayes": EXTERNAL["naive Bayes"],
}


@cache
def model(name: str, *, backwards: bool = False) -> Any:
    """Fit a model on other labels than its neighbours', so they disagree."""
    people = loans.people()
    rng = np.random.default_rng(sorted(MODELS).index(name))
    label = np.where(rng.random(len(people)) < 0.15, 1 - loans.label(), loans.label())
    columns = COLUMNS[::-1] if backwards else COLUMNS
    return MODELS[name].fit(people[columns], label, 2)  # a seed that gives five neighbours: no ties


def scorer(fitted: Any) -> Scorer:
    """Score rows by a model in its own columns."""
    score = score_of(fitted)
    return lambda rows: score(rows[list(getattr(fitted, "feature_names_in_", rows))])


def usual(fitted: Any) -> float:
    if isinstance(fitted, KNeighborsClassifier | RandomForestClassifier):
        return float(np.nextafter(0.5, 1.0))  # votes: a tie goes to class 0
    return 0.0 if isinstance(fitted, SVC) else 0.5


def all_accept(fitted: Sequence[Any], thresholds: Sequence[float]) -> Scorer:
    """Return 1 to rows that every model accepts, else 0."""

    def accepted(rows: pd.DataFrame) -> np.ndarray:
        verdicts = [scorer(one)(rows) >= least for one, least in zip(fitted, thresholds, strict=True)]
        return np.all(verdicts, axis=0).astype(float)

    return accepted


def explainer(models: Any, **changed: Any) -> p2ce.Explainer:
    arguments = {
        "policy": loans.few(),
        "plausibility": None,
        "objectives": ["mean_distance", "changes"],
        **changed,
    }
    return p2ce.Explainer(models, loans.people(), **{"target": 1, **arguments})


def someone(number: int, rejected_score: Scorer) -> dict[str, Any]:
    people = loans.people()
    some = people[rejected_score(people) < 1.0]
    return some.iloc[number % len(some)].to_dict()


def assert_all_accept(
    found: p2ce.Explanation, person: dict[str, Any], accepted: Scorer, max_changes: int | None, ties: bool
) -> None:
    truth = brute_force_front(
        person,
        loans.people(),
        loans.few(),
        accepts=lambda rows: accepted(rows) == 1.0,
        max_changes=max_changes,
        objectives=found.objectives,
    )
    assert_is_front(found, truth, ties=ties)


NAMES = st.lists(st.sampled_from(sorted(MODELS)), min_size=1, max_size=3, unique=True)


@examples(20)
@given(
    names=NAMES,
    backwards=st.lists(st.booleans(), min_size=3, max_size=3),
    shift=st.lists(st.sampled_from([-0.1, 0.0, 0.1]), min_size=3, max_size=3),
    given_thresholds=st.booleans(),
    person=st.integers(0, 200),
    max_changes=st.sampled_from([1, 2, 3, None]),
    ties=st.booleans(),
)
def test_the_front_is_that_of_all_models_together(
    names: list[str],
    backwards: list[bool],
    shift: list[float],
    given_thresholds: bool,
    person: int,
    max_changes: int | None,
    ties: bool,
) -> None:
    fitted = [model(name, backwards=back) for name, back in zip(names, backwards, strict=False)]
    thresholds = [
        usual(one) + (by if given_thresholds else 0.0) for one, by in zip(fitted, shift, strict=False)
    ]
    accepted = all_accept(fitted, thresholds)
    row = someone(person, accepted)
    found = explainer(
        fitted, at_least=thresholds if given_thresholds else None, max_changes=max_changes, ties=ties
    ).explain(row)
    assert_all_accept(found, row, accepted, max_changes, ties)
    # What is reported is the model that is hardest to please.
    terms = {(isinstance(one, SVC), shown_end(least)) for one, least in zip(fitted, thresholds, strict=True)}
    same = len(terms) == 1
    for option in found:
        frame = pd.DataFrame([option.values]).astype(loans.people().dtypes.to_dict())
        scores = [float(scorer(one)(frame)[0]) for one in fitted]
        room = [score - least for score, least in zip(scores, thresholds, strict=True)]
        assert option.score == pytest.approx(min(scores) if same else min(room), abs=1e-6)
        assert option.score >= found.at_least
    assert found.at_least == (max(thresholds) if same else 0.0)


@examples(5)
@given(names=NAMES, person=st.integers(0, 200), turn=st.integers(0, 2))
def test_the_order_of_models_is_irrelevant(names: list[str], person: int, turn: int) -> None:
    fitted = [model(name) for name in names]
    row = someone(person, all_accept(fitted, [usual(one) for one in fitted]))
    turned = fitted[turn % len(fitted) :] + fitted[: turn % len(fitted)]
    found, other = explainer(fitted).explain(row), explainer(turned).explain(row)
    assert other.status is found.status
    assert [option.changes for option in other] == [option.changes for option in found]
    assert [option.score for option in other] == pytest.approx([option.score for option in found])
