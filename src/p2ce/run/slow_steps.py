"""Warn if a step takes long, so no pause is silent."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

log = logging.getLogger("p2ce")
PATIENCE = 1.5  # seconds


@contextmanager
def warn_if_slow(message: str | Callable[[], str]) -> Iterator[None]:
    """Log the message if the step is not finished soon. A function writes the message when it is needed."""
    notice = threading.Timer(
        PATIENCE, lambda: log.warning(message if isinstance(message, str) else message())
    )
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
