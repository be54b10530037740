"""Does a policy survive save and load, and does an error about the file give its line?"""

import json
from dataclasses import fields, replace
from io import StringIO
from math import copysign
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import rules
from p2ce.errors import InvalidActions, PolicyError
from p2ce.problem import ActionSet, Direction, FeatureActions, Kind
from p2ce.problem.policy_document import read_document
from p2ce.problem.policy_features import DIRECTIONS, DTYPES, FEATURE_KEYS, MISSING_WORDS
from p2ce.problem.policy_file import SCHEMA, TOP_KEYS, load, parse_policy, save, to_text
from p2ce.problem.rules.rule_names import RULES
from tests.problem.rules.random_rules import PEOPLE as CODED
from tests.problem.rules.random_rules import budget_rules
from tests.problem.test_display import displays, words

PEOPLE = pd.DataFrame(
    {
        "Age": np.arange(18, 78),
        "Loan amount": np.arange(60) * 200 + 437.5,
        "Rate": np.linspace(0.0, 1.0, 60),
        "Owns": [0, 1] * 30,
        "no": [True, False] * 30,
        "Single": np.linspace(0.0, 1.0, 60, dtype=np.float32),
        "Housing": ["own", "no", None, "1e5", "007", "yes"] * 10,
        "Grade": pd.Categorical(list("abc") * 20, categories=list("cbad"), ordered=True),
        "Income": [None, 1.5, 2.5] * 20,
        "Count": pd.array([1, None, 5] * 20, dtype="Int64"),
        "Years": np.arange(60),
    }
)
ACTIONS = (
    ActionSet.infer(PEOPLE)
    .protect("Owns")
    .fix("no")
    .within({"Loan amount": (500, 4000.5)})
    .step({"Loan amount": 100})
    .values(Housing=["own", "no", "1e5"], Single=[0.1, 0.2])
    .increase_only("Grade", "Years")
    .keep_missing("Income")
    .allow_missing("Count")
    .rule(
        rules.linked("Years", "Age", counts="each"),
        rules.inequality("`Loan amount` <= 100*Age"),
        rules.if_then(if_={"Housing": ["own", "no"], "Age": (30, None)}, then={"Rate": rules.CHANGES}),
        rules.forbid("Housing", {"own": ["no"], None: ["1e5"]}),
        rules.predicate("my.module:judge", name="the judge"),
    )
)
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
FLOATS = st.floats(-1e9, 1e9, allow_nan=False)
LABELS = st.one_of(
    st.text(),
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.sampled_from(
        ["no", "Yes", "on", "null", "~", "", "1e5", "007", "12:30", "2024-01-01", "<<", "=", "a: b", "#"]
    ),
)


def saved_and_loaded(actions: ActionSet) -> ActionSet:
    # As a file is read: with any of its line ends.
    document = read_document(StringIO(to_text(actions), newline=None).read())
    policy = parse_policy(document)
    assert policy.problems == []
    VALIDATOR.validate(document.content)
    return ActionSet(features=policy.features, rules=tuple(rule for _, rule in policy.rules))


@st.composite
def number_features(draw: st.DrawFn, name: str) -> FeatureActions:
    dtype = np.dtype(draw(st.sampled_from(["float64", "float32", "int64", "int8", "bool"])))
    kind = draw(st.sampled_from([Kind.WHOLE, Kind.NUMBER] if dtype.kind == "f" else [Kind.WHOLE]))
    kind = Kind.BINARY if dtype.kind == "b" else kind
    low, high = sorted(draw(st.tuples(FLOATS, FLOATS)))
    step = draw(st.integers(1, 9)) if kind is Kind.WHOLE else draw(st.floats(1e-3, 1e3))
    direction = draw(st.sampled_from(Direction))
    holds = draw(st.booleans())
    feature = {
        "name": name,
        "kind": kind,
        "dtype": dtype,
        "fixed": draw(st.booleans()),
        "direction": direction,
        "low": low,
        "high": high,
        "step": 1.0 if kind is Kind.BINARY else float(step),
        "anchor": draw(st.sampled_from([0.0, -0.0, 0.1, 437.0])),
        "fillable": draw(st.booleans()),
        "holds_missing": holds,
        "may_go_missing": holds and direction is Direction.BOTH and draw(st.booleans()),
        "display": draw(displays),
    }
    protected = draw(st.booleans())
    feature |= {"protected": protected, "fixed": protected or feature["fixed"]}
    if draw(st.booleans()):
        feature["choices"] = tuple(
            sorted(
                draw(st.sets(st.integers(0, 1), min_size=1))
                if dtype.kind in "biu"
                else {float(dtype.type(v)) + 0.0 for v in draw(st.lists(FLOATS, min_size=1))}
            )
        )
    elif draw(st.booleans()):
        feature["stated_range"] = tuple(sorted(draw(st.tuples(FLOATS, FLOATS))))
    try:
        return FeatureActions(**feature)
    except InvalidActions:
        return FeatureActions(name=name, kind=Kind.NUMBER, dtype=np.dtype(float), low=low, high=low, step=0.1)


