"""Peers run in their own environments, built once, with the same model, and write a line for each person."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import lightgbm
import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.ensemble._iforest import _average_path_length
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reproduction.names import PEERS
from reproduction.peers import Request, environments, run_peer
from reproduction.peers.environments import (
    Family,
    Missing,
    find_python,
    is_made,
    python_in,
    python_of,
    stamp_of,
    version_of,
)
from reproduction.peers.handing_over import NotPortable, write_model, write_request
from reproduction.peers.programs.detector import Detector
from reproduction.peers.programs.portable_model import PortableModel, read_scorer, sigmoid
from reproduction.peers.run_peer import PEERS as SETTINGS
from reproduction.peers.run_peer import PROGRAMS, PeerPerson, read_answers, run, scores_differ
from reproduction.tests.made_up import trained
from reproduction.training import Trained, probabilities

# The tests use no package index, whatever the settings of this machine.
NO_INDEX = ("--isolated", "--no-index")
NOTHING = Family(name="Nobody", folder="nobody", python=(3, 11), requirements=("no-such-package-p2ce==1.0",))


def test_every_peer_of_the_report_has_a_program() -> None:
    assert tuple(SETTINGS) == PEERS
    assert all(
        (Path(environments.__file__).parent / "programs" / p.program).is_file() for p in SETTINGS.values()
    )


def test_a_package_that_cannot_be_had_is_a_reason_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"^installing Nobody failed: .*no-such-package-p2ce==1\.0") as caught:
        python_of(NOTHING, environments=tmp_path, pip_options=(*NO_INDEX, "--find-links", str(tmp_path)))
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_python_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    family = replace(environments.ocean(), python=(9, 0))
    with pytest.raises(Missing, match=r"^OCEAN requires Python 9\.0 or later, and none was found$"):
        python_of(family, environments=tmp_path)


def test_a_folder_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    with pytest.raises(Missing, match="cannot write the environment of Nobody"):
        python_of(NOTHING, environments=tmp_path / "file")


def test_an_environment_is_made_once_for_its_requirements(tmp_path: Path) -> None:
    # A wheel of one module, so that something real is installed without an index.
    family = replace(NOTHING, requirements=(), alone=(str(_wheel(tmp_path)),))
    everything, progress_lines = tmp_path / "all", list[str]()
    place = everything / family.folder
    place.mkdir(parents=True)
    (place / environments.STAMP).write_text("other requirements", encoding="utf-8")

    python = python_of(family, environments=everything, pip_options=NO_INDEX, progress=progress_lines.append)
    assert (python, progress_lines) == (python_in(place), ["installing Nobody"])
    assert version_of(python) == sys.version_info[:2]
    assert [path.name for path in everything.iterdir()] == [place.name]  # nothing is left beside it
    made = place.stat().st_ino
    assert (
        python_of(family, environments=everything, pip_options=NO_INDEX, progress=progress_lines.append)
        == python
    )
    assert (place.stat().st_ino, len(progress_lines)) == (made, 1)  # nothing was done

    assert is_made(place, stamp_of(family))
    assert not is_made(place, stamp_of(replace(family, requirements=("one-more==1.0",))))
    python.unlink()  # as when the Python that it stands on is gone
    assert not is_made(place, stamp_of(family))


def test_this_python_is_taken_if_it_is_new_enough() -> None:
    assert find_python(at_least=(3, 11)) == Path(sys.executable)


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for a Python")
def test_a_name_on_the_search_path_that_runs_nothing_is_passed_over(tmp_path: Path) -> None:
    later = (3, sys.version_info.minor + 1)
    for minor in range(later[1], 14):
        shim = tmp_path / f"python3.{minor}"
        shim.write_text("#!/bin/sh\necho 'no such version' >&2\nexit 127\n", encoding="utf-8")
        shim.chmod(0o755)
    assert find_python(at_least=later, search=str(tmp_path)) is None


def _wheel(folder: Path) -> Path:
    path, info = folder / "tiny_p2ce-1.0-py3-none-any.whl", "tiny_p2ce-1.0.dist-info"
    with ZipFile(path, "w") as wheel:
        wheel.writestr("tiny_p2ce.py", '"""Nothing."""\n')
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny_p2ce\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, "pd.Series[int]"]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 4)) * [1.0, 50.0, 1e4, 0.3], columns=list("abcd"))
    frame["e"] = rng.integers(0, 2, len(frame))
    outcome = frame["a"] + frame["b"] / 50 + frame["e"] * frame["d"] + rng.normal(size=len(frame)) > 0
    return frame, outcome.astype(int)


def network(columns: int) -> torch.nn.Sequential:
    nn = torch.nn
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        layers = [
            *(nn.Linear(columns, 7), nn.ReLU(), nn.Dropout(0.5)),
            *(nn.Linear(7, 6), nn.Tanh()),
            *(nn.Linear(6, 5, bias=False), nn.LeakyReLU()),
            *(nn.Linear(5, 5), nn.ELU()),
            *(nn.Linear(5, 4), nn.Sigmoid()),
            nn.Linear(4, 3),  # two in a row, with nothing in between
            nn.Linear(3, 1),
        ]
        model = nn.Sequential(*layers).double().eval().requires_grad_(False)
    for layer in model[3:]:
        if isinstance(layer, nn.Linear):
            layer.weight *= 6.0  # so that the logits differ
    model[0].weight /= torch.tensor([1.0, 50.0, 1e4, 0.3, 1.0])
    return model


def model_of(kind: str, frame: pd.DataFrame, outcome: "pd.Series[int]") -> Any:
    if kind == "mlp":
        return network(frame.shape[1])
    unfitted = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=60, verbose=-1, n_jobs=1, random_state=0),
        "forest": RandomForestClassifier(n_estimators=15, random_state=0),
    }
    return unfitted[kind].fit(frame, outcome)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # peers pass arrays
@pytest.mark.parametrize(
    "kind", ["logistic", "lightgbm", pytest.param("mlp", marks=pytest.mark.torch), "forest"]
)
def test_the_portable_model_scores_as_the_original(
    kind: str, table: tuple[pd.DataFrame, "pd.Series[int]"], tmp_path: Path
) -> None:
    frame, outcome = table
    original = trained(kind, model_of(kind, frame, outcome), list(frame.columns))
    write_model(original, tmp_path)
    score = read_scorer(tmp_path)
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        frame.to_numpy()[rng.integers(0, len(frame), 1000)] * rng.normal(1, 0.3, (1000, 5)),
        columns=frame.columns,
    )
    expected = probabilities(original, rows)
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(score(rows.to_numpy()), expected, rtol=0, atol=1e-12)


def test_extreme_logits_are_zero_and_one_without_a_warning() -> None:
    np.testing.assert_array_equal(sigmoid(np.array([-1e4, 1e4])), [0.0, 1.0])


@pytest.mark.torch
def test_a_layer_without_a_portable_form_is_named(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Softplus(), torch.nn.Linear(2, 1)).double()
    with pytest.raises(NotPortable, match="Softplus"):
        write_model(trained("mlp", model, ["a", "b"]), tmp_path)


def test_the_two_chances_sum_to_one_and_the_class_is_that_of_the_threshold() -> None:
    model = PortableModel(lambda rows: rows[:, 0])
    rows = np.array([[0.0], [0.4999], [0.5], [1.0]])
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(rows), [0, 0, 1, 1])
    assert (model.calls, model.rows) == (2, 8)


# A peer that returns the person, and misbehaves if the first value is negative.
PROGRAM = """
import os, sys, time
sys.path.insert(0, {programs!r})
from question import answer

