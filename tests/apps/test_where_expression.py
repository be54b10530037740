"""Rows are chosen by a small language, of which nothing is run as code."""

import numpy as np
import pandas as pd
import pytest

from p2ce.apps.where_expression import names_score, rows_where
from p2ce.errors import InvalidArgument, LimitExceeded

FRAME = pd.DataFrame(
    {
        "Age": [20, 40, 60, 80],
        "Rate": [0.5, np.nan, 1.5, 2.5],
        "Home town": ["Ulm", "Bonn", None, "Köln"],
        "Owns": [True, False, True, False],
        "Code": pd.Categorical(["7", "8", "7", "9"]),
        "Long": ["12345677", "12345678", "12345679", None],
        "Zip": ["007", "7", "08", None],
        "mixed": pd.Series([1.0, "x", 2.0, None], dtype=object),
    }
)


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("Age > 30", [1, 2, 3]),
        ("30 < Age <= 60", [1, 2]),
        ("Age == 20 or Age == 80", [0, 3]),
        ("not Age > 30", [0]),
        ("(Age > 30 and Owns) or Age == 20", [0, 2]),
        ("Owns", [0, 2]),
        ("Owns == True", [0, 2]),
        ("not Owns == 'True'", [1, 3]),
        ("`Home town` == 'Ulm'", [0]),
        ("`Home town` != 'Ulm'", [1, 2, 3]),
        ("`Home town` in ['Ulm', 'Köln']", [0, 3]),
        ("`Home town` not in ('Ulm', 'Köln')", [1, 2]),
        ("`Home town` == None", [2]),
        ("`Home town` < 'C'", [1]),
        ("Rate < 2", [0, 2]),
        ("Rate == None", [1]),
        ("not Rate != None", [1]),
        ("Rate * 2 + 1 == 4", [2]),
        ("-Age < -50", [2, 3]),
        ("Age / 0 > 1", [0, 1, 2, 3]),
        ("Code == 7", [0, 2]),
        ("Code == '7'", [0, 2]),
        ("mixed == 'x'", [1]),
        ("score < 0.5", [1]),
        ("True and Age < 30", [0]),
        ("`Home town` == '`'", []),
        ("Age < 1 / 0", [0, 1, 2, 3]),
        ("Age < 0 / 0", []),
        ("Age < 1e999", [0, 1, 2, 3]),
        ("Rate in [None, -1, 2.5]", [1, 3]),
        ("Code in [7, '9']", [0, 2, 3]),
        ("Age in []", []),
        ("Long == 12345678", [1]),
        ("Long == '12345678'", [1]),
        ("Zip == '007'", [0]),
        ("Zip == 7", [0, 1]),
    ],
)
def test_expressions(expression: str, rows: list[int]) -> None:
    scores = [0.9, 0.1, np.nan, 0.5]
    assert np.flatnonzero(rows_where(expression, FRAME, {"score": scores})).tolist() == rows


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "cannot be read"),
        ("Age >", "cannot be read"),
        ("Age = 3", "Write == to compare"),
        ("Age > 3 AND Owns", "Write and, or, not"),
        ("Age", "not true or false"),
        ("3", "not true or false"),
        ("agge > 3", "Did you mean 'Age'?"),
        ("`Home twon` == 'Ulm'", "Did you mean 'Home town'?"),
        ("__import__('os').system('true')", "but not"),
        ("Age.mean() > 3", "but not"),
        ("[a for a in Age]", "but not"),
        ("(lambda: 1)()", "but not"),
        ("Age ** 99999999 > 1", "but not"),
        ("Age & 3", "write and, or instead of &"),
        ("Age > 30 & Age < 40", "write and, or instead of &"),
        ("Owns == true", "write True instead of true"),
        ("Rate == null", "write None instead of null"),
        ("Age > 'old'", "one of them is text"),
        ("Age == 'old'", "Compare them with a number"),
        ("Age in 3", "needs a list"),
        ("`Home town` + 1 > 2", "is not a number"),
        ("Age and Owns", "not true or false"),
        ("not " * 600 + "Owns", "characters"),
        ("-" * 1900 + "1 < Age", "nested too deeply"),
        ("Age < " + "9" * 400, "too large"),
        ("Age == [1, 2]", "but not '[1, 2]'"),
        ("Age == (1, 2, 3, 4)", "but not"),  # as many as there are rows
        ("Age < [1]", "but not"),
        ("[] == []", "but not"),
        ("Age in [[1, 2], 3]", "but not '[1, 2]'"),
        ("Age in [Rate]", "stands in a list"),
        ("1j < Age", "but not"),
        ("Age < None", "Write == None"),
    ],
)
def test_what_is_wrong_is_written(expression: str, message: str) -> None:
    with pytest.raises((InvalidArgument, LimitExceeded)) as error:
        rows_where(expression, FRAME)
    assert message in str(error.value)


def test_scores_are_spoken_of_by_name() -> None:
    assert names_score("score < 0.5 and Age > 3")
    assert names_score("`score` < 0.5")
    assert not names_score("Age > 3 and Home == 'score'")
