"""Warn when a step takes a while: no silent pause."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger("p2ce")
PATIENCE = 1.5  # seconds


@contextmanager
def warn_if_slow(message: str) -> Iterator[None]:
    """Log the message if the step is not done soon."""
    notice = threading.Timer(PATIENCE, log.warning, (message,))
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
