"""The command line runs, shows help quickly, and prints library errors without a traceback."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from p2ce.apps import cli
from p2ce.errors import InvalidArgument
from tests.apps.command_line import run


def test_version() -> None:
    result = CliRunner().invoke(cli.app, ["version"])
    assert (result.exit_code, result.stdout) == (0, f"p2ce {version('p2ce')}\n")


def test_the_usual_option_for_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "--version")
    assert (ran.code, ran.out) == (0, f"p2ce {version('p2ce')}\n")


def test_it_runs_as_a_module() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "p2ce", "version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("p2ce ")


def test_help_lists_the_commands() -> None:
    result = CliRunner().invoke(cli.app, ["--help"])
    assert result.exit_code == 0
    assert {"explain", "inspect", "demo", "policy", "warm-up", "version"} <= set(result.stdout.split())


def test_a_library_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise InvalidArgument("seed must be 0 or more,\ngot -1.")

    monkeypatch.setattr("p2ce.apps.commands.demo_command.run_demo", fail)
    ran = run(capsys, "demo")
    assert (ran.code, ran.err) == (2, "p2ce: seed must be 0 or more, got -1.\n")


def test_wrong_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = run(capsys, "explian").line
    assert "Did you mean 'explain'" in wrong
    assert wrong.endswith("? See: p2ce --help")
    ran = run(capsys, "demo", "--sed", 3)
    assert (ran.code, ran.out) == (2, "")
    assert "--sed" in ran.line
    assert ran.line.endswith("See: p2ce demo --help")


def test_versions_of_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "version", "--verbose").out.splitlines()
    assert printed[0] == f"p2ce {version('p2ce')}"
    assert any(line.startswith("numpy ") for line in printed)
    assert printed[-1].startswith("Landlock ")


HEAVY = {"numpy", "pandas", "yaml", "sklearn", "numba", "lightgbm", "joblib"}


@pytest.mark.parametrize("words", [["--help"], ["explain", "--help"], ["policy", "--help"], ["version"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys; from p2ce.apps import cli\n"
        f"try: cli.main({words!r})\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"print('HEAVY', sorted({HEAVY!r} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "HEAVY []"


def test_help_teaches_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "explain", "--help").out
    assert "p2ce explain --model model.txt --data people.csv --reference train.csv" in printed
    assert "Exit codes: 0 every row was explained" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_help_says_what_the_json_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 13: it said that the file holds a list, but it holds an object."""
    words = " ".join(run(capsys, "explain", "--help").out.replace("│", " ").split())
    assert ".json with everything (an object)" in words


@pytest.mark.slow
def test_whoever_reads_the_output_may_stop(folder: Path) -> None:
    """As `p2ce explain … | head` does."""
    words = "explain --model model.txt --data people.csv --reference train.csv"
    script = f"set -o pipefail; {sys.executable} -m p2ce {words} | true"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 0
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr
