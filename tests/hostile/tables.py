"""Mutate a table of people: cells, names, separators, and the packing."""

import csv
import gzip
import io
from random import Random

from tests.hostile.mutation import EDGES, WORDS, damaged, edits

CELLS = (
    *map(str, EDGES),
    *WORDS,
    *(
        '"',
        "'",
        ",",
        ";",
        "\n",
        "\r",
        "\t",
        "1,5",
        "1 000",
        "True",
        "NA",
        "NULL",
        "#REF!",
        "=1+1",
        "2020-01-01",
    ),
    *("x" * 100_000, "9" * 5000, "\ufeff", "\u202e", "１", "1_0", "1e400", "0.1.2", "١", "\ud7ff"),
)


def mutate_table(content: bytes, rng: Random) -> bytes:
    """Change a few cells or lines, rarely the bytes; a packed table is packed again."""
    if content.startswith(b"\x1f\x8b"):
        if rng.random() < 0.3:
            return damaged(content, rng)
        return gzip.compress(mutate_table(gzip.decompress(content), rng), mtime=0)
    if rng.random() < 0.1:
        return damaged(content, rng)
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    for _ in range(edits(rng)):
        if rows:
            _edit(rows, rng)
    return _written(rows, rng)


def _edit(rows: list[list[str]], rng: Random) -> None:
    # The header is as likely as all the rest.
    row = rows[0] if rng.random() < 0.5 else rng.choice(rows)
    place = rng.randrange(len(row)) if row else 0
    match rng.randrange(10):
        case 0:
            del row[place : place + 1]
        case 1:
            row.insert(place, rng.choice(CELLS))
        case 2:
            rows.remove(row)
        case 3:
            rows.insert(rng.randrange(len(rows) + 1), list(row))
        case 4:  # a whole column
            cell = rng.choice(CELLS)
            for one in rows[1:]:
                one[place : place + 1] = [cell]
        case 5 if row:
            row[place] = rng.choice(row)
        case 6:
            row *= rng.choice((0, 2, 500))
        case _:
            row[place : place + 1] = [rng.choice(CELLS)]


def _written(rows: list[list[str]], rng: Random) -> bytes:
    separator = rng.choices((",", ";", "\t", "|", "\x00"), (16, 1, 1, 1, 1))[0]
    if rng.random() < 0.1:  # without the quotes that would be needed
        text = "\n".join(separator.join(row) for row in rows)
    else:
        stream = io.StringIO()
        csv.writer(stream, delimiter="," if separator == "\x00" else separator).writerows(rows)
        text = stream.getvalue()
    coding = rng.choices(("utf-8", "utf-8-sig", "utf-16", "latin-1"), (16, 1, 1, 1))[0]
    return text.encode(coding, "replace")
