"""The folders keep the conventions that let people find things."""

import ast
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "p2ce").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
LONGEST_FILE = 500
COMMAND = re.compile(r"<!-- command: (\w+) -->\n```sh\n(.+)\n```\n<!-- end -->")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=name_of)
def test_line_one_says_which_question_the_file_answers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith('"""'), f"{name_of(path)} must begin with a docstring on line 1"
    told = ast.get_docstring(ast.parse(text))
    assert told is not None
    first = told.splitlines()[0]
    assert len(first) > 10, f"{name_of(path)}: line 1 says too little"
    assert first.endswith((".", "?", ":")), f"{name_of(path)}: line 1 is not a sentence"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_files_stay_short(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines < LONGEST_FILE, f"{name_of(path)} has {lines} lines: split it by question"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nothing_is_left_for_later(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|FIXME|XXX)\b|NotImplementedError", text)


def test_every_folder_of_the_source_is_a_package() -> None:
    folders = {path.parent for path in SOURCES}
    missing = [name_of(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()]
    assert not missing


def test_test_folders_mirror_the_source() -> None:
    stages = {path.name for path in (ROOT / "src" / "p2ce").iterdir() if path.is_dir()}
    others = {"properties", "hostile", "explainer", "benchmarks", "docs", "examples"}
    for folder in (ROOT / "tests").iterdir():
        if not folder.is_dir() or folder.name.startswith(("__", ".")):
            continue
        known = folder.name in stages | others or folder.name.startswith("with_")
        assert known, f"tests/{folder.name} mirrors no folder of src/p2ce"


def test_the_package_is_marked_as_typed() -> None:
    assert (ROOT / "src" / "p2ce" / "py.typed").exists()


def commands() -> dict[str, str]:
    return dict(COMMAND.findall((ROOT / "README.md").read_text(encoding="utf-8")))


def test_each_command_of_the_readme_is_one_line_that_makes_its_environment() -> None:
    assert set(commands()) == {"demo", "test"}
    for command in commands().values():
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")


def test_both_commands_stand_on_the_first_screen() -> None:
    first_screen = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:40])
    for command in commands().values():
        assert command in first_screen
    assert first_screen.index(".to_frame()") < first_screen.index("python3 -m venv")


@pytest.mark.skipif(os.name != "posix", reason="the scripts are for bash")
def test_ci_runs_the_very_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    reading = re.search(r'^command="\$\((.+)\)"$', script, flags=re.MULTILINE)
    assert reading is not None
    # Runs the line of the script that finds the command, and only that one.
    read = subprocess.run(["bash", "-c", reading[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert read.stdout.strip() == commands()["test"]
    assert script.count("pytest") == 0


@pytest.mark.skipif(os.name != "posix", reason="the scripts are for bash")
@pytest.mark.parametrize("script", [".ci/run", "scripts/check", "scripts/docs", "scripts/test"])
def test_scripts_are_executable_and_stop_at_the_first_failure(script: str) -> None:
    path = ROOT / script
    assert os.access(path, os.X_OK)
    assert "set -euo pipefail" in path.read_text(encoding="utf-8")


def test_extras_cover_every_library_that_is_read() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert {"lightgbm", "xgboost", "catboost", "test", "dev"} <= set(extras)
    assert all(one.startswith("xgboost-cpu") for one in extras["xgboost"])
