"""Name the exit codes of all commands."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    FAILED = 1  # a bug of p2ce, or errors that `policy check` found
    WRONG_USE = 2  # wrong arguments or input; nothing was written
    INCOMPLETE = 3  # written, but some rows or shards were not explained; or `replay` found a difference
    INTERRUPTED = 130  # by Ctrl-C; what is done is written


HELP = (
    "Exit codes: 0 every row was explained · 2 wrong use or input, nothing written · 3 written, but some "
    "rows or shards could not be explained, or replay found a difference · 130 interrupted, what is done is "
    "written · 1 a bug, or errors that policy check found"
)
