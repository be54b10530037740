"""Times are printed beside brute force, which must find the same fronts."""

from pathlib import Path

import numpy as np
import pytest

from p2ce.apps import bench_command as bench
from tests.apps.commands import run

Capture = pytest.CaptureFixture[str]
FILES = ("bench", *["--model", "model.txt", "--data", "people.csv", "--reference", "train.csv"])


def test_on_files(folder: Path, capsys: Capture) -> None:
    words = (*FILES, "--people", 4)
    ran = run(capsys, *words, "--brute", 2, "--max-changes", 2)
    assert ran.code == 0
    assert "explain_many, each person" in ran.out
    assert "Fronts equal to brute force: 2 of 2." in ran.out
    assert "cores" in ran.out.splitlines()[0]
    small = run(capsys, *words, "--brute", 1, "--largest", 3)
    assert "Brute force left out 1 person" in small.out
    none = run(capsys, *words, "--threshold", 0)
    assert (none.code, "rejects none" in none.line) == (2, True)


def test_a_front_that_differs_fails(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.testing.brute_force_front.brute_force_front", lambda *_: np.zeros((99, 3)))
    ran = run(capsys, *FILES, "--people", 2, "--brute", 1, "--max-changes", 1)
    assert ran.code == bench.DIFFERENT
    assert "differs from brute force" in ran.line


@pytest.mark.parametrize(
    "words", ["--data people.csv", "--weights w.pt", "--drop Age", "--target 0", "--limit table-rows=9"]
)
def test_made_up_people_and_arguments_about_files_do_not_mix(words: str, capsys: Capture) -> None:
    ran = run(capsys, "bench", *words.split())
    assert ran.code == 2
    assert f"{words.split()[0]} goes with --model" in ran.line


def test_on_made_up_people(capsys: Capture) -> None:
    ran = run(capsys, "bench", "--people", 3, "--brute", 1, "--max-changes", 1)
    assert ran.code == 0
    assert "3 rejected applicants (made up)" in ran.out
    assert "Fronts equal to brute force: 1 of 1." in ran.out
    assert "rejects none" in run(capsys, "bench", "--threshold", 0).line
