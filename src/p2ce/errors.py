"""Define all exceptions of the library, as one tree.

    P2CEError
    ├── InvalidArgument (ValueError)         an argument with a value that is not allowed
    ├── InvalidPolicy (ValueError)           a policy or rule that contradicts itself or the data
    ├── InvalidReference (ValueError)        the reference: empty, infinite values, columns of other types, …
    ├── InvalidRow (ValueError)              the row to explain: missing columns, NaN, …
    ├── InvalidTarget (ValueError)           a class that the model does not know
    │   └── UnnamedTarget                    no target is given, and nothing says which class is favourable
    ├── InvalidObjective (ValueError)        an unknown name, or a cost that is negative or not finite, …
    ├── InvalidModel (ValueError)            a model with a broken structure, such as a tree with a loop
    ├── UnsupportedModel (TypeError)         a model that cannot be parsed
    ├── UnsupportedDetector (TypeError)      a detector that cannot be parsed
    ├── NotFitted (ValueError)               a model or detector that has not seen any data yet
    ├── ModelMismatch (RuntimeError)         the model contradicts its parsed scores
    ├── InvalidOutput (RuntimeError)         the user's own model or detector returned something unusable
    ├── LimitExceeded (ValueError)           an input larger than `Limits` allows; it names the limit to raise
    ├── MissingData (FileNotFoundError)      a data set of the paper that was not found
    ├── DamagedData (ValueError)             a file whose contents do not match its checksum
    ├── InvalidSignature (ValueError)        evidence without a valid signature of the expected key
    ├── UnfinishedRun (RuntimeError)         a portfolio in which some people are not explained yet
    ├── BrokenPlugin (RuntimeError)          a plug-in that cannot be loaded or used
    └── MissingExtra (ImportError)           an optional package that is not installed

`NotFitted` is also scikit-learn's `NotFittedError`.

Every message says what was expected, what was received, and what to do. Received values are shortened and
escaped by `echoed`, so no message is longer than a screen.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from p2ce.base.visible import MOST_ECHOED, as_text, echoed, one_line, visible_code

if TYPE_CHECKING:
    from p2ce.base.not_fitted import NotFitted as NotFitted

LONGEST_MESSAGE = 1000  # characters
KEPT_END = 350  # the end of a message is kept when the middle is cut, since it says what to do
# Marks the log record of rows that fail because of a bug in this library.
FAULT_RECORD = "fault_of_p2ce"


def in_bounds(message: object) -> str:
    """Make a message safe to show: escape what cannot be seen, and cut the middle if it is too long.

    >>> len(in_bounds("x" * 10**6)), in_bounds("Wrong.\\x1b[2J")
    (1000, 'Wrong.\\\\x1b[2J')
    """
    text = visible_code(message)
    if len(text) <= LONGEST_MESSAGE:
        return text
    return f"{text[: LONGEST_MESSAGE - KEPT_END - 3]} … {text[-KEPT_END:]}"


class P2CEError(Exception):
    """The root of every error that this library raises on purpose."""

    def __init__(self, message: object = "") -> None:
        super().__init__(in_bounds(message))


class InvalidArgument(P2CEError, ValueError):
    """An argument with a value that is not allowed."""


class InvalidPolicy(P2CEError, ValueError):
    """A policy or rule that contradicts itself or the data, or a policy file that cannot be read or written.

    `line` is the line of the policy file, or None.
    """

    def __init__(self, message: object = "", *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line  # of the policy file, counted from 1


class InvalidReference(P2CEError, ValueError):
    """A reference that cannot be used: it is empty or has a column of dates, for example."""


class InvalidRow(P2CEError, ValueError):
    """A row that cannot be explained, because of missing columns or unusable values."""


class InvalidTarget(P2CEError, ValueError):
    """A class that the model does not know."""

    def __init__(self, message: str, *, on_command_line: str = "") -> None:
        super().__init__(message)
        self.on_command_line = on_command_line or message  # the same, with arguments as options


class UnnamedTarget(InvalidTarget):
    """No target is given, and nothing says which class of a classifier is favourable.

    `classes` lists the classes to choose from.
    """

    def __init__(self, message: str, *, classes: Sequence[Any] = (), on_command_line: str = "") -> None:
        super().__init__(message, on_command_line=on_command_line)
        self.classes = tuple(classes)


class InvalidObjective(P2CEError, ValueError):
    """An unknown objective name, or a cost that is negative, not finite, or charged for no change."""

    def __init__(self, message: str, *, on_command_line: str = "") -> None:
        super().__init__(message)
        self.on_command_line = on_command_line or message  # without what only Python offers


class InvalidModel(P2CEError, ValueError):
    """A model with a broken structure: a tree with a loop, or a leaf that is not a number."""


class LimitExceeded(P2CEError, ValueError):
    """An input larger than `Limits` allows. The message names the limit to raise."""


class UnsupportedModel(P2CEError, TypeError):
    """A model that cannot be parsed."""


class UnsupportedDetector(P2CEError, TypeError):
    """A detector that cannot be parsed."""


class ModelMismatch(P2CEError, RuntimeError):
    """A model that contradicts its parsed scores."""


class InvalidOutput(P2CEError, RuntimeError):
    """An unusable output of the user's own model or detector, such as NaN or a wrong shape."""


