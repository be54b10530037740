"""Build HTML by small functions; all text is escaped here and nowhere else."""

import html
from dataclasses import dataclass
from typing import TypeAlias

from p2ce.visible import visible, visible_code

EMPTY_TAGS = ("meta", "br", "line", "rect", "circle", "path")  # these have no end


@dataclass(frozen=True, slots=True)
class Html:
    """Markup that was made here; only this is passed on unescaped."""

    markup: str


Content: TypeAlias = str | Html
NOTHING = Html("")


def escaped(text: object) -> str:
    """Write text so that neither an element nor an attribute can end in it."""
    return html.escape(visible(text), quote=True)


def tag(name: str, /, *children: Content, **attributes: object) -> Html:
    """Make an element; ``class_`` is written class, and an attribute without a value is left out.

    >>> tag("p", "a < b", class_="note").markup
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value not in ("", None)
    )
    if name in EMPTY_TAGS:
        return Html(f"<{name}{written}>" if name in ("meta", "br") else f"<{name}{written}/>")
    inside = "".join(child.markup if isinstance(child, Html) else escaped(child) for child in children)
    return Html(f"<{name}{written}>{inside}</{name}>")


def preformatted(text: str) -> Html:
    """Make an element whose text keeps its lines."""
    return Html(f'<pre tabindex="0"><code>{html.escape(visible_code(text))}</code></pre>')


def joined(*parts: Content) -> Html:
    """Put parts one after the other, each on its line."""
    return Html("\n".join(part.markup if isinstance(part, Html) else escaped(part) for part in parts))