def prepare(question):
    assert question.options["kept"] == "as it is"
    def peer(person, seed):
        def search():
            if person[0] == -1: raise LookupError("nothing\\n  here")
            if person[0] == -2: time.sleep(60)
            if person[0] == -3: sys.stderr.write("out of luck\\n"); sys.stderr.flush(); os._exit(3)
            question.model.predict_proba([person, person])
            return person
        return search, lambda given: [given.tolist(), [seed] * len(given)]
    return peer

answer(prepare, packages=("numpy",))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "peer.py"
    path.write_text(PROGRAM.format(programs=str(PROGRAMS)), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "exchanged"
    path.mkdir()
    return path


def request_for(people: np.ndarray, *, seconds: float | None = None, columns: str = "abc") -> Request:
    rng = np.random.default_rng(0)
    train = pd.DataFrame(rng.normal(size=(50, 3)) / 3, columns=list(columns))
    outcome = (train.sum(axis=1) > 0).astype(int)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(train, outcome)
    return Request(
        trained=trained("logistic", model, columns),
        train=train,
        train_outcome=outcome,
        people=pd.DataFrame(people, columns=list(columns)),
        mutable=("a", "b"),
        ranges={"a": (-1.0, 1.0), "b": (-0.1, 1 / 3)},
        answers=1,
        seed=7,
        seconds_per_person=seconds,
    )


def run_here(program: Path, request: Request, folder: Path, **more: Any) -> dict[int, PeerPerson]:
    write_request(request, folder, options={"kept": "as it is"})
    run(
        program,
        python=Path(sys.executable),
        folder=folder,
        people=len(request.people),
        seconds_per_person=request.seconds_per_person,
        **more,
    )
    return read_answers(folder)


def test_rows_go_there_and_come_back_to_the_last_bit(program: Path, folder: Path) -> None:
    people = np.random.default_rng(1).normal(size=(40, 3)) ** 2 * 10.0 ** np.arange(-5, 35)[:, None] / 3
    request = request_for(people)
    progress_lines: list[str] = []
    found = run_here(program, request, folder, progress=progress_lines.append)
    assert sorted(found) == list(range(40))
    assert np.array([found[number].rows[0] for number in range(40)]).tobytes() == people.tobytes()
    assert [found[number].rows[1][0] for number in range(40)] == [7.0 + number for number in range(40)]
    assert all(person.error is None and person.seconds > 0 for person in found.values())
    assert {tuple(person.counts.items()) for person in found.values()} == {
        (("calls", 1), ("cells", 2), ("explanations", 0))
    }
    assert scores_differ(request, folder) is None
    assert all(said.endswith("of 40 people") for said in progress_lines)


def test_a_call_that_raises_hangs_or_dies_affects_one_person_only(program: Path, folder: Path) -> None:
    firsts = [1.0, -1.0, -2.0, 2.0, -3.0, 3.0]
    found = run_here(program, request_for(np.column_stack([firsts, firsts, firsts]), seconds=0.5), folder)
    errors = [found[number].error for number in range(6)]
    assert errors == [
        *(None, "LookupError: nothing here", "time limit"),
        *(None, "the program ended: out of luck", None),
    ]
    assert [number for number in range(6) if found[number].late] == [2]
    assert [len(found[number].rows) for number in range(6)] == [2, 0, 0, 2, 0, 2]
    assert found[2].seconds == 0.5
    assert found[5].rows[0] == (3.0, 3.0, 3.0)


def test_a_program_that_cannot_start_gives_its_last_words(tmp_path: Path, folder: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("import no_such_package_anywhere", encoding="utf-8")
    with pytest.raises(Missing, match=r"did not start: ModuleNotFoundError.*no_such_package_anywhere"):
        run_here(program, request_for(np.ones((2, 3))), folder)


def test_a_copy_of_the_model_that_scores_differently_is_detected(program: Path, folder: Path) -> None:
    request = request_for(np.ones((2, 3)))
    run_here(program, request, folder)
    scores = {"people": probabilities(request.trained, request.people)}
    scores["train"] = probabilities(request.trained, request.train) + 1e-6
    np.savez(folder / "scores.npz", **scores)
    assert "scores differently, by up to 1e-06" in (scores_differ(request, folder) or "")


def test_a_column_may_be_called_like_the_outcome(program: Path, folder: Path) -> None:
    request = request_for(np.ones((1, 3)))
    names = {"c": "outcome"}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    renamed = Request(
        **{name: getattr(request, name) for name in Request.__slots__}
        | {"train": request.train.rename(columns=names), "people": request.people.rename(columns=names)}
        | {"trained": _refitted(request, model, names)}
    )
    assert run_here(program, renamed, folder)[0].rows[0] == (1.0, 1.0, 1.0)
    assert scores_differ(renamed, folder) is None


def _refitted(request: Request, model: Any, names: dict[str, str]) -> Trained:
    train = request.train.rename(columns=names)
    fields = {name: getattr(request.trained, name) for name in Trained.__slots__}
    return Trained(
        **fields | {"model": model.fit(train, request.train_outcome), "columns": tuple(train.columns)}
    )


def test_a_model_that_a_peer_does_not_support_is_a_reason(tmp_path: Path) -> None:
    answers = run_peer("ocean", request=request_for(np.ones((1, 3))), folder=tmp_path, environments=tmp_path)
    assert (answers.people, answers.missing) == ((), "it supports forest only, and this model is logistic")


def test_an_unknown_peer_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="authors-p2ce, dice-genetic, dice-free, dice-random, dice-code, nice, ocean"
    ):
        run_peer("alibi", request=request_for(np.ones((1, 3))), folder=tmp_path, environments=tmp_path)


ROWS = np.random.default_rng(0).normal(size=(700, 4)).round(1) * [1.0, 10.0, 1e4, 0.1]


@pytest.fixture(scope="module")
def forest() -> IsolationForest:
    return IsolationForest(n_estimators=30, contamination=0.1, random_state=0).fit(ROWS)


def mean_length(forest: IsolationForest, row: np.ndarray) -> float:
    """Follow each tree, to both sides if the value is missing: the slow, obvious twin."""

    def below(tree: object, node: int, depth: int) -> float:
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            return depth + _average_path_length(tree.n_node_samples[[node]])[0]
        value = np.float32(row[tree.feature[node]])
        if np.isnan(value):
            share = tree.n_node_samples[left] / tree.n_node_samples[node]
            return share * below(tree, left, depth + 1) + (1 - share) * below(tree, right, depth + 1)
        return below(tree, left if value <= tree.threshold[node] else right, depth + 1)

    return sum(below(estimator.tree_, 0, 0) for estimator in forest.estimators_)


def test_whole_rows_are_judged_as_by_scikit_learn(forest: IsolationForest) -> None:
    counts = Counter()
    found = Detector(forest, counts).predict(ROWS)
    np.testing.assert_array_equal(found, np.where(forest.decision_function(ROWS) >= 0, 1, -1))
    assert set(found) == {1, -1}
    assert counts["detector calls"] == len(ROWS)


def test_holes_are_followed_to_both_sides_in_proportion(forest: IsolationForest) -> None:
    detector = Detector(forest, Counter())
    rng = np.random.default_rng(1)
    for row in ROWS[:40]:
        holed = np.where(rng.random(4) < 0.5, np.nan, row)
        assert detector._length(holed.astype(np.float32)) == pytest.approx(mean_length(forest, holed))
