"""Print ``--help``: whole paragraphs, readable examples, and the commands in groups."""

import re
from inspect import cleandoc
from typing import Any

from typer.core import TyperCommand, TyperGroup

START, EXPLAIN, POLICY, GOVERN, SETUP = "Start", "Explain", "Policy", "Govern", "Setup"
PANELS = (START, EXPLAIN, POLICY, GOVERN, SETUP)
# The end of a line within a paragraph. A line that begins with markup keeps its own line.
LINE_END = re.compile(r"(?<!\n)\n(?![\n\[])")


class _PlainHelp:
    """Print help that wraps at the width of the terminal."""

    help: str | None

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.help = None if self.help is None else as_paragraphs(self.help)

    def get_help_option(self, ctx: Any) -> Any:
        """Return ``--help`` as a flag, without a type."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = ""
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, the examples as bright as the first line."""
        from typer import rich_utils  # it imports rich, which other calls do not need

        rich_utils.STYLE_HELPTEXT = ""
        super().format_help(ctx, formatter)  # type: ignore[misc]


class PlainCommand(_PlainHelp, TyperCommand):
    """A command with plain help."""


class PlainGroup(_PlainHelp, TyperGroup):
    """A group of commands with plain help."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands group by group."""
        return sorted(super().list_commands(ctx), key=lambda name: _place(self.commands[name]))


def as_paragraphs(text: str) -> str:
    """Join the lines of each paragraph.

    >>> as_paragraphs("One,\\ntwo.\\n\\n[bold]Three:[/]\\n[green]four\\nfive[/]")
    'One, two.\\n\\n[bold]Three:[/]\\n[green]four five[/]'
    """
    return LINE_END.sub(" ", cleandoc(text))


def _place(command: Any) -> int:
    panel = getattr(command, "rich_help_panel", None)
    return PANELS.index(panel) if panel in PANELS else len(PANELS)
