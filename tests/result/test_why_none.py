"""Why there is no option: stored, printed and as a table."""

import json
import pickle
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.result import Relaxation, WhyNone
from tests.result.examples import DTYPES, OBJECTIVES, PERSON, explanations, names, option

MORE = Relaxation(
    restrictions=("at most 1 change",),
    kinds=("changes",),
    counterfactual=option(mean_distance=0.1, LoanAmount=6000, HasGuarantor=True),
    proven=True,
)
BOTH = Relaxation(
    restrictions=("LoanAmount only rises", "plausibility"),
    kinds=("direction", "plausibility"),
    counterfactual=option(mean_distance=0.4, LoanAmount=2500),
    proven=False,
)


def why(**fields: Any) -> WhyNone:
    answer = WhyNone(
        person=PERSON,
        relaxations=(MORE, BOTH),
        considered=("at most 1 change", "LoanAmount only rises", "plausibility"),
        complete=True,
        objectives=OBJECTIVES,
        dtypes=DTYPES,
    )
    return replace(answer, **fields)


def test_the_whole_text() -> None:
    assert str(why()).splitlines() == [
        "2 minimal sets of restrictions to relax, of 3 considered:",
        '1. without "at most 1 change":',
        "   LoanAmount: 7,500 → 6,000; HasGuarantor: no → yes (mean_distance 0.1, changes 2)",
        '2. without "LoanAmount only rises" and "plausibility":',
        "   LoanAmount: 7,500 → 2,500 (mean_distance 0.4, changes 1; not proven to be smallest and cheapest)",
        "Complete on the grids tried: every option needs one of these sets relaxed, and no smaller one.",
    ]


def test_what_was_not_settled_is_said() -> None:
    message = str(why(relaxations=(MORE,), complete=False, undecided=(("a", "b"),)))
    assert 'Not settled in time: without "a" and "b".' in message
    assert message.endswith("may give an option as well.")


def test_nothing_opens() -> None:
    none = why(relaxations=())
    assert str(none).splitlines() == [
        "No relaxation gives an option, of 3 considered.",
        "Proven: with all of them relaxed together, there is still no option on the grids tried.",
    ]
    assert len(none.to_frame()) == 0
    assert "Proven" not in str(why(relaxations=(), complete=False))


def test_table() -> None:
    table = why().to_frame()
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == [
        "restrictions", "kinds", "proven", *DTYPES, *OBJECTIVES, "score", "plausibility",
    ]  # fmt: skip
    assert table["restrictions"].tolist() == ["at most 1 change", "LoanAmount only rises; plausibility"]
    assert table["proven"].tolist() == [True, False]
    assert {name: str(table[name].dtype) for name in DTYPES} == DTYPES
    assert why().to_frame(kind="records")[1]["LoanAmount"] == 2500


@given(
    explanations(),
    st.lists(st.lists(names, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
    st.booleans(),
)
def test_json_loses_nothing(answer: Any, sets: tuple[tuple[str, ...], ...], complete: bool) -> None:
    relaxations = tuple(
        Relaxation(restrictions=texts, kinds=texts, counterfactual=found, proven=complete)
        for texts, found in zip(sets, answer, strict=False)
    )
    full = WhyNone(
        person=answer.person, relaxations=relaxations, undecided=sets, considered=("a",), complete=complete,
        objectives=answer.objectives, dtypes=answer.dtypes, categories=answer.categories,
    )  # fmt: skip
    back = WhyNone.from_dict(json.loads(json.dumps(full.to_dict(), allow_nan=False, sort_keys=True)))
    assert back == full
    assert list(back.dtypes) == list(full.dtypes)
    assert str(back)


def test_it_can_be_pickled_and_told_apart() -> None:
    assert pickle.loads(pickle.dumps(why())) == why() == why(elapsed=3.0, kind="polars")
    assert why() != why(complete=False)
    assert [relaxation.proven for relaxation in why()] == [True, False]


def test_foreign_data_is_rejected() -> None:
    with pytest.raises(InvalidArgument, match=r"WhyNone\.to_dict"):
        WhyNone.from_dict({"format": "p2ce.explanation/1"})
