"""What is wrong with a table, a rule or a policy is said by name, and leaves everything as it was."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import p2ce
from p2ce import ActionSet, Status, errors, rules

ROWS = 80


@cache
def _people() -> pd.DataFrame:
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 30, ROWS),
            "debt": draw.integers(0, 8, ROWS) / 4,
            "job": pd.Series(draw.choice(["clerk", "cook", "boss"], ROWS), dtype=object),
            "home": pd.Categorical(draw.choice(["own", "rent"], ROWS)),
        }
    )


def people() -> pd.DataFrame:
    return _people().copy()


@cache
def pipeline(unknown: str) -> Any:
    """Fit an encoder that takes unknown labels, or one that raises, and a model that rejects NaN."""
    frame = people()
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown=unknown), ["job", "home"]), remainder="passthrough"
    )
    label = ((frame["job"] == "boss") & (frame["debt"] < 1.5)).astype(int)
    return make_pipeline(encoder, LogisticRegression(max_iter=500)).fit(frame, label)


@cache
def lenient() -> p2ce.Explainer:
    return p2ce.Explainer(pipeline("ignore"), people(), plausibility=None)


@cache
def strict() -> p2ce.Explainer:
    return p2ce.Explainer(pipeline("error"), people(), plausibility=None)


def person(**changed: Any) -> dict[str, Any]:
    return {"age": 24, "debt": 1.75, "job": "clerk", "home": "rent", **changed}


def actions() -> ActionSet:
    return ActionSet.infer(people())


def numbers() -> pd.DataFrame:
    return people()[["age", "debt"]]


def with_gaps() -> pd.DataFrame:
    return numbers().mask(np.arange(ROWS)[:, None] % 7 == [0, 3])


@cache
def regressor() -> Any:
    return RandomForestRegressor(3, random_state=0).fit(numbers(), people()["debt"])


@cache
def boosting() -> Any:
    return HistGradientBoostingClassifier(max_iter=30).fit(with_gaps(), people()["debt"] < 1.0)


def explainer_of(model: Any, frame: pd.DataFrame, **arguments: Any) -> p2ce.Explainer:
    return p2ce.Explainer(model, frame, **{"plausibility": None, **arguments})


def ruled(*added: rules.Rule) -> p2ce.Explanation:
    return lenient().explain(person(), actions=actions().rule(*added))


# What is done, the error, and words that its message must hold: the thing, and the way out.
Case = tuple[Callable[[], Any], type[Exception], list[str]]
CASES: dict[str, Case] = {
    # People who do not fit the reference.
    "an unseen label that the encoder rejects": (
        lambda: strict().explain(person(job="pilot")),
        errors.InvalidPerson,
        ["unknown categories ['pilot']", "'job' holds 'pilot'", "not in the reference"],
    ),
    "an unseen category that the encoder rejects": (
        lambda: strict().explain(person(home="boat")),
        errors.InvalidPerson,
        ["unknown categories ['boat']", "'home' holds 'boat'"],
    ),
    "a number where labels are": (
        lambda: lenient().explain(person(job=3)),
        errors.InvalidPerson,
        ["'job'", "'clerk'", "3", "own type"],
    ),
    "a word where numbers are": (
        lambda: lenient().explain(person(age="old")),
        errors.InvalidPerson,
        ["'age'", "'old'", "not a number"],
    ),
    "a number as text": (
        lambda: lenient().explain(person(age="24")),
        errors.InvalidPerson,
        ["'age'", "'24'", "not a number"],
    ),
    "half a year in a whole column": (
        lambda: lenient().explain(person(age=24.5)),
        errors.InvalidPerson,
        ["'age'", "int64", "24.5"],
    ),
    # Missing values that a model or detector rejects.
    "a gap in the person, and a model that rejects it": (
        lambda: lenient().explain(person(debt=np.nan)),
        errors.InvalidOutput,
        ["contains NaN", "'debt'", "imputer"],
    ),
    "a gap in a whole column": (
        lambda: lenient().explain(person(age=None)),
        errors.InvalidOutput,
        ["contains NaN", "'age'"],
    ),
    "gaps in the reference, and a model that rejects them": (
        lambda: explainer_of(pipeline("ignore"), people().assign(debt=with_gaps()["debt"])),
        errors.InvalidOutput,
        ["contains NaN", "'debt'", "imputer"],
    ),
    "gaps in the reference, and a detector that rejects them": (
        lambda: explainer_of(
            boosting(), with_gaps(), plausibility=LocalOutlierFactor(novelty=True).fit(numbers())
        ),
        errors.InvalidOutput,
        ["detector", "contains NaN", "'age', 'debt'"],
    ),
    # Rules.
    "a rule over an unknown column": (
        lambda: actions().rule(rules.together("age", "dept")),
        errors.UnknownFeature,
        ["'dept'", "'debt'", "change together"],
    ),
    "an inequality over an unknown column": (
        lambda: actions().rule(rules.inequality("agge <= debt")),
        errors.UnknownFeature,
        ["'agge'", "'age'"],
    ),
    "a link from an unknown column": (
        lambda: ruled(rules.linked("years", "age")),
        errors.UnknownFeature,
        ["'years'"],
    ),
    "a rule over an unknown label": (
        lambda: actions().rule(rules.forbid("job", {"clrk": ["boss"]})),
        errors.InvalidActions,
        ["'clrk'", "'job'", "'clerk'"],
    ),
    "links in a circle": (
        lambda: ruled(rules.linked("age", "debt"), rules.linked("debt", "age")),
        errors.ContradictoryConstraints,
        ["circle", "age", "debt", "Drop one"],
    ),
    "a follower with two drivers": (
        lambda: ActionSet.infer(people().assign(years=1)).rule(
            rules.linked("age", "debt"), rules.linked("years", "debt")
        ),
        errors.ContradictoryConstraints,
        ["'debt'", "'age'", "'years'", "Keep one link"],
    ),
    "a link to a fixed column": (
        lambda: actions().fix("age").rule(rules.linked("debt", "age")),
        errors.ContradictoryConstraints,
        ["'age' is fixed", "Drop the rule"],
    ),
    "a column fixed after it was linked": (
        lambda: actions().rule(rules.linked("debt", "age")).fix("age"),
        errors.ContradictoryConstraints,
        ["'age' is fixed"],
    ),
    "a link of categories": (
        lambda: ruled(rules.linked("job", "age")),
        errors.InvalidActions,
        ["'job'", "categories", "if_then()"],
    ),
    "a group of numbers that are no bits": (
        lambda: ruled(rules.one_hot("group", ["age", "debt"])),
        errors.InvalidActions,
        ["0 and 1", "'age'", "'group'"],
    ),
    "a range of labels without order": (
        lambda: ruled(rules.if_then(if_={"job": ("boss", "cook")}, then={"age": 25})),
        errors.InvalidActions,
        ["'job'", "no order", "List the values"],
    ),
    "together and exclusive": (
        lambda: ruled(rules.together("age", "debt"), rules.exclusive("age", "debt")),
        errors.ContradictoryConstraints,
        ["'age'", "'debt'", "Drop one"],
    ),
    "a predicate that answers once for all": (
        lambda: ruled(rules.predicate(lambda _: [True], name="sure")),
        errors.InvalidOutput,
        ["'sure'", "bools", "one for each row"],
    ),
    "a predicate that raises": (
        lambda: ruled(rules.predicate(lambda rows: rows["dept"] > 1, name="low debt")),
        errors.InvalidOutput,
        ["'low debt'", "KeyError: 'dept'"],
    ),
    # Actions.
    "a direction of labels without order": (
        lambda: actions().increase_only("job"),
        errors.InvalidActions,
        ["'job'", "without an order", "ordered=True", "values("],
    ),
    "a label that nobody has": (
        lambda: actions().values(job=["boss", "clrk"]),
        errors.InvalidActions,
        ["'job'", "'clrk'", "'clerk'"],
    ),
    "a whole column that is to go missing": (
        lambda: actions().allow_missing("age"),
        errors.InvalidActions,
        ["'age'", "int64", "Int64"],
    ),
    "actions of another table's types": (
        lambda: lenient().explain(person(), actions=ActionSet.infer(people().assign(job=range(ROWS)))),
        errors.InvalidActions,
        ["'job'", "numbers", "category", "ActionSet.infer"],
    ),
    "actions of another table's labels": (
        lambda: lenient().explain(
            person(), actions=ActionSet.infer(people().assign(job=people()["job"].replace("boss", "chief")))
        ),
        errors.InvalidActions,
        ["'job'", "'chief'", "never has"],
    ),
    # Targets.
    "a regressor without a range": (
        lambda: explainer_of(regressor(), numbers()),
        errors.InvalidTarget,
        ["is a regressor", "target=(low, high)", "None for an open end"],
    ),
    "a range open at both ends": (
        lambda: explainer_of(regressor(), numbers(), target=(None, None)),
        errors.InvalidTarget,
        ["excludes nothing", "at least one end"],
    ),
    "a range upside down": (
        lambda: explainer_of(regressor(), numbers(), target=(5, 2)),
        errors.InvalidTarget,
        ["ascending", "(5, 2)"],
    ),
    "a range with NaN": (
        lambda: explainer_of(regressor(), numbers(), target=(np.nan, 1)),
        errors.InvalidTarget,
        ["nan", "None for an open end"],
    ),
    "a regressor with a threshold": (
        lambda: explainer_of(regressor(), numbers(), target=(1, 2), threshold=0.5),
        errors.InvalidThreshold,
        ["regressor", "threshold=0.5", "target=(low, high)"],
    ),
    "a range for a classifier": (
        lambda: explainer_of(pipeline("ignore"), people(), target=(0, 1)),
        errors.InvalidTarget,
        ["classes 0, 1", "(0, 1)"],
    ),
    "a decision function that is not there": (
        lambda: explainer_of(
            RandomForestClassifier(2).fit(numbers(), people()["debt"] < 1), numbers(), scale="decision"
        ),
        errors.InvalidArgument,
        ["scale='decision'", "scale='probability'"],
    ),
    "an unknown scale": (
        lambda: explainer_of(pipeline("ignore"), people(), scale="decisions"),
        errors.InvalidArgument,
        ["scale='decisions'", "scale='decision'"],
    ),
    "dates": (
        lambda: explainer_of(pipeline("ignore"), people().assign(job=pd.Timestamp("2020-01-01"))),
        errors.UnsupportedColumn,
        ["'job'", "datetime64", "days"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_names_the_thing_and_nothing_is_half_done(name: str) -> None:
    before = lenient().explain(person()), strict().explain(person())
    do, kind, words = CASES[name]
    with pytest.raises(kind) as caught:
        do()
    assert isinstance(caught.value, p2ce.P2CEError)
    # A wrong result of the model's own code is no wrong value of the caller's.
    assert isinstance(caught.value, ValueError | TypeError | errors.InvalidOutput)
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert re.search(r"[.?]$", str(caught.value)), "a message is a sentence"
    # The same explainers answer as if nothing had happened.
    assert before == (lenient().explain(person()), strict().explain(person()))
    assert before[0].status is Status.OPTIMAL


@pytest.mark.parametrize("name", ["job", "home"])
def test_an_unseen_label_is_a_place_to_start_where_the_pipeline_takes_it(name: str) -> None:
    row = person(**{name: "zeppelin"})
    found = lenient().explain(row)
    assert found.status is Status.OPTIMAL
    assert found.person == row
    table = found.to_frame()
    assert (pipeline("ignore").predict(table[list(row)]) == 1).all()
    # It may stay, but nobody is led to it, and it leaves no trace in what comes after.
    assert all(option.values[name] in ("zeppelin", *people()[name].unique()) for option in found)
    again = lenient().explain(person())
    assert all(option.values[name] != "zeppelin" for option in again)
    assert again.to_frame()[name].dtype == people()[name].dtype


def test_people_who_cannot_be_read_do_not_stop_the_others() -> None:
    rows = [person(), person(job="pilot"), person(debt=None), person(age="old"), person(job=3), person()]
    found = strict().explain_many(pd.DataFrame(rows, dtype=object))
    assert [str(one.status) for one in found] == ["OPTIMAL", *["ERROR"] * 4, "OPTIMAL"]
    for one, words in zip(list(found)[1:5], ["'pilot'", "'debt'", "'old'", "'job'"], strict=True):
        assert words in one.message
    alone = strict().explain(person())
    assert list(found[0]) == list(found[5]) == list(alone)


def test_other_types_of_the_same_values_are_fine() -> None:
    """A whole number as a float, text as a category, an ordinary frame of objects: the values count."""
    expected = lenient().explain(person())
    frame = pd.DataFrame([person()])
    for changed in (
        frame.astype({"age": "float64"}),
        frame.astype({"age": "Int64", "debt": "float32"}),
        frame.astype({"job": "category", "home": "string"}),
        frame.astype(object),
    ):
        found = lenient().explain(changed)
        assert list(found) == list(expected)
        assert found.to_frame().dtypes.equals(expected.to_frame().dtypes)


def test_a_detector_that_rejects_a_gap_of_the_person_is_named() -> None:
    """The model takes the gap; the detector does not, and gets rows that still have it."""
    frame = numbers()
    detector = LocalOutlierFactor(novelty=True).fit(frame)
    policy = ActionSet.infer(with_gaps()).keep_missing("age")
    explainer = explainer_of(boosting(), frame, actions=policy, plausibility=detector)
    lacking = {"age": np.nan, "debt": 1.75}
    with pytest.raises(errors.InvalidOutput, match=r"detector.*contains NaN[\s\S]*'age'"):
        explainer.explain(lacking)
    assert explainer.explain({"age": 24, "debt": 1.75}).status is Status.OPTIMAL
    (first, second) = explainer.explain_many(pd.DataFrame([lacking, {"age": 24.0, "debt": 1.75}]))
    assert first.status is Status.ERROR
    assert "'age'" in first.message
    assert second.status is Status.OPTIMAL
    # A detector that takes gaps is called on them.
    forest = IsolationForest(n_estimators=10, random_state=0).fit(with_gaps())
    taking = explainer_of(boosting(), with_gaps(), actions=policy, plausibility=forest)
    assert taking.explain(lacking).status in (Status.OPTIMAL, Status.NO_RECOURSE)


POLICY = """\
version: 1
features:
  age: {kind: whole, seen: [20, 29], step: 1}
  debt: {kind: number, seen: [0, 1.75], step: 0.25}
  job: {kind: category, labels: [boss, clerk, cook]}
  home:
    kind: category
    labels: [own, rent]
