"""A bar says which time has passed and which is left."""

import re

import pytest

from p2ce.apps.explain_in_chunks import explain_in_chunks
from tests.populations import loans

TIMES = re.compile(r"(\d+)/(\d+) people, [\d:]+ elapsed · [-\d:?]+ left")


def test_the_library_and_the_command_line_name_both_times(capsys: pytest.CaptureFixture[str]) -> None:
    explainer, people = loans.explainer(), loans.people().head(3)
    explainer.explain_many(people, progress=True)
    explain_in_chunks(explainer, people, [0, 1, 2], partial=None, progress=True)
    shown = re.sub(r" +", " ", capsys.readouterr().err)
    # How often a bar is drawn depends on the clock; what it says at its end does not.
    assert [TIMES.findall(bar)[-1] for bar in shown.split("\n") if TIMES.search(bar)] == [("3", "3")] * 2
