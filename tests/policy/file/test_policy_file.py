"""A policy survives save and load; schema and parser agree on what is wrong; an error gives its line."""

import json
import re
from dataclasses import fields, replace
from io import StringIO
from itertools import islice
from math import copysign
from pathlib import Path
from typing import Any, get_args

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from p2ce import P2CEError, rules
from p2ce.errors import InvalidArgument, InvalidPolicy
from p2ce.policy import FeaturePolicy, Policy
from p2ce.policy.file.policy_document import Document, read_document
from p2ce.policy.file.policy_entries import SCHEMA, Dtype, policy_schema, policy_schema_text
from p2ce.policy.file.policy_features import DIRECTIONS, MISSING_WORDS
from p2ce.policy.file.policy_file import load_policy, parse_policy, policy_text, save_policy
from tests.hostile.plain_data import ESCAPES, HUGE_TEXT, mutations, nested, tame
from tests.optional import mostly_slow
from tests.policy.rules.random_rules import PEOPLE as CODED
from tests.policy.rules.random_rules import budget_rules

VALIDATOR = jsonschema.Draft202012Validator(policy_schema())
FOLDER = Path(__file__).parents[3]
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
        "Months": [-9, *range(59)],
    }
)
ACTIONS = (
    Policy.infer(PEOPLE, special_values={"Months": [-9]}, protect=None)
    .protect("Owns")
    .fix("no")
    .within({"Loan amount": (500, 4000.5)})
    .step({"Loan amount": 100})
    .candidates(Housing=["own", "no"], Single=[0.1, 0.2])
    .increase_only("Grade", "Months")
    .keep_missing("Income")
    .allow_missing("Count")
    .display(Age={"name": {"en": "age"}, "unit": "year|years", "values": {20: "twenty"}, "decimals": 0})
    .with_rules(
        rules.linked("Months", "Age", counts="each"),
        rules.inequality("`Loan amount` <= 100*Age"),
        rules.implies({"Housing": ["own", "no"], "Age": (30, None)}, {"Rate": rules.CHANGES}),
        rules.forbid("Housing", {"own": ["no"], None: ["own"]}),
        rules.change_at_most_one("Rate", "Single"),
        rules.predicate("my.module:judge", name="the judge", columns=["Age"]),
    )
)
FLOATS = st.floats(-1e9, 1e9)
ENDS = st.tuples(FLOATS, FLOATS).map(sorted)
LABELS = st.lists(
    st.text()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.booleans()
    | st.sampled_from(["no", "1e5", "~"]),
    min_size=1,
    max_size=6,
    unique_by=lambda label: label + "x" if isinstance(label, str) else str(float(label)),
)
SHARED = {
    "protected": st.booleans(),
    "may_change": st.booleans(),
    "direction": st.sampled_from(list(DIRECTIONS)),
    "missing": st.sampled_from(list(MISSING_WORDS)),
    "can_be_missing": st.booleans(),
}
NUMBERS = st.fixed_dictionaries(
    {"kind": st.sampled_from(["number", "number", "whole", "binary"])},
    optional={
        **SHARED,
        "dtype": st.sampled_from(get_args(Dtype)),
        "range": ENDS,
        "candidates": st.lists(FLOATS | st.integers(0, 1), min_size=1),
        "seen": ENDS,
        "inferred_candidates": st.lists(FLOATS, max_size=5),
        "step": st.integers(1, 9) | st.floats(1e-3, 1e3),
        "special": st.lists(FLOATS, min_size=1, max_size=2),
        "may_leave_special": st.booleans(),
        "count_from": st.sampled_from([0.0, -0.0, 0.1, 437]),
    },
)
CATEGORIES = LABELS.flatmap(
    lambda labels: st.fixed_dictionaries(
        {"kind": st.just("category"), "labels": st.just(labels)},
        optional={**SHARED, "order": st.just(labels), "candidates": st.just(labels[:2])},
    )
)


