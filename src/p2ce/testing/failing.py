"""Fail a check with a message that says what was expected, what came instead, and what to do."""

from typing import NoReturn


def require(holds: object, message: str) -> None:
    """Raise an AssertionError unless ``holds`` is true, also under ``python -O``."""
    if not holds:
        fail(message)


def fail(message: str) -> NoReturn:
    """Raise an AssertionError."""
    raise AssertionError(message)