@st.composite
def category_features(draw: st.DrawFn, name: str) -> FeatureActions:
    labels = tuple(
        draw(
            st.lists(
                LABELS,
                min_size=1,
                max_size=6,
                unique_by=lambda label: str(float(label)) if not isinstance(label, str) else label + "x",
            )
        )
    )
    choices = tuple(label for label in labels if draw(st.booleans())) or None
    order = draw(st.sampled_from([None, labels]))
    return FeatureActions(
        name=name,
        kind=Kind.CATEGORY,
        dtype=np.dtype(float),
        low=0.0,
        high=float(len(labels) - 1),
        step=1.0,
        labels=labels,
        order=order,
        choices=choices,
        direction=draw(st.sampled_from(Direction)) if order else Direction.BOTH,
        holds_missing=draw(st.booleans()),
        display=replace(draw(displays), values={}, phrases={labels[0]: draw(words)}),
    )


@st.composite
def action_sets(draw: st.DrawFn) -> ActionSet:
    names = draw(st.lists(st.text(min_size=0, max_size=200), min_size=1, max_size=4, unique=True))
    kinds = st.sampled_from([number_features, category_features])
    return ActionSet(features=tuple(draw(draw(kinds)(name)) for name in names))


@given(action_sets())
def test_a_policy_survives_save_and_load(actions: ActionSet) -> None:
    again = saved_and_loaded(actions)
    assert again == actions
    for one, other in zip(actions.features, again.features, strict=True):
        for each in fields(FeatureActions):
            mine, its = getattr(one, each.name), getattr(other, each.name)
            assert type(mine) is type(its), each.name
            if isinstance(mine, float):
                assert copysign(1, mine) == copysign(1, its)
            if isinstance(mine, tuple):
                assert [type(a) for a in mine if not isinstance(a, float | int)] == [
                    type(a) for a in its if not isinstance(a, float | int)
                ]


@given(st.lists(budget_rules(), max_size=4))
def test_rules_survive_save_and_load(some: list[rules.Rule]) -> None:
    actions = ActionSet.infer(CODED)
    for rule in some:
        try:
            actions = actions.rule(rule)
        except InvalidActions:
            continue
    assert saved_and_loaded(actions) == actions


def test_a_policy_survives_the_disk(tmp_path: Path) -> None:
    save(ACTIONS, tmp_path / "policy.yaml")
    again = load(tmp_path / "policy.yaml")
    assert again == ACTIONS
    assert to_text(again) == to_text(ACTIONS)
    assert repr(again) == repr(ACTIONS)
    ACTIONS.save(str(tmp_path / "other.yaml"))
    assert ActionSet.load(str(tmp_path / "other.yaml")) == ACTIONS


@pytest.mark.parametrize("grid", ["data", "paper"])
def test_inferred_policies_survive(grid: Any) -> None:
    actions = ActionSet.infer(PEOPLE, grid=grid)
    assert saved_and_loaded(actions) == actions


def test_it_reads_well() -> None:
    text = to_text(
        ActionSet.infer(PEOPLE[["Age", "Housing"]]).fix("Age").rule(rules.forbid("Housing", {"own": ["no"]}))
    )
    assert text.split("\n", 3)[3] == (
        "version: 1\n"
        "features:\n"
        "  Age:\n"
        "    kind: whole\n"
        "    may_change: false\n"
        "    seen: [19, 76]\n"
        "    candidates:\n"
        "      - [19, 76, 1]\n"
        "  Housing:\n"
        "    kind: category\n"
        "    labels: [own, 'no', '1e5', '007', 'yes']\n"
        "rules:\n"
        "  - rule: forbid\n"
        "    column: Housing\n"
        "    transitions:\n"
        "      - {from: own, to: ['no']}\n"
    )


