"""Print many explanations on one screen: a line per person, and the number of people with each status."""

from typing import TYPE_CHECKING

from p2ce.apps.messages import counted, notice, printable, stdout_console

if TYPE_CHECKING:
    from p2ce.result import Explanations

MOST_LINES = 40


def print_summary(explanations: "Explanations", *, language: str = "en") -> None:
    """Print a table of the first people, as in the report, and the counts of all people."""
    from rich.table import Table
    from rich.text import Text

    from p2ce.present.many import view_of_many

    seen = view_of_many(explanations, audience="officer", language=language, rows=MOST_LINES, sections=0)
    say, console = seen.wording.say, stdout_console()
    table = Table(show_edge=False, pad_edge=False)
    for name in (
        *(say(f"col_{key}") for key in ("person", "status", "today", "options")),
        seen.cheapest_title,
    ):
        table.add_column(name, overflow="fold")
    for row in seen.rows:
        cells = (row.id, row.status, row.today, row.options, row.cheapest)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    console.print(table)
    console.print()
    if any(entry.as_of for entry in explanations):
        console.print(Text(seen.date))
    for status in seen.statuses:
        console.print(Text(f"{status.people} × {status.text}"))
    if (more := len(explanations) - MOST_LINES) > 0:
        notice(f"{counted(more, 'more person', 'more people')}. Use --out options.csv to write all of them.")
