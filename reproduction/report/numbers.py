"""Format numbers, shares, times and names for readers, and load the words of the report."""

import re
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

import yaml

from reproduction.names import DATA_SETS, EXPERIMENTS, METHODS, MODELS

NOTHING = "–"
FOLDERS = re.compile(r"(?<![\w.:/…-])(?:[A-Za-z]:)?[/\\](?:[\w.+@~-]+[/\\])+")
NAMES = {**DATA_SETS, **MODELS, **METHODS, **EXPERIMENTS}


@cache
def text() -> dict[str, Any]:
    """Load all words of the report."""
    loaded: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "text.yaml").read_text("utf-8"))
    return loaded


def name_of(name: str) -> str:
    """Return the name of a data set, model, method or experiment for readers."""
    return NAMES.get(name, name)


def cell_name(data: str, model: str) -> str:
    return f"{name_of(data)}, {name_of(model)}"


def without_folders(text: str) -> str:
    """Shorten each absolute path to its last part, since a page is not about one machine.

    >>> without_folders("No such file: '/home/ada/p2ce/peer.py', 3/5")
    "No such file: '…/peer.py', 3/5"
    """
    return FOLDERS.sub("…/", text)


def cut(name: str, length: int = 30) -> str:
    """Shorten a name to a length, where it cannot wrap."""
    return name if len(name) <= length else f"{name[: length - 1]}…"


def number(value: float, *, digits: int = 3) -> str:
    return NOTHING if isnan(value) else f"{value:.{digits}f}"


def within(mean: float, low: float, high: float, *, digits: int = 3) -> str:
    """Write a mean and its interval, if it has one: 0.116 [0.110–0.122]."""
    if isnan(mean) or isnan(low):
        return number(mean, digits=digits)
    return f"{mean:.{digits}f} [{low:.{digits}f}–{high:.{digits}f}]"


def count(amount: float) -> str:
    """Write a mean number of calls or cells: 0, 0.4, 12, 1,250."""
    if isnan(amount):
        return NOTHING
    return f"{amount:.1f}" if 0 < amount < 10 else f"{amount:,.0f}"


def per_cent(share: float) -> str:
    """Write a share between 0 and 1 in per cent, without the sign: 4.0, 6.2."""
    return number(100 * share, digits=1)


def share_within(share: float, low: float, high: float) -> str:
    """Write a share and its interval in per cent: 4.0 [1–13]."""
    return NOTHING if isnan(share) else f"{per_cent(share)} [{100 * low:.0f}–{100 * high:.0f}]"


def points(value: float) -> str:
    """Write a difference of two shares in percentage points, with its sign."""
    if isnan(value):
        return NOTHING
    written = f"{abs(100 * value):.1f}"
    return written if written == "0.0" else f"{'−' if value < 0 else '+'}{written}"


def seconds(value: float) -> str:
    """Write a time in the unit that is easiest to read."""
    return NOTHING if isnan(value) else seconds_within(value, float("nan"), float("nan"))


def seconds_within(mean: float, low: float, high: float) -> str:
    """Write a time and its interval in one unit."""
    if isnan(mean):
        return NOTHING
    scale, unit = (1e6, "µs") if mean < 0.9995e-3 else (1e3, "ms") if mean < 0.9995 else (1.0, "s")
    if isnan(low):
        return f"{mean * scale:.0f} µs" if unit == "µs" else f"{_three_digits(mean * scale)} {unit}"
    written = (_three_digits(max(0.0, amount) * scale) for amount in (mean, low, high))
    return "{} [{}–{}] {}".format(*written, unit)


def of(part: float, whole: float) -> str:
    """Write a count out of a count: 50/50."""
    return f"{int(part)}/{int(whole)}" if whole > 0 else NOTHING


def value(amount: object) -> str:
    """Write a value of a feature: whole numbers without a point, others with four digits."""
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return str(amount)
    if isnan(amount):
        return NOTHING
    return f"{amount:.0f}" if float(amount).is_integer() else f"{amount:.4g}"


def _three_digits(amount: float) -> str:
    return f"{amount:.2f}" if amount < 9.995 else f"{amount:.1f}" if amount < 99.95 else f"{amount:.0f}"
