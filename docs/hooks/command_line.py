"""Write the commands, their options and their help into the reference when the site is built."""

from typing import Any

PLACE = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the commands in their place; called by mkdocs for every page."""
    return markdown.replace(PLACE, commands_as_markdown()) if PLACE in markdown else markdown


def commands_as_markdown() -> str:
    """Give a section for each command: its help, how it is called, its arguments and options."""
    import click
    import typer

    from p2ce.apps.cli import app

    parts: list[str] = []

    def tell(command: click.Command, context: click.Context) -> None:
        if command.hidden:
            return
        inner = getattr(command, "commands", None)
        if inner is None:
            parts.append(_section(command, context))
        for name, one in (inner or {}).items():
            tell(one, typer.Context(one, info_name=name, parent=context))

    root = typer.main.get_command(app)
    tell(root, typer.Context(root, info_name="p2ce"))
    return "\n\n".join(parts)


def _section(command: Any, context: Any) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    rows = [row for one in command.params if (row := one.get_help_record(context)) is not None]
    lines = [f"## {context.command_path}", _plain(command.help or ""), f"```text\n{usage}\n```"]
    if rows:
        table = "\n".join(f"| `{_cell(name)}` | {_cell(told)} |" for name, told in rows)
        lines.append(f"| Option | |\n|---|---|\n{table}")
    return "\n\n".join(lines)


def _plain(told: str) -> str:
    """Keep the paragraphs of a help text, and its examples as they stand."""
    from inspect import cleandoc

    paragraphs = cleandoc(told).replace("\b\n", "").split("\n\n")
    return "\n\n".join(
        f"```text\n{part}\n```" if part.startswith(("  ", "p2ce ")) or "\n  " in part else part
        for part in paragraphs
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