def test_little_needs_to_be_written_by_hand() -> None:
    policy = parse_policy(
        read_document(
            "version: 1\n"
            "features:\n"
            "  Age: {kind: whole, range: [18, 78]}\n"
            "  Term: {kind: whole, values: [12, 24], may_change: true}\n"
            "  Owns: {kind: binary}\n"
            "  no: {kind: category, labels: [yes, on]}  # neither of which is a bool\n"
        )
    )
    assert policy.problems == []
    age, term, owns, no = policy.features
    assert (age.ends(), age.step, age.stated_range) == ((18.0, 78.0), 2.0, (18.0, 78.0))
    assert term.candidates().tolist() == [12.0, 24.0]
    assert owns.candidates().tolist() == [0.0, 1.0]
    assert (no.name, no.labels) == ("no", ("yes", "on"))


GOOD = """\
version: 1
features:
  Age: {kind: whole, range: [0, 9]}
  Job:
    kind: category
    labels: [cook, clerk]
"""
TOGETHER = "  - rule: together\n    columns: [Age, Job]\n"
EXCLUSIVE = "  - rule: exclusive\n    columns: [Age, Job]\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (GOOD + "  Age: {kind: whole}\n", 7, "'Age' stands here a second time, after line 3"),
        (GOOD + "rule: []\n", 7, r"no entry 'rule'. Did you mean 'rules'"),
        (
            GOOD.replace("kind: category", "knd: category"),
            5,
            r"'knd' that means nothing. Did you mean 'kind'",
        ),
        (
            GOOD.replace("category", "categry"),
            5,
            r"kind of 'Job' cannot be 'categry'. Did you mean 'category'",
        ),
        (GOOD + "    direction: upp\n", 7, r"direction of 'Job' cannot be 'upp'. Did you mean 'up'"),
        (GOOD + "    missing: kept\n", 7, r"missing of 'Job' cannot be 'kept'. Did you mean 'keep'"),
        (GOOD + "    values: [cok]\n", 7, r"'cok', which the data never has. Did you mean 'cook'"),
        (GOOD + "    direction: up\n", 4, "without an order"),
        (GOOD + "    step: 3\n", 7, "'step' means nothing"),
        (GOOD + "    may_change: no\n", 7, "true or false, got 'no'"),
        (GOOD + "    protected: true\n    may_change: true\n", 8, "is protected"),
        (GOOD + "  X: {kind: whole}\n", 7, "needs a 'range'"),
        (GOOD + "  X: {kind: whole, range: [9, 1]}\n", 7, r"must be \[low, high\]"),
        (GOOD + "  X: {kind: whole, range: [a, b]}\n", 7, "must be a number, got 'a'"),
        (GOOD + "  X: {kind: whole, range: [1, 9], step: 0.5}\n", 7, "must be whole"),
        (GOOD + "  X: {kind: whole, range: [1, 9], step: -1}\n", 7, "above 0"),
        (GOOD + "  X: {kind: whole, range: [1, 9], values: [99]}\n", 7, "leaves none of its"),
        (GOOD + "  X: {kind: whole, dtype: int8, values: [999]}\n", 7, "holds whole numbers from -128"),
        (GOOD + "  X: {kind: whole, dtype: in64, values: [9]}\n", 7, "Did you mean 'int64'"),
        (GOOD + "  X: whole\n", 7, "needs entries such as"),
        (GOOD + "  X: {}\n", 7, "needs its 'kind'"),
        (GOOD + "  X: {kind: category}\n", 7, "needs its 'labels'"),
        (GOOD + "  X: {kind: category, labels: []}\n", 7, "must be a list of labels"),
        (GOOD + "rules:\n  - rule: linkd\n", 8, r"no rule 'linkd'. Did you mean 'linked'"),
        (GOOD + "rules:\n  - rule: linked\n    drivr: Age\n", 9, r"has no 'drivr'. Did you mean 'driver'"),
        (
            GOOD + "rules:\n  - rule: inequality\n    text: Agee <= 3\n",
            8,
            r"'Agee', which is no column. Did you mean 'Age'",
        ),
        (
            GOOD + "rules:\n  - rule: forbid\n    column: Job\n    transitions: [{from: cok, to: clerk}]\n",
            8,
            "Did you mean 'cook'",
        ),
        (GOOD + "rules:\n" + TOGETHER + EXCLUSIVE, 10, "can never change"),
        (GOOD + "rules: {}\n", 7, "must be a list"),
        (GOOD + "rules:\n  - 3\n", 8, "Expected a rule"),
        (GOOD.replace("version: 1", "version: 2"), 1, "Expected 'version: 1', got 2"),
        (GOOD.replace("version: 1", "version: true"), 1, "got True"),
        ("version: 1\n", 1, "needs 'features:'"),
        ("- 1\n", 1, "this file has neither"),
        ("", 1, "this file has neither"),
        (GOOD + "  X: [1\n", 8, "not YAML"),
        (GOOD + "  X: &a {kind: binary}\n  Y: *a\n", 8, "no use for an alias"),
        (GOOD + "  X: !!python/object:os.system x\n", 7, "no use for the tag"),
        (GOOD + "\tX: 1\n", 7, "not YAML"),
    ],
)
def test_a_mistake_is_reported_with_file_line_and_the_nearest_name(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError, match=message) as caught:
        load(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_several_mistakes_are_counted(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(GOOD.replace("kind", "knd"), encoding="utf-8")
    with pytest.raises(PolicyError, match="1 more"):
        load(tmp_path / "policy.yaml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="Cannot read"):
        load(tmp_path / "none.yaml")
    with pytest.raises(PolicyError, match="Cannot read"):
        load(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"version: 1 # \xe9\n")
    with pytest.raises(PolicyError, match="not text in UTF-8"):
        load(tmp_path / "latin.yaml")
    (tmp_path / "marked.yaml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load(tmp_path / "marked.yaml").names == ("Age", "Job")


def test_what_a_file_cannot_hold_is_rejected_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(InvalidActions, match="predicate 'mine' is a Python object"):
        save(ACTIONS.rule(rules.predicate(len, name="mine")), path)
    dated = replace(ACTIONS["Housing"], labels=(pd.Timestamp("2024-01-01"),), choices=None)
    with pytest.raises(PolicyError, match=r"'Housing' has the label .* of type Timestamp"):
        save(ActionSet(features=(dated,)), path)
    assert path.read_text(encoding="utf-8") == "old"


def test_loading_runs_no_code(tmp_path: Path) -> None:
    text = GOOD + "rules:\n  - rule: predicate\n    function: no_such_module_anywhere:f\n"
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    (rule,) = load(tmp_path / "policy.yaml").rules
    assert not rule.prunes


def test_the_schema_and_the_loader_accept_the_same_keys() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == set(TOP_KEYS)
    feature = schema["$defs"]["feature"]["properties"]
    assert set(feature) == set(FEATURE_KEYS)
    assert set(feature["kind"]["enum"]) == {str(kind) for kind in Kind}
    assert set(feature["direction"]["enum"]) == set(DIRECTIONS)
    assert set(feature["missing"]["enum"]) == set(MISSING_WORDS)
    assert set(feature["dtype"]["enum"]) == set(DTYPES)
    described = {rule["properties"]["rule"]["const"]: rule for rule in schema["$defs"]["rule"]["oneOf"]}
    assert set(described) == set(RULES)
    for kind, rule in RULES.items():
        assert set(described[kind]["properties"]) == {"rule", *rule.required, *rule.optional}
        assert set(described[kind]["required"]) == {"rule", *rule.required}


@pytest.mark.parametrize(
    "spoilt", ["knd: whole", "kind: whle", "kind: whole, direction: upp", "kind: whole, step: -1"]
)
def test_the_schema_rejects_typos_too(spoilt: str) -> None:
    document = read_document(f"version: 1\nfeatures:\n  Age: {{{spoilt}, seen: [1, 2]}}\n")
    assert parse_policy(document).problems
    assert not VALIDATOR.is_valid(document.content)
