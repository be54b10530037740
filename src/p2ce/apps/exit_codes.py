"""Define the exit codes of all commands."""

from enum import IntEnum


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
