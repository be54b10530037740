"""Write the parts of a report as GitHub-flavoured Markdown; all text is escaped here and nowhere else."""

import re
from collections.abc import Iterable

from p2ce.present.report.page_parts import (
    Bullets,
    Card,
    Cards,
    Cell,
    Code,
    Facts,
    Figure,
    Fold,
    Part,
    Section,
    Table,
    Text,
)
from p2ce.visible import visible, visible_code

LOWEST_HEADING = 6
SPECIAL = re.compile(r"[\\`*_{}\[\]#|~!$]")
# What begins a list, a heading's underline or a rule only where a line begins.
BEGINNING = re.compile(r"([-+=](?=[-+=\s]|$)|\d+(?=[.)](?:\s|$)))")
ADDRESS = re.compile(r"(?i)(?<=[a-z]):(?=//)|(?<=\bwww)\.")  # would become a link by itself


def escaped(text: object) -> str:
    """Escape text so that none of it is parsed as Markdown or HTML, on one line.

    >>> print(escaped("a|b <i> *c*"), escaped("1. first"), escaped("- item"))
    a\\|b &lt;i&gt; \\*c\\* 1\\. first \\- item
    """
    shown = visible(text).strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = ADDRESS.sub(
        lambda found: "\\" + found.group(), SPECIAL.sub(lambda found: "\\" + found.group(), shown)
    )
    begins = BEGINNING.match(shown)
    if begins is None:
        return shown
    mark = begins.group()
    return f"{mark}\\{shown[len(mark) :]}" if mark[0].isdigit() else f"\\{shown}"


def blocks(part: Part, level: int) -> list[str]:
    """Give the blocks of one part, to be put apart by empty lines; `level` is that of its headings."""
    match part:
        case Text():
            return [f"{'> ' if part.kind == 'notice' else ''}{escaped(part.text)}"]
        case Bullets():
            return ["\n".join(f"- {escaped(item)}" for item in part.items)]
        case Facts():
            return _facts(part)
        case Code():
            return [_fenced(part)]
        case Figure():
            return [] if part.instead is None else _table(part.instead)
        case Cards():
            return [block for card in part.cards for block in _card(card, level)]
        case Fold():
            return [f"**{escaped(part.title)}**", *blocks_of(part.parts, level)]
        case Section():
            return _section(part, level)
        case Table():
            return _table(part)


def blocks_of(parts: tuple[Part, ...], level: int) -> list[str]:
    """Give the blocks of parts one after the other."""
    return [block for part in parts for block in blocks(part, level)]


def heading(level: int, text: str) -> str:
    """Write a heading; there are no more than six levels."""
    return f"{'#' * min(level, LOWEST_HEADING)} {text}"


def _facts(part: Facts) -> list[str]:
    rows = []
    for place, (name, value) in enumerate(part.pairs):
        plain = place in part.code and value.isalnum() and value.isascii()
        shown = f"`{value}`" if plain else escaped(value)
        rows.append(f"- {escaped(name)}: {shown}")
    return ["\n".join(rows)] if rows else []


def _fenced(part: Code) -> str:
    text = visible_code(part.text).rstrip("\n")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{part.language}\n{text}\n{fence}"


def _card(card: Card, level: int) -> list[str]:
    title = f"{escaped(card.heading)}: {escaped(card.badge)}"
    return [heading(level, title), *blocks_of(card.parts, level + 1)]


def _section(part: Section, level: int) -> list[str]:
    # An anchor of our own, since those that are made of headings differ from place to place.
    anchor = [f'<a id="{part.anchor}"></a>'] if part.anchor else []
    status = f" ({escaped(part.status)})" if part.status else ""
    title = heading(level, f"{escaped(part.title)}{status}")
    inside = blocks_of(part.parts, level + 1)
    return [*anchor, title, *inside] if inside else []  # what could only be drawn


def _table(part: Table) -> list[str]:
    head = _row(escaped(name) for name in part.columns)
    rule = _row(":---" if place == 0 or place in part.words else "---:" for place in range(len(part.columns)))
    rows = [_row(_cell(cell) for cell in row) for row in part.rows]
    caption = [escaped(part.caption)] if part.caption_shown else []
    return [*caption, "\n".join([head, rule, *rows])]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    shown = escaped(cell.text)
    return f"[{shown}](#{cell.link})" if cell.link else shown
