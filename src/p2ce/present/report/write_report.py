"""Write a report to a file."""

import os

from p2ce.errors import InvalidArgument
from p2ce.files import write_whole
from p2ce.visible import echoed


def write(text: str, path: str | os.PathLike[str]) -> None:
    """Write UTF-8 text to a file; what stood there before stays until the new text is complete."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidArgument(
            f"path must be where the report is to be written, got {echoed(path)}. Write path='report.html'."
        )
    write_whole(path, text.encode("utf-8"), what="The report")
