"""List the files of a source. All must be of one kind."""

import os
from dataclasses import dataclass
from pathlib import Path

from p2ce.base.check_paths import named, require_file
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.tables.table_files import FileKind, kind_of_file

SOURCE = "The source"
TEXT_SUFFIXES = {".csv", ".tsv", ".tab", ".txt", ".gz"}
KIND_NAMES: dict[FileKind, str] = {"parquet": "Parquet", "text": "text"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a source."""

    path: str  # absolute
    given: str  # as the caller wrote it
    name: str  # within the folder, for the names of shards
    size: int  # bytes
    changed: int  # when it was last written, in nanoseconds

    @property
    def what(self) -> str:
        """The start of a message about the file."""
        return named(SOURCE, Path(self.given))

    def require_unchanged(self) -> None:
        """Raise if the file has changed since it was listed."""
        try:
            state = os.stat(self.path)
        except OSError as error:
            raise InvalidArgument(
                f"{self.what} can no longer be read: {error.strerror}. Restore it, and run again."
            ) from error
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed):
            raise InvalidArgument(
                f"{self.what} has changed since the run began. Restore the file and run again, or use "
                "another folder for the results."
            )


def files_of(path: Path) -> tuple[FileKind, list[SourceFile]]:
    """List a file, or all files in a folder by name. Names that begin with . or _ are skipped."""
    if not path.is_dir():
        require_file(path, SOURCE)
        return kind_of_file(path, named(SOURCE, path)), [_file(path, path.parent)]
    what = f"{SOURCE} folder {echoed(str(path))}"
    paths = sorted(
        (Path(folder, name) for folder, _, names in os.walk(path) for name in names),
        key=lambda one: one.relative_to(path).as_posix(),
    )
    kinds: dict[FileKind, str] = {}
    files = []
    for one in paths:
        if any(part.startswith((".", "_")) for part in one.relative_to(path).parts):
            continue
        file = _file(require_file(one, SOURCE), path)
        kind = kind_of_file(one, file.what)
        if kind == "text" and one.suffix.lower() not in TEXT_SUFFIXES:
            raise InvalidArgument(
                f"{what} contains {echoed(file.name)}, which is not a table. Move it, or put an underscore "
                "before its name."
            )
        kinds.setdefault(kind, file.name)
        files.append(file)
    if not files:
        raise InvalidArgument(f"{what} contains no table. Use a folder of Parquet or CSV files.")
    if len(kinds) > 1:
        shown = " and ".join(f"{echoed(name)} ({KIND_NAMES[kind]})" for kind, name in kinds.items())
        raise InvalidArgument(f"{what} contains tables of two kinds: {shown}. Use a folder of one kind.")
    return next(iter(kinds)), files


def _file(path: Path, folder: Path) -> SourceFile:
    name, state = path.relative_to(folder).as_posix(), path.stat()
    return SourceFile(
        path=str(path.absolute()),
        given=str(path),
        name=name,
        size=state.st_size,
        changed=state.st_mtime_ns,
    )
