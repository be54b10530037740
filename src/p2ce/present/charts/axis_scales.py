"""Place values on an axis from 0 to 1, with round ticks and labels that fit."""

import math
import re
import sys
import textwrap
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import product, takewhile
from typing import Any, NamedTuple

from p2ce.present.wording import Wording
from p2ce.tables.cells import is_missing

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
WHOLE_STEPS = (1.0, 2.0, 5.0, 10.0)
ROOM = 56  # characters that all tick labels of an axis may have together


class Tick(NamedTuple):
    """A mark on an axis; `place` is 0 at its beginning and 1 at its end."""

    place: float
    text: str


class AxisScale(NamedTuple):
    """The numbers from `low` to `high`."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return the place of a number, 0 to 1; a number outside gets the nearer end.

        >>> AxisScale(0.0, 10.0).place(2.5), AxisScale(0.0, 10.0).place(99.0)
        (0.25, 1.0)
        """
        # Halves, since the range of two large numbers of opposite sign may overflow.
        span = self.high / 2 - self.low / 2
        return min(max((value / 2 - self.low / 2) / span, 0.0), 1.0) if span else 0.5


class Bar(NamedTuple):
    """A group of people between two places of an axis; a height of 1 fills the frame."""

    begin: float
    end: float
    height: float
    size: float  # how many people, or their share of the population
    text: str = ""  # the values of these people: "0.1–0.2"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureAxis:
    """The axis of a feature: a scale of numbers, slots for single values, or both side by side."""

    column: str  # or the category, if several columns are its levels
    title: str  # the name with its unit
    ticks: tuple[Tick, ...]
    edges: tuple[float, ...] = ()  # of cells or slots, from 0 to 1
    scale: AxisScale | None = None  # None for labels only
    end: float = 1.0  # where numbers end: 1 unless a slot for missing values follows
    slots: dict[Hashable, float] = field(default_factory=dict)  # label → its middle
    bars: tuple[Bar, ...] = ()  # the population

    def place(self, value: Any) -> float | None:
        """Return the place of a value, or None if it has none. A number outside gets the nearer end."""
        if self.scale is None or not is_number(value):
            return self.slots.get(slot_key(value))
        return self.end * self.scale.place(float(value))

    def outside(self, value: Any) -> str:
        """Return "below" or "above" for a number beyond the scale, else ""."""
        if self.scale is None or not is_number(value):
            return ""
        return "below" if value < self.scale.low else "above" if value > self.scale.high else ""


def slot_key(value: Any) -> Hashable:
    """Return the key of a value's slot: missing values share one, and so do 1, 1.0 and True."""
    if is_missing(value):
        return None
    return value if isinstance(value, Hashable) else str(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a number that a scale can hold."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and abs(value) <= sys.float_info.max  # NaN is not


def nice_ticks(low: float, high: float, *, most: int = 6, whole: bool = False) -> tuple[float, ...]:
    """Return at most so many round numbers between two ends; only whole numbers with `whole`.

    >>> nice_ticks(0.0, 1.0), nice_ticks(0.0, 7.0, whole=True)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 2.0, 4.0, 6.0))
    """
    span = high - low
    # Steps between numbers that are almost equal as floats have no digits.
    if not math.isfinite(span) or span <= 1e-12 * max(abs(low), abs(high)) or span < 1e-290:
        return (low,) if low == high else (low, high)
    power = math.floor(math.log10(span / max(most - 1, 1)))
    if whole:
        power = max(power, 0)
    for exponent, step in product((power, power + 1), WHOLE_STEPS if whole else STEPS):
        unit = step * 10.0**exponent
        first, last = math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9)
        if last - first < most:
            # Rounded, to remove the error of adding floats.
            found = (round(number * unit, max(0, 1 - exponent)) for number in range(first, last + 1))
            ticks = tuple(min(max(tick, low), high) + 0.0 for tick in found)
            return ticks or ((low,) if whole else (low, high))
    return (low, high)


def text_ticks(
    scale: AxisScale, write: Callable[[float], str], *, whole: bool = False, most: int = 6, room: int = ROOM
) -> tuple[Tick, ...]:
    """Return the ticks of a scale with their labels, fewer if the labels are long."""
    for count in range(most, 1, -1):
        values = nice_ticks(scale.low, scale.high, most=count, whole=whole)
        texts = [write(value) for value in values]
        if sum(len(text) + 2 for text in texts) <= room:
            break
    return tuple(Tick(scale.place(value), text) for value, text in zip(values, texts, strict=True))


def feature_ticks(
    column: str, scale: AxisScale, wording: Wording, *, whole: bool, room: int = ROOM
) -> tuple[Tick, ...]:
    """Return the ticks of a feature's numbers, written as its values are."""

    def write(value: float) -> str:
        return wording.value(
            column, int(value) if value.is_integer() and abs(value) < 2**53 else value, unit=False
        )

    return text_ticks(scale, write, whole=whole, room=room)


