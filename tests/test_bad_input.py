"""Whatever is wrong with a question is said before any search, by name and with the way out."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce import ActionSet, errors
from p2ce.explain import solve_batch
from tests.populations import loans


@pytest.fixture(autouse=True)
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if anything is searched after all."""

    def searched(*_: Any, **__: Any) -> None:
        raise AssertionError("the search began")

    monkeypatch.setattr(solve_batch, "solve", searched)
    monkeypatch.setattr(solve_batch, "solve_by_paper", searched)


def person(**changed: Any) -> dict[str, Any]:
    return {**loans.refused().iloc[0].to_dict(), **changed}


def actions() -> ActionSet:
    return ActionSet.infer(loans.people())


def homes() -> pd.DataFrame:
    return loans.people().assign(Rents=~loans.people()["Owns"])


def explain(row: Any, **arguments: Any) -> p2ce.Explanation:
    return loans.explainer(**arguments).explain(row)


def linear() -> LogisticRegression:
    return LogisticRegression(max_iter=1000).fit(loans.people(), loans.label())


def regressor() -> RandomForestRegressor:
    return RandomForestRegressor(2, random_state=0).fit(loans.people(), loans.label())


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in person().items() if key != name}


# What is done, the error, and words that its message must hold: the thing, and the way out.
CASES: dict[str, tuple[Callable[[], Any], type[Exception], list[str]]] = {
    # Unknown feature names, with the nearest ones.
    "fix": (lambda: actions().fix("Incme"), errors.UnknownFeature, ["'Incme'", "'Income'"]),
    "increase_only": (
        lambda: actions().increase_only("income"),
        errors.UnknownFeature,
        ["'income'", "'Income'"],
    ),
    "decrease_only": (lambda: actions().decrease_only("Dbt"), errors.UnknownFeature, ["'Dbt'", "'Debt'"]),
    "within": (lambda: actions().within(Rats=(0, 1)), errors.UnknownFeature, ["'Rats'", "'Rate'"]),
    "step": (lambda: actions().step(Rats=1), errors.UnknownFeature, ["'Rats'", "'Rate'"]),
    "values": (lambda: actions().values(Rats=[1]), errors.UnknownFeature, ["'Rats'", "'Rate'"]),
    "proposal": (
        lambda: loans.explainer().check(person(), {"Incme": 3}),
        errors.InvalidPerson,
        ["'Incme'", "'Income'"],
    ),
    # Missing or extra columns.
    "missing in the person": (lambda: explain(without("Debt")), errors.InvalidPerson, ["'Debt'", "missing"]),
    "misspelt in the person": (
        lambda: explain({**without("Debt"), "Dept": 1.0}),
        errors.InvalidPerson,
        ["'Debt'", "'Dept'"],
    ),
    "extra in the person": (
        lambda: explain(person(Incomes=3)),
        errors.InvalidPerson,
        ["'Incomes'", "'Income'", "Drop"],
    ),
    "missing in the reference": (
        lambda: loans.explainer(reference=loans.people().drop(columns="Debt")),
        errors.InvalidReference,
        ["'Debt'", "fitted on"],
    ),
    "extra in the reference": (
        lambda: loans.explainer(reference=loans.people().assign(label=1)),
        errors.InvalidReference,
        ["'label'", "Drop"],
    ),
    "twice in the reference": (
        lambda: loans.explainer(reference=pd.concat([loans.people(), loans.people()[["Debt"]]], axis=1)),
        errors.InvalidReference,
        ["'Debt'", "Rename or drop"],
    ),
    "missing in the actions": (
        lambda: loans.explainer(actions=ActionSet.infer(loans.people().drop(columns="Debt"))),
        errors.InvalidActions,
        ["'Debt'", "Infer it from"],
    ),
    "extra in the actions of one person": (
        lambda: loans.explainer().explain(person(), actions=ActionSet.infer(loans.people().assign(z=1))),
        errors.InvalidActions,
        ["'z'", "Infer it from"],
    ),
    "too few values": (lambda: explain([1, 2]), errors.InvalidPerson, ["5 values", "(2,)", "dict"]),
    # Infinity in the person, and what is no number.
    "infinity": (
        lambda: explain(person(Debt=-np.inf)),
        errors.InvalidPerson,
        ["'Debt'", "infinite", "finite number"],
    ),
    "words": (
        lambda: explain(person(Debt="low")),
        errors.InvalidPerson,
        ["'Debt'", "'low'", "not a number", "Encode"],
    ),
    "complex": (lambda: explain(person(Debt=1j)), errors.InvalidPerson, ["'Debt'", "not a number"]),
    "half a year": (
        lambda: explain(person(Years=2.5)),
        errors.InvalidPerson,
        ["'Years'", "int8", "2.5", "own type"],
    ),
    "too large for the column": (
        lambda: explain(person(Years=300)),
        errors.InvalidPerson,
        ["'Years'", "int8", "300"],
    ),
    "too large for the model": (
        lambda: explain(person(Debt=1e39)),
        errors.InvalidPerson,
        ["'Debt'", "1e+39"],
    ),
    "two people": (
        lambda: explain(loans.refused().iloc[:2]),
        errors.InvalidPerson,
        ["2 rows", "explain_many()"],
    ),
    "no person": (lambda: explain("me"), errors.InvalidPerson, ["str", "Series"]),
    "another kind of label": (
        lambda: loans.explainer(reference=loans.people().astype({"Owns": "category"})).check(
            person(), {"Owns": "yes"}
        ),
        errors.InvalidPerson,
        ["'Owns'", "'yes'", "own type"],
    ),
    # Columns that are neither numbers nor categories, and an empty or incomplete reference.
    "dates": (
        lambda: loans.explainer(reference=loans.people().assign(Debt=pd.Timestamp("2020-01-01"))),
        errors.UnsupportedColumn,
        ["'Debt'", "datetime64"],
    ),
    "infinity in the reference": (
        lambda: loans.explainer(reference=loans.people().assign(Debt=[np.nan, np.inf] * 120)),
        errors.InvalidReference,
        ["'Debt' (120)", "missing", "drop the rows"],
    ),
    "zero rows": (
        lambda: loans.explainer(reference=loans.people().iloc[:0]),
        errors.InvalidReference,
        ["zero rows", "fitted on"],
    ),
    "no columns": (
        lambda: loans.explainer(reference=loans.people()[[]]),
        errors.InvalidReference,
        ["no columns"],
    ),
    "no frame": (
        lambda: loans.explainer(reference=loans.people().to_numpy()),
        errors.InvalidReference,
        ["DataFrame", "(240, 5)", "(array, names)"],
    ),
    # Contradictions and empty ranges.
    "up and down": (
        lambda: actions().increase_only("Debt").decrease_only("Debt"),
        errors.ContradictoryConstraints,
        ["'Debt'", "fix('Debt')"],
    ),
    "swapped ends": (
        lambda: actions().within(Income=(50, 20)),
        errors.InvalidActions,
        ["'Income'", "empty range", "(20, 50)"],
    ),
    "between two steps": (
        lambda: actions().within(Income=(30.2, 30.8)),
        errors.InvalidActions,
        ["'Income'", "Widen"],
    ),
    "NaN as an end": (
        lambda: actions().within(Income=(np.nan, 30)),
        errors.InvalidActions,
        ["'Income'", "finite"],
    ),
    "no values": (lambda: actions().values(Income=[]), errors.InvalidActions, ["'Income'", "fix('Income')"]),
    "no step": (lambda: actions().step(Income=0), errors.InvalidActions, ["'Income'", "above 0"]),
    "not an action set": (
        lambda: loans.explainer(actions={"Income": (1, 2)}),
        errors.InvalidActions,
        ["ActionSet", "dict", "infer"],
    ),
    "not an action set, for one person": (
        lambda: loans.explainer().explain(person(), actions={"Income": (1, 2)}),
        errors.InvalidActions,
        ["ActionSet", "dict", "infer"],
    ),
    # Thresholds, classes, models, objectives.
    "threshold above 1": (
        lambda: loans.explainer(threshold=1.2),
        errors.InvalidThreshold,
        ["[0, 1]", "1.2"],
    ),
    "threshold below 0": (
        lambda: loans.explainer(threshold=-0.1),
        errors.InvalidThreshold,
        ["[0, 1]", "-0.1"],
    ),
    "threshold NaN": (lambda: loans.explainer(threshold=np.nan), errors.InvalidThreshold, ["[0, 1]", "nan"]),
    "threshold in words": (
        lambda: loans.explainer(threshold="half"),
        errors.InvalidThreshold,
        ["number", "'half'"],
    ),
    "unknown class": (
        lambda: loans.explainer(target="good"),
        errors.InvalidTarget,
        ["0, 1", "'good'"],
    ),
    "several classes": (
        lambda: loans.explainer(target=np.array([0, 1])),
        errors.InvalidTarget,
        ["0, 1"],
    ),
    "unfitted forest": (
        lambda: loans.explainer(model=RandomForestClassifier()),
        errors.NotFitted,
        ["RandomForestClassifier", ".fit(X, y)"],
    ),
    "unfitted linear": (
        lambda: loans.explainer(model=LogisticRegression()),
        errors.NotFitted,
        ["LogisticRegression", ".fit(X, y)"],
    ),
    "unfitted pipeline": (
        lambda: loans.explainer(model=make_pipeline(StandardScaler(), LogisticRegression())),
        errors.NotFitted,
        [".fit(X, y)"],
    ),
    "a class of a regressor": (
        lambda: loans.explainer(model=regressor(), target=1),
        errors.InvalidTarget,
        ["regressor", "target=(low, high)", "None for an open end", "got 1"],
    ),
    "no end of a range": (
        lambda: loans.explainer(model=regressor(), target=(None, None)),
        errors.InvalidTarget,
        ["target=(None, None)", "end"],
    ),
    "swapped ends of a range": (
        lambda: loans.explainer(model=regressor(), target=(0.9, 0.1)),
        errors.InvalidTarget,
        ["0.9", "0.1", "low"],
    ),
    "no model": (lambda: loans.explainer(model=None), errors.UnsupportedModel, ["None", "fitted model"]),
    "unknown objective": (
        lambda: loans.explainer(objectives=["mean_distnce"]),
        errors.UnknownObjective,
        [
            "'mean_distnce'",
            "Did you mean 'mean_distance'",
            "'max_distance'",
            "'changes'",
            "'percentile_shift'",
            "'euclidean'",
        ],
    ),
    "no objective": (lambda: loans.explainer(objectives=[]), errors.InvalidObjective, ["At least one"]),
    "objective twice": (
        lambda: loans.explainer(objectives=["changes", p2ce.Changes()]),
        errors.InvalidObjective,
        ["'changes'", "Remove one"],
    ),
    # Detectors and options.
    "unfitted detector": (
        lambda: loans.explainer(plausibility=SklearnForest()),
        errors.NotFitted,
        [".fit(X)", "p2ce.IsolationForest"],
    ),
    "class for a detector": (
        lambda: loans.explainer(plausibility=p2ce.IsolationForest),
        errors.UnsupportedDetector,
        ["IsolationForest()"],
    ),
    "unknown detector": (
        lambda: loans.explainer(plausibility="isolation"),
        errors.UnsupportedDetector,
        ["str", "None"],
    ),
    "contamination": (
        lambda: p2ce.IsolationForest(contamination=0.7),
        errors.InvalidArgument,
        ["0.5", "0.7"],
    ),
    "seed": (lambda: loans.explainer(random_state="lucky"), p2ce.P2CEError, ["random_state", "'lucky'"]),
    "method": (
        lambda: loans.explainer(method="p2c"),
        errors.InvalidArgument,
        ["'p2c'", "'p2ce'", "'p2ce-ablation'", "'mapocam'", "'exact'"],
    ),
    "ties of the paper": (
        lambda: loans.explainer(method="p2ce", ties=True),
        errors.InvalidArgument,
        ["ties=True", "method='exact'"],
    ),
    "bound beside the paper's": (
        lambda: loans.explainer(method="mapocam", bound="none"),
        errors.InvalidArgument,
        ["bound='none'", "exact search", "p2ce.paper"],
    ),
    "one-hot columns for the paper": (
        lambda: p2ce.Explainer(
            lambda rows: rows["Rate"],
            homes(),
            method="p2ce",
            actions=ActionSet.infer(homes()).rule(p2ce.rules.one_hot("home", ["Owns", "Rents"])),
        ),
        errors.InvalidArgument,
        ["one_hot()", "method='exact'"],
    ),
    "linked columns for the paper": (
        lambda: loans.explainer(method="p2ce", actions=actions().rule(p2ce.rules.linked("Income", "Debt"))),
        errors.InvalidArgument,
        ["linked()", "method='exact'"],
    ),
    "a bound of trees for another model": (
        lambda: loans.explainer(model=lambda rows: rows["Rate"], method=p2ce.paper.P2CE(bound="tree")),
        errors.InvalidArgument,
        ['"tree"', '"shap"', '"none"'],
    ),
    "a monotone bound of trees": (
        lambda: loans.explainer(method=p2ce.paper.Mapocam(bound="monotone")),
        errors.InvalidArgument,
        ["monotone", "linear", "random forest"],
    ),
    "a bound that the paper does not have": (
        lambda: p2ce.paper.P2CE(bound="shapp"),
        errors.InvalidArgument,
        ["'shapp'", "Did you mean 'shap'?"],
    ),
    "an order of search": (lambda: p2ce.paper.P2CE(order=3), errors.InvalidArgument, ["'importance'", "3"]),
    "no background": (lambda: p2ce.paper.P2CE(background=0), errors.InvalidArgument, ["at least 1", "0"]),
    "a seed of the background": (
        lambda: p2ce.paper.Mapocam(random_state=-1),
        errors.InvalidArgument,
        ["random_state", "-1"],
    ),
    "half an ablation": (
        lambda: p2ce.paper.P2CE(partial_plausibility=0.5),
        errors.InvalidArgument,
        ["True or False", "0.5"],
    ),
    "bound": (
        lambda: loans.explainer(bound="shapp"),
        errors.InvalidArgument,
        ["'auto'", "'none'", "'shapp'", "'shap'"],
    ),
    "no changes": (
        lambda: loans.explainer(max_changes=0),
        errors.InvalidArgument,
        ["at least 1", "None", "0"],
    ),
    "half a change": (lambda: loans.explainer(max_changes=1.5), errors.InvalidArgument, ["whole", "1.5"]),
    "True changes": (lambda: loans.explainer(max_changes=True), errors.InvalidArgument, ["whole", "True"]),
    "changes of one person": (
        lambda: loans.explainer().explain(person(), max_changes="many"),
        errors.InvalidArgument,
        ["whole", "'many'"],
    ),
    "time backwards": (
        lambda: loans.explainer().explain(person(), time_limit=-1),
        errors.InvalidArgument,
        ["time_limit", "0 or more", "-1"],
    ),
    "no number of seconds": (
        lambda: loans.explainer().explain_many(loans.people(), time_limit=np.nan),
        errors.InvalidArgument,
        ["time_limit", "nan"],
    ),
    "no processes": (
        lambda: loans.explainer().explain_many(loans.people(), n_jobs=0),
        errors.InvalidArgument,
        ["n_jobs", "-1", "0"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_names_the_thing_and_the_way_out(name: str) -> None:
    do, kind, words = CASES[name]
    with pytest.raises(kind) as caught:
        do()
    assert isinstance(caught.value, p2ce.P2CEError)
    assert isinstance(caught.value, ValueError | TypeError)
    message = str(caught.value)
    for word in words:
        assert word in message, message
    assert re.search(r"[.?]$", message), "a message is a sentence"


def test_another_order_of_columns_is_accepted_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    people = loans.people()
    mixed = list(people.columns[::-1])
    row = person()
    expected = loans.explainer(plausibility=None).explain(row)
    assert loans.explainer(plausibility=None).explain({name: row[name] for name in mixed}) == expected
    assert loans.explainer(reference=people[mixed], plausibility=None).explain(row) == expected


def test_a_person_already_accepted_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    people = loans.people()
    accepted = people[loans.forest().predict(people) == 1].iloc[0]
    assert loans.explainer().explain(accepted).status is p2ce.Status.ALREADY_FAVOURABLE


def test_a_model_that_answers_nonsense_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.undo()
    explainer = loans.explainer()
    problem = explainer._problem
    for nonsense, words in [
        (lambda frame: np.full(len(frame), np.nan), "NaN"),
        (lambda frame: np.zeros((len(frame), 2)), "shape"),
    ]:
        explainer._problem = replace(problem, model=replace(problem.model, evaluate=nonsense))
        with pytest.raises(errors.InvalidOutput, match=words):
            explainer.explain(person())


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_a_gap_that_the_model_takes_is_no_error(monkeypatch: pytest.MonkeyPatch, gap: Any) -> None:
    """Forests take missing values; so the question is as good as any other."""
    monkeypatch.undo()
    found = loans.explainer().explain(person(Debt=gap))
    assert found.status is p2ce.Status.OPTIMAL
    assert found.certificate is not None
    assert found.certificate.proven
    assert loans.forest().predict(found.to_frame()[list(loans.people().columns)]).all()


# What the model itself does not take: that shows only when it is called.
REFUSED_BY_THE_MODEL: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "a gap in the person": (
        lambda: explain(person(Debt=np.nan), model=linear()),
        ["'Debt'", "missing values", "imputer"],
    ),
    "gaps in the reference": (
        lambda: loans.explainer(model=linear(), reference=loans.people().assign(Debt=[np.nan, 1.0] * 120)),
        ["'Debt'", "missing values", "imputer"],
    ),
    "words in the reference": (
        lambda: loans.explainer(reference=loans.people().assign(Debt="low")),
        ["'Debt'", "'low'", "encoder"],
    ),
}


@pytest.mark.parametrize("name", REFUSED_BY_THE_MODEL)
def test_what_the_model_does_not_take_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    do, words = REFUSED_BY_THE_MODEL[name]
    with pytest.raises(errors.InvalidOutput) as caught:
        do()
    for word in words:
        assert word in str(caught.value)
