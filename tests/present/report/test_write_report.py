"""A report is written as it is returned, and an obstacle is reported in one line."""

import os
from pathlib import Path

import pytest

from p2ce.errors import InvalidArgument
from p2ce.present.report import to_html
from p2ce.present.report.write_report import write
from tests.present.report.examples import answer


def test_what_is_returned_is_what_is_written(tmp_path: Path) -> None:
    text = to_html(answer(), tmp_path / "report.html", title="Ação – ✓")
    assert (tmp_path / "report.html").read_bytes() == text.encode("utf-8")
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_path_may_be_text(tmp_path: Path) -> None:
    write("new", str(tmp_path / "report.html"))
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize("path", [3, b"report.html"])
def test_what_is_no_path_is_rejected(path: object) -> None:
    with pytest.raises(InvalidArgument, match=r"path must be where the report is to be written, got"):
        write("new", path)  # type: ignore[arg-type]


def test_what_is_in_the_way_is_said_of_the_report(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"The report cannot be written to .*: it is a folder"):
        write("new", tmp_path)
