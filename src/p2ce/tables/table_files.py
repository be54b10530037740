"""Read a table from a CSV, TSV or Parquet file, with its cells unchanged, at once or in blocks."""

import csv
import gzip
import io
import logging
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from p2ce.base.files import named, require_file
from p2ce.base.limits import DEFAULT, Limits, require_within
from p2ce.base.visible import echoed, one_line
from p2ce.errors import InvalidArgument, LimitExceeded, P2CEError, not_installed

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("p2ce")

FileKind: TypeAlias = Literal["parquet", "text"]
PARQUET, ZIP, GZIP = b"PAR1", b"PK\x03\x04", b"\x1f\x8b"
NO_TABLES = {".parquet": "a Parquet file", ".yaml": "a policy", ".yml": "a policy"}
SEPARATORS = (",", ";", "\t", "|")
BLOCK = 1 << 20  # bytes to read at a time
LONGEST_HEADER = 16 << 20  # bytes of the line with the column names


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The cells of a file: as text for a text file, else with the file's own types."""

    path: Path
    frame: "pd.DataFrame"
    is_text: bool
    decimal_comma: bool = False  # a file with semicolons may write 1,5

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return [str(name) for name in self.frame.columns]


def read_table(path: Path, option: str, *, may_be_empty: bool = False, limits: Limits = DEFAULT) -> Table:
    """Read a table. Any error is one line."""
    require_file(path, option)
    what = named(option, path)
    table = (_read_parquet if kind_of_file(path, what) == "parquet" else _read_text)(path, what, limits)
    if not len(table.frame) and not may_be_empty:
        raise InvalidArgument(f"{what} has columns but no rows. Add at least one person.")
    require_own_names(table.columns, what)
    return table


def kind_of_file(path: Path, what: str) -> FileKind:
    """Distinguish Parquet from text by the first bytes, and reject files that are certainly not tables."""
    with path.open("rb") as file:
        begins = file.read(4)
    if begins == PARQUET:
        return "parquet"
    if begins == ZIP:
        raise InvalidArgument(
            f"{what} is a zip or Excel file, not a table. Save it as CSV (UTF-8) or Parquet."
        )
    if path.suffix.lower() in NO_TABLES:
        kind = NO_TABLES[path.suffix.lower()]
        raise InvalidArgument(f"{what} has the name of {kind}, but not its content. Name a table.")
    return "text"


def require_own_names(columns: list[str], what: str) -> None:
    """Raise if two columns have the same name."""
    if twice := sorted(name for name, times in Counter(columns).items() if times > 1):
        raise InvalidArgument(f"{what} has more than one column called {echoed(twice[0])}. Rename one.")


def _read_parquet(path: Path, what: str, limits: Limits) -> Table:
    try:
        frame = _unpacked_parquet(path, what, limits)
    except LimitExceeded:
        raise
    except ImportError as error:
        raise not_installed("Reading Parquet files", "parquet") from error
    except Exception as error:  # pyarrow's own kinds
        raise InvalidArgument(f"{what} is damaged: {one_line(error)[:200]}") from error
    frame = frame.reset_index(drop=frame.index.name is None)
    return Table(path, frame.rename(columns=str), is_text=False)


def _unpacked_parquet(path: Path, what: str, limits: Limits) -> "pd.DataFrame":
    """Read a Parquet file, after checking the sizes in its footer and then of its texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        footer, schema = file.metadata, file.schema_arrow
        groups = [footer.row_group(place) for place in range(footer.num_row_groups)]
        parts = [group.column(place) for group in groups for place in range(group.num_columns)]
        _require_size(limits, what, footer.num_rows, footer.num_columns, sum(one.num_values for one in parts))
        _require_bytes(limits, what, sum(one.total_uncompressed_size for one in parts))
        texts = [
            one.name for one in schema if pa.types.is_string(one.type) or pa.types.is_large_string(one.type)
        ]
    # Texts are read as indices into a dictionary, as they are stored: a few bytes may unpack to gigabytes.
    held = pq.read_table(path, read_dictionary=texts)
    for name in texts:
        require_text_bytes(held.column(name), what, limits)
    frame: pd.DataFrame = held.cast(schema).to_pandas()
    return frame


def require_text_bytes(column: Any, what: str, limits: Limits) -> None:
    """Raise if a column of dictionary-encoded texts would be too large when decoded."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            lengths = pc.binary_length(chunk.dictionary).cast(pa.int64())
            _require_bytes(limits, what, pc.sum(lengths.take(chunk.indices)).as_py() or 0)


def _require_size(limits: Limits, what: str, rows: int, columns: int, cells: int) -> None:
    require_within(limits, "table_rows", rows, f"{what} has {rows:,} rows")
    require_within(limits, "table_columns", columns, f"{what} has {columns:,} columns")
    require_within(limits, "table_cells", cells, f"{what} has {cells:,} cells")


def _require_bytes(limits: Limits, what: str, count: int) -> None:
    require_within(limits, "table_bytes", count, f"{what} is too large, {count:,} bytes or more")


def _read_text(path: Path, what: str, limits: Limits) -> Table:
    with _errors_in_one_line(path, what):
        lines = _measure(path, what, limits)
        form = _text_format(path, what)
    _require_size(limits, what, max(0, lines - 1), len(form.names), lines * len(form.names))
    if form.separator != _usual_separator(path):
        shown = {"\t": "tabs"}.get(form.separator, echoed(form.separator))
        text = f"{path.name} is separated by {shown}."
        log.info("%s", text, extra={"on_command_line": text})
    # More rows than any mixture of line ends can give.
    (table,) = text_blocks(path, what, rows=2 * lines + 1, limits=limits)
    return table


