"""What is a table before it is HTML or Markdown? Titles, groups of rows, and cells with the paper's value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A measured value, and what stands beside it in small grey: the paper's value, or a remark."""

    text: str
    beside: str = ""
    kind: str = ""  # "strong", "code", "good" or "bad"; no reader needs the colour to understand the text


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows under one heading; the first cell of a row is its name."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table for readers; ``words`` are the places of columns that hold sentences, not figures."""

    caption: str
    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    words: frozenset[int] = frozenset()
    titles: str = "Study"  # what the titles of groups name
    note: str = ""  # what has to be known to read it

    def __post_init__(self) -> None:
        wrong = [row for group in self.groups for row in group.rows if len(row) != len(self.columns)]
        assert not wrong, f"{self.caption}: a row needs {len(self.columns)} cells, got {wrong[0]}"


def plain(caption: str, columns: tuple[str, ...], rows: list[tuple[str, ...]], *words: int) -> Table:
    """A table of one group without the paper's values."""
    cells = tuple(tuple(Cell(text=text) for text in row) for row in rows)
    return Table(
        caption=caption, columns=columns, groups=(Group(title="", rows=cells),), words=frozenset(words)
    )
