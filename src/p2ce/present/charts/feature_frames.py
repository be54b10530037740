"""Lay out one feature's frame: its axis, the population in it, and where values stand."""

import math
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from p2ce.present.charts.axis_scales import Scale, Tick, distinct_labels, share_text, short, text_ticks
from p2ce.present.charts.chart_labels import label
from p2ce.present.speaker import Speaker
from p2ce.result import Explanation
from p2ce.result.distribution import Distribution
from p2ce.tables.cells import is_missing

MOST_SLOTS = 8  # of categories side by side; those that matter are kept, the rest is one slot
WIDEST = 2.5  # times the population's range: values farther out are put on the edge
ROOM = 0.05  # of the range, left free at both ends where no population gives the frame
NUMBERS_END = 0.86  # where the axis of numbers ends when missing values have a slot beside it
MISSING_BEGIN = 0.9
LEAST_MISSING = 0.005  # a smaller share of the population gets no slot of its own
TEXT_ROOM = 70  # characters that all slots share


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A part of the population; `height` is 1 for the tallest of the frame."""

    begin: float
    end: float
    height: float
    share: float  # of the whole population
    text: str  # what it stands for, and how many: "own: 25%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Where a value stands, and how it is written."""

    place: float
    text: str
    changed: bool = True
    outside: str = ""  # "below" or "above" where the value is beyond the frame, and put on its edge


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFrame:
    """The frame of one feature: an axis of numbers, or a slot for each of some labels."""

    kind: str  # "number" or "category"
    ticks: tuple[Tick, ...]
    bars: tuple[Bar, ...]
    scale: Scale | None = None  # of numbers
    end: float = 1.0  # where numbers end, 1 unless missing values have a slot beside them
    slots: dict[Hashable, float] = field(default_factory=dict)  # label → its middle
    divider: float | None = None  # the place between numbers and the slot for missing values
    edges: tuple[float, ...] = ()  # between the slots of categories

    def mark(self, value: Any, text: str, *, changed: bool = True) -> Mark:
        """Find the place of a value that the frame was made for."""
        key = _key(value)
        if key in self.slots or self.scale is None:
            return Mark(place=self.slots.get(key, 0.5), text=text, changed=changed)
        number = float(value)
        outside = "below" if number < self.scale.low else "above" if number > self.scale.high else ""
        return Mark(place=self.end * self.scale.place(number), text=text, changed=changed, outside=outside)


def frame_for(explanation: Explanation, column: str, values: Sequence[Any], speaker: Speaker) -> FeatureFrame:
    """Lay out a feature, or a category of several columns, so that all values shown have their place."""
    if column in speaker.groups:
        return _slots(column, values, _spread_over(speaker.groups[column], speaker), (), speaker)
    feature = None if explanation.question is None else explanation.question.features.get(column)
    spread = Distribution() if feature is None or feature.distribution is None else feature.distribution
    kind = "" if feature is None else feature.kind
    if spread.labels or kind in ("category", "binary") or not all(_is_number(one) for one in values):
        ordered = explanation.categories.get(column)
        order = ordered.labels if ordered is not None and ordered.ordered else ()
        return _slots(column, values, spread, order, speaker)
    whole = kind == "whole" or (not kind and all(isinstance(one, int) for one in values))
    return _numbers(column, values, spread, speaker, whole=whole)


def _spread_over(columns: Sequence[str], speaker: Speaker) -> Distribution:
    """Put together how people are spread over a category whose levels are columns of 0 and 1."""
    shares: dict[tuple[str, ...], float] = {}
    for column in columns:
        spread = speaker.features[column].distribution
        if spread is not None:
            shares[(column,)] = sum(
                share for one, share in zip(spread.labels, spread.shares, strict=False) if one == 1
            )
    order = sorted(shares, key=lambda level: -shares[level])
    # Levels are keys of the frame, though no values of one column.
    labels: tuple[Any, ...] = tuple(order)
    return Distribution(labels=labels, shares=tuple(shares[level] for level in order))


def _key(value: Any) -> Hashable:
    """Name a value for looking it up: all missing ones are one, and 1, 1.0 and True are one."""
    if is_missing(value):
        return None
    return value if isinstance(value, Hashable) else str(value)


def _is_number(value: Any) -> bool:
    return is_missing(value) or (
        isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    )