def parsed_again(policy: Policy) -> Policy:
    # As a file is read: with any of its line ends.
    document = read_document(StringIO(policy_text(policy), newline=None).read())
    VALIDATOR.validate(document.content)
    return parse_policy(document).policy()


@given(st.dictionaries(st.text(max_size=200), NUMBERS | CATEGORIES, min_size=1, max_size=2))
def test_a_feature_survives_save_and_load(entries: dict[str, Any]) -> None:
    content = {"version": 1, "features": entries}
    VALIDATOR.validate(content)
    policy = Policy(features=parse_policy(Document(content)).features)  # whose entries fit each other
    assume(policy.features)
    again = parsed_again(policy)
    assert again == policy
    for one, other in zip(policy.features, again.features, strict=True):
        for each in fields(FeaturePolicy):
            mine, its = getattr(one, each.name), getattr(other, each.name)
            assert type(mine) is type(its), each.name
            if isinstance(mine, float):
                assert copysign(1, mine) == copysign(1, its)
        assert list(map(type, one.labels or ())) == list(map(type, other.labels or ()))


@given(st.lists(budget_rules(), max_size=4))
def test_rules_survive_save_and_load(some: list[rules.Rule]) -> None:
    policy = Policy.infer(CODED, protect=None)
    for rule in some:
        try:
            policy = policy.with_rules(rule)
        except InvalidPolicy:
            continue
    assert parsed_again(policy) == policy


def test_a_policy_survives_the_disk(tmp_path: Path) -> None:
    ACTIONS.save(str(tmp_path / "policy.yaml"))
    again = Policy.load(str(tmp_path / "policy.yaml"), trust_predicates=True)
    assert again == ACTIONS
    assert (policy_text(again), repr(again)) == (policy_text(ACTIONS), repr(ACTIONS))
    for grid in ("data", "paper"):
        policy = Policy.infer(PEOPLE, grid=grid, protect=None)
        assert parsed_again(policy) == policy


