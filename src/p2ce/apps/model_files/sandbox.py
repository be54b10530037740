"""Parse a model file in a child process that can open no other file, and whose crash is harmless.

The child returns the model as its library writes it again, or one line that says what is wrong.
"""

import errno
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from p2ce.apps.model_files.sandbox_child import UNWRITTEN
from p2ce.base.limits import Limits, limit_exceeded, require_within
from p2ce.base.visible import echoed, one_line
from p2ce.errors import (
    InvalidArgument,
    InvalidModel,
    LimitExceeded,
    MissingExtra,
    P2CEError,
    UnsupportedModel,
    not_installed,
)

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
MOST_HEADER = 1 << 16
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
PLACE = re.compile(r"^\[[\d:]+\] \S+:\d+: ")
KNOWN_ERRORS: dict[str, type[P2CEError]] = {
    kind.__name__: kind for kind in (InvalidModel, MissingExtra, UnsupportedModel)
}


def read_in_sandbox(path: Path, option: str, kind: str, module: str, limits: Limits) -> Any:
    """Return the content of a file, after a child process has parsed it."""
    require_within(limits, "model_bytes", path.stat().st_size, f"{option} {echoed(str(path))} is too large")
    parser = importlib.import_module(f"p2ce.apps.model_files.formats.{module}")
    try:
        with Sandbox(path, parser.__name__, limits) as sandbox:
            parser.prepare(b"")  # import the library here while the child does
            return parser.load_parsed(sandbox.content())
    except (InvalidModel, LimitExceeded, UnsupportedModel) as error:
        raise type(error)(f"{option} {echoed(str(path))} cannot be loaded as {kind}: {why(error)}") from error
    except P2CEError:
        raise
    except ImportError as error:
        raise _missing(kind) from error
    except OSError as error:  # a problem of this machine, not of the file
        remedy = (
            " Free space in the temporary folder, or set TMPDIR to another." if error.errno in FULL else ""
        )
        remedy = " Allow larger files (ulimit -f)." if error.errno == errno.EFBIG else remedy
        raise InvalidArgument(
            f"{option} {echoed(str(path))} cannot be parsed in a child process: "
            f"{error.strerror or one_line(error)}.{remedy}"
        ) from error
    except Exception as error:  # each library raises its own errors
        raise InvalidModel(
            f"{option} {echoed(str(path))} looks like {kind} but cannot be loaded: {why(error)} "
            "Check that it is complete, and that a similar version of the library wrote it."
        ) from error


class Sandbox:
    """A child process that parses a file. Leaving the block ends it."""

    def __init__(self, path: Path, module: str, limits: Limits) -> None:
        """Start to parse a file with a module of `formats`."""
        self._limits = limits
        self._deadline = time.monotonic() + limits.model_seconds
        self._reply = tempfile.TemporaryFile()  # noqa: SIM115  # `__exit__` closes it
        self._folder = tempfile.TemporaryDirectory(prefix="p2ce-")  # the child's working directory
        # The child imports what this process can import, and no module from the folder it starts in.
        paths = os.pathsep.join(dict.fromkeys(os.path.abspath(one) for one in sys.path if one))
        program = [sys.executable, "-P", "-m", "p2ce.apps.model_files.sandbox_child"]
        with path.open("rb") as file:
            self._child = subprocess.Popen(
                [*program, module, str(int(limits.model_memory)), str(limits.model_seconds)],
                stdin=file,
                stdout=self._reply,
                stderr=subprocess.DEVNULL,
                cwd=self._folder.name,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": paths},
            )

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        self._reply.close()
        self._folder.cleanup()

    def content(self) -> bytes:
        """Wait for the reply: return what ``parse_file`` returned, or raise its error."""
        limits = self._limits
        too_long = limit_exceeded(limits, "model_seconds", "Parsing it takes too long")
        try:
            code = self._child.wait(max(0.0, self._deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise too_long from None
        if code < 0 and _name(-code) == "SIGXCPU":
            raise too_long
        if code > UNWRITTEN:
            raise OSError(code - UNWRITTEN, os.strerror(code - UNWRITTEN))
        self._reply.seek(0)
        header = self._reply.readline(MOST_HEADER)
        if code != 0 or not header.endswith(b"\n"):
            cause = f"the signal {_name(-code)}" if code < 0 else f"exit code {code}"
            raise InvalidModel(
                f"its library crashes with {cause} on this file, so the file is damaged or malicious"
            )
        error = json.loads(header)
        if not error:
            return self._reply.read()
        if error["error"] == "MemoryError" or "bad_alloc" in error["message"]:
            raise limit_exceeded(limits, "model_memory", "Parsing it takes too much memory")
        raise KNOWN_ERRORS.get(error["error"], InvalidModel)(str(error["message"]))


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _missing(kind: str) -> MissingExtra:
    extra = {"CatBoost JSON": "catboost", "PyTorch": "torch"}.get(kind, kind.lower())
    return not_installed(f"Reading {kind} files", extra)


def why(error: Exception) -> str:
    """Extract the sentence from a library's message: XGBoost adds a source line before and a trace after."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    return PLACE.sub("", first)[:400].rstrip(".") + "."