def _measure(path: Path, what: str, limits: Limits) -> int:
    """Count the lines of a file, and raise as soon as a limit is exceeded: it may unpack to terabytes."""
    size = returns = lines = 0
    with _unpacked(path) as file:
        while block := file.read(BLOCK):
            size += len(block)
            lines += block.count(b"\n")
            returns += block.count(b"\r")
            _require_bytes(limits, what, size)
            require_within(
                limits, "table_rows", max(lines, returns) - 1, f"{what} has {max(lines, returns):,} lines"
            )
    return max(lines, returns)


def text_blocks(path: Path, what: str, *, rows: int, limits: Limits = DEFAULT) -> Iterator[Table]:
    """Read a text file in blocks of rows, with the memory of one block. Any error is one line.

    A file without rows gives one block without rows. The limits apply to each block.
    """
    import pandas as pd

    with _errors_in_one_line(path, what), _unpacked(path) as file:
        form = _text_format(path, what)
        require_within(limits, "table_columns", len(form.names), f"{what} has {len(form.names):,} columns")
        metered = _Metered(file, what, limits)
        with _without_longer_rows():
            reader = pd.read_csv(
                io.BufferedReader(metered),
                sep=form.separator,
                dtype=object,
                index_col=False,
                encoding="utf-8-sig",
                # Only an empty cell is certainly missing: NA may be Namibia, and None a kind of guarantor.
                keep_default_na=False,
                na_values=[""],
                chunksize=rows,
            )
        with reader:
            while True:
                with _without_longer_rows():
                    frame = next(reader, None)
                if frame is None:
                    return
                metered.size = 0
                yield _as_table(frame, path, what, form)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TextFormat:
    """How a text file writes its table."""

    names: list[str]
    separator: str
    decimal_comma: bool


def _as_table(frame: "pd.DataFrame", path: Path, what: str, form: _TextFormat) -> Table:
    import pandas as pd

    if len(form.names) != frame.shape[1]:
        raise InvalidArgument(
            f"{what} is not a table: its first line names {len(form.names):,} columns, but it has "
            f"{frame.shape[1]:,}. Write the names on one line."
        )
    frame.columns = pd.Index(form.names)
    blank = [name for name in form.names if not name]
    if blank:  # the row numbers that pandas writes
        frame = frame.drop(columns=blank)
    return Table(path, frame, is_text=True, decimal_comma=form.decimal_comma)


class _Metered(io.RawIOBase):
    """A file that raises if a block exceeds the limit."""

    def __init__(self, file: gzip.GzipFile | io.BufferedReader, what: str, limits: Limits) -> None:
        self.file, self.what, self.limits = file, what, limits
        self.size = 0  # of the current block

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self.file.read(len(buffer))
        self.size += len(read)
        _require_bytes(self.limits, self.what, self.size)
        buffer[: len(read)] = read
        return len(read)


@contextmanager
def _without_longer_rows() -> Iterator[None]:
    """Make rows that are longer than the header an error. pandas only warns about some of them."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        yield


@contextmanager
def _errors_in_one_line(path: Path, what: str) -> Iterator[None]:
    """State in one line why a text file cannot be read."""
    import pandas as pd

    try:
        yield
    except P2CEError:
        raise
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"{what} is not text in UTF-8 (byte 0x{error.object[error.start]:02x}). "
            f"Save it as UTF-8: iconv -f latin1 -t utf-8 {path.name} > new.csv"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidArgument(f"{what} is damaged: {one_line(error)}.") from error
    except (ValueError, pd.errors.ParserWarning, csv.Error) as error:
        why = one_line(error).rpartition("C error: ")[2]
        raise InvalidArgument(
            f"{what} is not a table: {why.rstrip('.')}. Each row needs as many cells as the first line."
        ) from error


@contextmanager
def _unpacked(path: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    """Open a text file, compressed or not."""
    with path.open("rb") as start:
        packed = start.read(len(GZIP)) == GZIP
    with gzip.open(path, "rb") if packed else path.open("rb") as file:
        yield file


def _usual_separator(path: Path) -> str:
    suffixes = {suffix.lower() for suffix in path.suffixes}
    return "\t" if suffixes & {".tsv", ".tab"} else ","


def _text_format(path: Path, what: str) -> _TextFormat:
    """Determine the names of the columns and the separator from the first line."""
    with _unpacked(path) as file:
        start = file.read(BLOCK)
        if b"\n" not in start.lstrip() and b"\r" not in start.lstrip():
            start += file.read(LONGEST_HEADER)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidArgument(
            f"{what} is text in UTF-16. Save it as UTF-8: iconv -f utf-16 -t utf-8 {path.name} > new.csv"
        )
    if b"\x00" in start:
        raise InvalidArgument(f"{what} is a binary file, not a table. Pass a CSV, TSV or Parquet file.")
    if not start.strip():
        raise InvalidArgument(f"{what} is empty. Was it written completely?")
    lines = start.decode("utf-8-sig", errors="strict" if len(start) < BLOCK else "replace").splitlines()
    head = next(line for line in lines if line.strip())
    usual = _usual_separator(path)
    separator = usual if usual in head else max(SEPARATORS, key=head.count)
    separator = separator if separator in head else usual
    names = [name.strip() for name in next(csv.reader([head], delimiter=separator))]
    decimal_comma = separator == ";" and "," not in head
    return _TextFormat(names=names, separator=separator, decimal_comma=decimal_comma)
