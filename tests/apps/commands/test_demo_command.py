"""The demo shows the applicant, the options in words, the proof and the time."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from p2ce.apps.commands.demo_command import print_demo, run_demo, time_sentence
from p2ce.apps.messages import working
from p2ce.datasets.demo import DISPLAYS
from p2ce.errors import InvalidArgument
from p2ce.policy.features.display import Display
from p2ce.result import Status
from p2ce.result.problem_record import Feature, ProblemRecord
from tests.result.examples import explanation


def shown(**fields: object) -> str:
    page = io.StringIO()
    print_demo(explanation(**fields), Console(file=page, width=200, highlight=False))
    return page.getvalue()


def test_it_shows_everything_that_was_promised() -> None:
    features = {name: Feature(name=name, display=Display(**given)) for name, given in DISPLAYS.items()}
    text = shown(problem=ProblemRecord(features=features))
    assert "loan amount" in text
    assert "€7,500" in text
    assert "1. Lower the loan amount from €7,500 to €6,000 and get a guarantor. This gives 0.530" in text
    assert "Proven: these are all the Pareto-optimal plausible options" in text
    assert "Time: 12.00 ms (search 0.30 ms, verification 11.70 ms)." in text


def test_nothing_found_is_not_silent() -> None:
    text = shown(status=Status.NO_RECOURSE, counterfactuals=())
    assert "No option was found." in text
    assert "Proven: on this grid, none of" in text


def test_time_without_stages() -> None:
    assert time_sentence(explanation(elapsed=1.5, timings={})) == "Time: 1.50 s."


def test_waiting_is_written_off_a_terminal_too(capsys: pytest.CaptureFixture[str]) -> None:
    with working("Compiling …", always=True):
        pass
    with working("Reading …"):
        pass
    assert capsys.readouterr().err == "Compiling …\n"


def test_the_whole_demo_runs_and_repeats() -> None:
    pages = []
    for _ in range(2):
        page = io.StringIO()
        run_demo(random_state=0, console=Console(file=page, width=200, highlight=False))
        pages.append(page.getvalue())
    assert "A rejected applicant" in pages[0]
    assert "loan amount" in pages[0]
    assert "LoanAmount" not in pages[0]
    assert "3. " in pages[0]
    assert "Proven: these are all the Pareto-optimal plausible options" in pages[0]
    without_time = [page[: page.index("Time: ")] for page in pages]
    assert without_time[0] == without_time[1]


def test_the_report_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = io.StringIO()
    run_demo(out=tmp_path / "demo.html", console=Console(file=page, width=200))
    assert "<html" in (tmp_path / "demo.html").read_text(encoding="utf-8")
    with pytest.raises(InvalidArgument, match="--force"):
        run_demo(out=tmp_path / "demo.html")
