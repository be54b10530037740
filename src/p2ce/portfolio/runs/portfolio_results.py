"""Open the folder that a portfolio run wrote: the tables of people and options, and single explanations."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.base.files import open_file
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed, listed, shortened
from p2ce.errors import DamagedData, InvalidArgument, UnfinishedRun, nearest
from p2ce.portfolio.runs.journal import damaged_parts, read_manifest
from p2ce.portfolio.runs.manifest import (
    JOURNAL,
    MANIFEST,
    OPTIONS,
    PEOPLE,
    Manifest,
    ShardEntry,
    part_name,
)
from p2ce.portfolio.runs.result_tables import ResultNames, names_of, require_arrow
from p2ce.result.explanation import Explanation
from p2ce.tables.pandas_columns import text_dtype

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

RESULTS = "Use the folder that 'p2ce portfolio run' wrote (--out)."
# The pandas types for Arrow types with missing values.
WITH_GAPS = {
    "bool": "boolean",
    **{f"int{bits}": f"Int{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"UInt{bits}" for bits in (8, 16, 32, 64)},
}
RESTORE = "Copy the folder again, or repeat the command that wrote it, which repairs damaged parts."


class PortfolioResults:
    """The results of a portfolio run, as `p2ce portfolio run --out results/` wrote them.

    ``people()`` has a row per person and ``options()`` a row per option, in the order of the source. Both are
    ordinary Parquet files, so pandas, polars, DuckDB and Spark can also open ``results/people`` and
    ``results/options``. A column of the model keeps its name. If one of ours has the same name, ours gets a
    trailing underscore; see ``names``. The ids are those of the run's id column, or the positions of the rows
    from 0. ``manifest`` is the content of manifest.json. ``problem`` is the problem of all explanations.

    All data are compared with the manifest. A file with other rows or ids raises `DamagedData`.

    Args:
        path: the folder.
        limits: the largest manifest.
    """

    def __init__(self, path: "str | os.PathLike[str]", *, limits: Limits = DEFAULT) -> None:
        self.path = Path(path)
        self.manifest: Manifest = _manifest(self.path, limits)
        self.problem = self.manifest.problem
        self.names: ResultNames = names_of(self.problem, self.manifest.objectives, self.manifest.keep)

    def __len__(self) -> int:
        return self.manifest.people

    def __repr__(self) -> str:
        people = "1 person" if len(self) == 1 else f"{len(self):,} people"
        return (
            f"<PortfolioResults for {people}, {self.manifest.options:,} options in {echoed(str(self.path))}>"
        )

    def people(self, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return a row per person: id, model columns, kept columns, status, options, best costs, explanation.

        ``columns`` selects some columns. A label of a category is text, a number or a bool.
        """
        return self._frame(PEOPLE, columns)

    def options(self, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return a row per option: id, number, values before and after, costs, score, plausibility."""
        return self._frame(OPTIONS, columns)

    def explanation(self, id: Any) -> Explanation:  # noqa: A002 - what users call it
        """Return the explanation of a person, equal to that of `Explainer.explain_many`.

        ``id`` may be text even if the ids are numbers, as on a command line.
        """
        import pyarrow.compute as pc

        wanted = self._typed_id(id)
        rows = [] if wanted is None else pc.indices_nonzero(pc.equal(self._ids, wanted)).to_pylist()
        if not rows:
            such = listed(self._ids.slice(0, 3).to_pylist())
            raise InvalidArgument(
                f"{echoed(str(self.path))} has no id {echoed(id)}. Its ids are {self._ids.type}, such as "
                f"{such or 'none'}. Use an id of the column {echoed(self.names['id'])}."
            )
        if len(rows) > 1:
            raise InvalidArgument(
                f"{len(rows)} people in {echoed(str(self.path))} have the id {echoed(id)}, in rows "
                f"{listed(rows)}. Run the portfolio with an id column in which each id occurs once."
            )
        return self._explanation(*self._shard_of(rows[0]), wanted)

    def verify_checksums(self) -> None:
        """Compare every file with the manifest, and raise `DamagedData` if one has changed.

        This compares the checksum, the number of rows, and the number of people with each status. It also
        rejects additional parts.
        """
        self._require_whole(self.manifest.shards)
        parts = {part_name(shard.number) for shard in self.manifest.shards}
        for folder in (PEOPLE, OPTIONS):
            found = {path.name for path in (self.path / folder).glob("*.parquet")}
            if others := sorted(found - parts):
                raise DamagedData(
                    f"{echoed(str(self.path / folder))} contains {listed(others, most=3)}, which the "
                    "manifest does not list. Remove what this run did not write."
                )

    def _require_whole(self, shards: Sequence[ShardEntry]) -> None:
        status = self.names["status"]
        damaged = [part for shard in shards for part in damaged_parts(self.path, shard, status)]
        if damaged:
            raise DamagedData(
                f"{len(damaged)} of {2 * len(shards)} files in {echoed(str(self.path))} are missing or "
                f"damaged, by the checksums and counts of the manifest: {listed(damaged, most=3)}. {RESTORE}"
            )

    @cached_property
    def _ids(self) -> "pa.ChunkedArray":
        return self.table(PEOPLE, [self.names["id"]]).column(0)

    def _typed_id(self, given: Any) -> "pa.Scalar | None":
        """Return an id in the type of the ids, if need be parsed from text; None if that is impossible."""
        pa = require_arrow()
        try:
            typed = pa.scalar(given, type=self._ids.type)
            return typed if typed.as_py() == given else None  # Arrow truncates 8.5 to the whole number 8
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            pass
        try:
            return pa.scalar(given).cast(self._ids.type) if isinstance(given, str) else None
        except (pa.ArrowException, ValueError):
            return None

    def _shard_of(self, row: int) -> tuple[ShardEntry, int]:
        """Return the shard that contains a row, and the position in it."""
        for shard in self.manifest.shards:
            if row < shard.rows:
                return shard, row
            row -= shard.rows
        raise DamagedData(f"{echoed(str(self.path))} has more people than its manifest states. {RESTORE}")

    def _explanation(self, shard: ShardEntry, at: int, wanted: "pa.Scalar") -> Explanation:
        self._require_whole([shard])
        columns = [self.names[name] for name in ("id", "status", "options", "explanation")]
        part = self._part(PEOPLE, shard.number)
        try:
            (row,) = self._read([part], columns).slice(at, 1).to_pylist()
            found_id, status, options, text = (row[column] for column in columns)
            if found_id != wanted.as_py():
                raise ValueError(f"its id is {echoed(found_id)} instead of {echoed(wanted.as_py())}")
            explanation = Explanation.from_json(text)
            if (explanation.status.value, len(explanation)) != (status, options):
                raise ValueError("its explanation belongs to another row")
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise DamagedData(
                f"Row {at} of {echoed(str(part))} has changed: {_said(error)} {RESTORE}"
            ) from None
        return replace(explanation, problem=self.problem)

    def _frame(self, folder: str, columns: Sequence[str] | None) -> "pd.DataFrame":
        import pandas as pd

        table = self.table(folder, columns)
        held = zip(table.column_names, table.columns, strict=True)
        return pd.DataFrame({name: _to_pandas(column) for name, column in held})

    def table(self, folder: str, columns: Sequence[str] | None = None) -> "pa.Table":
        """Return "people" or "options" as an Arrow table, which needs less memory than a frame."""
        if isinstance(columns, str):
            raise InvalidArgument(
                f"columns must be a list of names; got {echoed(columns)}. Put it into a list."
            )
        found = self._read([self._part(folder, shard.number) for shard in self.manifest.shards], columns)
        expected = self.manifest.people if folder == PEOPLE else self.manifest.options
        if found.num_rows != expected:
            raise DamagedData(
                f"{echoed(str(self.path / folder))} has {found.num_rows:,} rows, but the manifest states "
                f"{expected:,}. {RESTORE}"
            )
        return found

    def _read(self, paths: Sequence[Path], columns: Sequence[str] | None = None) -> "pa.Table":
        pa = require_arrow()
        from pyarrow import dataset

        try:
            for path in paths:
                open_file(path).close()  # rejects pipes and devices, which could block forever
            parts = dataset.dataset([str(path) for path in paths], format="parquet")
            for name in columns or ():
                if name not in parts.schema.names:
                    raise InvalidArgument(
                        f"{echoed(str(paths[0].parent))} has no column {echoed(name)}. "
                        f"{nearest(name, parts.schema.names)}"
                    )
            return parts.to_table(columns=None if columns is None else list(columns))
        except (OSError, pa.ArrowException) as error:
            raise DamagedData(
                f"A file in {echoed(str(paths[0].parent))} cannot be read: {_said(error)} {RESTORE}"
            ) from None

    def _part(self, folder: str, number: int) -> Path:
        return self.path / folder / part_name(number)


def _said(error: Exception) -> str:
    """Write what is wrong with the data as a sentence."""
    text = f"it lacks {error}" if isinstance(error, KeyError) else shortened(error, 200)
    return text if text.endswith(".") else f"{text}."


def _to_pandas(column: "pa.ChunkedArray") -> "pd.Series[Any]":
    """Return a column in the matching pandas type. Whole numbers with gaps stay whole."""
    import pandas as pd

    def typed(kind: "pa.DataType") -> Any:
        if str(kind) == "string":  # even if all of it is missing
            return text_dtype() if isinstance(text_dtype(), pd.StringDtype) else None
        has_gaps = column.null_count and str(kind) in WITH_GAPS
        return pd.api.types.pandas_dtype(WITH_GAPS[str(kind)]) if has_gaps else None

    found: pd.Series[Any] = column.to_pandas(types_mapper=typed)
    return found


def _manifest(path: Path, limits: Limits) -> Manifest:
    """Read the manifest of a finished run; raise if there is none."""
    shown = echoed(str(path))
    if not os.path.isdir(path):
        what = "is a file" if os.path.exists(path) else "does not exist"
        raise InvalidArgument(f"The folder {shown} {what}. {RESULTS}")
    if not (path / MANIFEST).exists():
        if (path / JOURNAL).exists():
            raise UnfinishedRun(
                f"The run in {shown} is not finished. Run the same command again to resume it."
            )
        raise InvalidArgument(f"{shown} has no results of p2ce: it lacks {echoed(MANIFEST)}. {RESULTS}")
    return read_manifest(path, limits)
