"""Write the commands, their options and their help into the reference when the site is built."""

import re
from inspect import cleandoc
from typing import Any

MARKS = re.compile(r"\[/?(?:bold|green|dim|/)?\]")
PLACE = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the commands in their place; called by mkdocs for every page."""
    return markdown.replace(PLACE, commands_as_markdown()) if PLACE in markdown else markdown


def commands_as_markdown() -> str:
    """Return a section for each command: its help, how it is called, its arguments and options."""
    import click
    import typer

    from p2ce.apps.cli import app

    parts: list[str] = []

    def describe(command: click.Command, context: click.Context) -> None:
        if command.hidden:
            return
        inner = getattr(command, "commands", None)
        if inner is None:
            parts.append(_section(command, context))
        for name, one in (inner or {}).items():
            describe(one, typer.Context(one, info_name=name, parent=context))

    root = typer.main.get_command(app)
    describe(root, typer.Context(root, info_name="p2ce"))
    return "\n\n".join(parts)


def _section(command: Any, context: Any) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    rows = [row for one in command.params if (row := one.get_help_record(context)) is not None]
    lines = [f"## {context.command_path}", _paragraphs(command.help or ""), f"```text\n{usage}\n```"]
    if rows:
        table = "\n".join(f"| `{_cell(name)}` | {_cell(help_text)} |" for name, help_text in rows)
        lines.append(f"| Option | |\n|---|---|\n{table}")
    if command.epilog:
        lines.append(_words(command.epilog))
    return "\n\n".join(lines)


def _paragraphs(help_text: str) -> str:
    """Turn a help text into Markdown: what is green on a terminal is a command to be typed."""
    parts = []
    for line in cleandoc(help_text).replace("\b\n", "").splitlines():
        command = line.startswith("[green]")
        parts.append(f"\n```text\n{_words(line)}\n```\n" if command else _words(line))
    return "\n".join(parts)


def _words(text: str) -> str:
    """Leave out the marks for the terminal."""
    return MARKS.sub("", text)


def _cell(text: str) -> str:
    return " ".join(_words(text).split()).replace("|", "\\|").replace("<", "&lt;")
