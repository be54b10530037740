"""Compare the files of a shard with its entry: checksums, rows, and people with each status."""

import hashlib
import io
from collections import Counter
from pathlib import Path

from p2ce.base.files import open_file
from p2ce.portfolio.runs.manifest import OPTIONS, PEOPLE, ShardEntry, part_name
from p2ce.portfolio.runs.result_tables import arrow


def damaged_parts(folder: Path, entry: ShardEntry, status: str | None = None) -> list[str]:
    """List the files of a shard that are missing or do not match the entry.

    ``status`` is the name of the status column, if it is known.
    """
    parts = (
        (PEOPLE, entry.people_sha256, entry.rows, status),
        (OPTIONS, entry.options_sha256, entry.options, None),
    )
    damaged = []
    for name, checksum, rows, column in parts:
        part = f"{name}/{part_name(entry.number)}"
        try:
            with open_file(folder / part) as file:
                holds = hashlib.file_digest(file, "sha256").hexdigest() == checksum
                holds = holds and _holds(file, rows, column, entry)
        except OSError:
            holds = False
        if not holds:
            damaged.append(part)
    return damaged


def _holds(file: io.BufferedReader, rows: int, status: str | None, entry: ShardEntry) -> bool:
    """Return whether a Parquet file has these rows, and the entry's number of people with each status."""
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file) as opened:
            if opened.metadata.num_rows != rows:
                return False
            if status is None:
                return True
            found = opened.read([status])
            return found.num_columns == 1 and Counter(found.column(0).to_pylist()) == entry.statuses
    except arrow().ArrowException:
        return False
