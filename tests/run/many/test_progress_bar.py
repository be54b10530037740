"""A bar says which time has passed and which is left, wherever it is shown."""

import io
import re

import pytest
from rich.console import Console

from p2ce.run.many.progress_bar import ProgressBar, _in_notebook, _in_terminal, progress_bar
from tests.populations import loans

TIMES = re.compile(r"(\d+)/(\d+) people, [\d:]+ elapsed · [-\d:?]+ left")


def test_both_times_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    explainer, people = loans.explainer(), loans.people().head(3)
    explainer.explain_many(people, progress=True)
    shown = re.sub(r" +", " ", capsys.readouterr().err)
    # How often a bar is drawn depends on the clock; what it says at its end does not.
    assert [TIMES.findall(bar)[-1] for bar in shown.split("\n") if TIMES.search(bar)] == [("3", "3")]


def test_people_of_an_earlier_call_take_no_time_of_this_one() -> None:
    bar = ProgressBar(100, doing="explaining", done=90)
    assert bar.line.startswith("explaining:  90% 90/100 people, 00:00 elapsed · ? left")
    bar.began -= 5.0
    bar.update(5)
    assert bar.line == "explaining:  95% 95/100 people, 00:05 elapsed · 00:05 left"


def test_a_log_has_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(1_000, doing="explaining", shown=True) as bar:
        for _ in range(1_000):
            bar.update()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) < 10
    assert lines[-1].startswith("explaining: 100% 1,000/1,000 people")


def test_an_empty_table_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(0, doing="explaining", shown=True):
        pass
    assert capsys.readouterr().err.startswith("explaining: 100% 0/0 people")


@pytest.mark.parametrize(("width", "has_strip"), [(100, True), (80, True), (40, False)])
def test_a_terminal_of_any_width_shows_one_line(width: int, has_strip: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, soft_wrap=True)
    bar = ProgressBar(3, doing="explaining")
    with _in_terminal(bar, console):
        bar.update(3)
    shown = console.file.getvalue().replace("\x1b[2K", "\n").replace("\r", "\n").splitlines()
    last = re.sub(r"\x1b\[[\d;?]*\w", "", next(line for line in reversed(shown) if "people" in line))
    assert last.startswith("explaining: 100% ")
    assert ("━" in last) == has_strip
    assert "3/3 people" in last
    assert len(last) <= width


def test_a_notebook_rewrites_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    bar = ProgressBar(3, doing="explaining")
    with _in_notebook(bar):
        bar.update(3)
    *before, last, rest = re.split("[\r\n]", capsys.readouterr().err)
    assert rest == ""
    assert last.startswith("explaining: 100% 3/3 people")
    assert all(len(line) <= len(last) for line in before)
