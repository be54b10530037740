"""Map values to positions in a frame, with round ticks."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from p2ce.present.speaker import Speaker

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
WHOLE_STEPS = (1.0, 2.0, 5.0, 10.0)
ROOM = 56  # characters that all tick texts of an axis may take together


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A mark on an axis; `place` is 0 at its beginning and 1 at its end."""

    place: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """An axis of numbers from `low` to `high`."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Give the place in the frame, 0 to 1; what lies outside is put on its edge.

        >>> Scale(low=0.0, high=10.0).place(2.5), Scale(low=0.0, high=10.0).place(99.0)
        (0.25, 1.0)
        """
        # Halves, since the range of two large numbers of opposite sign has no float.
        span = self.high / 2 - self.low / 2
        if not span:
            return 0.5
        share = (value / 2 - self.low / 2) / span
        return min(max(share, 0.0), 1.0)


def nice_ticks(low: float, high: float, *, most: int = 6, whole: bool = False) -> tuple[float, ...]:
    """Give round numbers between two ends, at most so many; whole numbers only with `whole`.

    >>> nice_ticks(0.0, 1.0), nice_ticks(0.0, 7.0, whole=True)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 2.0, 4.0, 6.0))
    """
    span = high - low
    # Steps between numbers that are almost equal floats have no digits.
    if not math.isfinite(span) or span <= 1e-12 * max(abs(low), abs(high)) or span < 1e-290:
        return (low,) if low == high else (low, high)
    rough = span / max(most - 1, 1)
    power = math.floor(math.log10(rough))
    if whole:
        power = max(power, 0)
    for candidate in (power, power + 1):
        for step in WHOLE_STEPS if whole else STEPS:
            found = _multiples(low, high, step, candidate)
            if len(found) <= most:
                return found or ((low,) if whole else (low, high))
    return (low, high)


def _multiples(low: float, high: float, step: float, power: int) -> tuple[float, ...]:
    """List the multiples of ``step * 10**power`` in a range, without the dust of adding floats."""
    unit = step * 10.0**power
    if unit == 0.0:
        return ()
    first, last = math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9)
    if last - first > 100:
        return tuple(range(101))  # too many in any case
    digits = max(0, 1 - power)
    ticks = (round(number * unit, digits) for number in range(first, last + 1))
    return tuple(min(max(tick, low), high) + 0.0 for tick in ticks)


def text_ticks(
    scale: Scale, write: Callable[[float], str], *, whole: bool = False, most: int = 6, room: int = ROOM
) -> tuple[Tick, ...]:
    """Give the ticks of a scale with their texts: fewer where the texts are long."""
    for count in range(most, 1, -1):
        values = nice_ticks(scale.low, scale.high, most=count, whole=whole)
        texts = [write(value) for value in values]
        if sum(len(text) + 2 for text in texts) <= room:
            break
    return tuple(Tick(place=scale.place(value), text=text) for value, text in zip(values, texts, strict=True))


def decimals_for(values: Sequence[float]) -> int:
    """Give how many decimals distinguish round numbers.

    >>> decimals_for((0.0, 0.25, 0.5)), decimals_for((10.0, 20.0))
    (2, 0)
    """
    for decimals in range(10):
        if all(abs(round(value, decimals) - value) <= 1e-9 * max(1.0, abs(value)) for value in values):
            return decimals
    return 10


def share_text(share: float, speaker: Speaker) -> str:
    """Write a share in per cent, small ones with a decimal; what is there is never written as none."""
    percent = 100.0 * share
    if 0 < percent < 0.1:
        return "< " + speaker.say("percent", number=speaker.figure(0.1, 1))
    decimals = 1 if 0 < percent < 9.95 and round(percent, 1) != round(percent) else 0
    return speaker.say("percent", number=speaker.figure(percent, decimals))


def is_whole(values: Sequence[float]) -> bool:
    """Return whether all are whole numbers, few enough to count."""
    return all(float(value).is_integer() and abs(value) <= 1e6 for value in values)


def short(text: str, most: int) -> str:
    """Bring a text to one line of at most so many characters.

    >>> short("a very long name", 9), short("two\\nlines", 20)
    ('a very l…', 'two lines')
    """
    # A no-break space is there to keep two words together.
    line = re.sub(r"[^\S\u00a0]+", " ", text).strip() or "–"
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def wrapped(text: str, width: int, lines: int = 2) -> str:
    """Break a text into a few lines between words; a longer word is cut, and a longer text ends with ….

    >>> wrapped("share of the population", 10)
    'share of\\nthe…'
    >>> wrapped("population", 10)
    'population'
    """
    words = short(text, 10_000).split(" ")
    found: list[str] = []
    while words:
        line = words.pop(0)
        while words and len(line) + 1 + len(words[0]) <= width:
            line += " " + words.pop(0)
        if len(line) > width:  # one word that no line holds
            line = short(line, width)
        found.append(line)
        if len(found) == lines and words:
            kept = found[-1] if len(found[-1]) < width else found[-1][: width - 1]
            found[-1] = kept.rstrip("…") + "…"
            break
    return "\n".join(found)


def distinct_labels(texts: Sequence[str], width: int, lines: int = 3) -> list[str]:
    """Break texts into short lines; those that would look the same keep their ends instead of middles.

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
