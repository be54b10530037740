"""Write numbers, shares, times and names for readers, and hold all words of the report."""

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
    """All words of the report."""
    loaded: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "text.yaml").read_text("utf-8"))
    return loaded


def name_of(name: str) -> str:
    """A data set's, model's, method's or experiment's name for readers; an unknown one stays."""
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
    """A name that fits where there is no room to wrap."""
    return name if len(name) <= length else f"{name[: length - 1]}…"


def number(value: float, *, digits: int = 3) -> str:
    return NOTHING if isnan(value) else f"{value:.{digits}f}"


def within(mean: float, low: float, high: float, *, digits: int = 3) -> str:
    """A mean and its interval, which one seed alone does not have: 0.116 [0.110–0.122]."""
    if isnan(mean) or isnan(low):
        return number(mean, digits=digits)
    return f"{mean:.{digits}f} [{low:.{digits}f}–{high:.{digits}f}]"


def count(amount: float) -> str:
    """A mean number of calls or cells: 0, 0.4, 12, 1,250."""
    if isnan(amount):
        return NOTHING
    return f"{amount:.1f}" if 0 < amount < 10 else f"{amount:,.0f}"


def per_cent(share: float) -> str:
    """A share between 0 and 1 in per cent, without the sign: 4.0, 6.2."""
    return number(100 * share, digits=1)


def share_within(share: float, low: float, high: float) -> str:
    """A share and its interval in per cent: 4.0 [1–13]."""
    return NOTHING if isnan(share) else f"{per_cent(share)} [{100 * low:.0f}–{100 * high:.0f}]"


def points(value: float) -> str:
    """A difference of two shares in percentage points, with its sign."""
    if isnan(value):
        return NOTHING
    written = f"{abs(100 * value):.1f}"
    return written if written == "0.0" else f"{'−' if value < 0 else '+'}{written}"


def seconds(value: float) -> str:
    """A time in the unit in which it is easiest to read."""
    return NOTHING if isnan(value) else seconds_within(value, float("nan"), float("nan"))


def seconds_within(mean: float, low: float, high: float) -> str:
    """A time and its interval, all in one unit."""
    if isnan(mean):
        return NOTHING
    scale, unit = (1e6, "µs") if mean < 0.9995e-3 else (1e3, "ms") if mean < 0.9995 else (1.0, "s")
    if isnan(low):
        return f"{mean * scale:.0f} µs" if unit == "µs" else f"{_three_digits(mean * scale)} {unit}"
    written = (_three_digits(max(0.0, amount) * scale) for amount in (mean, low, high))
    return "{} [{}–{}] {}".format(*written, unit)


def of(part: float, whole: float) -> str:
    """A count out of a count: 50/50; nothing out of nothing is not written."""
    return f"{int(part)}/{int(whole)}" if whole > 0 else NOTHING


def value(amount: object) -> str:
    """A value of a feature: whole numbers without a point, others as short as keeps them distinct."""
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return str(amount)
    if isnan(amount):
        return NOTHING
    return f"{amount:.0f}" if float(amount).is_integer() else f"{amount:.4g}"


def _three_digits(amount: float) -> str:
    return f"{amount:.2f}" if amount < 9.995 else f"{amount:.1f}" if amount < 99.95 else f"{amount:.0f}"
