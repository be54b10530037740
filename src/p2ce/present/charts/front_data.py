"""Collect what a chart of a Pareto front draws: each option's cost in every objective, and the highlights."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest
from p2ce.present.charts.axis_scales import AxisScale, Tick, are_counts, decimals_for, nice_ticks, text_ticks
from p2ce.present.highlights import best_text, looks_of, marks_of, picked
from p2ce.present.wording import Wording
from p2ce.result import Explanation
from p2ce.result.picks import strengths

NEAR_ZERO = 0.5  # if the lowest cost is below this share of the highest, the axis begins at zero
ENDS = 0.06  # of the range, left free at both ends of an axis
APART = 150  # marks closer than this share of an axis cover each other
SMALLEST, LARGEST = 1e-5, 1e9  # beyond these, ticks are written with powers of ten


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartOption:
    """One option of an explanation, as every chart names it."""

    number: int  # its id: the position in the explanation, counted from 1
    mark: str  # what readers call it: that number, or a letter
    name: str  # "option 2"
    why: str = ""  # what it is best at, in words; "" if nothing distinguishes it
    look: int | None = None  # the position of its colour and shape, counted from 0; None for a pale one

    @property
    def legend(self) -> str:
        """The name, and what the option is best at."""
        return f"{self.name}: {self.why}" if self.why else self.name


def chart_options(
    explanation: Explanation, numbers: Sequence[int], wording: Wording, *, lettered: bool = False
) -> tuple[ChartOption, ...]:
    """Name the options with these numbers, each with its look and the reasons on its card."""
    reasons = dict(enumerate(strengths(explanation), start=1))
    reasons |= {pick.number: pick.reasons for pick in picked(explanation)}
    marks, looks = marks_of(explanation, lettered=lettered), looks_of(explanation)
    return tuple(
        ChartOption(
            number=number,
            mark=marks[number],
            name=wording.say("chart_option", number=marks[number]),
            why=best_text(reasons[number], wording),
            look=looks[number],
        )
        for number in numbers
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CostAxis:
    """One objective: its name and the range of its costs."""

    title: str
    scale: AxisScale
    ticks: tuple[Tick, ...]  # on `scale`
    tight: AxisScale  # from the lowest to the highest cost of this front, for parallel coordinates
    tight_ticks: tuple[Tick, ...]  # the two ends, or the only cost if all are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPoint(ChartOption):
    """One option. Its costs and places are in the order of the axes. Only picks have a look and reasons."""

    costs: tuple[float, ...]
    places: tuple[float, ...]  # on the scale of each axis
    tight_places: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontData:
    """All options of one explanation, in the order of their marks."""

    axes: tuple[CostAxis, ...]
    points: tuple[FrontPoint, ...]

    @property
    def picks(self) -> tuple[FrontPoint, ...]:
        """The highlighted options."""
        return tuple(point for point in self.points if point.look is not None)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The two axes of each panel: across, up."""
        return tuple(combinations(range(len(self.axes)), 2))

    def ties(self, axes: Sequence[int]) -> list[tuple[FrontPoint, ...]]:
        """Group the options at the same point of some axes, so that none hides another."""
        found: dict[tuple[int, ...], list[FrontPoint]] = {}
        for point in self.points:
            found.setdefault(tuple(round(APART * point.places[axis]) for axis in axes), []).append(point)
        return [tuple(group) for group in found.values()]


def front_data(
    explanation: Explanation,
    wording: Wording,
    *,
    objectives: Sequence[str] | None = None,
    lettered: bool = False,
) -> FrontData:
    """Collect the costs of all options. Without options, there are no points.

    `objectives` are some of the explanation's, in the order to draw them; by default all. Options are
    `lettered` for applicants, and numbered for all other readers.
    """
    chosen = _objectives(explanation, objectives)
    axes = tuple(_axis(name, [option.costs[name] for option in explanation], wording) for name in chosen)
    numbers = [pick.number for pick in picked(explanation, lettered=lettered)]
    picks = {one.number: one for one in chart_options(explanation, numbers, wording, lettered=lettered)}
    points = []
    for number, mark in marks_of(explanation, lettered=lettered).items():
        pick = picks.get(number)
        costs = tuple(float(explanation[number - 1].costs[name]) for name in chosen)
        points.append(
            FrontPoint(
                number=number,
                mark=mark,
                name=wording.say("chart_option", number=mark),
                why=pick.why if pick else "",
                look=pick.look if pick else None,
                costs=costs,
                places=tuple(axis.scale.place(cost) for axis, cost in zip(axes, costs, strict=True)),
                tight_places=tuple(axis.tight.place(cost) for axis, cost in zip(axes, costs, strict=True)),
            )
        )
    return FrontData(axes=axes, points=tuple(points))


def _objectives(explanation: Explanation, chosen: Sequence[str] | None) -> tuple[str, ...]:
    if chosen is None:
        return explanation.objectives
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    for name in names:
        require_objective(name, explanation.objectives)
    if not names or len(set(names)) < len(names):
        raise InvalidArgument(
            f"objectives must be some of {list(explanation.objectives)}, each once; got {list(names)}."
        )
    return names


def require_objective(name: str, known: Sequence[str]) -> None:
    """Raise if an objective is unknown."""
    if name not in known:
        raise InvalidArgument(f"These options have no objective {echoed(name)}. {nearest(name, known)}")


def _axis(name: str, costs: Sequence[float], wording: Wording) -> CostAxis:
    low, high = min(costs, default=0.0), max(costs, default=1.0)
    scale, tight = cost_scale(low, high), AxisScale(low, high)
    ends = (low,) if low == high else (low, high)
    return CostAxis(
        title=wording.objective(name),
        scale=scale,
        ticks=cost_ticks(scale, costs, wording),
        tight=tight,
        tight_ticks=tuple(Tick(tight.place(end), wording.numbers.cost(end)) for end in ends),
    )


def cost_scale(low: float, high: float) -> AxisScale:
    """Return an axis for costs, from zero if that is not far from the lowest cost."""
    begin = 0.0 if 0.0 <= low <= NEAR_ZERO * high or low == high >= 0.0 else low
    end = high if high > begin else begin + 1.0
    room = ENDS * (end - begin)
    # Differences below or above what a float can hold.
    if end + room <= begin or not math.isfinite(end + room) or not math.isfinite(begin - room):
        return AxisScale(begin, end)
    return AxisScale(begin if begin == 0.0 else begin - room, end + room)


def cost_ticks(scale: AxisScale, costs: Sequence[float], wording: Wording) -> tuple[Tick, ...]:
    """Return ticks for costs: whole numbers if costs are counts."""
    whole = are_counts(costs)
    decimals = decimals_for(nice_ticks(scale.low, scale.high, whole=whole))

    def write(value: float) -> str:
        if value and not SMALLEST <= abs(value) < LARGEST:
            return f"{value:.3g}"
        # If labels are long, there are fewer ticks, and these may have more decimals.
        return wording.numbers.fixed(value, max(decimals, decimals_for((value,))))

    return text_ticks(scale, write, whole=whole, room=36)