def _numbers(
    column: str, values: Sequence[Any], spread: Distribution, speaker: Speaker, *, whole: bool
) -> FeatureFrame:
    numbers = [float(value) for value in values if not is_missing(value)]
    missing = len(numbers) < len(values) or spread.missing >= LEAST_MISSING
    scale = _frame(numbers, spread)
    end = NUMBERS_END if missing else 1.0

    def write(value: float) -> str:
        return speaker.number(column, int(value) if value.is_integer() and abs(value) < 2**53 else value)

    def between(low: float, high: float) -> str:
        return f"{write(_rounded(low, widest))}–{write(_rounded(high, widest))}"

    ticks = [Tick(place=tick.place * end, text=tick.text) for tick in text_ticks(scale, write, whole=whole)]
    widths = [high - low for low, high in zip(spread.edges, spread.edges[1:], strict=False)]
    widest = max(widths, default=0.0)
    # By area, so that a wide bin does not look fuller than a narrow one.
    heights = [
        share * widest / width if width > 0 else share
        for share, width in zip(spread.shares, widths, strict=False)
    ]
    tallest = max([*heights, spread.missing if missing else 0.0], default=0.0) or 1.0
    bars = [
        Bar(
            begin=scale.place(low) * end,
            end=scale.place(high) * end,
            height=height / tallest,
            share=share,
            text=f"{between(low, high)}: {share_text(share, speaker)}",
        )
        for low, high, height, share in zip(
            spread.edges, spread.edges[1:], heights, spread.shares, strict=False
        )
    ]
    slots: dict[Hashable, float] = {}
    if missing:
        middle = (MISSING_BEGIN + 1.0) / 2
        slots[None] = middle
        named = speaker.say("missing")
        ticks.append(Tick(place=middle, text=named))
        if spread.missing:
            bars.append(
                Bar(
                    begin=MISSING_BEGIN + 0.02,
                    end=0.98,
                    height=spread.missing / tallest,
                    share=spread.missing,
                    text=f"{named}: {share_text(spread.missing, speaker)}",
                )
            )
    return FeatureFrame(
        kind="number",
        ticks=tuple(ticks),
        bars=tuple(bars),
        scale=scale,
        end=end,
        slots=slots,
        divider=(NUMBERS_END + MISSING_BEGIN) / 2 if missing else None,
    )


def _rounded(edge: float, width: float) -> float:
    """Drop the digits of a bin's end that nobody wants to read."""
    return round(edge, 2 - math.floor(math.log10(width))) if width > 0 else edge


def _frame(numbers: Sequence[float], spread: Distribution) -> Scale:
    """Choose the ends: the population's, wider where values lie near it."""
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    if len(spread.edges) < 2 or spread.edges[0] >= spread.edges[-1]:
        room = ROOM * (high - low) if high > low else max(abs(low) * 0.5, 0.5)
        wide = Scale(low=low - room, high=high + room)
        return wide if math.isfinite(wide.high - wide.low) else Scale(low=low, high=high)
    first, last = spread.edges[0], spread.edges[-1]
    span = last - first
    # Each side on its own: one value far out must not press all others together.
    near = (WIDEST - 1.0) / 2 * span
    inside = [number for number in numbers if first - near <= number <= last + near]
    low, high = min([first, *inside]), max([last, *inside])
    return Scale(
        low=low if low == first else low - ROOM * span, high=high if high == last else high + ROOM * span
    )


def _slots(
    column: str, values: Sequence[Any], spread: Distribution, order: Sequence[Any], speaker: Speaker
) -> FeatureFrame:
    shares = {_key(one): share for one, share in zip(spread.labels, spread.shares, strict=False)}
    named = {_key(one): one for one in (*spread.labels, *values)}
    needed = [_key(value) for value in values]
    if spread.missing >= LEAST_MISSING:
        shares[None] = spread.missing
        named.setdefault(None, None)
    kept = _kept(list(named), needed)
    rest = [key for key in named if key not in kept]
    other = spread.other + sum(shares.get(key, 0.0) for key in rest)
    listed = _in_order(kept, [_key(one) for one in order])
    count = len(listed) + (other > 0)
    tallest = max((shares.get(key, 0.0) for key in listed), default=0.0) or 1.0
    slots, bars = {}, []
    texts = [speaker.value(column, named[key]) for key in listed]
    for place, (key, text) in enumerate(zip(listed, texts, strict=True)):
        middle = slots[key] = (place + 0.5) / count
        if share := shares.get(key, 0.0):
            bars.append(
                Bar(
                    begin=middle - 0.36 / count,
                    end=middle + 0.36 / count,
                    height=share / tallest,
                    share=share,
                    text=f"{short(text, 40)}: {share_text(share, speaker)}",
                )
            )
    if other > 0:
        # No bar: that of many labels together would look like one common label.
        rest_share = share_text(other, speaker).replace(" ", "\N{NO-BREAK SPACE}")
        texts.append(label(speaker.language, "other_labels", share=rest_share))
    ticks = [
        Tick(place=(place + 0.5) / count, text=text)
        for place, text in enumerate(distinct_labels(texts, max(TEXT_ROOM // count - 1, 6)))
    ]
    return FeatureFrame(
        kind="category",
        ticks=tuple(ticks),
        bars=tuple(bars),
        slots=slots,
        edges=tuple(place / count for place in range(1, count)),
    )


def _kept(keys: Sequence[Hashable], needed: Sequence[Hashable]) -> list[Hashable]:
    """Keep the labels that are needed and then the commonest, which come first."""
    if len(keys) <= MOST_SLOTS:
        return list(keys)
    room = MOST_SLOTS - 1 - len(set(needed))
    common = [key for key in keys if key not in needed][: max(room, 0)]
    chosen = {*needed, *common}
    return [key for key in keys if key in chosen]


def _in_order(keys: Sequence[Hashable], order: Sequence[Hashable]) -> list[Hashable]:
    """Order labels as their column does, no before yes; missing last."""
    known = [key for key in keys if key is not None]
    if not order and all(isinstance(key, int | float) for key in known):
        order = sorted(known)  # type: ignore[type-var]
    rank = {key: place for place, key in enumerate(order)}
    return sorted(keys, key=lambda key: (key is None, rank.get(key, len(rank))))
