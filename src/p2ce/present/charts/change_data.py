"""Collect what a chart of changes draws: per feature, today's value, each option's, and the population."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.present.charts import axis_scales
from p2ce.present.charts.axis_scales import AxisScale, Bar, FeatureAxis, Tick, is_number, slot_key
from p2ce.present.charts.front_data import ChartOption, chart_options
from p2ce.present.highlights import picked
from p2ce.present.wording import Wording
from p2ce.result import Explanation
from p2ce.result.one_hot_groups import whole_changes
from p2ce.result.picks import Pick
from p2ce.result.problem_record import Distribution
from p2ce.tables.cells import is_missing

MOST_SLOTS = 8  # categories side by side; those that matter are kept, the others share one slot
WIDEST = 2.5  # times the population's range: values farther out are drawn at the edge
ROOM = 0.05  # of the range, left free at both ends if no population sets the frame
NUMBERS_END, MISSING_BEGIN = 0.86, 0.9  # where missing values have a slot next to the numbers
LEAST_MISSING = 0.005  # a smaller share of the population gets no separate slot
TEXT_ROOM = 70  # characters that all slots share

_Moves: TypeAlias = Mapping[int, Mapping[str, tuple[Any, Any]]]  # option's number → column → before, after


class Mark(NamedTuple):
    """The place of a value, 0 to 1, and its text."""

    place: float
    text: str
    changed: bool
    outside: str  # "below" or "above" if the value is beyond the frame and drawn at its edge


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureChanges:
    """One feature that any of the options changes."""

    axis: FeatureAxis
    today: Mark
    marks: tuple[Mark, ...]  # one per option shown, in their order


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeData:
    """The values before and after, for a few options; the feature that most of them change comes first."""

    options: tuple[ChartOption, ...]
    features: tuple[FeatureChanges, ...]
    note: str  # what a reader has to know; "" for nothing

    @property
    def has_population(self) -> bool:
        """Whether any feature has the population behind it."""
        return any(feature.axis.bars for feature in self.features)


def change_data(
    explanation: Explanation,
    wording: Wording,
    options: Iterable[int | Pick] | None = None,
    *,
    lettered: bool = False,
) -> ChangeData:
    """Collect what some options change.

    `options` are the numbers of options, counted from 1, or what ``explanation.pick(3)`` returned. By
    default, all are shown, or three picks if there are more than five. Options are `lettered` for applicants.
    """
    numbers = _numbers(explanation, options)
    changes = {number: whole_changes(explanation[number - 1], wording.groups) for number in numbers}
    counts = Counter(column for mine in changes.values() for column in mine)
    columns = sorted(counts, key=lambda column: -counts[column])  # stable: then in the order of the options
    features = tuple(_changes(explanation, column, changes, wording) for column in columns)
    notes = []
    if len(numbers) < (found := len(explanation) + explanation.unlisted):
        notes.append(wording.say("chart_shown_of", shown=len(numbers), all=wording.numbers.fixed(found, 0)))
    if any(mark.outside for feature in features for mark in (feature.today, *feature.marks)):
        notes.append(wording.say("chart_off_scale"))
    shown = chart_options(explanation, numbers, wording, lettered=lettered)
    return ChangeData(options=shown, features=features, note=" ".join(notes))


def _numbers(explanation: Explanation, options: Iterable[int | Pick] | None) -> tuple[int, ...]:
    if options is None:
        return tuple(one.number for one in picked(explanation))
    given = list(options) if isinstance(options, Iterable) else [options]
    numbers = [one.number if isinstance(one, Pick) else one for one in given]
    for number in numbers:
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not 1 <= number <= len(explanation):
            raise InvalidArgument(
                f"options must be numbers from 1 to {len(explanation)}; got {echoed(number)}."
            )
    if not numbers:
        raise InvalidArgument("options is empty, so nothing would be shown. Leave it out to see a few picks.")
    return tuple(dict.fromkeys(numbers))


def _changes(explanation: Explanation, column: str, changes: _Moves, wording: Wording) -> FeatureChanges:
    before = next(mine[column][0] for mine in changes.values() if column in mine)
    today = before if column in wording.groups else explanation.person.get(column, before)
    new = {number: mine[column][1] for number, mine in changes.items() if column in mine}
    axis = _axis(explanation, column, [today, *new.values()], wording)

    def mark(value: Any, text: str, *, changed: bool = False) -> Mark:
        place = axis.place(value)
        return Mark(0.5 if place is None else place, text, changed, axis.outside(value))

    marks = []
    for number in changes:
        if number in new:
            # The text is the verified rounded value; the place is that of the exact value.
            said = explanation[number - 1].rounded.get(column, new[number])
            marks.append(mark(new[number], wording.value(column, said), changed=True))
        else:
            marks.append(mark(today, wording.say("chart_unchanged")))
    current = wording.current(column, today, *new.values())
    return FeatureChanges(axis=axis, today=mark(today, current), marks=tuple(marks))


def _axis(explanation: Explanation, column: str, values: Sequence[Any], wording: Wording) -> FeatureAxis:
    """Lay out a feature, or a category of several columns, so that all values shown have a place."""
    if column in wording.groups:
        return _slots(column, values, _spread_over(wording.groups[column], wording), (), wording)
    feature = wording.features.get(column)
    spread = Distribution() if feature is None or feature.distribution is None else feature.distribution
    kind = "" if feature is None else feature.kind
    numeric = all(is_missing(one) or is_number(one) for one in values)
    if spread.labels or kind in ("category", "binary") or not numeric:
        ordered = explanation.categories.get(column)
        order = ordered.labels if ordered is not None and ordered.ordered else ()
        return _slots(column, values, spread, order, wording)
    whole = kind == "whole" or (not kind and all(isinstance(one, int) for one in values))
    return _numbers_axis(column, values, spread, wording, whole=whole)


def _spread_over(columns: Sequence[str], wording: Wording) -> Distribution:
    """Combine the distribution of a population over a category whose levels are columns of 0 and 1."""
    shares: dict[Any, float] = {}  # of levels, which are keys of the slots, although no values of one column
    for column in columns:
        if (spread := wording.features[column].distribution) is not None:
            pairs = zip(spread.labels, spread.shares, strict=False)
            shares[(column,)] = sum(share for one, share in pairs if one == 1)
    order = sorted(shares, key=lambda level: -shares[level])
    return Distribution(labels=tuple(order), shares=tuple(shares[level] for level in order))


def _numbers_axis(
    column: str, values: Sequence[Any], spread: Distribution, wording: Wording, *, whole: bool
) -> FeatureAxis:
    numbers = [float(value) for value in values if not is_missing(value)]
    missing = len(numbers) < len(values) or spread.missing >= LEAST_MISSING
    scale, end = _scale(numbers, spread), NUMBERS_END if missing else 1.0
    named = axis_scales.feature_ticks(column, scale, wording, whole=whole)
    ticks = [Tick(tick.place * end, tick.text) for tick in named]
    bins = list(zip(spread.edges, spread.edges[1:], spread.shares, strict=False))
    widest = max((high - low for low, high, _ in bins), default=0.0)
    # By area, so a wide bin does not look fuller than a narrow one.
    heights = [share * widest / (high - low) if high > low else share for low, high, share in bins]
    tallest = max([*heights, spread.missing if missing else 0.0], default=0.0) or 1.0
    bars = [
        Bar(scale.place(low) * end, scale.place(high) * end, height / tallest, share)
        for (low, high, share), height in zip(bins, heights, strict=True)
    ]
    middle = (MISSING_BEGIN + 1.0) / 2
    if missing:
        ticks.append(Tick(middle, wording.say("missing")))
    if missing and spread.missing:
        bars.append(Bar(MISSING_BEGIN + 0.02, 0.98, spread.missing / tallest, spread.missing))
    return FeatureAxis(
        column=column,
        title=wording.axis(column),
        ticks=tuple(ticks),
        bars=tuple(bars),
        scale=scale,
        end=end,
        slots={None: middle} if missing else {},
        edges=(0.0, (NUMBERS_END + MISSING_BEGIN) / 2, 1.0) if missing else (),
    )


def _scale(numbers: Sequence[float], spread: Distribution) -> AxisScale:
    """Choose the ends: those of the population, extended if values lie near it."""
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    if len(spread.edges) < 2 or spread.edges[0] >= spread.edges[-1]:
        room = ROOM * (high - low) if high > low else max(abs(low) * 0.5, 0.5)
        wide = AxisScale(low - room, high + room)
        return wide if math.isfinite(wide.high - wide.low) else AxisScale(low, high)
    first, last = spread.edges[0], spread.edges[-1]
    span = last - first
    # Each side separately: one distant value must not press all others together.
    near = (WIDEST - 1.0) / 2 * span
    inside = [number for number in numbers if first - near <= number <= last + near]
    low, high = min([first, *inside]), max([last, *inside])
    return AxisScale(low if low == first else low - ROOM * span, high if high == last else high + ROOM * span)


def _slots(
    column: str, values: Sequence[Any], spread: Distribution, order: Sequence[Any], wording: Wording
) -> FeatureAxis:
    shares = {slot_key(one): share for one, share in zip(spread.labels, spread.shares, strict=False)}
    named = {slot_key(one): one for one in (*spread.labels, *values)}
    if spread.missing >= LEAST_MISSING:
        shares[None] = spread.missing
        named.setdefault(None, None)
    kept = _kept(list(named), [slot_key(value) for value in values])
    other = spread.other + sum(shares.get(key, 0.0) for key in named if key not in kept)
    listed = _in_order(kept, [slot_key(one) for one in order])
    texts = [wording.value(column, named[key]) for key in listed]
    if other > 0:
        # No bar, since the bar of many labels together would look like one common label.
        rest = wording.numbers.share(other).replace(" ", "\N{NO-BREAK SPACE}")
        texts.append(wording.say("chart_other_labels", share=rest))
    axis = axis_scales.slot_axis(column, listed, texts, max(TEXT_ROOM // len(texts) - 1, 6), wording)
    tallest = max((shares.get(key, 0.0) for key in listed), default=0.0) or 1.0
    half = 0.36 / len(texts)
    bars = [
        Bar(middle - half, middle + half, share / tallest, share)
        for key, middle in axis.slots.items()
        if (share := shares.get(key, 0.0))
    ]
    return replace(axis, bars=tuple(bars))


def _kept(keys: Sequence[Hashable], needed: Sequence[Hashable]) -> list[Hashable]:
    """Keep the labels that are needed, then the most common ones, which come first."""
    if len(keys) <= MOST_SLOTS:
        return list(keys)
    room = max(MOST_SLOTS - 1 - len(set(needed)), 0)
    common = [key for key in keys if key not in needed][:room]
    return [key for key in keys if key in needed or key in common]


def _in_order(keys: Sequence[Hashable], order: Sequence[Hashable]) -> list[Hashable]:
    """Order labels as their column does, no before yes, missing last."""
    known = [key for key in keys if key is not None]
    if not order and all(isinstance(key, int | float) for key in known):
        order = sorted(known)  # type: ignore[type-var]
    rank = {key: place for place, key in enumerate(order)}
    return sorted(keys, key=lambda key: (key is None, rank.get(key, len(rank))))
