"""Check the paths of input and output files before any work is done."""

import os
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest, similar


def named(option: str, path: Path) -> str:
    """Return a file's option and path, as messages name it."""
    return f"{option} {echoed(str(path))}"


def require_file(path: Path, option: str) -> Path:
    """Raise if a path is not a readable file; the message suggests the nearest names of its folder."""
    what = named(option, path)
    try:
        if path.is_dir():
            raise InvalidArgument(f"{what} is a folder. Name a file in it.")
        if not path.exists():
            raise InvalidArgument(f"{what} does not exist. {_instead(path)}")
        if not path.is_file():
            raise InvalidArgument(f"{what} is a pipe or a device. Write it to a file first.")
        with path.open("rb") as file:
            begins = file.read(1)
    except OSError as error:
        raise InvalidArgument(f"{what} cannot be read: {error.strerror or error}.") from error
    if not begins:
        raise InvalidArgument(f"{what} is empty. Was it written completely?")
    return path


def _instead(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {echoed(str(folder))} either."
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError:
        names = []
    where = "this folder" if str(folder) == "." else echoed(str(folder))
    if not names:
        return f"There are no files in {where}."
    if similar(path.name, names):
        return nearest(path.name, names)
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"Files in {where}: {', '.join(echoed(one, most=50) for one in names[:12])}{more}."


def require_place(path: Path, *, force: bool, option: str = "--out") -> None:
    """Raise if a path cannot be written to, before the work starts."""
    what, folder = named(option, path), path.parent
    where = echoed(str(folder))
    if path.is_dir():
        raise InvalidArgument(f"{what} is a folder. Name a file in it.")
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"{what} is in {where}, which is a file, not a folder. Name another folder.")
    if not folder.is_dir():
        raise InvalidArgument(
            f"{what} is in the folder {where}, which does not exist. Create it first: mkdir -p {folder}"
        )
    if path.exists() and not force:
        raise InvalidArgument(f"{what} already exists. Choose another name, or pass --force.")
    # The new file is written next to the old one, then replaces it.
    for place, owner in ((folder, f"the folder {where}"), (path, "the file")):
        if place.exists() and not os.access(place, os.W_OK):
            raise InvalidArgument(
                f"{what} cannot be written: no permission for {owner}. Choose another place."
            )


def require_own(path: Path) -> None:
    """Raise unless this user owns a file or folder and is the only one who may write to it.

    Links are not followed: a link of another user could make the program write where that user cannot. A path
    that does not exist passes.
    """
    try:
        state, shown = path.lstat(), echoed(str(path))
    except FileNotFoundError:
        return
    if stat.S_ISLNK(state.st_mode):
        raise InvalidArgument(f"{shown} is a link, and links are not followed. Name the folder it points to.")
    if not stat.S_ISDIR(state.st_mode) and not stat.S_ISREG(state.st_mode):
        raise InvalidArgument(f"{shown} is a pipe or a device. Remove it, or name another folder.")
    if not hasattr(os, "geteuid"):  # Windows, whose modes say nothing about other users
        return
    if state.st_uid != os.geteuid():
        raise InvalidArgument(f"{shown} belongs to another user. Name a folder that you own.")
    if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InvalidArgument(
            f"Other users may write to {shown}. Remove their permission: chmod go-w {shlex.quote(str(path))}"
        )


def require_other(path: Path, inputs: Mapping[str, Path | None], *, option: str = "--out") -> None:
    """Raise if an output would overwrite an input, even with --force."""
    for name, read in inputs.items():
        if read is not None and read.exists() and path.exists() and os.path.samefile(path, read):
            raise InvalidArgument(
                f"{option} would overwrite {echoed(str(read))}, which {name} reads. Choose another name."
            )
