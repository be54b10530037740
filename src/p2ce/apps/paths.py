"""Look at files before any work is done: those to be read, and those to be written."""

import os
from pathlib import Path

from p2ce.errors import InvalidOption, nearest


def require_file(path: Path, option: str) -> Path:
    """Refuse what is no readable file; a misspelt name is answered with the nearest ones of its folder."""
    try:
        if path.is_dir():
            raise InvalidOption(f"{option} {str(path)!r} is a folder. Name a file in it.")
        if not path.exists():
            raise InvalidOption(f"{option} {str(path)!r} does not exist. {_instead(path)}")
        with path.open("rb") as file:
            begins = file.read(1)
    except OSError as error:
        raise InvalidOption(f"{option} {str(path)!r} cannot be read: {error.strerror or error}.") from error
    if not begins:
        raise InvalidOption(f"{option} {str(path)!r} is empty. Was it written to the end?")
    return path


def _instead(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {str(folder)!r} either."
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError:
        names = []
    where = "this folder" if str(folder) == "." else f"{str(folder)!r}"
    if not names:
        return f"There are no files in {where}."
    hint = nearest(path.name, names)
    return hint if hint.startswith("Did") else f"{hint.replace('Known are', f'Files in {where}:', 1)}"


def require_place(path: Path, *, force: bool, option: str = "--out") -> None:
    """Refuse a place that cannot be written to, before the work starts."""
    folder = path.parent
    if path.is_dir():
        raise InvalidOption(f"{option} {str(path)!r} is a folder. Name a file in it.")
    if not folder.is_dir():
        raise InvalidOption(
            f"{option} {str(path)!r} lies in the folder {str(folder)!r}, which does not exist. "
            f"Make it first: mkdir -p {folder}"
        )
    if path.exists() and not force:
        raise InvalidOption(f"{option} {str(path)!r} exists. Choose another name, or pass --force.")
    writable = os.access(path, os.W_OK) if path.exists() else os.access(folder, os.W_OK)
    if not writable:
        what = "the file" if path.exists() else f"the folder {str(folder)!r}"
        raise InvalidOption(
            f"{option} {str(path)!r} cannot be written: no permission for {what}. Choose another place."
        )


def write_whole(path: Path, content: "str | bytes") -> None:
    """Write a file so that it is there completely or not at all."""
    beside = path.with_name(f".{path.name}.writing")
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InvalidOption(
            f"{str(path)!r} could not be written: {error.strerror or error}. Choose another --out."
        ) from error
