"""Write the parts of a report as HTML."""

import re

from p2ce.present.report.escaped_html import Content, Html, joined, preformatted, tag
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

LOWEST_HEADING = 6
PERCENT = re.compile(r"(?<=\d) %")


def part_html(part: Part, level: int) -> Html:
    """Write one part; `level` is that of the headings in it."""
    match part:
        case Text():
            # A percent sign never begins a line.
            return tag("p", PERCENT.sub("\u00a0%", part.text), class_=part.kind)
        case Bullets():
            return tag("ul", *(tag("li", item) for item in part.items))
        case Facts():
            return _facts(part)
        case Code():
            return preformatted(part.text)
        case Figure():
            return _figure(part)
        case Cards():
            return tag("div", *(_card(card, level) for card in part.cards), class_="cards")
        case Fold():
            return _fold(part, level)
        case Section():
            return _section(part, level)
        case Table():
            return _table(part)


def parts_html(parts: tuple[Part, ...], level: int) -> Html:
    """Write parts one after the other."""
    return joined(*(part_html(part, level) for part in parts))


def _facts(part: Facts) -> Html:
    rows: list[Content] = []
    for place, (name, value) in enumerate(part.pairs):
        rows += [tag("dt", name), tag("dd", tag("code", value) if place in part.code else value)]
    return tag("dl", *rows, class_="facts")


def _figure(part: Figure) -> Html:
    legend = tag(
        "ul",
        *(
            tag(
                "li",
                tag("span", number, class_="number other" if place is None else f"number option-{place}"),
                words,
            )
            for place, number, words in part.legend
        ),
        class_="legend",
    )
    drawings = tag(
        "div",
        *part.drawings,
        *([legend] if part.legend else []),
        class_="drawings wide" if part.wide else "drawings",
    )
    return tag("figure", tag("figcaption", part.caption), drawings)


def _card(card: Card, level: int) -> Html:
    number = tag("span", card.number, class_=f"number option-{card.place}", aria_hidden="true")
    return tag(
        "article",
        heading(level, number, tag("span", card.heading)),
        tag("p", card.badge, class_="badge"),
        parts_html(card.parts, level + 1),
        class_="card",
    )


def _fold(part: Fold, level: int) -> Html:
    inside = joined(tag("summary", part.title), parts_html(part.parts, level))
    opened = " open" if part.opened else ""
    kind = "" if part.on_paper else ' class="screen"'
    return Html(f"<details{kind}{opened}>{inside.markup}</details>")


def _section(part: Section, level: int) -> Html:
    status = [tag("span", part.status, class_=f"chip {part.status_kind}")] if part.status else []
    title = heading(level, part.title, *status)
    return tag("section", title, parts_html(part.parts, level + 1), id=part.anchor, class_=part.kind)


def _table(part: Table) -> Html:
    head = tag(
        "tr",
        *(
            tag("th", name, scope="col", class_="words" if place in part.words else "")
            for place, name in enumerate(part.columns)
        ),
    )
    rows = (
        tag("tr", *(_cell(cell, place, part.words) for place, cell in enumerate(row))) for row in part.rows
    )
    caption = tag("caption", part.caption, class_="" if part.caption_shown else "unseen")
    # Not joined by lines: a table of ten thousand people is large enough without.
    made = tag("table", caption, tag("thead", head), tag("tbody", *rows), class_=part.kind)
    field, none = part.search or ("", "")
    # What scrolls sideways must be reachable with the keyboard.
    return tag(
        "div",
        made,
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=part.caption,
        data_search=field,
        data_none=none,
    )


def _cell(cell: Cell, place: int, words: frozenset[int]) -> Html:
    kind = " ".join(name for name in (cell.kind, "words" if place in words else "") if name)
    content: Content = tag("a", cell.text, href=f"#{cell.link}") if cell.link else cell.text
    if place == 0:
        return tag("th", content, scope="row", class_=kind)
    return tag("td", content, class_=kind)


def heading(level: int, *children: Content) -> Html:
    """Make a heading; there are no more than six levels."""
    return tag(f"h{min(level, LOWEST_HEADING)}", *children)
