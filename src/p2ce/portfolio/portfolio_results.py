"""Open the folder that a portfolio run wrote: people and options as tables, and any person's explanation."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.errors import DamagedData, InvalidArgument, UnfinishedRun, nearest
from p2ce.files import open_file
from p2ce.limits import DEFAULT, Limits
from p2ce.portfolio.check_parts import damaged_parts
from p2ce.portfolio.journal import read_manifest
from p2ce.portfolio.manifest import (
    ALWAYS_HASHED,
    JOURNAL,
    MANIFEST,
    OPTIONS,
    PEOPLE,
    Manifest,
    ShardEntry,
    part_name,
)
from p2ce.portfolio.result_tables import Names, arrow, names_of, to_explanation
from p2ce.result.explanation import Explanation
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables.pandas_columns import text_dtype
from p2ce.visible import echoed, listed, shortened

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

RESULTS = "Name the folder that 'p2ce portfolio run' wrote (--out)."
# What pandas calls types of Arrow where values are missing.
WITH_GAPS = {
    "bool": "boolean",
    **{f"int{bits}": f"Int{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"UInt{bits}" for bits in (8, 16, 32, 64)},
}
RESTORE = "Copy the folder again, or run the command that wrote it: it explains damaged parts again."


class PortfolioResults:
    """The results of a run over a portfolio, as `p2ce portfolio run --out results/` wrote them.

    ``people()`` has a row per person, ``options()`` a row per option, in the order of the source. Both are
    ordinary Parquet files: pandas, polars, DuckDB and Spark open ``results/people`` and ``results/options``
    as well. A column of the model keeps its name: where ours is called the same, ours gets a trailing
    underscore, and ``names`` tells it. People are known by their key: the index column of the run, or their
    place in the source, from 0. ``manifest`` is the content of manifest.json, ``problem`` the one that all
    explanations share.

    What is read is compared with the manifest: a file that has other rows, or other people, than the manifest
    says raises `DamagedData`.

    Args:
        path: the folder.
        limits: how large the manifest may be.
    """

    def __init__(self, path: "str | os.PathLike[str]", *, limits: Limits = DEFAULT) -> None:
        self.path = Path(path)
        manifest = _manifest(self.path, limits)
        self._shards = manifest.shards
        self.manifest: Mapping[str, Any] = asdict(manifest)
        common = self.manifest["common"]
        try:
            self.names: Names = names_of(common, self.manifest["keep"])
            self.problem = ProblemRecord.from_dict(common["problem"])._in_order(common["columns"])
            if any(self.problem.hashes[name] != manifest.hashes[name] for name in ALWAYS_HASHED):
                raise InvalidArgument("its problem is of another model, policy or reference.")
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedData(
                f"{echoed(str(self.path / MANIFEST))} is not as it was written: {_said(error)} {RESTORE}"
            ) from None

    def __len__(self) -> int:
        people: int = self.manifest["people"]
        return people

    def __repr__(self) -> str:
        people = "1 person" if len(self) == 1 else f"{len(self):,} people"
        return f"<PortfolioResults for {people}, {self.manifest['options']:,} options in {echoed(str(self.path))}>"

    def people(self, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return a row per person: key, model columns, kept columns, status, options, best costs, certificate.

        ``columns`` selects some of them. A label of a category is text, a number or a bool.
        """
        return self._frame(PEOPLE, columns)

    def options(self, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return a row per option: key, number, values before and after, costs, score, plausibility."""
        return self._frame(OPTIONS, columns)

    def explanation(self, person: Any) -> Explanation:
        """Build the explanation of a person again, equal to what `Explainer.explain_many` gave.

        ``person`` is the key; its text will do, as a command line has it.
        """
        import pyarrow.compute as pc

        key = self._key(person)
        rows = [] if key is None else pc.indices_nonzero(pc.equal(self._keys, key)).to_pylist()
        if not rows:
            such = listed(self._keys.slice(0, 3).to_pylist())
            raise InvalidArgument(
                f"{echoed(str(self.path))} has no person {echoed(person)}. Its people are known by "
                f"{self._keys.type}, such as {such or 'none'}. Give a key of the column "
                f"{echoed(self.names['person'])}."
            )
        if len(rows) > 1:
            raise InvalidArgument(
                f"{len(rows)} people in {echoed(str(self.path))} have the key {echoed(person)}, in rows "
                f"{listed(rows)}. Run the portfolio with an index column that names one person each."
            )
        return self._explanation(*self._shard_of(rows[0]), key)

    def check(self) -> None:
        """Compare every file with the manifest, and raise `DamagedData` if one is not as it was written.

        That is its checksum, its rows and its people by status. Nor may there be other parts.
        """
        self._require_whole(self._shards)
        parts = {part_name(shard.number) for shard in self._shards}
        for folder in (PEOPLE, OPTIONS):
            found = {path.name for path in (self.path / folder).glob("*.parquet")}
            if others := sorted(found - parts):
                raise DamagedData(
                    f"{echoed(str(self.path / folder))} holds {listed(others, most=3)}, which the manifest "
                    "does not list. Remove what is not of this run."
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
    def _keys(self) -> "pa.ChunkedArray":
        return self.table(PEOPLE, [self.names["person"]]).column(0)

    def _key(self, person: Any) -> "pa.Scalar | None":
        """Return a key in the type that keys have, or made of its text; None if it has no form there."""
        pa = arrow()
        try:
            key = pa.scalar(person, type=self._keys.type)
            return key if key.as_py() == person else None  # of 8.5, Arrow makes the whole number 8
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            pass
        try:
            return pa.scalar(person).cast(self._keys.type) if isinstance(person, str) else None
        except (pa.ArrowException, ValueError):
            return None

    def _shard_of(self, row: int) -> tuple[ShardEntry, int]:
        """Find the shard that a row lies in, and the place there."""
        for shard in self._shards:
            if row < shard.rows:
                return shard, row
            row -= shard.rows
        raise DamagedData(f"{echoed(str(self.path))} holds more people than its manifest says. {RESTORE}")

    def _explanation(self, shard: ShardEntry, at: int, key: "pa.Scalar") -> Explanation:
        self._require_whole([shard])
        people, options = (self._read([self._part(folder, shard.number)]) for folder in (PEOPLE, OPTIONS))
        person = self.names["person"]
        try:
            counts = people.column(self.names["options"]).slice(0, at + 1).to_pylist()
            found = options.slice(sum(counts[:at]), counts[at]).to_pylist()
            (row,) = people.slice(at, 1).to_pylist()
            if row[person] != key.as_py():
                raise ValueError(f"it is of {echoed(row[person])} and not of {echoed(key.as_py())}")
            if any(option[person] != row[person] for option in found):
                raise ValueError(f"options in {echoed(str(self._part(OPTIONS, shard.number)))} are of others")
            return to_explanation(row, found, self.manifest["common"], self.names, self.problem)
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise DamagedData(
                f"Row {at} of {echoed(str(self._part(PEOPLE, shard.number)))} is not as it was written: "
                f"{_said(error)} {RESTORE}"
            ) from None

    def _frame(self, folder: str, columns: Sequence[str] | None) -> "pd.DataFrame":
        import pandas as pd

        table = self.table(folder, columns)
        held = zip(table.column_names, table.columns, strict=True)
        return pd.DataFrame({name: _to_pandas(column) for name, column in held})

    def table(self, folder: str, columns: Sequence[str] | None = None) -> "pa.Table":
        """Return "people" or "options" as an Arrow table, which takes less memory than a frame."""
        if isinstance(columns, str):
            raise InvalidArgument(f"columns is a list of names; got {echoed(columns)}. Put it into a list.")
        found = self._read([self._part(folder, shard.number) for shard in self._shards], columns)
        expected = self.manifest[folder]
        if found.num_rows != expected:
            raise DamagedData(
                f"{echoed(str(self.path / folder))} has {found.num_rows:,} rows, and the manifest says "
                f"{expected:,}. {RESTORE}"
            )
        return found

    def _read(self, paths: Sequence[Path], columns: Sequence[str] | None = None) -> "pa.Table":
        pa = arrow()
        from pyarrow import dataset

        try:
            for path in paths:
                open_file(path).close()  # a pipe would never begin, and a device never end
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
    """Write what is wrong with data as a sentence."""
    text = f"it lacks {error}" if isinstance(error, KeyError) else shortened(error, 200)
    return text if text.endswith(".") else f"{text}."


def _to_pandas(column: "pa.ChunkedArray") -> "pd.Series[Any]":
    """Return a column in the type of pandas that says the same: whole numbers with gaps stay whole."""
    import pandas as pd

    def typed(kind: "pa.DataType") -> Any:
        if str(kind) == "string":  # also where all of it is missing
            return text_dtype() if isinstance(text_dtype(), pd.StringDtype) else None
        has_gaps = column.null_count and str(kind) in WITH_GAPS
        return pd.api.types.pandas_dtype(WITH_GAPS[str(kind)]) if has_gaps else None

    found: pd.Series[Any] = column.to_pandas(types_mapper=typed)
    return found


def _manifest(path: Path, limits: Limits) -> Manifest:
    """Read the manifest of a finished run, or say why there is none."""
    shown = echoed(str(path))
    if not os.path.isdir(path):
        what = "is a file" if os.path.exists(path) else "does not exist"
        raise InvalidArgument(f"The folder {shown} {what}. {RESULTS}")
    if not (path / MANIFEST).exists():
        if (path / JOURNAL).exists():
            raise UnfinishedRun(
                f"The run in {shown} is not finished. Go on with the same command: it keeps what is done."
            )
        raise InvalidArgument(f"{shown} holds no results of p2ce: it has no {echoed(MANIFEST)}. {RESULTS}")
    return read_manifest(path, limits)
