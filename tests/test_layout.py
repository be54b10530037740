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
TEXTS = [
    *SOURCES,
    *sorted((ROOT / "src" / "p2ce").rglob("*.json")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name != "changelog.md"),
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
]
# Files that may share a name, since each is the same thing in another library or language.
VARIANTS = (
    re.compile(r"present/charts/(matplotlib|plotly)/\w+\.py"),  # a drawing, per backend
    re.compile(r"present/.*/(en|es|pt)\.py"),  # texts, per language
    re.compile(r"models/\w+/family\.py"),  # a family of models, per library
    re.compile(r"(.*/)?__init__\.py"),
)
# Words of a private dialect, and what the field says instead. An underscore ends a word, so that names count.
PRIVATE_WORDS = {
    "asked": "evaluated, called, requested",
    "told": "displayed, reported, given",
    "put to": "evaluated by",
    "strangers?": "unseen categories",
    "hopeless": "infeasible by bound",
    "too dear": "dominated",
    "lanes?": "search state",
    "mail": "evaluation queue",
    "spots?": "candidate value, grid cell",
    "refus(?:e|es|ed|ing|als?)": "reject, rejected",
    "opaque": "black box",
    "whoever": "the instance that",
    "people whom": "people that",
    "foreign scores?": "external evaluator",
    "in the way": "constraints to relax",
}
PRIVATE = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(PRIVATE_WORDS)})(?![A-Za-z])", re.IGNORECASE)
COMMAND = re.compile(r"<!-- command: (\w+) -->\n```sh\n(.+)\n```\n<!-- end -->")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=name_of)
def test_line_one_says_which_question_the_file_answers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith('"""'), f"{name_of(path)} must begin with a docstring on line 1"
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring is not None
    first = docstring.splitlines()[0]
    assert len(first) > 10, f"{name_of(path)}: line 1 says too little"
    assert first.endswith((".", "?", ":")), f"{name_of(path)}: line 1 is not a sentence"


def test_a_file_name_means_one_thing() -> None:
    by_name: dict[str, list[str]] = {}
    for path in SOURCES:
        by_name.setdefault(path.name, []).append(path.relative_to(ROOT / "src" / "p2ce").as_posix())
    twice = [
        paths
        for paths in by_name.values()
        if len(paths) > 1 and not any(all(map(variant.fullmatch, paths)) for variant in VARIANTS)
    ]
    assert not twice, f"name each of these for what it does: {twice}"


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_texts_use_the_words_of_the_field(path: Path) -> None:
    found = [
        f"{name_of(path)}:{number}: {match[0]!r} in {line.strip()!r}"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := PRIVATE.search(line))
    ]
    assert not found, "\n".join(["see PRIVATE_WORDS for what to say instead:", *found])


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
    others = {"properties", "populations", "hostile", "explainer", "benchmarks", "docs", "examples"}
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
    line = re.search(r'^command="\$\((.+)\)"$', script, flags=re.MULTILINE)
    assert line is not None
    # Runs the line of the script that finds the command, and only that one.
    read = subprocess.run(["bash", "-c", line[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert read.stdout.strip() == commands()["test"]
    assert script.count("pytest") == 0


@pytest.mark.skipif(os.name != "posix", reason="the scripts are for bash")
@pytest.mark.parametrize("script", [".ci/run", "scripts/check", "scripts/docs", "scripts/test"])
def test_scripts_are_executable_and_stop_at_the_first_failure(script: str) -> None:
    path = ROOT / script
    assert os.access(path, os.X_OK)
    assert "set -euo pipefail" in path.read_text(encoding="utf-8")


def test_extras_cover_every_library_that_is_supported() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert {"lightgbm", "xgboost", "catboost", "test", "dev"} <= set(extras)
    assert all(one.startswith("xgboost-cpu") for one in extras["xgboost"])
