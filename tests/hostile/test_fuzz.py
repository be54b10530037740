"""Any file is rejected in one line or explained correctly: no signal, no raw error, no loop.

The inputs follow from ``SEED``, so that a failure is the same on every run. ``python -m benchmarks.fuzz``
tries others for as long as one likes.
"""

import os
import signal
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.hostile import ubjson
from tests.hostile.protobuf import parse, write
from tests.hostile.runner import INPUTS, Runner, hostile_input
from tests.hostile.seeds import seeds_of

for needed in ("lightgbm", "xgboost", "catboost", "skops.io", "onnxruntime", "torch"):
    pytest.importorskip(needed)
pytest.importorskip("resource", reason="limits of memory are of Unix")

SEED = 0
SHOWN = 12


@pytest.mark.parametrize("format_name", INPUTS)
def test_sound_files_are_accepted(runner: Runner, format_name: str) -> None:
    """Otherwise a rejection of their mutants would show nothing."""
    for sound in seeds_of(format_name):
        outcome = runner.try_file(format_name, sound, sound.content, sound.name)
        assert outcome.kind == "accepted", outcome


@pytest.mark.parametrize("format_name", INPUTS)
def test_hostile_files_are_rejected_in_one_line_or_explained(runner: Runner, format_name: str) -> None:
    outcomes = list(runner.run(format_name, seed=SEED, numbers=range(INPUTS[format_name])))
    failures = [str(one) for one in outcomes if one.failed]
    assert not failures, f"{len(failures)} of {len(outcomes)} inputs:\n" + "\n".join(failures[:SHOWN])
    kinds = Counter(one.kind for one in outcomes)
    assert kinds["rejected"], f"no mutant was rejected: {kinds}"
    assert kinds["accepted"], f"nothing was believable enough to be read to its end: {kinds}"


@pytest.mark.parametrize("format_name", ["policy", "table", "explanation"])
def test_an_input_follows_from_its_seed(format_name: str) -> None:
    made = [hostile_input(format_name, SEED, number)[1] for number in range(20)]
    assert made == [hostile_input(format_name, SEED, number)[1] for number in range(20)]
    assert made != [hostile_input(format_name, SEED + 1, number)[1] for number in range(20)]
    assert all(content != sound.content for content in made for sound in seeds_of(format_name))


def test_the_death_of_a_worker_is_noticed_and_it_is_replaced(tmp_path: Path) -> None:
    (sound,) = seeds_of("policy")
    with Runner(tmp_path) as runner:
        assert runner.try_file("policy", sound, sound.content, "sound").kind == "accepted"
        assert runner.process is not None
        os.kill(runner.process.pid, signal.SIGSEGV)
        dead = runner.try_file("policy", sound, sound.content, "killed")
        assert dead.kind == "signal"
        assert "SIGSEGV" in dead.message
        assert dead.kept is not None
        assert dead.kept.read_bytes() == sound.content
        assert runner.try_file("policy", sound, sound.content, "sound").kind == "accepted"


def test_what_takes_too_long_is_stopped(tmp_path: Path) -> None:
    (sound,) = seeds_of("policy")
    with Runner(tmp_path, seconds=0.01) as runner:
        assert runner.try_file("policy", sound, sound.content, "slow").kind == "timeout"


def test_binary_formats_are_taken_apart_to_the_last_byte() -> None:
    onnx = [one.content for one in seeds_of("onnx")]
    assert all(write(parse(content)) == content for content in onnx)
    (ubj,) = (one.content for one in seeds_of("xgboost") if one.suffix == ".ubj")
    found = ubjson.places(ubj)
    assert len(found.numbers) > 50
    assert len(found.sizes) > 50
    assert ubjson.mutate_ubjson(ubj, Random(0)) != ubj
