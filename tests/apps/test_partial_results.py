"""What is done is kept beside the file, line by line, and only for the same problem."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from p2ce.apps.partial_results import FORMAT, begin, partial_path
from p2ce.errors import InvalidArgument
from p2ce.result import Explanation
from p2ce.result.problem_record import Feature, ProblemRecord
from tests.result.examples import explanation

ASKED = {"--threshold": "0.5", "the file of --model": "a" * 64}


def test_people_come_back_with_one_question(tmp_path: Path) -> None:
    path = partial_path(tmp_path / "out.html")
    assert path.name == "out.html.partial"
    problem = ProblemRecord(features={"Age": Feature(name="Age")})
    kept = begin(path, ASKED, fresh=False)
    kept.add({3: explanation(problem=problem), 5: explanation(problem=problem)})
    kept.add({4: explanation(problem=ProblemRecord(features={"Age": Feature(name="Age")}))})
    again = begin(path, ASKED, fresh=False)
    assert again.done == {place: explanation() for place in (3, 5, 4)}
    assert len({id(entry.problem) for entry in again.done.values()}) == 1
    again.add({6: explanation(problem=problem)})
    assert len(begin(path, ASKED, fresh=False).questions) == 1


def test_a_line_that_breaks_off_counts_as_not_written(tmp_path: Path) -> None:
    path = tmp_path / "out.json.partial"
    kept = begin(path, ASKED, fresh=False)
    kept.add({0: explanation(problem=None)})
    whole = path.read_bytes()
    kept.add({1: explanation(problem=None)})
    path.write_bytes(path.read_bytes()[:-20])
    again = begin(path, ASKED, fresh=False)
    assert list(again.done) == [0]
    assert path.read_bytes() == whole
    again.add({1: explanation(problem=None)})
    assert list(begin(path, ASKED, fresh=False).done) == [0, 1]


def test_another_question_is_written(tmp_path: Path) -> None:
    path = tmp_path / "out.json.partial"
    begin(path, ASKED, fresh=False).add({0: explanation(problem=None)})
    with pytest.raises(InvalidArgument, match=r"--threshold was '0\.5' and is '0\.6'"):
        begin(path, {**ASKED, "--threshold": "0.6"}, fresh=False)
    with pytest.raises(InvalidArgument, match="the file of --model has changed"):
        begin(path, {**ASKED, "the file of --model": "b" * 64}, fresh=False)
    assert begin(path, {**ASKED, "--threshold": "0.6"}, fresh=True).done == {}
    assert not path.exists()  # nothing is left behind where nobody was done


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes as Unix has them")
def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    """Another user may have made it, in a folder such as /tmp: a pipe may never begin to be read."""
    path = tmp_path / "out.json.partial"
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    os.write(pipe, b"a line\n")
    with pytest.raises(InvalidArgument, match="is a pipe or a device"):
        begin(path, ASKED, fresh=False)
    assert os.read(pipe, 100) == b"a line\n"
    os.close(pipe)
    path.unlink()
    (tmp_path / "begun").write_text("{", encoding="utf-8")
    path.symlink_to(tmp_path / "begun")
    with pytest.raises(InvalidArgument, match="is a link"):
        begin(path, ASKED, fresh=False)


def scored(score: float) -> Explanation:
    return replace(explanation(problem=None), person_score=score)


def test_two_commands_do_not_mix(tmp_path: Path) -> None:
    """The second command fails, and the results of the first stay as they are."""
    path = tmp_path / "out.csv.partial"
    first, second = (begin(path, {"q": name}, fresh=False) for name in ("A", "B"))
    first.add({0: scored(0.6)})
    with pytest.raises(InvalidArgument, match="Another command with the same --out"):
        second.add({0: scored(0.9)})
    assert {place: one.person_score for place, one in begin(path, {"q": "A"}, fresh=False).done.items()} == {
        0: 0.6
    }


def test_lines_of_another_question_are_left_out(tmp_path: Path) -> None:
    """As they may get there if a file is removed and begun anew while a command goes on."""
    path = tmp_path / "out.csv.partial"
    first = begin(path, {"q": "A"}, fresh=False)
    first.add({0: scored(0.6)})
    begin(path, {"q": "B"}, fresh=True).add({1: scored(0.9)})
    first.add({2: scored(0.7)})
    assert list(begin(path, {"q": "B"}, fresh=False).done) == [1]
    path.unlink()
    with pytest.raises(InvalidArgument, match="has begun or removed"):
        first.add({3: scored(0.7)})
    assert not path.exists()


@pytest.mark.parametrize(
    "content", ["[]", "3", '"text"', '{"format": "%s"}', '{"format": "%s", "request": 3}']
)
def test_a_file_that_is_none_is_written(tmp_path: Path, content: str) -> None:
    path = tmp_path / "out.csv.partial"
    path.write_text(content.replace("%s", FORMAT) + "\n", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="exists and is not of this version"):
        begin(path, {"q": "A"}, fresh=False)


@pytest.mark.parametrize("line", ["[]", "3", '{"people": []}', '{"of": "%s", "people": [[0, {}]]}'])
def test_a_line_that_is_none_is_written(tmp_path: Path, line: str) -> None:
    path = tmp_path / "out.csv.partial"
    kept = begin(path, {"q": "A"}, fresh=False)
    kept.add({0: scored(0.6)})
    mark = json.loads(path.read_text(encoding="utf-8").splitlines()[1])["of"]
    with path.open("a", encoding="utf-8") as file:
        file.write(line.replace("%s", mark) + "\n")
    with pytest.raises(InvalidArgument, match="is damaged"):
        begin(path, {"q": "A"}, fresh=False)


def test_what_only_the_old_question_had_is_written(tmp_path: Path) -> None:
    path = tmp_path / "out.csv.partial"
    begin(path, {"q": "A", "--drop": "Age"}, fresh=False).add({0: scored(0.6)})
    with pytest.raises(InvalidArgument, match="--drop was 'Age' and is None"):
        begin(path, {"q": "A"}, fresh=False)


@pytest.mark.parametrize("kept", [0, 1, 15, 40])
@pytest.mark.parametrize("zeros", [0, 200])
def test_a_file_that_breaks_off_in_its_first_line_counts_as_none(
    tmp_path: Path, kept: int, zeros: int
) -> None:
    """As a full disk or a power cut leaves it: the next command starts, and goes on from there."""
    path = tmp_path / "out.csv.partial"
    begin(path, ASKED, fresh=False).add({0: scored(0.6)})
    path.write_bytes(path.read_bytes()[:kept] + bytes(zeros))
    again = begin(path, ASKED, fresh=False)
    assert again.done == {}
    again.add({1: scored(0.7)})
    assert list(begin(path, ASKED, fresh=False).done) == [1]


def test_a_full_disk_is_written_and_the_next_command_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.csv.partial"

    def full(_: int) -> None:
        os.truncate(path, 0)  # nothing of it got there
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InvalidArgument, match="No space left on device"):
            begin(path, ASKED, fresh=False).add({0: scored(0.6)})
    assert path.read_bytes() == b""
    again = begin(path, ASKED, fresh=False)
    again.add({0: scored(0.6)})
    assert list(begin(path, ASKED, fresh=False).done) == [0]


def test_a_short_file_of_another_persons_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.csv.partial"
    path.write_text("my notes", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="exists and is not"):
        begin(path, ASKED, fresh=False)
    assert path.read_text(encoding="utf-8") == "my notes"
