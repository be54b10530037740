"""Which blocks of code does a page have, and what does it say that they print?"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]

OUTPUTS = ("text", "output")  # output: sentences, which wrap on the page
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)(?P<rest>.*)$")
TITLE = re.compile(r'title="([^"]+)"')
NOT_RUN = re.compile(r"^ *<!-- not run: (.+) -->$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block. `shown` is what the page says that it prints, the text block right behind it."""

    language: str
    code: str
    line: int  # of its first line of code, counted from 1
    title: str | None = None  # the name of a file: the block is that file, and is not run
    not_run: str | None = None  # the reason, if the page gives one
    shown: str | None = None
    shown_lines: tuple[int, int] = (0, 0)  # where `shown` stands in the page, from 0, end excluded


def blocks_of(page: Path) -> list[Block]:
    """Read a page's blocks in their order, each with what it shows."""
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks: list[Block] = []
    place, reason, touching = 0, None, False
    while place < len(lines):
        opening = FENCE.match(lines[place])
        if opening is None:
            marked = NOT_RUN.match(lines[place])
            if marked or lines[place].strip():
                reason, touching = (marked[1] if marked else None), False
            place += 1
            continue
        closing = _closing(lines, place, opening["indent"])
        within = [line.removeprefix(opening["indent"]) for line in lines[place + 1 : closing]]
        if opening["language"] in OUTPUTS and touching:
            where = (place + 1, closing)
            blocks[-1] = replace(blocks[-1], shown="\n".join(within), shown_lines=where)
            touching = False
        else:
            title = TITLE.search(opening["rest"])
            blocks.append(
                Block(
                    language=opening["language"],
                    code="\n".join(within) + "\n",
                    line=place + 2,
                    title=title[1] if title else None,
                    not_run=reason,
                )
            )
            touching = opening["language"] == "python" and title is None
        place, reason = closing + 1, None
    return blocks


def _closing(lines: list[str], opening: int, indent: str) -> int:
    for place in range(opening + 1, len(lines)):
        if lines[place].rstrip() == f"{indent}```":
            return place
    raise ValueError(f"The block that begins in line {opening + 1} has no end.")
