"""What is done is kept beside the file, line by line, and only for the same question."""

from pathlib import Path

import pytest

from p2ce.apps.partial import begin, partial_path
from p2ce.errors import InvalidOption
from p2ce.result.question import Feature, Question
from tests.result.examples import explanation

ASKED = {"--threshold": "0.5", "the file of --model": "a" * 64}


def test_people_come_back_with_one_question(tmp_path: Path) -> None:
    path = partial_path(tmp_path / "out.html")
    assert path.name == "out.html.partial"
    question = Question(features={"Age": Feature(name="Age")})
    kept = begin(path, ASKED, fresh=False)
    kept.add({3: explanation(question=question), 5: explanation(question=question)})
    kept.add({4: explanation(question=Question(features={"Age": Feature(name="Age")}))})
    again = begin(path, ASKED, fresh=False)
    assert again.done == {place: explanation() for place in (3, 5, 4)}
    assert len({id(entry.question) for entry in again.done.values()}) == 1
    again.add({6: explanation(question=question)})
    assert len(begin(path, ASKED, fresh=False).questions) == 1


def test_a_line_that_breaks_off_counts_as_not_written(tmp_path: Path) -> None:
    path = tmp_path / "out.json.partial"
    kept = begin(path, ASKED, fresh=False)
    kept.add({0: explanation(question=None)})
    whole = path.read_bytes()
    kept.add({1: explanation(question=None)})
    path.write_bytes(path.read_bytes()[:-20])
    again = begin(path, ASKED, fresh=False)
    assert list(again.done) == [0]
    assert path.read_bytes() == whole
    again.add({1: explanation(question=None)})
    assert list(begin(path, ASKED, fresh=False).done) == [0, 1]


def test_another_question_is_told(tmp_path: Path) -> None:
    path = tmp_path / "out.json.partial"
    begin(path, ASKED, fresh=False).add({0: explanation(question=None)})
    with pytest.raises(InvalidOption, match=r"--threshold was '0\.5' and is '0\.6'"):
        begin(path, {**ASKED, "--threshold": "0.6"}, fresh=False)
    with pytest.raises(InvalidOption, match="the file of --model has changed"):
        begin(path, {**ASKED, "the file of --model": "b" * 64}, fresh=False)
    assert begin(path, {**ASKED, "--threshold": "0.6"}, fresh=True).done == {}
    assert not path.exists()  # nothing is left behind where nobody was done
