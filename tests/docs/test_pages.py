"""Every block of code on every page runs, and prints what the page shows."""

import re
from pathlib import Path

import pytest

import p2ce
from p2ce import datasets, paper, rules, testing
from tests.docs.blocks import PAGES, README, ROOT, blocks_of
from tests.docs.comparing import is_as_shown, shown_by
from tests.docs.running import Session, pictures_in, reading_in
from tests.docs.screenshots import PICTURES, is_current, is_drawn_as, pages_shown
from tests.docs.versions import others
from tests.optional import ALL_EXTRAS, mostly_slow

MOST_NOT_RUN = 3
FILE = re.compile(r"`((?:src|tests|scripts|examples|benchmarks|p2ce)/[\w./-]+)(?:::\w+)?`")
LANGUAGES = {"python", "sh", "console", "text", "output", "yaml", "csv", "bibtex", ""}
WITH_CODE = [page for page in PAGES if blocks_of(page)]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", mostly_slow(WITH_CODE, README), ids=name_of)
def test_every_block_runs_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
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
                used = any(f"{Path(block.title).stem}:" in later.code for later in blocks[place + 1 :])
                assert example or used, f"{page}: nothing runs {block.title}"


def test_the_reference_has_every_public_name() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    listed = {line.rpartition(".")[2] for line in lines if line.startswith("::: ")}
    functions = [name for name in rules.__all__ if name[0].islower()]
    missing = {*p2ce.__all__, *functions, *testing.__all__, *datasets.__all__, *paper.__all__} - listed
    assert not missing, f"docs/reference has no line ':::' for {sorted(missing)}"


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