class MissingData(P2CEError, FileNotFoundError):
    """A data set of the paper that is in no folder and could not be downloaded."""


class InvalidSignature(P2CEError, ValueError):
    """Evidence that is not signed, or not signed with the expected key."""


class DamagedData(P2CEError, ValueError):
    """A file whose contents do not match its checksum."""


class BrokenPlugin(P2CEError, RuntimeError):
    """A plug-in that cannot be loaded, or that returns something else than its kind must."""


class UnfinishedRun(P2CEError, RuntimeError):
    """A portfolio in which some people are not explained. Repeat the call to resume."""


class MissingExtra(P2CEError, ImportError):
    """An optional package that is not installed."""


def not_installed(what: str, extra: str, *, instead: str = "") -> MissingExtra:
    """Build the error for a missing optional package: one of our extras, or a single library.

    The message names the libraries as the package index does, with the versions needed. ``instead`` is
    another way to solve the problem.

    >>> str(not_installed("Reading Parquet files", "parquet"))
    "Reading Parquet files needs pyarrow, which is not installed. Type: pip install 'pyarrow>=17'"
    """
    import shlex
    from importlib.metadata import requires

    lines = []
    for line in requires("p2ce") or ():
        requirement, _, marker = line.partition(";")
        platform = re.search(r"sys_platform (==|!=) ['\"](\w+)['\"]", marker)
        is_here = platform is None or (sys.platform == platform[2]) == (platform[1] == "==")
        if is_here and re.search(rf"extra == ['\"]{re.escape(extra)}['\"]", marker):
            lines.append(requirement.strip())
    lines = lines or [extra]
    names = [re.split(r"[^\w.-]", line)[0] for line in lines]
    are = "is" if len(names) == 1 else "are"
    text = f"{what} needs {' and '.join(names)}, which {are} not installed. "
    text += f"Type: pip install {shlex.join(lines)}"
    return MissingExtra(f"{text}. {instead}" if instead else text)


def what_happened(error: BaseException, text: str | None = None) -> str:
    """State on one line how the user's code failed. ``text`` replaces the text of the error.

    >>> what_happened(ValueError("too old")), what_happened(SystemExit(3))
    ('raised ValueError: too old', 'called sys.exit(3)')
    """
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else echoed(error.code)})"
    words = one_line(as_text(error) if text is None else text)
    return f"raised {type(error).__name__}: {words}" if words else f"raised {type(error).__name__}"


def not_a_choice(name: str, given: object, known: Sequence[str | None], *, more: str = "") -> InvalidArgument:
    """Build the error for an argument that is not one of the known values. ``more`` names other options.

    >>> print(not_a_choice("bound", "none", ["auto", None]))
    bound must be one of 'auto', None; got 'none'. Pass bound=None.
    """
    hint = ""
    if isinstance(given, str):
        is_none = given == "none" and None in known
        hint = f" Pass {name}=None." if is_none else f" {nearest(given, filter(None, known))}"
    return InvalidArgument(
        f"{name} must be one of {', '.join(map(repr, known))}{more}; got {echoed(given)}.{hint}"
    )


def nearest(name: object, known: Iterable[object]) -> str:
    """Suggest known names that look like ``name``, as the end of an error message.

    If none looks alike, list the first twelve known names.

    >>> nearest("Agee", ["Age", "LoanAmount"])
    "Did you mean 'Age'?"
    >>> nearest("zzz", ["Age", "LoanAmount"])
    "Known are 'Age', 'LoanAmount'."
    """
    names = [as_text(one) for one in known]
    if not names:
        return "None is known."
    if near := similar(name, names):
        return f"Did you mean {' or '.join(map(echoed, near))}?"
    shown = ", ".join(echoed(one, most=50) for one in names[:12])
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"Known are {shown}{more}."


def similar(name: object, known: Iterable[object]) -> list[str]:
    """List up to three known names that look like ``name``.

    >>> similar("Agee", ["Age", "LoanAmount"])
    ['Age']
    """
    name = name if isinstance(name, str) else echoed(name)
    by_lower: dict[str, list[str]] = {}
    for one in map(as_text, known):
        if len(one) <= MOST_ECHOED:  # the time to compare grows with the product of both lengths
            by_lower.setdefault(one.lower(), []).append(one)
    # Compared in lower case, since a wrong capital is the most common slip.
    close = get_close_matches(name[:MOST_ECHOED].lower(), list(by_lower), n=3)
    return [one for low in close for one in by_lower[low]][:3]


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to load, and `p2ce --help` does not need NotFitted.
    if name == "NotFitted":
        return import_module("p2ce.base.not_fitted").NotFitted
    raise AttributeError(f"module 'p2ce.errors' has no attribute {echoed(name)}")
