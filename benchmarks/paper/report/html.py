"""How does text become HTML? Small functions; whatever comes in as text is escaped here and nowhere else."""

import base64
import html
import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.paper.report.table import Cell, Group, Table

BREAK = "\u200b"  # a line may break here; nothing is seen


@dataclass(frozen=True, slots=True)
class Html:
    """Markup that was made here; only this is passed on unescaped."""

    markup: str


Content = str | Html


def markup(content: Content) -> str:
    """Text is escaped, markup stays."""
    return content.markup if isinstance(content, Html) else html.escape(content, quote=True)


def tag(name: str, *children: Content, **attributes: str) -> Html:
    """An element; ``class_`` is written class, and an attribute without a value is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value, quote=True)}"'
        for key, value in attributes.items()
        if value
    )
    return Html(f"<{name}{written}>{''.join(markup(child) for child in children)}</{name}>")


def join(*parts: Content) -> Html:
    return Html("\n".join(markup(part) for part in parts))


def paragraph(*children: Content) -> Html:
    return tag("p", *children)


def section(name: str, title: str, *parts: Content) -> Html:
    return tag("section", tag("h2", title), join(*parts), id=name)


def details(summary: Content, *parts: Content, opened: bool = False) -> Html:
    made = tag("details", tag("summary", summary), *parts)
    return Html(made.markup.replace("<details>", "<details open>", 1)) if opened else made


def table(content: Table) -> Html:
    """A table that scrolls sideways where the screen is narrow; the paper's values are small and grey."""
    if not any(group.rows for group in content.groups):
        return paragraph(tag("em", f"{content.caption}: nothing to show in this run."))
    heads = (
        tag("th", breakable(name), scope="col", class_="words" if place in content.words else "")
        for place, name in enumerate(content.columns)
    )
    bodies = (_group(group, content) for group in content.groups if group.rows)
    made = tag("table", tag("thead", tag("tr", *heads)), *bodies)
    # A region that scrolls must be reachable with the keyboard. The caption stands outside, so that it stays.
    scrolled = tag("div", made, class_="scroll", tabindex="0", role="region", aria_label=content.caption)
    note = tag("p", content.note, class_="note") if content.note else Html("")
    return join(tag("p", content.caption, class_="caption"), note, scrolled)


def picture(path: Path, *, alt: str, caption: str) -> Html:
    """A drawn figure inside the page: ``path``.svg, and its tall form on phones where there is one."""
    found = next((path.with_suffix(end) for end in (".svg", ".png") if path.with_suffix(end).exists()), None)
    if found is None:
        return Html("")
    narrow = path.with_name(f"{path.name}-narrow.svg")
    source = ""
    if narrow.exists():
        source = f'<source media="(max-width: 640px)" srcset="{_inlined(narrow)}">'
    image = f'<img src="{_inlined(found)}" alt="{html.escape(alt, quote=True)}">'
    return tag("figure", Html(f"<picture>{source}{image}</picture>"), tag("figcaption", caption))


def breakable(name: str) -> str:
    """Allow long names of features to break after _ and between words written together."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=_)", BREAK, name) if len(name) > 12 else name


def _group(group: Group, content: Table) -> Html:
    rows = [tag("tr", *(_cell(cell, place, content) for place, cell in enumerate(row))) for row in group.rows]
    if not group.title:
        return tag("tbody", *rows)
    head = tag("th", tag("span", group.title), colspan=str(len(content.columns)), scope="rowgroup")
    return tag("tbody", tag("tr", head, class_="group"), *rows)


def _cell(cell: Cell, place: int, content: Table) -> Html:
    classes = " ".join(name for name in (cell.kind, "words" if place in content.words else "") if name)
    children: list[Content] = [tag("code", cell.text) if cell.kind == "code" else cell.text]
    if cell.beside:
        children.append(tag("small", cell.beside))
    if place == 0:
        return tag("th", *children, scope="row", class_=classes)
    return tag("td", *children, class_=classes)


def _inlined(path: Path) -> str:
    kind = "image/png" if path.suffix == ".png" else "image/svg+xml"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
