"""Make any text safe to show: no invisible characters, and none that control a terminal."""

import math
import re
import reprlib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


SPACES = re.compile(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]+")
# Controls, halves of surrogate pairs (which no file can hold), marks that reverse the direction of the text
# after them, and code points that are not characters.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]")
UNSEEN_BUT_LINES = re.compile(UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))
LONGEST_WORD = 200  # letters without a space; the longest hash has 128
KEPT = 120
LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
MOST_ECHOED = 200  # characters of a value that an error message repeats
LARGEST_WRITTEN = 10**150  # larger whole numbers are shown by their order of magnitude


def visible(content: object) -> str:
    """Write any value as one line of text, and cut the middle of very long words.

    >>> visible("loan\\n amount"), visible("a\\x00b"), visible(41), len(visible("x" * 5000))
    ('loan  amount', 'a\\\\x00b', '41', 121)
    """
    shown = visible_line(content)
    if len(shown) <= LONGEST_WORD:
        return shown
    return LONG_WORD.sub(lambda word: _without_middle(word.group(), KEPT + 1), shown)


def visible_line(content: object) -> str:
    """Write any value in full as one line of text, with invisible characters as escape codes.

    >>> print(visible_line("own\\x1b[31m\\nhome"))
    own\\x1b[31m home
    """
    return UNSEEN.sub(_code, SPACES.sub(" ", str(content)))


def one_line(text: object) -> str:
    """Join the lines of a message.

    >>> one_line("Wrong.\\n  Do this.")
    'Wrong. Do this.'
    """
    return visible_line(" ".join(str(text).split()))


def visible_lines(lines: Iterable[object]) -> str:
    """Write each item on a separate line."""
    return "\n".join(map(visible_line, lines))


def visible_code(content: object) -> str:
    """Write any value as text, and keep its line breaks.

    >>> print(visible_code("a:\\r\\n  b: 1\\x00"))
    a:
      b: 1\\x00
    """
    text = str(content).replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    return UNSEEN_BUT_LINES.sub(_code, text)


def shortened(content: object, most: int) -> str:
    """Cut text that is longer than ``most`` characters, and mark the cut with an ellipsis.

    >>> shortened("loan amount", 6), shortened("loan", 6)
    ('loan …', 'loan')
    """
    text = visible(content)
    return text if len(text) <= most else text[: most - 1] + "…"


def abridged(name: object, most: int) -> str:
    """Cut the middle of a name longer than ``most`` characters, since names often differ only at the end.

    >>> abridged("Client of the branch 17", 12), abridged("Client 17", 12)
    ('Client…ch 17', 'Client 17')
    """
    text = visible(name)
    return text if len(text) <= most else _without_middle(text, most)


def _without_middle(text: str, most: int) -> str:
    end = (most - 1) // 2
    return f"{text[: most - 1 - end].rstrip()}…{text[len(text) - end :].lstrip()}"


def echoed(value: object, most: int = MOST_ECHOED) -> str:
    """Write a value for an error message as `repr` does, cut after ``most`` characters.

    >>> echoed("Incme"), echoed([1, "a"]), len(echoed("x" * 10**6)), echoed(10**400)
    ("'Incme'", "[1, 'a']", 200, 'about 1e400')
    """
    try:
        text = visible_line(_Echo(most).repr(value))
    except Exception:  # a user's own class may raise when it is written
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else text[: most - 1] + "…"


def listed(names: Sequence[object], most: int = 6) -> str:
    """Write names separated by commas, and count those beyond the first ``most``.

    >>> listed(["a", "b"]), listed(["a", "b", "c"], most=2)
    ("'a', 'b'", "'a', 'b' and 1 more")
    """
    shown = ", ".join(echoed(name, most=60) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def as_text(value: object) -> str:
    """Write a name, a label or an error as ``str`` does, or as `echoed` does where ``str`` fails.

    >>> as_text(("a", 1)), as_text(10**5000)
    ("('a', 1)", 'about 1e5000')
    """
    try:
        return str(value)
    except Exception:  # a number with too many digits, or a user's own class that raises
        return echoed(value)


class _Echo(reprlib.Repr):
    """Writes the beginning of large values without writing the rest."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.maxlevel = 5
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxdict = 20
        self.maxstring = self.maxother = self.maxlong = most

    def repr_int(self, number: int, _level: int) -> str:
        if abs(number) < LARGEST_WRITTEN:
            return repr(number)
        # By its logarithm, since Python does not write integers of more than 4,300 digits.
        return f"about {'-' * (number < 0)}1e{math.log10(abs(number)):.0f}"

    def repr_dict(self, entries: dict[Any, Any], level: int) -> str:
        # In their order, not sorted as the standard library does.
        if level <= 0 and entries:
            return "{...}"
        shown_entries = [
            f"{self.repr1(key, level - 1)}: {self.repr1(entries[key], level - 1)}"
            for key, _ in zip(entries, range(self.maxdict), strict=False)
        ]
        return "{" + ", ".join([*shown_entries, *(["..."] if len(entries) > self.maxdict else [])]) + "}"


def _code(match: "re.Match[str]") -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


@cache
def stderr_console() -> "Console":
    """Return the one console on stderr; rich is imported by the first call."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)
