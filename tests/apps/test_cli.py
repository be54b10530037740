"""The command line runs, is quick to help, and tells library errors without a traceback."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from p2ce.apps import cli
from p2ce.errors import InvalidOption


def test_version() -> None:
    answer = CliRunner().invoke(cli.app, ["version"])
    assert (answer.exit_code, answer.stdout) == (0, f"p2ce {version('p2ce')}\n")


def test_it_runs_as_a_module() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "p2ce", "version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("p2ce ")


def test_help_lists_the_commands() -> None:
    answer = CliRunner().invoke(cli.app, ["--help"])
    assert answer.exit_code == 0
    assert {"demo", "version"} <= set(answer.stdout.split())


def test_a_library_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise InvalidOption("seed must be 0 or more, got -1.")

    monkeypatch.setattr(cli, "app", refuse)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err == "p2ce: seed must be 0 or more, got -1.\n"
