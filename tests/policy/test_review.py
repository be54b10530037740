"""A policy knows whether someone stated or reviewed it, in Python and in a file."""

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from p2ce.errors import InvalidPolicy
from p2ce.policy import Policy
from p2ce.policy.file.policy_file import policy_text
from p2ce.rules import change_at_most_one

PEOPLE = pd.DataFrame({"Age": range(20, 70), "Amount": range(500, 5500, 100), "Debts": [0, 1] * 25})
INFERRED = Policy.infer(PEOPLE)
REVIEWED = INFERRED.reviewed(by="Ana Souza", on="2026-11-18")


@pytest.mark.parametrize(
    "state",
    [
        lambda policy: policy.fix("Age"),
        lambda policy: policy.protect("Age"),
        lambda policy: policy.increase_only("Amount"),
        lambda policy: policy.decrease_only("Amount"),
        lambda policy: policy.within(Amount=(0, 900)),
        lambda policy: policy.step(Amount=100),
        lambda policy: policy.candidates(Amount=[500, 900]),
        lambda policy: policy.keep_missing("Amount"),
        lambda policy: policy.with_rules(change_at_most_one("Age", "Debts")),
    ],
)
def test_a_constraint_is_a_statement_and_outlives_no_review(state: Any) -> None:
    assert INFERRED.basis == "inferred"
    assert state(INFERRED).basis == "stated"
    assert REVIEWED.basis == "reviewed"
    assert state(REVIEWED).basis == "stated"  # no one has reviewed that


def test_words_and_nothing_are_no_statement() -> None:
    assert INFERRED.display(Age={"name": "age"}).fix().with_rules().basis == "inferred"
    assert REVIEWED.display(Age={"name": "age"}).basis == "reviewed"
    assert INFERRED.reviewed(by="Ana Souza", on=date(2026, 11, 18)) == REVIEWED


@pytest.mark.parametrize(
    "policy",
    [INFERRED, INFERRED.fix("Age"), REVIEWED, INFERRED.fix("Age").reviewed(by="B", on="2025-01-01")],
)
def test_a_file_keeps_the_basis(policy: Policy, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    policy.save(file)
    assert Policy.load(file) == policy
    assert Policy.load(file).basis == policy.basis
    assert ("drafts" in file.read_text(encoding="utf-8")) == (policy.basis == "inferred")


def test_whoever_edits_a_draft_lifts_it(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    text = policy_text(INFERRED)
    for edited, basis in (
        (text.replace("inferred: true\n", ""), "stated"),
        (text.replace("inferred: true\n", "reviewed_by: Ana\nreviewed_on: 2026-11-18\n"), "reviewed"),
        (text.replace("version: 1\n", "version: 1\nreviewed_by: Ana\nreviewed_on: 2026-11-18\n"), "reviewed"),
    ):
        file.write_text(edited, encoding="utf-8")
        assert Policy.load(file).basis == basis


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ("reviewed_by: Ana\n", 2, "reviewed_by has no reviewed_on"),
        ("reviewed_on: 2026-11-18\n", 2, "reviewed_on has no reviewed_by"),
        ("reviewed_by: Ana\nreviewed_on: yesterday\n", 3, "its date as year-month-day, got 'yesterday'"),
        ("reviewed_by: ' '\nreviewed_on: 2026-11-18\n", 2, "the name of the reviewer"),
        ("reviewed_by: [Ana]\nreviewed_on: 2026-11-18\n", 2, "reviewed_by"),
    ],
)
def test_half_a_review_is_rejected_with_its_line(lines: str, line: int, message: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        f"version: 1\n{lines}features: {{Age: {{kind: whole, range: [1, 9]}}}}\n", encoding="utf-8"
    )
    with pytest.raises(InvalidPolicy, match=message) as caught:
        Policy.load(file)
    assert caught.value.line == line


@pytest.mark.parametrize(("by", "on"), [("", "2026-11-18"), ("Ana", "18.11.2026"), (None, "2026-11-18")])
def test_a_review_without_name_or_date_is_rejected(by: Any, on: Any) -> None:
    with pytest.raises(InvalidPolicy, match="A review needs"):
        INFERRED.reviewed(by=by, on=on)
