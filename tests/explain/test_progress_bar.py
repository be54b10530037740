"""A bar says which time has passed and which is left."""

import re

import pytest

from tests.populations import loans

TIMES = re.compile(r"(\d+)/(\d+) people, [\d:]+ elapsed · [-\d:?]+ left")


def test_both_times_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    explainer, people = loans.explainer(), loans.people().head(3)
    explainer.explain_many(people, progress=True)
    shown = re.sub(r" +", " ", capsys.readouterr().err)
    # How often a bar is drawn depends on the clock; what it says at its end does not.
    assert [TIMES.findall(bar)[-1] for bar in shown.split("\n") if TIMES.search(bar)] == [("3", "3")]
