"""Write the built-in objectives into the pages when the site is built: a table, and their reference."""

from typing import Any

TABLE, REFERENCE = "<!-- objectives: table -->", "<!-- objectives: reference -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the objectives in their places; called by mkdocs for every page."""
    for place, write in ((TABLE, objectives_as_table), (REFERENCE, objectives_as_reference)):
        markdown = markdown.replace(place, write()) if place in markdown else markdown
    return markdown


def objectives_as_table() -> str:
    """Return a row for each objective that has a name: the name, and the first line of its docstring."""
    from p2ce.objectives.objective_names import objectives_by_name

    lines = {name: (cls.__doc__ or "").splitlines()[0] for name, cls in objectives_by_name().items()}
    # A bar would end the cell.
    rows = [f"| `{name}` | {line.replace('|', '∣')} |" for name, line in lines.items()]
    return "\n".join(["| Name | What it measures |", "|---|---|", *rows])


def objectives_as_reference() -> str:
    """Return the lines that make mkdocstrings write about each class."""
    from p2ce.objectives.objective_names import built_in

    return "\n\n".join(
        f"::: p2ce.objectives.{cls.__name__}\n    options:\n      members: false" for cls in built_in()
    )