def test_it_reads_well() -> None:
    text = policy_text(
        Policy.infer(PEOPLE[["Age", "Housing"]], protect=None)
        .fix("Age")
        .with_rules(rules.forbid("Housing", {"own": ["no"]}))
    )
    assert text.split("\n", 3)[3] == (
        "version: 1\n"
        "features:\n"
        "  Age:\n"
        "    kind: whole\n"
        "    may_change: false\n"
        "    seen: [18, 77]\n"
        "    inferred_candidates:\n"
        "      - [18, 77, 1]\n"
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
    text = (
        "version: 1\nfeatures:\n"
        "  Age: {kind: whole, range: [18, 78]}\n"
        "  Term: {kind: whole, candidates: [12, 24], may_change: true}\n"
        "  Owns: {kind: binary}\n"
        "  no: {kind: category, labels: [yes, on]}  # neither of which is a bool\n"
    )
    age, term, owns, no = parse_policy(read_document(text)).policy().features
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
X = GOOD + "  X: "
RULES = GOOD + "rules:\n  - "
# What is of another form: the schema rejects it as well.
FORM = [
    (GOOD + "rule: []\n", 7, r"unknown entry 'rule'. Did you mean 'rules'"),
    (GOOD.replace("kind: category", "knd: category"), 5, r"unknown entry 'knd'. Did you mean 'kind'"),
    (GOOD.replace("category", "categry"), 5, r"no kind 'categry'. Did you mean 'category'"),
    (GOOD + "    direction: upp\n", 7, r"direction of 'Job' cannot be 'upp'. Did you mean 'up'"),
    (GOOD + "    direction: 1\n", 7, r"direction of 'Job' cannot be 1. Known are"),
    (GOOD + "    missing: kept\n", 7, r"missing of 'Job' cannot be 'kept'. Did you mean 'keep'"),
    (GOOD + "    step: 3\n", 7, "unknown entry 'step' for kind category"),
    (GOOD + "    may_change: no\n", 7, "must be true or false, got 'no'. Whether it may"),
    (X + "{kind: whole, range: [a, b]}\n", 7, "range of 'X' must be a number or null, got 'a'"),
    (X + "{kind: whole, range: [1]}\n", 7, r"range of 'X' must be a list of length at least 2, got \[1\]"),
    (X + "{kind: whole, range: [1, 2, 3]}\n", 7, "a list of length at most 2"),
    (X + "{kind: whole, range: [1, 9], step: -1}\n", 7, "must be a number above 0"),
    (X + "{kind: whole, range: [1, 1e301]}\n", 7, r"at most 1e\+300"),
    (X + "{kind: whole, candidates: []}\n", 7, "a list of length at least 1"),
    (X + "{kind: whole, candidates: [true]}\n", 7, "must be a number, got True"),
    (X + "{kind: whole, candidates: [1], inferred_candidates: [[1, 2]]}\n", 7, "at least 3"),
    (X + "{kind: whole, dtype: in64, candidates: [9]}\n", 7, "Did you mean 'int64'"),
    (X + "whole\n", 7, "needs entries such as 'kind: "),
    (X + "{}\n", 7, "needs its 'kind'"),
    (X + "{kind: [x]}\n", 7, "there is no kind"),
    (X + "{kind: binary, 'a` - at `$.range[7]': 1}\n", 7, "unknown entry"),
    (X + "{kind: category}\n", 7, "needs 'labels'. The labels of a category"),
    (X + "{kind: category, labels: []}\n", 7, "a list of length at least 1"),
    (X + "{kind: category, labels: [~]}\n", 7, "got None. The label of a category"),
    (X + "{kind: binary, display: {nam: a}}\n", 7, "unknown entry 'nam'. Did you mean 'name'"),
    (X + "{kind: binary, display: {name: 3}}\n", 7, "name of display of 'X' must be text or"),
    (
        X + "{kind: binary, display: {name: {English: a}}}\n",
        7,
        "words for 'English', which is not a language code",
    ),
    (X + "{kind: binary, display: {decimals: 16}}\n", 7, "decimals of display of 'X' must be .* at most 15"),
    (RULES + "rule: linkd\n", 8, r"no rule 'linkd'. Did you mean 'linked'"),
    (RULES + "rule: linked\n    drivr: Age\n", 9, r"unknown entry 'drivr'. Did you mean 'driver'"),
    (RULES + "{rule: linked, driver: Age, follower: Job, ratio: 0}\n", 8, "a ratio other than 0"),
    (RULES + "{rule: linked, driver: [Age], follower: Job}\n", 8, "got .*. The name of a column"),
    (RULES + "{rule: together, columns: Age}\n", 8, "columns of the rule must be a list, got 'Age'"),
    (RULES + "{rule: together, columns: [Age, Age]}\n", 8, "names 'Age' twice"),
    (RULES + "{rule: forbid, column: Job, transitions: [{from: cook}]}\n", 8, "transitions .* needs 'to'"),
    (RULES + "{rule: implies, condition: {Age: 1}}\n", 8, "needs 'consequence'"),
    (
        RULES + "{rule: implies, condition: {}, consequence: {Age: 1}}\n",
        8,
        "condition of the rule must be entries",
    ),
    (
        RULES + "{rule: implies, condition: {Age: []}, consequence: {Job: a}}\n",
        8,
        "a list of length at least 1",
    ),
    (
        RULES + "{rule: implies, condition: {Age: {}}, consequence: {Job: a}}\n",
        8,
        "is empty or has too many entries",
    ),
    (
        RULES + "{rule: implies, condition: {Age: {changes: true, to: 3}}, consequence: {Job: a}}\n",
        8,
        "has too many entries",
    ),
    (RULES + "{rule: one_hot, name: A, columns: [Age, Job], may_be_none: 3}\n", 8, "true or false or null"),
    (RULES + "{rule: predicate, function: f}\n", 8, "function of the rule must be text matching"),
    (GOOD + "rules: {}\n", 7, "rules of the policy must be a list"),
    (RULES + "3\n", 8, "The rule needs entries such as 'rule: "),
    (GOOD.replace("version: 1", "version: 2"), 1, "Expected 'version: 1', got 2"),
    (GOOD.replace("version: 1", "version: true"), 1, "got True"),
    ("version: 1\n", 1, "The policy needs 'features'"),
    ("- 1\n", 1, "this file has neither"),
    ("", 1, "this file has neither"),
]
# What contradicts something else, or is not a YAML.
MEANING = [
    (X + "{kind: whole, range: [null, 5]}\n", 7, "open end, which is the end of 'seen'"),
    (GOOD + "  Age: {kind: whole}\n", 7, "'Age' appears a second time, after line 3"),
    (GOOD + "    candidates: [cok]\n", 7, r"'cok', which is not in the data. Did you mean 'cook'"),
    (GOOD + "    direction: up\n", 4, "without an order"),
    (GOOD + "    protected: true\n    may_change: true\n", 8, "is protected"),
    (X + "{kind: whole}\n", 7, "needs a 'range'"),
    (X + "{kind: whole, range: [9, 1]}\n", 7, r"must be \[low, high\]"),
    (X + "{kind: whole, range: [1, 9], step: 0.5}\n", 7, "must be whole"),
    (X + "{kind: whole, range: [1, 9], candidates: [99]}\n", 7, "leaves none of its"),
    (
        X + "{kind: whole, range: [1, 9], inferred_candidates: [[9, 1, 1]]}\n",
        7,
        r"numbers and \[first, last, step\]",
    ),
    (X + "{kind: whole, dtype: int8, candidates: [999]}\n", 7, "holds whole numbers from -128"),
    (
        RULES + "rule: inequality\n    text: Agee <= 3\n",
        8,
        r"'Agee', which is not a column. Did you mean 'Age'",
    ),
    (RULES + "{rule: forbid, column: Job, transitions: [{from: cok, to: clerk}]}\n", 8, "you mean 'cook'"),
    (
        RULES
        + "{rule: together, columns: [Age, Job]}\n  - {rule: change_at_most_one, columns: [Age, Job]}\n",
        9,
        "never",
    ),
    (X + "[1\n", 8, "not YAML"),
    (X + "&a {kind: binary}\n  Y: *a\n", 8, "cannot contain an alias"),
    (X + "!!python/object:os.system x\n", 7, "cannot contain the tag"),
    (GOOD + "\tX: 1\n", 7, "Line 7 is indented with a tab"),
]


@pytest.mark.parametrize(("text", "line", "message"), FORM + MEANING)
def test_a_mistake_is_reported_with_file_line_and_what_to_do(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidPolicy, match=message) as caught:
        load_policy(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize("text", [text for text, _, _ in FORM])
def test_what_is_of_another_form_the_schema_rejects_too(text: str) -> None:
    assert not VALIDATOR.is_valid(read_document(text).content)


HOSTILE = (None, True, 0, -1, 1.5, 10**400, np.nan, np.inf, "", HUGE_TEXT, ESCAPES, [], {}, [[]], {"": {}})


@pytest.mark.parametrize("every", mostly_slow([1, 11], 11))
def test_what_the_schema_rejects_the_parser_rejects_and_no_error_is_raw(every: int) -> None:
    whole = read_document(policy_text(ACTIONS)).content
    for name, entry in whole["features"].items():  # of long lists the first items
        entry |= {key: entry[key][:2] for key in ("candidates", "labels", "order") if key in entry}
        if name in ("no", "Grade", "Count", "Income", "Rate"):
            whole["features"][name] = {"kind": "binary"}
    tried, wrong = 0, []
    for where, changed in islice(mutations(whole, (*HOSTILE, nested(10))), 0, None, every):
        tried += 1
        try:
            policy = parse_policy(Document(changed))
            repr(Policy(features=policy.features, rules=tuple(rule for _, rule in policy.rules)))
            messages = [fault.message for fault in policy.faults]
        except P2CEError as error:
            messages = [str(error)]
        if not all(map(tame, messages)) or (not messages and not VALIDATOR.is_valid(changed)):
            wrong.append(where)
    assert tried > 1000 / every
    assert wrong == []


def test_the_schema_file_is_current_and_describes_its_entries() -> None:
    jsonschema.Draft202012Validator.check_schema(policy_schema())
    assert SCHEMA.read_text(encoding="utf-8") == policy_schema_text(), (
        "run python -m p2ce.policy.file.policy_entries"
    )
    assert json.loads(policy_schema_text()) == policy_schema()
    for kind in policy_schema()["$defs"].values():
        assert kind["description"]
        assert all("description" in entry for key, entry in kind["properties"].items() if key == "range")


def test_policies_of_the_documentation_are_valid() -> None:
    files = [*FOLDER.glob("*.md"), *FOLDER.glob("docs/**/*.md"), *FOLDER.glob("examples/**/*.*")]
    pattern = re.compile(r"^version: 1\n.*?(?=^```|\Z)", re.MULTILINE | re.DOTALL)
    texts = [text for file in files for text in pattern.findall(file.read_text(encoding="utf-8"))]
    assert len(texts) >= 2
    for text in texts:
        VALIDATOR.validate(read_document(text).content)
        parse_policy(read_document(text)).policy()


def test_a_short_policy_makes_no_long_list() -> None:
    """The float32 next to the low end lies below it, from where steps were counted one by one."""
    text = (
        X
        + "{kind: number, dtype: float32, "
        + "seen: [-999999999, 999999999], inferred_candidates: [5], step: 0.001}"
    )
    feature = parse_policy(read_document(text)).policy()["X"]
    with pytest.raises(InvalidPolicy, match="2,000,000,000,003 inferred candidates"):
        feature.candidates()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"version: 1 # \xe9\n")
    for name, message in (
        ("none.yaml", "Cannot read"),
        ("", "Cannot read"),
        ("latin.yaml", "not text in UTF-8"),
    ):
        with pytest.raises(InvalidPolicy, match=message):
            load_policy(tmp_path / name)
    (tmp_path / "marked.yaml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load_policy(tmp_path / "marked.yaml").names == ("Age", "Job")
    (tmp_path / "two.yaml").write_text(GOOD.replace("kind", "knd"), encoding="utf-8")
    with pytest.raises(InvalidPolicy, match="1 more"):
        load_policy(tmp_path / "two.yaml")


def test_what_a_file_cannot_hold_is_rejected_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(InvalidPolicy, match="predicate 'mine' is a Python object"):
        save_policy(ACTIONS.with_rules(rules.predicate(len, name="mine")), path)
    dated = replace(ACTIONS["Housing"], labels=(pd.Timestamp("2024-01-01"),), choices=None)
    with pytest.raises(InvalidPolicy, match=r"'Housing' has the label .* of type Timestamp"):
        save_policy(Policy(features=(dated,)), path)
    assert path.read_text(encoding="utf-8") == "old"


def test_loading_runs_no_code(tmp_path: Path) -> None:
    text = GOOD + "rules:\n  - rule: predicate\n    function: no_such_module_anywhere:f\n"
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    for key in ("rules", "proposed_rules"):
        (tmp_path / "policy.yaml").write_text(text.replace("rules:", f"{key}:"), encoding="utf-8")
        with pytest.raises(InvalidArgument, match=r"'no_such_module_anywhere:f'.*trust_predicates=True"):
            load_policy(tmp_path / "policy.yaml")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    (rule,) = load_policy(tmp_path / "policy.yaml", trust_predicates=True).rules
    assert not rule.prunes