def decimals_for(values: Sequence[float]) -> int:
    """Return how many decimals are needed to distinguish round numbers, at most 10.

    >>> decimals_for((0.0, 0.25, 0.5)), decimals_for((10.0, 20.0))
    (2, 0)
    """

    def exact(decimals: int) -> bool:
        return all(abs(round(value, decimals) - value) <= 1e-9 * max(1.0, abs(value)) for value in values)

    return next((decimals for decimals in range(10) if exact(decimals)), 10)


def are_counts(values: Sequence[float]) -> bool:
    """Return whether all are whole numbers, few enough to count."""
    return all(float(value).is_integer() and abs(value) <= 1e6 for value in values)


def short(text: str, most: int) -> str:
    """Shorten a text to one line of at most so many characters.

    >>> short("a very long name", 9), short("two\\nlines", 20)
    ('a very l…', 'two lines')
    """
    # A no-break space keeps two words together.
    line = re.sub(r"[^\S\u00a0]+", " ", text).strip() or "–"
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def wrapped(text: str, width: int, lines: int = 2) -> str:
    """Break a text into a few lines between words. A longer word is cut, and a longer text ends with ….

    >>> wrapped("share of the population", 10)
    'share of\\nthe…'
    >>> wrapped("population", 10)
    'population'
    """
    words = " ".join(short(word, width) for word in short(text, 10_000).split(" "))
    return "\n".join(textwrap.wrap(words, width, max_lines=lines, placeholder="…", break_on_hyphens=False))


def distinct_labels(texts: Sequence[str], width: int, lines: int = 3) -> list[str]:
    """Break texts into short lines. Texts that would look the same keep their ends instead of their middles.

    >>> distinct_labels(["a long beginning 1", "a long beginning 2"], 7, lines=2)
    ['a lo…\\nning 1', 'a lo…\\nning 2']
    """
    usual = [wrapped(text, width, lines) for text in texts]
    found = []
    for text, mine in zip(texts, usual, strict=True):
        line = short(text, 10_000)
        ends = f"{line[: width - 3].rstrip()}…\n{line[-(width - 1) :].strip()}"
        found.append(ends if "…" in mine and usual.count(mine) > 1 else mine)
    return found


def distinct_cuts(names: Sequence[str], cut: Callable[[str], str]) -> list[str]:
    """Cut names. Different names that would look alike keep the part in which they differ.

    >>> distinct_cuts(["sum_of_all_loans_in_2026", "sum_of_all_bills_in_2026"], lambda name: short(name, 10))
    ['…loans…', '…bills…']
    """
    found = [cut(name) for name in names]
    for look in {look for look in found if "…" in look and found.count(look) > 1}:
        alike = sorted({name for name, mine in zip(names, found, strict=True) if mine == look})
        begin = _common_start(alike)
        end = _common_start([name[begin:][::-1] for name in alike])
        parts = {name: cut(f"…{name[begin : len(name) - end]}…") for name in alike}
        looks = list(parts.values())
        for number, name in enumerate(alike, 1):
            if looks.count(parts[name]) > 1:
                parts[name] = f"{parts[name]} ({number})"
        found = [
            parts[name] if len(alike) > 1 and mine == look else mine
            for name, mine in zip(names, found, strict=True)
        ]
    return found


def _common_start(texts: Sequence[str]) -> int:
    """Return how many characters all texts share at the start, up to the end of a word if possible."""
    alike = takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False))
    start = "".join(signs[0] for signs in alike)
    whole = re.match(r".*[\W_]", start, flags=re.DOTALL)
    return len(whole[0] if whole else start)


def pushed_apart(places: Sequence[float], gap: float) -> list[float]:
    """Move places between 0 and 1 upwards, in their order, until neighbours have a gap."""
    found = [0.0] * len(places)
    least = 0.0
    for rank, one in enumerate(sorted(range(len(places)), key=lambda one: places[one])):
        found[one] = min(max(places[one], least), 1.0 - gap * (len(places) - 1 - rank))
        least = found[one] + gap
    return found


def slot_axis(
    column: str, keys: Sequence[Hashable], texts: Sequence[str], width: int, wording: Wording, every: int = 1
) -> FeatureAxis:
    """Place values side by side. A text beyond the keys names all others, and `every` nth label is shown."""
    count = len(texts)
    middles = [(place + 0.5) / count for place in range(count)]
    labels = distinct_labels(texts[::every], width)
    return FeatureAxis(
        column=column,
        title=wording.axis(column),
        ticks=tuple(map(Tick, middles[::every], labels)),
        edges=tuple(place / count for place in range(count + 1)),
        slots=dict(zip(keys, middles, strict=False)),
    )