rules:
  - rule: forbid
    column: job
    transitions:
      - {from: boss, to: [clerk]}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line", "words"),
    [
        ("kind: whole", "kind: hole", 3, ["'hole'", "'whole'"]),
        ("step: 0.25", "stepp: 0.25", 4, ["'stepp'", "'step'"]),
        ("    labels: [own", "    lables: [own", 8, ["'lables'", "'labels'"]),
        ("rule: forbid", "rule: forbd", 10, ["'forbd'", "'forbid'"]),
        ("column: job", "column: jobb", 10, ["'jobb'", "'job'"]),
        ("transitions:", "transition:", 12, ["'transition'", "'transitions'"]),
        ("from: boss", "from: bos", 10, ["'bos'", "'boss'"]),
        ("features:", "featurs:", 2, ["'featurs'", "'features'"]),
        ("rules:", "ruls:", 9, ["'ruls'", "'rules'"]),
    ],
)
def test_a_typo_in_a_policy_has_a_line_and_the_nearest_name(
    tmp_path: Path, right: str, wrong: str, line: int, words: list[str]
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    loaded = ActionSet.load(path)
    assert lenient().explain(person(), actions=loaded).status is Status.OPTIMAL
    path.write_text(POLICY.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(errors.PolicyError) as caught:
        ActionSet.load(path)
    message = str(caught.value)
    assert f"policy.yaml:{line}:" in message, message
    for word in words:
        assert word in message, message


def test_a_policy_that_cannot_be_saved_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    actions().save(path)
    before = path.read_bytes()
    with pytest.raises(errors.P2CEError, match="module:function"):
        actions().rule(rules.predicate(lambda rows: rows["age"] > 1)).save(path)
    assert path.read_bytes() == before


def test_the_callers_table_is_never_changed() -> None:
    frame, rows = people(), pd.DataFrame([person(), person(home="boat")])
    kept, kept_rows = frame.copy(), rows.copy()
    explainer = explainer_of(pipeline("ignore"), frame)
    explainer.explain_many(rows)
    pd.testing.assert_frame_equal(frame, kept)
    pd.testing.assert_frame_equal(rows, kept_rows)
