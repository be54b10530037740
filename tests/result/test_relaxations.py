"""Why there is no option: as a table, and with claims that hold."""

import pickle
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from p2ce.errors import InvalidArgument
from p2ce.result import Relaxation, Relaxations, Restriction
from tests.result.examples import DTYPES, OBJECTIVES, PERSON, option

CHANGES = Restriction(kind="changes", most=1, instead=2)
RISES = Restriction(kind="direction", feature="LoanAmount", direction="up")
PLAUSIBLE = Restriction(kind="plausibility")
MORE = Relaxation(
    restrictions=(CHANGES,),
    counterfactual=option(mean_distance=0.1, LoanAmount=6000, HasGuarantor=True),
    proven=True,
)
BOTH = Relaxation(
    restrictions=(RISES, PLAUSIBLE),
    counterfactual=option(mean_distance=0.4, LoanAmount=2500),
    proven=False,
)


def why(**fields: Any) -> Relaxations:
    explanation = Relaxations(
        person=PERSON,
        relaxations=(MORE, BOTH),
        considered=(CHANGES, RISES, PLAUSIBLE),
        complete=True,
        objectives=OBJECTIVES,
        dtypes=DTYPES,
    )
    return replace(explanation, **fields)


def test_table() -> None:
    table = why().to_frame()
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == [
        "restrictions", "proven", *DTYPES, *OBJECTIVES, "score", "plausibility",
    ]  # fmt: skip
    assert table["restrictions"].tolist() == [str(CHANGES), f"{RISES}; {PLAUSIBLE}"]
    assert table["proven"].tolist() == [True, False]
    assert {name: str(table[name].dtype) for name in DTYPES} == DTYPES
    assert why().to_frame(kind="records")[1]["LoanAmount"] == 2500
    assert len(why(relaxations=()).to_frame()) == 0


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("relaxations", [(), (MORE,), (MORE, BOTH)])
def test_completeness_is_claimed_only_where_it_holds(relaxations: Any, complete: bool) -> None:
    text = str(why(relaxations=relaxations, complete=complete, undecided=() if complete else ((RISES,),)))
    claims = ("This list is complete", "Even without any of the limits")
    assert any(claim in text for claim in claims) == complete
    assert (f'"{RISES}"' in text) == (BOTH in relaxations)
    assert ("The time limit was reached before there was a result for 1 set of limits." in text) != complete


def test_sets_that_a_time_limit_left_open_are_counted_in_one_line() -> None:
    """Eighty-five sets are one line, which says what was tried and that fixed features were not."""
    text = str(why(relaxations=(), complete=False, undecided=((RISES,),) * 85, fixed=("Age", "Sex")))
    assert "The time limit was reached before there was a result for 85 sets of limits." in text
    assert text.count("ime limit") == 1
    assert "Limits tried: " in text
    assert "Not tried, because they are fixed: Age and Sex." in text
    assert len(text.splitlines()) == 4


@pytest.mark.parametrize("kind", ["rule", "direction"])
def test_a_restriction_without_what_it_is_about_is_rejected(kind: Any) -> None:
    with pytest.raises(InvalidArgument, match=f"kind '{kind}' needs a {kind}"):
        Restriction(kind=kind, feature="LoanAmount")


@pytest.mark.parametrize("ends", [(), (1,), (0, True), (0, "ten%"), ("%", 0), (0, float("inf"))])
def test_a_limit_relative_to_today_has_two_ends(ends: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"both ends|Write two ends"):
        Restriction(kind="change", feature="LoanAmount", within_change=ends)


def test_it_can_be_pickled_and_told_apart() -> None:
    assert pickle.loads(pickle.dumps(why())) == why() == why(elapsed=3.0, _kind="polars")
    assert why() != why(complete=False)
    assert [relaxation.proven for relaxation in why()] == [True, False]
