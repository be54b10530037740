"""Is each mistake of a rule found, with what to do, and is a custom rule used as any other?"""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Policy, rules
from p2ce.errors import BrokenPlugin, InvalidPolicy
from p2ce.extend import BoolArray, Budget, Codebook, Codes, FloatArray, Rule, check_columns, check_rule
from tests.populations import loans

PEOPLE = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70],
        "home": ["own", "own", "own", "rent", "rent", "free"],
        "income": [10.5, 20.0, np.nan, 40.25, 50.0, 60.0],
        "late": [0, 1, 2, 3, 4, 5],
    }
)


@dataclass(frozen=True)
class FewGoDown(Rule):
    """At most some columns go down; the fault says what is wrong with it."""

    kind: ClassVar[str] = "few_go_down"
    names: tuple[str, ...]
    most: int = 1
    fault: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names[:1] if self.fault == "columns" else self.names

    def text(self) -> str:
        return "" if self.fault == "text" else f"at most {self.most} of {', '.join(self.names)} go down"

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        check_columns(self, codebook)
        if self.fault == "type":
            return (self.names,)  # type: ignore[return-value]
        limit = self.most + {"limit": 0.0, "loose": 1.5}.get(self.fault, 0.5)
        price = half_down if self.fault == "whole" else goes_down
        return (Budget(self.text(), limit, True, tuple((name, price) for name in self.names)),)

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:
        down = np.array([after[name] < before[name] for name in self.names]).sum(axis=0)
        if self.fault == "holds":
            return down  # type: ignore[no-any-return]
        if self.fault == "order":
            return np.asarray(np.cumsum(down) <= self.most)
        return np.asarray(down <= self.most)


def goes_down(values: FloatArray, current: FloatArray) -> FloatArray:
    return np.where(values < current, 1.0, 0.0)


def half_down(values: FloatArray, current: FloatArray) -> FloatArray:
    return goes_down(values, current) / 2.0


@pytest.mark.parametrize(
    "rule",
    [
        rules.together("age", "home"),
        rules.change_at_most_one("age", "home", "income"),
        rules.at_most_one_nonzero("late", "income"),
        rules.inequality("2*late <= 0.1*age"),
        rules.implies({"home": "own"}, {"late": (0, 3)}),
        rules.forbid("home", {"own": ["rent"]}),
        rules.allow_only("home", {"own": ["rent", None]}),
        rules.linked("age", "late", 0.1),
        rules.predicate(len, name="mine"),
        FewGoDown(("age", "late", "income")),
    ],
    ids=lambda rule: rule.kind,
)
def test_rules_conform(rule: Rule) -> None:
    report = check_rule(rule, PEOPLE, rows=400)
    assert report.rows == 400
    assert str(report).startswith(f"{rule.text()}: conforms")


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        ("loose", AssertionError, "holds.. is False but the budgets are within their limits"),
        ("whole", AssertionError, "says that its costs are whole numbers, but a row has .*0.5"),
        ("order", AssertionError, "must hold exactly where|judge each row by itself"),
        ("text", AssertionError, "must return one line; got ''"),
        ("limit", BrokenPlugin, r"must be a whole number \+ 0.5, got 1"),
        ("columns", BrokenPlugin, "prices 'late', which is not among the rule's columns .'age'."),
        ("type", BrokenPlugin, "must return Budget objects"),
        ("holds", BrokenPlugin, "must return 2000 bools, one per row"),
    ],
)
def test_a_mistake_is_found(fault: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_rule(FewGoDown(("age", "late", "income"), fault=fault), PEOPLE)


def test_a_rule_must_reach_other_processes() -> None:
    @dataclass(frozen=True)
    class Local(FewGoDown):
        pass

    with pytest.raises(AssertionError, match=r"must be picklable.*top level of a module"):
        check_rule(Local(("age", "late")), PEOPLE)


def test_a_custom_rule_prunes_as_one_of_ours_and_is_stated() -> None:
    names = ("Debt", "Rate")
    policy, rule = loans.few(), FewGoDown(names, most=0)
    row = loans.rejected().iloc[6]
    free, kept = (
        loans.explainer(policy=some, plausibility=None, max_changes=None, ties=True).explain(row)
        for some in (policy, policy.with_rules(rule))
    )
    assert kept.problem.rules == ({"rule": "few_go_down", "text": rule.text(), "columns": list(names)},)
    assert rule.text() in p2ce.to_text(kept, audience="auditor")
    assert p2ce.Explanation.from_dict(kept.to_dict()) == kept
    # Brute force over every combination of the candidates, with the rule's definition.
    candidates = {
        "Income": [12, 24, 36, 48], "Debt": [-3.0, -1.0, 1.0, 3.0], "Owns": [False, True],
        "Rate": [0.0, 0.5, 1.0], "Years": [0, 5, 10],
    }  # fmt: skip
    choices = [sorted({*values, row[name]}) for name, values in candidates.items()]
    cells = pd.DataFrame(product(*choices), columns=list(candidates)).astype(loans.people().dtypes)
    down = sum((cells[name] < row[name]).astype(int) for name in names)
    accepted = loans.forest().predict_proba(cells)[:, 1] >= 0.5
    changes = sum((cells[name] != row[name]).astype(int) for name in candidates)
    assert min(option.costs["changes"] for option in kept) == changes[accepted & (down == 0)].min()
    assert all(sum(option.values[name] < row[name] for name in names) == 0 for option in kept)
    assert any(sum(option.values[name] < row[name] for name in names) > 0 for option in free)


def test_a_policy_file_says_that_it_cannot_hold_a_custom_rule(tmp_path: Path) -> None:
    policy = Policy.infer(PEOPLE, protect=None).with_rules(FewGoDown(("age", "late")))
    with pytest.raises(InvalidPolicy, match=r"custom class FewGoDown.*Remove it with without_rules"):
        policy.save(tmp_path / "policy.yaml")


def test_an_unknown_column_names_the_nearest() -> None:
    with pytest.raises(InvalidPolicy, match=r"'agee', which is not a column. Did you mean 'age'"):
        Policy.infer(PEOPLE, protect=None).with_rules(FewGoDown(("agee", "late")))
