"""Make up tables, codes and rules of every kind, for the laws."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from p2ce.base.arrays import FloatArray
from p2ce.policy.rules import (
    CHANGES,
    Rule,
    allow_only,
    at_most_one_nonzero,
    change_at_most_one,
    forbid,
    implies,
    inequality,
    leave_out,
    together,
)
from p2ce.tables.codebook import MISSING, Codebook, codebook_of

PEOPLE = pd.DataFrame(
    {
        "whole": [0, 1, 2, 3, 1, 2],
        "other whole": [3, 2, 1, 0, 0, 0],
        "rate": [0.1, 0.2, np.nan, 0.3, 0.5, 0.7],
        "single": np.array([0.1, 0.2, 0.3, 0.5, 1.5, 2.5], dtype=np.float32),
        "flag": [True, False, True, False, False, True],
        "nullable": pd.array([1, 2, None, 0, 1, 1], dtype="Int64"),
        "housing": ["own", "rent", "own", None, "free", "own"],
        "grade": pd.Categorical(list("abcabd"), categories=list("abcd"), ordered=True),
    }
)
BOOK: Codebook = codebook_of(PEOPLE)
NUMBERS = ["whole", "other whole", "rate", "single", "flag", "nullable"]
COLUMNS = list(BOOK.names)
# Codes that each column may hold; what may be missing is missing now and then.
CODES: dict[str, list[float]] = {
    "whole": [0.0, 1.0, 2.0, 3.0],
    "other whole": [0.0, 1.0, 2.0, 3.0],
    "rate": [0.1, 0.2, 0.3, 0.30000000000000004, 0.5, MISSING],
    "single": [float(np.float32(value)) for value in (0.1, 0.2, 0.3, 0.5, 1.5)],
    "flag": [0.0, 1.0],
    "nullable": [0.0, 1.0, 2.0, MISSING],
    "housing": [0.0, 1.0, 2.0, 3.0, MISSING],  # 3: a label that the reference does not have
    "grade": [0.0, 1.0, 2.0, 3.0, MISSING],
}


def codes(rows: int = 40) -> st.SearchStrategy[dict[str, FloatArray]]:
    """Codes of some people, column by column."""
    return st.integers(0, 2**32 - 1).map(
        lambda seed: {
            name: np.random.default_rng([seed, place]).choice(held, rows)
            for place, (name, held) in enumerate(CODES.items())
        }
    )


def values_of(column: str) -> st.SearchStrategy[Any]:
    """Values that people would name for a column."""
    coding = BOOK[column]
    known = coding.labels or [coding.plain(code) for code in CODES[column] if code != MISSING]
    return st.sampled_from([*known, None])


@st.composite
def conditions(draw: st.DrawFn, column: str) -> Any:
    """What implies() takes for a column."""
    which = draw(st.sampled_from(["value", "list", "range", "changes"]))
    if which == "changes":
        return CHANGES
    if which == "value":
        return draw(values_of(column))
    if which == "list" or column == "housing":
        return draw(st.lists(values_of(column), min_size=1, max_size=3))
    if column == "grade":
        return draw(st.sampled_from([("a", "c"), ("b", None), (None, "b")]))
    low, high = sorted(draw(st.tuples(st.floats(-1, 3), st.floats(-1, 3))))
    return draw(st.sampled_from([(low, high), (low, None), (None, high)]))


def names(least: int = 2, among: list[str] = COLUMNS) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(among), min_size=least, max_size=4, unique=True)


@st.composite
def sides(draw: st.DrawFn) -> dict[str, Any]:
    return {column: draw(conditions(column)) for column in draw(names(1))}


@st.composite
def transitions(draw: st.DrawFn) -> tuple[str, dict[Any, list[Any]]]:
    column = draw(st.sampled_from(COLUMNS))
    starts = draw(st.lists(values_of(column), min_size=1, max_size=2, unique=True))
    return column, {start: draw(st.lists(values_of(column), min_size=1, max_size=3)) for start in starts}


FACTORS = st.one_of(
    st.integers(1, 3),
    st.integers(-3, -1),
    st.sampled_from([0.1, -0.1, 2.5, Fraction(1, 3), -1e-3, 1e6]),
)


@st.composite
def inequalities(draw: st.DrawFn) -> Rule:
    factors = {name: draw(FACTORS) for name in draw(names(1, NUMBERS))}
    rule = inequality(factors, at_most=draw(st.sampled_from([-1, 0, 0.1, 0.3, 1, 2, Fraction(2, 3)])))  # type: ignore[arg-type]
    return inequality(rule.text().replace("<=", "==")) if draw(st.booleans()) else rule


def budget_rules() -> st.SearchStrategy[Rule]:
    """Rules that are sums."""
    return st.one_of(
        names().map(lambda some: together(*some)),
        names().map(lambda some: change_at_most_one(*some)),
        names(2, NUMBERS).map(lambda some: at_most_one_nonzero(*some)),
        st.tuples(sides(), sides()).map(lambda both: implies(both[0], both[1])),
        sides().map(leave_out),
        transitions().map(lambda both: forbid(*both)),
        transitions().map(lambda both: allow_only(*both)),
        inequalities(),
    )
