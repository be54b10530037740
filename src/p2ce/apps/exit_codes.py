"""Run a command, and turn how it ends into an exit code: an error is one line, never a traceback."""

import os
import sys
from enum import IntEnum
from typing import Any

import typer

from p2ce.apps.messages import DEBUG, error_line, library_notices
from p2ce.base.visible import echoed, shortened
from p2ce.errors import P2CEError, what_happened

# What typer raises about wrong arguments; its module differs between versions of typer.
_UsageError = typer.BadParameter.__mro__[2]


class ExitCode(IntEnum):
    """The result of a command."""

    DONE = 0
    FAILED = 1  # a bug in p2ce, or errors that `policy check` found
    WRONG_USE = 2  # wrong arguments or input; nothing was written
    INCOMPLETE = 3  # written, but some rows or shards were not explained; or `replay` found a difference
    INTERRUPTED = 130  # by Ctrl-C; finished rows were written


HELP = (
    "Exit codes: 0 every row was explained · 1 a bug in p2ce, or errors found by policy check · 2 wrong "
    "arguments or input, nothing written · 3 written, but some rows or shards could not be explained, or "
    "replay found a difference · 130 interrupted, finished rows written"
)


def exit_code_of(app: typer.Typer, arguments: list[str]) -> int:
    """Run a command and return its exit code. An error is one line that says what to do."""
    command = typer.main.get_command(app)
    try:
        # Calling the command itself would let typer swallow Ctrl-C.
        with library_notices(), command.make_context("p2ce", list(arguments)) as context:
            command.invoke(context)
        return ExitCode.DONE
    except typer.Exit as end:
        return int(end.exit_code)
    except KeyboardInterrupt:
        error_line("Interrupted; nothing was written.")
        return ExitCode.INTERRUPTED
    except (Exception, SystemExit) as error:
        if os.environ.get(DEBUG):
            raise
        return _exit_code_after(error)


def _wrong_number(error: Any) -> str:
    """Return which option needs a number, in our own words; "" for any other mistake."""
    option, problems = getattr(error, "param", None), getattr(error.__cause__, "errors", None)
    if option is None or not callable(problems):
        return ""
    found = problems()[0]
    expected = {
        "int_parsing": "a whole number",
        "float_parsing": "a number",
        "greater_than_equal": f"at least {found.get('ctx', {}).get('ge')}",
        "less_than_equal": f"at most {found.get('ctx', {}).get('le')}",
    }.get(found["type"])
    return f"{option.opts[0]} must be {expected}, got {echoed(found['input'])}" if expected else ""


def _exit_code_after(error: BaseException) -> ExitCode:
    """Print in one line what went wrong, and return the exit code."""
    from p2ce.base.files import NO_ROOM, remedy_of  # here, so that --help stays quick

    if isinstance(error, P2CEError):
        error_line(error)
        return ExitCode.WRONG_USE
    if isinstance(error, _UsageError):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "p2ce"
        message = shortened(_wrong_number(error) or error.format_message(), 300)  # type: ignore[attr-defined]
        if not message:  # typer showed the help instead
            return ExitCode.WRONG_USE
        ended = message if message.endswith(("?", "!")) else f"{message.rstrip('.')}."
        error_line(f"{ended} See: {command} --help")
        return ExitCode.WRONG_USE
    if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):  # from rich
        # The reader closed the pipe. Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    if isinstance(error, OSError) and error.errno in NO_ROOM:  # of stdout; for files, a P2CEError says so
        error_line(f"The output cannot be written: {error.strerror}. {remedy_of(error)}.")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.WRONG_USE
    if isinstance(error, SystemExit):  # p2ce itself never raises it here
        error_line(f"The code of a model or a policy {what_happened(error)}. It must not end the program.")
        return ExitCode.WRONG_USE
    if isinstance(error, MemoryError):
        error_line(
            "Out of memory. Explain fewer people at once, use fewer candidate values, or lower --jobs."
        )
        return ExitCode.WRONG_USE
    shown = f"{type(error).__name__}: {shortened(error, 200)}" if str(error) else type(error).__name__
    error_line(f"{shown} This is a bug in p2ce. Run again with {DEBUG}=1 for the traceback, and report it.")
    return ExitCode.FAILED
