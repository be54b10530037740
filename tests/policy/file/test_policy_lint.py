"""Does the linter find what does not fit the data, and nothing else?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce import rules
from p2ce.policy import Policy
from p2ce.policy.file.policy_document import read_document
from p2ce.policy.file.policy_file import parse_policy, policy_text
from p2ce.policy.file.policy_lint import Severity, lint

PEOPLE = pd.DataFrame(
    {
        "Savings": np.arange(60),
        "Rate": np.linspace(0.0, 1.0, 60),
        "Job": ["cook", "clerk", None] * 20,
        "Level": [1, 2, 3] * 20,
        "Flag": [True, False] * 30,
        "own": [1, 0, 0] * 20,
        "rent": [0, 1, 1] * 20,
    }
)
ACTIONS = Policy.infer(PEOPLE)


def found(
    policy: Policy | str, people: pd.DataFrame = PEOPLE, protected: tuple[str, ...] = ()
) -> list[tuple[str, str]]:
    """Return severity and code of each finding; the data as text gives the same ones."""
    text = policy if isinstance(policy, str) else policy_text(policy)
    policy = parse_policy(read_document(text))
    findings = lint(policy, people, protected=protected)
    as_text = people.astype(object).where(people.notna(), None).map(lambda v: None if v is None else str(v))
    again = lint(policy, as_text, protected=protected)
    assert [(one.line, one.code) for one in again] == [(one.line, one.code) for one in findings]
    assert all(1 <= one.line <= text.count("\n") + 1 for one in findings)
    return [(str(one.severity), one.code) for one in findings]


def test_an_inferred_policy_is_clean() -> None:
    assert found(ACTIONS) == []
    assert found(ACTIONS.with_rules(rules.one_hot("Home", ["own", "rent"], may_be_none=False))) == []
    assert (
        found(ACTIONS.with_rules(rules.inequality("Rate <= 1"), rules.forbid("Job", {"cook": ["clerk"]})))
        == []
    )


def test_columns_that_are_missing_on_either_side() -> None:
    assert found(ACTIONS, PEOPLE.rename(columns={"Savings": "savings"})) == [
        ("warning", "unnamed-column"),
        ("error", "unknown-column"),
    ]


def test_protected_columns_that_may_change() -> None:
    assert found(ACTIONS, protected=("Job",)) == [("error", "protected-changeable")]
    assert found(ACTIONS.fix("Job"), protected=("Job",)) == []
    assert found(ACTIONS, protected=("Jobb",)) == [("error", "unknown-column")]
    people = PEOPLE.rename(columns={"Savings": "Age"})
    policy = Policy.infer(people, protect=None)
    assert found(policy, people) == [("warning", "protected-changeable")]
    assert found(policy.protect("Age"), people) == []
    assert found(Policy.infer(people), people) == []
    linked = policy.with_rules(rules.linked("Level", "Age"))
    assert found(linked, people) == []  # no advice names age itself
    assert found(linked, people, protected=("Age",)) == [("error", "protected-changeable")]


def test_ranges_steps_and_values_beside_the_data() -> None:
    assert found(ACTIONS.within(Savings=(30, 90))) == [("warning", "outside-the-data")]
    assert found(ACTIONS.within(Savings=(70, 90))) == [("error", "outside-the-data")]
    assert found(ACTIONS.within(Savings=(70, 90)).fix("Savings")) == []
    assert found(ACTIONS.within(Rate=(0.4, 0.6)).step(Rate=0.5)) == [("warning", "step-too-large")]
    assert found(ACTIONS.candidates(Savings=[5, 99])) == [("warning", "never-seen")]
    assert found(ACTIONS.step(Rate=0.00001)) == [("error", "too-many-candidates")]


TAILED = PEOPLE.loc[np.tile(np.arange(60), 20)].reset_index(drop=True)
TAILED = TAILED.assign(Rate=np.append(TAILED["Rate"].iloc[:-5], [9e3, 2e4, 4e4, 7e4, 1e5]))


def test_columns_with_heavy_tails() -> None:
    """Issue 13: outliers make deviations and ranges, and nothing said so."""
    policy = Policy.infer(TAILED)
    assert found(policy, TAILED) == [("warning", "heavy-tails")]
    (finding,) = lint(parse_policy(read_document(policy_text(policy))), TAILED)
    assert "'Rate' has heavy tails" in finding.message
    assert "3,756" in finding.message  # with them
    assert "0.29" in finding.message  # without
    assert found(policy.fix("Rate"), TAILED) == []
    assert found(policy.candidates(Rate=[0.0, 0.5]), TAILED) == [("warning", "never-seen")]
    # Said is said, unless it leads to where hardly anyone is.
    assert found(policy.within(Rate=(0.0, 1.0)), TAILED) == []
    assert found(policy.within(Rate=(0.0, 3.0)), TAILED) == []
    assert found(policy.within(Rate=(0, 50_000)).step(Rate=100), TAILED) == [("warning", "range-in-tails")]
    assert found(policy.within(Rate=(0, 200_000)).step(Rate=100), TAILED) == [("warning", "outside-the-data")]


def test_special_values_are_no_tails() -> None:
    codes = TAILED.assign(Rate=PEOPLE["Rate"].iloc[np.arange(len(TAILED)) % 60].to_numpy())
    codes.loc[:20, "Rate"] = -9e5
    assert found(Policy.infer(codes, special_values=None), codes) == [("warning", "heavy-tails")]
    policy = Policy.infer(codes, special_values={"Rate": [-9e5]})
    assert found(policy, codes) == []
    assert found(policy.within(Rate=(-2, 1)).step(Rate=0.1), codes) == [("warning", "outside-the-data")]


def test_tails_that_even_the_robust_unit_is_made_of() -> None:
    """A fifth of the rows holds dollars where the others hold shares: no range repairs the unit."""
    rate = np.where(TAILED.index % 5 == 0, TAILED.index.to_numpy() + 100.0, TAILED["Rate"].clip(0, 1))
    people = TAILED.assign(Rate=rate)
    for policy in (Policy.infer(people), Policy.infer(people).step(Rate=0.1).within(Rate=(0.1, 0.9))):
        assert found(policy, people) == [("warning", "heavy-tails")]
        (finding,) = lint(parse_policy(read_document(policy_text(policy))), people)
        assert "even without the outermost 1 %" in finding.message
        assert "half of the rows are in" in finding.message


TAILS = pd.DataFrame(
    {
        "Amount": np.concatenate([np.arange(1_000, 5_000, 7.0), [9_000.0, 40_000.0]]),
        "Months": np.concatenate([np.repeat([6, 12, 24, 36], 140), np.repeat(90, 12), [96, 96]])[:574],
        "Constant": [70_000] * 574,
        "Rate": np.round(np.random.default_rng(0).lognormal(0, 2, 574), 3),
        "Small": np.random.default_rng(1).lognormal(0, 3, 574).astype("float32"),
    }
)


def test_a_draft_has_no_ignored_step() -> None:
    draft = Policy.infer(TAILS)
    assert (
        policy_text(draft).count("step: ") >= 3
    )  # tails make the drafted step smaller than the range suggests
    narrow = draft.within(Amount=(1_000, 3_000), Rate=(0.1, 2))
    narrowed = Policy(features=tuple(feature.settled() for feature in narrow.features))
    more = Policy(
        features=tuple(
            feature.with_more([1_501.0]) if feature.name == "Amount" else feature
            for feature in draft.features
        )
    )
    for policy in (draft, narrow, narrowed, more, draft.step(Amount=300, Months=6)):
        for people in (TAILS, TAILS.iloc[::3], TAILS.iloc[300:], TAILS * 2):
            assert ("warning", "ignored-step") not in found(policy, people)


@pytest.mark.parametrize("step", [7, 50, 100, 500, 1_000, 2_000, 3_000])
@pytest.mark.parametrize("tails", [False, True])
def test_a_step_that_inferred_candidates_override(step: int, *, tails: bool) -> None:
    people = TAILS[["Amount"]].iloc[: 574 if tails else 572]
    text = policy_text(Policy.infer(people))
    without = "\n".join(line for line in text.splitlines() if "step: " not in line)
    drafted = Policy.infer(people)["Amount"].step
    stated = without.replace("    seen:", f"    step: {step}\n    seen:")
    expected = [] if tails and step == drafted else [("warning", "ignored-step")]
    assert [one for one in found(stated, people) if one[1] == "ignored-step"] == expected
    only = "\n".join(line for line in stated.splitlines() if not line.startswith("      - "))
    assert "ignored-step" not in str(found(only.replace("    inferred_candidates:\n", ""), people))


def test_an_ignored_step_says_what_to_delete() -> None:
    text = policy_text(Policy.infer(TAILS[["Rate"]])).replace("    seen:", "    step: 0.3\n    seen:", 1)
    lines = [line for line in text.splitlines() if "step: " not in line or "0.3" in line]

    def message(entry: str) -> str:
        policy = parse_policy(read_document("\n".join(lines).replace("    seen:", f"{entry}    seen:", 1)))
        return next(one.message for one in lint(policy, TAILS) if one.code == "ignored-step")

    rest = "Delete inferred_candidates, or delete step."
    assert message("") == f"'Rate' has both step and inferred_candidates, so step has no effect. {rest}"
    assert "so step applies only beyond them." in message("    range: [0, 5000]\n")


def test_labels_that_only_one_side_has() -> None:
    people = PEOPLE.assign(Job=["cook", "smith", None] * 20)
    assert found(ACTIONS, people) == [("warning", "unknown-label"), ("warning", "never-seen")]


@pytest.mark.parametrize(
    ("name", "values"),
    [("Savings", ["a"] * 60), ("Savings", [0.5] * 60), ("Flag", [2] * 60), ("Rate", ["x", "0.5"] * 30)],
)
def test_kinds_that_the_data_denies(name: str, values: list[Any]) -> None:
    codes = found(ACTIONS, PEOPLE.assign(**{name: values}))
    assert ("error", "wrong-kind") in codes


def test_groups_that_are_not_closed() -> None:
    two = PEOPLE.assign(own=[1, 1, 0] * 20, rent=[0, 1, 1] * 20)
    assert found(ACTIONS.with_rules(rules.one_hot("Home", ["own", "rent"])), two) == [
        ("error", "group-not-closed")
    ]
    none = PEOPLE.assign(own=[1, 0, 0] * 20, rent=[0, 0, 1] * 20)
    assert found(ACTIONS.with_rules(rules.one_hot("Home", ["own", "rent"])), none) == []
    strict = ACTIONS.with_rules(rules.one_hot("Home", ["own", "rent"], may_be_none=False))
    assert found(strict, none) == [("error", "group-not-closed")]


def test_rules_that_the_data_breaks() -> None:
    assert found(ACTIONS.with_rules(rules.inequality("Savings <= 30"))) == [("warning", "broken-by-data")]
    assert found(ACTIONS.with_rules(rules.inequality("Savings >= 100"))) == [("error", "broken-by-data")]
    rule = rules.implies({"Job": ["cook", None]}, {"Level": (1, 2)})
    assert found(ACTIONS.with_rules(rule)) == [("warning", "broken-by-data")]
    assert found(ACTIONS.with_rules(rules.implies({"Savings": 0.5}, {"Level": 1}))) == [
        ("error", "wrong-value")
    ]


def test_predicates_are_not_run() -> None:
    assert found(ACTIONS.with_rules(rules.predicate("no.such:thing"))) == [("warning", "predicate-not-tried")]


def test_everything_that_cannot_be_read_is_found_at_once() -> None:
    text = policy_text(ACTIONS.with_rules(rules.inequality("Savings <= Rate")))
    spoilt = (
        text.replace("kind: whole", "knd: whole")
        .replace("<= Rate", "<= Ratee")
        .replace("version: 1", "version: 3")
    )
    policy = parse_policy(read_document(spoilt))
    findings = lint(policy, PEOPLE)
    assert {finding.severity for finding in findings} == {Severity.ERROR}
    assert [finding.code for finding in findings] == ["invalid-entry"] * len(findings)
    assert len(findings) == 3  # the version and two features; the rule may be right once these are
    assert [finding.line for finding in findings] == sorted(finding.line for finding in findings)


def test_counts_that_were_imputed_are_no_error() -> None:
    people = pd.DataFrame({"Trades": [0.0, 1.0, 2.0, 3.0] * 15 + [0.854]})
    assert found(Policy.infer(people), people) == [("warning", "wrong-kind")]
    whole = Policy.infer(pd.DataFrame({"Trades": [0, 1, 2, 3] * 15}))
    assert found(whole, people) == [("error", "wrong-kind")]
