"""Every block of code on every page runs, and prints what the page shows."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import p2ce
from p2ce import datasets, extend, paper, rules, testing
from tests.docs.blocks import PAGES, README, ROOT, Block, blocks_of
from tests.docs.comparing import is_as_shown, shown_by
from tests.docs.running import Session, pictures_in, reading_in
from tests.docs.screenshots import PICTURES, is_current, is_drawn_as, pages_shown
from tests.docs.versions import others
from tests.optional import ALL_EXTRAS, mostly_slow, needs

MOST_NOT_RUN = 3
# Types and constants of p2ce.extend, which its page names in sentences.
VALUES = {"BoolArray", "Codes", "DOUBLE", "FloatArray", "IDENTITY", "IntArray", "MISSING", "SINGLE"}
VALUES |= {"seen_as_given", "seen_in_single"}
FILE = re.compile(r"`((?:src|tests|scripts|examples|benchmarks|p2ce)/[\w./-]+)(?:::\w+)?`")
LANGUAGES = {"python", "sh", "console", "text", "output", "yaml", "toml", "csv", "bibtex", ""}
WITH_CODE = [page for page in PAGES if blocks_of(page)]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


# Pages about a library that the tests' own extra lacks.
ABOUT = {"docs/how-to/scorecards.md": ("optbinning", "scorecardpy")}


@pytest.mark.parametrize("page", mostly_slow(WITH_CODE, README), ids=name_of)
def test_every_block_runs_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    for library in ABOUT.get(name_of(page), ()):
        needs(library)
    not_installed: list[str] = []
    differ = "" if ALL_EXTRAS else others()
    with reading_in(tmp_path):
        session = Session(tmp_path)
        for block in blocks_of(page):
            if block.not_run is not None:
                continue
            try:
                printed = session.run(block, name_of(page))
            except p2ce.errors.MissingExtra as error:
                if ALL_EXTRAS:
                    raise
                not_installed.append(str(error))
                continue
            shown = shown_by(block)
            if differ:
                continue
            if shown is None:
                silent = block.language == "sh" or not printed
                assert silent, f"line {block.line} prints what the page does not show:\n{printed}"
                continue
            assert is_as_shown(shown, printed), (
                f"{name_of(page)}, line {block.line}, shows\n{shown}\nbut prints\n{printed}\n"
                f"If that is right, run scripts/docs outputs {name_of(page)}"
            )
        old = {path.name for path in pictures_in(tmp_path) if not is_drawn_as(path, PICTURES / path.name)}
        old |= {path.name for path in pages_shown(page, tmp_path) if not is_current(path, PICTURES)}
    if differ:
        pytest.skip(f"All blocks ran. Their outputs were not compared: {differ}")
    assert not old, (
        f"docs/pictures lacks {old}, or has it otherwise: run scripts/docs outputs {name_of(page)}"
    )
    if not_installed:
        pytest.skip(f"All other blocks ran. {not_installed[0]}")


def test_hardly_any_block_is_not_run_and_each_has_a_reason() -> None:
    reasons = [block.not_run for page in PAGES for block in blocks_of(page) if block.not_run]
    assert len(reasons) <= MOST_NOT_RUN, reasons


def test_blocks_are_of_a_known_language_and_a_shown_module_is_used() -> None:
    for page in WITH_CODE:
        blocks = blocks_of(page)
        assert {block.language for block in blocks} <= LANGUAGES, page
        for place, block in enumerate(blocks):
            if block.language == "python" and block.title is not None:
                example = block.code.startswith(f'--8<-- "{block.title}"')  # run by tests/examples
                stem = Path(block.title).stem
                used = any(
                    f"{stem}:" in later.code or f"from {stem} import" in later.code
                    for later in blocks[place + 1 :]
                )
                assert example or used, f"{page}: nothing runs {block.title}"


def test_the_reference_has_every_public_name() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    listed = {line.rpartition(".")[2] for line in lines if line.startswith("::: ")}
    functions = [name for name in rules.__all__ if name[0].islower()]
    for_authors = {name for name in extend.__all__ if name not in VALUES}
    public = {*p2ce.__all__, *functions, *testing.__all__, *datasets.__all__, *paper.__all__, *for_authors}
    missing = public - listed
    assert not missing, f"docs/reference has no line ':::' for {sorted(missing)}"


def test_pages_and_examples_import_public_names_only() -> None:
    public = {"p2ce", *(f"p2ce.{name}" for name in p2ce.__all__ if name.islower())}
    code = {f"{name_of(page)}:{block.line}": block.code for page in WITH_CODE for block in python_of(page)}
    code |= {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")}
    imported = {where: imported_by(text) - public for where, text in code.items()}
    private = {where: names for where, names in imported.items() if names}
    assert not private, f"import these from p2ce.extend, or make them public: {private}"
    assert any("p2ce.extend" in imported_by(text) for text in code.values())


def python_of(page: Path) -> list[Block]:
    """Return the blocks of Python that are code, not the name of an example."""
    return [one for one in blocks_of(page) if one.language == "python" and "--8<--" not in one.code]


def imported_by(code: str) -> set[str]:
    """Return the modules of p2ce that code imports from."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.partition(".")[0] == "p2ce"}


@pytest.mark.slow
def test_the_plug_ins_of_the_pages_are_typed_as_strictly_as_the_library(tmp_path: Path) -> None:
    names = []
    for block in python_of(ROOT / "docs" / "how-to" / "extend.md"):
        if block.title is not None:
            names.append(block.title)
            (tmp_path / block.title).write_text(block.code, encoding="utf-8")
    assert len(names) == 6
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        str(ROOT / "pyproject.toml"),
        *names,
    ]
    where = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    ran = subprocess.run(command, cwd=tmp_path, env=where, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_the_site_has_every_page() -> None:
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        if page != README:
            assert str(page.relative_to(ROOT / "docs")) in listed, f"mkdocs.yml lacks {name_of(page)}"


def test_files_that_pages_name_are_there() -> None:
    for page in {*PAGES, *ROOT.glob("*.md")} - {ROOT / "CHANGELOG.md"}:
        for name in FILE.findall(page.read_text(encoding="utf-8")):
            here = (ROOT / name, ROOT / "src" / name)
            assert any(path.exists() for path in here), f"{name_of(page)} names {name}, which is not a file"
