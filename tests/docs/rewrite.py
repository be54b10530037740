"""Write into the pages what their blocks print now: ``scripts/docs outputs [page …]``."""

import shutil
import sys
import tempfile
from pathlib import Path

from tests.docs.blocks import PAGES, Block, blocks_of
from tests.docs.comparing import is_as_shown, shown_by, tidy
from tests.docs.running import Session, commands, pictures_in, reading_in
from tests.docs.screenshots import PICTURES, is_current, pages_shown, take_screenshots
from tests.docs.versions import record


def rewrite(page: Path) -> None:
    """Run a page and replace every shown output that is no longer true; keep the pictures it makes."""
    blocks = blocks_of(page)
    news: list[tuple[tuple[int, int], str]] = []
    with tempfile.TemporaryDirectory() as folder, reading_in(Path(folder)):
        session = Session(Path(folder))
        for block in blocks:
            if block.not_run is None:
                _note(news, block, session.run(block, page.name))
        for picture in pictures_in(Path(folder)):
            shutil.copy(picture, PICTURES / picture.name)
        if any(not is_current(shown, PICTURES) for shown in pages_shown(page, Path(folder))):
            take_screenshots(pages_shown(page, Path(folder)), PICTURES)
    lines = page.read_text(encoding="utf-8").splitlines()
    for (start, end), text in reversed(news):
        indent = lines[start - 1][: len(lines[start - 1]) - len(lines[start - 1].lstrip())]
        lines[start:end] = [f"{indent}{line}".rstrip() for line in text.splitlines()]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _note(news: list[tuple[tuple[int, int], str]], block: Block, printed: str) -> None:
    shown = shown_by(block)
    if shown is None or is_as_shown(shown, printed):
        return
    if block.language == "console":
        start = block.line - 1
        news.append(((start, start + len(block.code.splitlines())), tidy(_as_typed(block, printed))))
    else:
        news.append((block.shown_lines, tidy(printed)))


def _as_typed(block: Block, printed: str) -> str:
    """Put commands that go over several lines back as they stood in the page."""
    typed, continued = [], False
    for line in block.code.splitlines():
        if line.startswith("$ "):
            typed.append(line)
        elif continued:
            typed[-1] += f"\n{line}"
        continued = line.endswith("\\") and (line.startswith("$ ") or continued)
    for command, lines in zip(commands(block), typed, strict=True):
        printed = printed.replace(f"$ {command}\n", f"{lines}\n", 1)
    return printed


def main() -> None:
    """Rewrite the named pages, or all of them."""
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or PAGES
    for page in chosen:
        rewrite(page)
    if not sys.argv[1:]:
        record()


if __name__ == "__main__":
    main()
