"""Define the parts of a report, before they become HTML or Markdown; no part holds markup of user text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from p2ce.present.report.escaped_html import Html


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What stands in one place of a table; `link` is the anchor of another part of the report."""

    text: str
    link: str = ""
    kind: str = ""  # "strong", "from", "to" or "status"; no reader needs its looks to understand the text


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table for readers: the first cell of a row names it; `words` are the places that hold sentences."""

    caption: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    words: frozenset[int] = frozenset()
    caption_shown: bool = True  # where a heading says the same, only those who cannot see it hear it
    kind: str = ""  # "changes" and "people" have looks of their own
    search: tuple[str, str] | None = None  # the words of a field that filters rows, where scripts run


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A paragraph."""

    text: str
    kind: str = ""  # "lead", "note", "notice", "do"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Names and what they stand for."""

    pairs: tuple[tuple[str, str], ...]
    code: frozenset[int] = frozenset()  # places of values that are hashes or the like


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Text that keeps its lines."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Small drawings beside each other; `instead` says the same where nothing can be drawn."""

    caption: str
    drawings: tuple[Html, ...]
    wide: bool = False
    legend: tuple[tuple[int | None, str, str], ...] = ()  # place of an option's colour, its number, its words
    instead: Table | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One option: its place among the chosen gives the colour that it has in drawings as well."""

    place: int  # from 0
    number: str
    heading: str
    badge: str  # what it is best at
    parts: "tuple[Part, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """Cards beside each other, where there is room."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A part that is folded until the reader opens it."""

    title: str
    parts: "tuple[Part, ...]"
    opened: bool = False
    on_paper: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Parts under a heading; `anchor` is what links go to, and is made of letters and numbers of ours."""

    title: str
    parts: "tuple[Part, ...]"
    anchor: str = ""
    status: str = ""  # a word beside the heading
    status_kind: str = ""  # "good", "bad" or "open", for the looks of the status
    kind: str = ""


Part: TypeAlias = Text | Table | Bullets | Facts | Code | Figure | Cards | Fold | Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole report."""

    title: str
    language: str
    above: str  # what kind of page this is, in small letters above the title
    status: str = ""
    status_kind: str = ""  # "good", "bad" or "open", for the looks of the status
    parts: tuple[Part, ...]
    footer: tuple[Part, ...] = field(default=())
