"""Any file is rejected in one line or explained correctly: no raw error, no wrong explanation.

A few inputs of each format, which follow from ``SEED``. ``python -m benchmarks.fuzz`` tries others for as
long as one likes, in separate processes.
"""

import os
import signal
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import ubj
from tests.hostile.mutate import bytes_of, message
from tests.hostile.runner import INPUTS, Runner, hostile_input, try_here
from tests.hostile.seeds import seeds_of, write_surroundings
from tests.optional import needs, with_torch

pytest.importorskip("resource", reason="limits of memory are of Unix")

SEED = 0
MODELS = ("lightgbm", "xgboost", "catboost", "onnx", "torch")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    write_surroundings(tmp_path)
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, about hostile numbers
        yield


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("format_name", with_torch(INPUTS, "torch"))
def test_hostile_files_are_rejected_in_one_line_or_explained(format_name: str) -> None:
    if format_name == "onnx":
        needs("onnxruntime")
    # Otherwise a rejection of its mutants would show nothing.
    sound = seeds_of(format_name)[0]
    assert try_here(format_name, sound, sound.content).kind == "accepted"
    inputs = [hostile_input(format_name, SEED, number) for number in range(INPUTS[format_name])]
    outcomes = [try_here(format_name, sound, content) for sound, content in inputs]
    assert [f"input {number}: {one}" for number, one in enumerate(outcomes) if one.failed] == []
    kinds = Counter(one.kind for one in outcomes)
    assert kinds["rejected"], kinds
    assert kinds["accepted"] or format_name in MODELS, f"nothing was believable enough: {kinds}"


@pytest.mark.parametrize("format_name", ["policy", "table", "explanation"])
def test_an_input_follows_from_its_seed(format_name: str) -> None:
    made = [hostile_input(format_name, SEED, number)[1] for number in range(20)]
    assert made == [hostile_input(format_name, SEED, number)[1] for number in range(20)]
    assert made != [hostile_input(format_name, SEED + 1, number)[1] for number in range(20)]


@pytest.mark.parametrize("format_name", ["xgboost", "onnx"])
def test_trees_are_written_as_they_were_read(format_name: str) -> None:
    """Otherwise all mutants would be rejected for what the mutator did to the rest of the file."""
    for sound in seeds_of(format_name):
        if sound.suffix == ".ubj":
            assert ubj.write(*ubj.read(sound.content)) == sound.content
        elif sound.suffix == ".onnx":
            assert bytes_of(message(sound.content)) == sound.content


@pytest.mark.slow
def test_the_death_of_a_worker_is_noticed_and_it_is_replaced(tmp_path: Path) -> None:
    name, sound = "lightgbm text", seeds_of("lightgbm")[0]
    with Runner(tmp_path, is_warm=True) as runner:
        assert runner.try_file(name, sound, sound.content, "sound").kind == "accepted"
        os.kill(runner.process.pid, signal.SIGSEGV)
        dead = runner.try_file(name, sound, sound.content, "killed")
        assert dead.kind == "signal"
        assert "SIGSEGV" in dead.message
        assert dead.kept is not None
        assert dead.kept.read_bytes() == sound.content
        assert runner.try_file(name, sound, sound.content, "sound").kind == "accepted"
        runner._seconds = 0.0
        assert runner.try_file(name, sound, sound.content, "slow").kind == "timeout"
