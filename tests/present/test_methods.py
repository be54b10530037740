"""The methods of results write what the functions of p2ce write, to text and to a file."""

from pathlib import Path
from typing import Any

import pytest

import p2ce
from p2ce.errors import InvalidArgument
from p2ce.result import Explanation, Explanations
from tests.present.cases import CASES, WHY, many

RESULTS: list[Explanation | Explanations] = [CASES["two options"][0], many(5)]
METHODS = ("to_text", "to_html", "to_markdown")


@pytest.mark.parametrize("result", RESULTS, ids=["one", "many"])
@pytest.mark.parametrize("name", METHODS)
def test_a_method_writes_what_the_function_writes(
    result: Explanation | Explanations, name: str, tmp_path: Path
) -> None:
    method, function = getattr(result, name), getattr(p2ce, name)
    assert method() == function(result)
    settings: dict[str, Any] = {"audience": "officer", "language": "es", "title": "Ana"}
    settings["phrases"] = {("HasGuarantor", True): "consiga un avalista"}
    file = tmp_path / "report"
    assert method(file, **settings) == function(result, **settings)
    assert file.read_text(encoding="utf-8") == function(result, **settings)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_which_relaxations_help(name: str) -> None:
    found = CASES["no option"][0]
    assert (
        getattr(found, name)(relaxations=WHY)
        == getattr(p2ce, name)(found, relaxations=WHY)
        != getattr(found, name)()
    )


@pytest.mark.parametrize("result", RESULTS, ids=["one", "many"])
def test_json_is_written_to_a_file_and_read_again(result: Explanation | Explanations, tmp_path: Path) -> None:
    text = result.to_json(tmp_path / "result.json")
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == text == result.to_json()
    assert type(result).from_json(text) == result
    assert type(result).from_json(result.to_json(times=True)) == result


@pytest.mark.parametrize("name", [*METHODS, "to_json"])
def test_what_is_no_path_is_an_error(name: str) -> None:
    with pytest.raises(InvalidArgument, match=r"path must be the file.* got 3\. Pass path="):
        getattr(CASES["two options"][0], name)(3)
