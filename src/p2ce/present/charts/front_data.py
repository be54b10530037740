"""Collect what a Pareto front draws: every option's cost in every objective, and which are highlighted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from p2ce.errors import InvalidArgument, nearest
from p2ce.present.charts.axis_scales import Scale, Tick, decimals_for, is_whole, nice_ticks, text_ticks
from p2ce.present.charts.chart_labels import label
from p2ce.present.speaker import Speaker, speaker_of
from p2ce.result import Explanation
from p2ce.visible import echoed

PICKS = 3
NEAR_ZERO = 0.5  # a lowest cost below this share of the highest lets its axis begin at zero
ENDS = 0.06  # of the range, left free at both ends of an axis
APART = 150  # marks nearer than this part of an axis cover each other
SMALLEST, LARGEST = 1e-5, 1e9  # beyond them, ticks are written in powers of ten


@dataclass(frozen=True, slots=True, kw_only=True)
class CostAxis:
    """One objective: how it is called and where its costs lie."""

    objective: str
    title: str
    scale: Scale
    ticks: tuple[Tick, ...]  # on `scale`
    tight: Scale  # from the lowest to the highest cost of this front, for parallel coordinates
    tight_ticks: tuple[Tick, ...]  # the two ends, or the one cost that all have


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPoint:
    """One option; tuples are in the order of the axes."""

    number: int  # its place in the explanation, counted from 1
    name: str  # "option 2"
    costs: tuple[float, ...]
    texts: tuple[str, ...]  # the costs, written
    places: tuple[float, ...]  # on each axis' scale
    tight_places: tuple[float, ...]
    pick: int | None  # the how-manieth pick it is, counted from 0; it gives the look
    why: str  # why it was picked, in words


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontData:
    """All options of one explanation, whose costs were found in the same objectives."""

    language: str
    axes: tuple[CostAxis, ...]
    points: tuple[FrontPoint, ...]

    @property
    def picks(self) -> tuple[FrontPoint, ...]:
        """The options that stand out, in order."""
        return tuple(point for point in self.points if point.pick is not None)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Which two axes each panel has: across, up."""
        return tuple(combinations(range(len(self.axes)), 2))

    def ties(self, axes: Sequence[int]) -> list[tuple[FrontPoint, ...]]:
        """Group the options that lie at the same point of some axes, so that none hides another."""
        found: dict[tuple[int, ...], list[FrontPoint]] = {}
        for point in self.points:
            found.setdefault(tuple(round(APART * point.places[axis]) for axis in axes), []).append(point)
        return [tuple(group) for group in found.values()]

    def legend_of(self, point: FrontPoint) -> str:
        """Name an option and what it is good at."""
        return f"{point.name}: {point.why}" if point.why else point.name


def front_data(
    explanation: Explanation, *, objectives: Sequence[str] | None = None, language: str = "en"
) -> FrontData:
    """Gather what a picture of the front shows; without options there are no points.

    `objectives` are some of the explanation's, in the order wanted; all of them if left out.
    """
    speaker = speaker_of(explanation, language)
    chosen = _objectives(explanation, objectives)
    axes = tuple(_axis(name, [option.costs[name] for option in explanation], speaker) for name in chosen)
    picks = {pick.number: (place, pick) for place, pick in enumerate(explanation.pick(PICKS))}
    points = []
    for number, option in enumerate(explanation, start=1):
        place, pick = picks.get(number, (None, None))
        costs = tuple(float(option.costs[name]) for name in chosen)
        points.append(
            FrontPoint(
                number=number,
                name=label(language, "option", number=number),
                costs=costs,
                texts=tuple(speaker.cost(cost) for cost in costs),
                places=tuple(axis.scale.place(cost) for axis, cost in zip(axes, costs, strict=True)),
                tight_places=tuple(axis.tight.place(cost) for axis, cost in zip(axes, costs, strict=True)),
                pick=place,
                why="" if pick is None else ", ".join(speaker.best_at(reason) for reason in pick.reasons),
            )
        )
    return FrontData(language=language, axes=axes, points=tuple(points))


def _objectives(explanation: Explanation, chosen: Sequence[str] | None) -> tuple[str, ...]:
    if chosen is None:
        return explanation.objectives
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    for name in names:
        check_objective(name, explanation.objectives)
    if not names or len(set(names)) < len(names):
        raise InvalidArgument(
            f"objectives expects some of {list(explanation.objectives)}, each once; got {list(names)}."
        )
    return names


def check_objective(name: str, known: Sequence[str]) -> None:
    """Raise if an objective is unknown."""
    if name not in known:
        raise InvalidArgument(f"These options have no objective {echoed(name)}. {nearest(name, known)}")


def _axis(name: str, costs: Sequence[float], speaker: Speaker) -> CostAxis:
    low, high = min(costs, default=0.0), max(costs, default=1.0)
    scale, tight = cost_scale(low, high), Scale(low=low, high=high)
    ends = (low,) if low == high else (low, high)
    return CostAxis(
        objective=name,
        title=speaker.objective(name),
        scale=scale,
        ticks=cost_ticks(scale, costs, speaker),
        tight=tight,
        tight_ticks=tuple(Tick(place=tight.place(end), text=speaker.cost(end)) for end in ends),
    )


def cost_scale(low: float, high: float) -> Scale:
    """Give an axis for costs, from zero where that is not far off."""
    begin = 0.0 if 0.0 <= low <= NEAR_ZERO * high or low == high >= 0.0 else low
    end = high if high > begin else begin + 1.0
    room = ENDS * (end - begin)
    # Differences below or beyond what a float holds.
    if end + room <= begin or not math.isfinite(end + room) or not math.isfinite(begin - room):
        return Scale(low=begin, high=end)
    return Scale(low=begin if begin == 0.0 else begin - room, high=end + room)


def cost_ticks(scale: Scale, costs: Sequence[float], speaker: Speaker, *, most: int = 6) -> tuple[Tick, ...]:
    """Give ticks for costs, at whole numbers where costs are counts."""
    whole = is_whole(costs)
    decimals = decimals_for(nice_ticks(scale.low, scale.high, most=most, whole=whole))

    def write(value: float) -> str:
        if value and not SMALLEST <= abs(value) < LARGEST:
            return f"{value:.3g}"
        return speaker.figure(value, decimals)

    return text_ticks(scale, write, whole=whole, most=most, room=36)
