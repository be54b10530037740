"""Print many explanations on one screen: a line per person, and how many have each status."""

from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import counted, printable, stdout_console

if TYPE_CHECKING:
    from p2ce.result import Explanation, Explanations

MOST_LINES = 40
IN_WORDS = {
    "OPTIMAL": "proven",
    "NO_RECOURSE": "proven to have none on their grid",
    "HEURISTIC": "without proof",
    "TIME_LIMIT": "out of time",
    "ALREADY_FAVOURABLE": "accepted as they are",
    "ERROR": "not readable",
}


def counts(explanations: "Explanations") -> str:
    """Say how many people there are and how they ended."""
    ended = explanations.statuses
    parts = [f"{ended[status]:,} {IN_WORDS[status.value]}" for status in sorted(ended)]
    options = sum(len(entry) for entry in explanations)
    people = counted(len(explanations), "person", "people")
    return f"{people}, {counted(options, 'option')} ({'; '.join(parts)})."


def print_summary(explanations: "Explanations", *, language: str = "en") -> None:
    """Print a table of the first people, and the counts of all."""
    from rich.table import Table
    from rich.text import Text

    console = stdout_console()
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("person")
    table.add_column("status", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("options", justify="right")
    table.add_column("the one with the fewest changes", overflow="fold")
    for label, entry in list(zip(explanations.labels, explanations, strict=True))[:MOST_LINES]:
        score = "" if entry.person_score is None else f"{entry.person_score:.3f}"
        cells: list[Any] = [
            Text(printable(label)),
            str(entry.status),
            score,
            f"{len(entry):,}",
            Text(printable(_brief(entry, language))),
        ]
        table.add_row(*cells)
    console.print(table)
    if len(explanations) > MOST_LINES:
        console.print(f"… and {len(explanations) - MOST_LINES:,} more. --out options.csv writes all of them.")
    console.print()
    console.print(Text(counts(explanations)))


def _brief(entry: "Explanation", language: str) -> str:
    from p2ce.present.write_text import what_to_do

    if entry.message is not None:
        return entry.message
    if not len(entry):
        return ""
    # By the objective, where it is one: what only moves along does not count there.
    fewest = min(entry, key=lambda option: option.costs.get("changes", len(option.changes)))
    return what_to_do(fewest, entry, language=language)
