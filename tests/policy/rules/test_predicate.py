"""Is a predicate called safely, and do errors about it give its name?"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce import Policy
from p2ce.errors import InvalidOutput, InvalidPolicy
from p2ce.policy.rules import predicate, rule_from_plain
from p2ce.tables.codebook import codebook_of

ROWS = pd.DataFrame({"a": [1, 2, 3], "b": [3.0, 2.0, 1.0]})


@pytest.mark.parametrize(
    "explanation",
    [
        lambda rows: rows["a"] <= rows["b"],
        lambda rows: (rows["a"] <= rows["b"]).to_numpy(),
        lambda rows: (rows["a"] <= rows["b"]).tolist(),
        lambda rows: (rows["a"] <= rows["b"]).astype("boolean"),
        lambda rows: (rows["a"] <= rows["b"]).astype(object),
    ],
)
def test_any_column_of_bools_is_understood(explanation: Any) -> None:
    found = predicate(explanation, name="ordered").holds_frame(ROWS)
    assert found.dtype == np.bool_
    assert found.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("explanation", "got"),
    [
        (lambda rows: True, r"bool of shape \(\)"),
        (lambda rows: [True], r"bool of shape \(1,\)"),
        (lambda rows: rows["a"], "int64"),
        (lambda rows: rows[["a"]] > 1, r"shape \(3, 1\)"),
        (lambda rows: pd.array([True, None, False], dtype="boolean"), "object"),
        (lambda rows: None, "object"),
        (lambda rows: [[True], [], [True]], "list"),
    ],
)
def test_other_outputs_are_rejected_with_the_name(explanation: Any, got: str) -> None:
    with pytest.raises(InvalidOutput, match=f"predicate 'mine' must return 3 bools.*{got}"):
        predicate(explanation, name="mine").holds_frame(ROWS)


def test_it_cannot_change_the_rows() -> None:
    def spoil(rows: pd.DataFrame) -> Any:
        rows["a"] = 0
        return rows["a"] == 0

    before = ROWS.copy()
    predicate(spoil).holds_frame(ROWS)
    pd.testing.assert_frame_equal(ROWS, before)


def test_a_name_is_imported_when_it_is_first_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_rules_for_test.py").write_text(
        "def small(rows):\n    return rows['a'] < 3\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    rule = rule_from_plain(predicate("my_rules_for_test:small").to_plain())
    rule.budgets(codebook_of(ROWS))
    assert "my_rules_for_test" not in sys.modules
    assert rule.holds_frame(ROWS).tolist() == [True, True, False]  # type: ignore[attr-defined]
    assert rule.text() == "my_rules_for_test:small says yes"
    with pytest.raises(InvalidPolicy, match="Did you mean 'small'"):
        predicate("my_rules_for_test:smal").holds_frame(ROWS)


def test_it_prunes_nothing_and_needs_no_rows() -> None:
    rule = predicate(len, name="mine")
    assert (rule.prunes, rule.budgets(codebook_of(ROWS))) == (False, ())
    assert predicate(lambda rows: rows["a"] > 0).holds_frame(ROWS.iloc[:0]).shape == (0,)


def fails(rows: pd.DataFrame) -> Any:
    return rows["zzz"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (lambda t=t: predicate(t), "module:function")
            for t in ("no_colon", "a:", ":b", "os.system('x'):y")
        ),
        (lambda: predicate(3), "got int"),  # type: ignore[arg-type]
        (lambda: predicate("no_such_module_at_all:f").holds_frame(ROWS), "could not be imported"),
        (lambda: predicate("math:pi").holds_frame(ROWS), "not a function"),
        (
            lambda: Policy.infer(ROWS).with_rules(predicate(len, name="mine")).save("p.yaml"),
            "predicate 'mine' is a Python object, which a policy file cannot hold",
        ),
        (lambda: predicate(fails).holds_frame(ROWS), "'fails' failed on 3 candidate rows: KeyError: 'zzz'"),
    ],
)
def test_a_mistake_is_named(call: Any, message: str) -> None:
    with pytest.raises((InvalidPolicy, InvalidOutput), match=message):
        call()
