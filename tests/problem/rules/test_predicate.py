"""Is a predicate called safely, and do errors about it give its name?"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.errors import InvalidActions, InvalidOutput
from p2ce.problem.rules import predicate, rule_from_plain
from p2ce.tables.codebook import codebook_of

ROWS = pd.DataFrame({"a": [1, 2, 3], "b": [3.0, 2.0, 1.0]})


@pytest.mark.parametrize(
    "answer",
    [
        lambda rows: rows["a"] <= rows["b"],
        lambda rows: (rows["a"] <= rows["b"]).to_numpy(),
        lambda rows: (rows["a"] <= rows["b"]).tolist(),
        lambda rows: (rows["a"] <= rows["b"]).astype("boolean"),
        lambda rows: (rows["a"] <= rows["b"]).astype(object),
    ],
)
def test_any_column_of_bools_is_understood(answer: Any) -> None:
    found = predicate(answer, name="ordered").holds_frame(ROWS)
    assert found.dtype == np.bool_
    assert found.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("answer", "got"),
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
def test_other_answers_are_rejected_with_the_name(answer: Any, got: str) -> None:
    with pytest.raises(InvalidOutput, match=f"predicate 'mine' must return 3 bools.*{got}"):
        predicate(answer, name="mine").holds_frame(ROWS)


def test_its_errors_are_reported_with_its_name() -> None:
    with pytest.raises(InvalidOutput, match="'mine' failed on 3 candidate rows: KeyError: 'zzz'"):
        predicate(lambda rows: rows["zzz"], name="mine").holds_frame(ROWS)


def test_it_cannot_change_the_rows() -> None:
    def spoil(rows: pd.DataFrame) -> Any:
        rows["a"] = 0
        return rows["a"] == 0

    before = ROWS.copy()
    predicate(spoil).holds_frame(ROWS)
    pd.testing.assert_frame_equal(ROWS, before)


def test_no_rows_are_no_question_too_many() -> None:
    assert predicate(lambda rows: rows["a"] > 0).holds_frame(ROWS.iloc[:0]).shape == (0,)


def test_it_prunes_nothing_and_has_no_truth_over_codes() -> None:
    resolved = predicate(len, name="mine").resolve(codebook_of(ROWS))
    assert (resolved.rule.prunes, resolved.budgets, resolved.holds) == (False, (), None)


def test_a_function_cannot_be_written_down() -> None:
    with pytest.raises(InvalidActions, match="predicate 'mine' is a Python object"):
        predicate(len, name="mine").to_plain()


def test_a_name_is_imported_when_it_is_first_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_rules_for_test.py").write_text(
        "def small(rows):\n    return rows['a'] < 3\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    rule = rule_from_plain(predicate("my_rules_for_test:small").to_plain())
    rule.resolve(codebook_of(ROWS))
    assert "my_rules_for_test" not in sys.modules
    assert rule.holds_frame(ROWS).tolist() == [True, True, False]  # type: ignore[attr-defined]
    assert rule.text() == "my_rules_for_test:small says yes"
    with pytest.raises(InvalidActions, match="Did you mean 'small'"):
        predicate("my_rules_for_test:smal").holds_frame(ROWS)


def test_bad_predicates_are_rejected() -> None:
    for text in ("no_colon", "a:", ":b", "a b:c", "os.system('x'):y"):
        with pytest.raises(InvalidActions, match="module:function"):
            predicate(text)
    with pytest.raises(InvalidActions, match="got int"):
        predicate(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidActions, match="could not be imported"):
        predicate("no_such_module_at_all:f").holds_frame(ROWS)
    with pytest.raises(InvalidActions, match="not a function"):
        predicate("math:pi").holds_frame(ROWS)
