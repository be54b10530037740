"""Collect what charts of many people draw: the sizes of the smallest changes, and which features change."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.present.charts.axis_scales import AxisScale, Bar, Tick, are_counts, is_number, text_ticks
from p2ce.present.charts.front_data import cost_scale, cost_ticks, require_objective
from p2ce.present.wording import Wording, wording_for
from p2ce.result import Counterfactual, Explanation, Explanations, Feature, Status
from p2ce.result.explanations import shared_objectives
from p2ce.result.one_hot_groups import Groups, category_groups, whole_changes
from p2ce.result.problem_record import ALONG

OUTCOMES = ("with_options", "unproven", "no_recourse", "no_fronts", "favourable", "error")
DIRECTIONS = ("up", "down", "switched")
MOST_BINS = 24
MOST_COUNTS = 30  # different whole costs, each with a separate bar


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """How many people have one outcome."""

    outcome: str
    name: str
    people: int
    share: float  # of all people
    text: str  # "712 (71 %)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostData:
    """The distribution of the smallest changes over people. The `outcomes` add up to all people."""

    objective: str
    title: str  # of the axis of costs
    bars: tuple[Bar, ...]  # of people
    ticks: tuple[Tick, ...]
    up_ticks: tuple[Tick, ...]
    median: Tick | None  # None if no one has an option
    outcomes: tuple[OutcomeCount, ...]  # those that occur, in a fixed order
    note: str  # for how many people the cost is only an upper bound; "" for no one


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """One feature. Shares are of the people who have an option."""

    column: str  # or the category, if several columns are its levels
    name: str
    any_share: float  # it changes in any of their options
    first_share: float  # it changes in their first option, the smallest in the first objective
    directions: dict[str, float]  # the directions of the first option; they add up to `first_share`
    text: str  # the two shares as text: "62 % (81 %)"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeverData:
    """The features that change for most people, sorted by first options."""

    levers: tuple[Lever, ...]
    end: float  # the share at which the axis ends
    ticks: tuple[Tick, ...]
    title: str
    people: int  # people who have an option
    note: str


def wording_of_all(explanations: Explanations, language: str) -> Wording:
    """Build the wording for many people, with the names and units of the first person who has a policy."""
    problems = (entry.problem for entry in explanations)
    return wording_for(next((one for one in problems if one is not None), None), language)


def cost_data(explanations: Explanations, wording: Wording, objective: str | None = None) -> CostData:
    """Collect the least cost of each person in one objective; by default the first that all have."""
    entries = list(explanations)
    counts = Counter(_outcome_of(entry) for entry in entries)
    known = shared_objectives(entries)
    if not known:
        raise InvalidArgument(
            "plot_costs() needs people whose explanations share an objective, and these share none. "
            "Look at explanations.summary() for what happened to each."
        )
    chosen = known[0] if objective is None else objective
    require_objective(chosen, known)
    least = (min(option.costs[chosen] for option in entry) for entry in entries if len(entry))
    cheapest = [cost for cost in least if math.isfinite(cost)]
    outcomes = tuple(
        OutcomeCount(
            outcome=one,
            name=wording.say(f"chart_outcome_{one}"),
            people=number,
            share=number / len(entries),
            text=f"{wording.numbers.fixed(number, 0)} ({wording.numbers.share(number / len(entries))})",
        )
        for one in OUTCOMES
        if (number := counts[one])
    )
    unproven = counts["unproven"]
    costs = np.array(cheapest, dtype=np.float64)
    scale, bars, up_ticks = _histogram(costs, wording) if cheapest else (AxisScale(0.0, 1.0), [], ())
    middle = 2 * float(np.median(costs / 2)) if cheapest else 0.0  # the sum of two costs may overflow
    median = Tick(scale.place(middle), wording.say("chart_median", value=wording.numbers.cost(middle)))
    return CostData(
        objective=chosen,
        title=wording.say("chart_cheapest_cost", objective=wording.objective(chosen)),
        bars=tuple(bars),
        ticks=cost_ticks(scale, cheapest, wording) if cheapest else (),
        up_ticks=up_ticks,
        median=median if cheapest else None,
        outcomes=outcomes,
        note=wording.counted("chart_upper_bound", unproven) if unproven else "",
    )


def _outcome_of(entry: Explanation) -> str:
    """Return the outcome group of a person. A smaller change cannot always be ruled out."""
    if entry.status is Status.ERROR:
        return "error"
    if entry.status is Status.ACCEPTED:
        return "favourable"
    if len(entry):
        proven = entry.certificate is None or entry.certificate.proven
        return "with_options" if proven and entry.status is Status.OPTIMAL else "unproven"
    return "no_recourse" if entry.status is Status.NO_RECOURSE else "no_fronts"


def _histogram(costs: FloatArray, wording: Wording) -> tuple[AxisScale, list[Bar], tuple[Tick, ...]]:
    """Make bars: one for each whole cost if costs are a few counts, else bars of one width."""
    low, high = float(costs.min()), float(costs.max())
    counts = are_counts(costs.tolist()) and high - low < MOST_COUNTS
    if counts:
        # Room for a few bars, so that a single bar does not fill the chart.
        scale = AxisScale(min(0.5, low - 0.5) if low <= 10 else low - 1.0, max(high, low + 4) + 0.5)
        edges = np.arange(low - 0.5, high + 1.0)
    else:
        scale = cost_scale(low, high)
        number = int(np.clip(np.sqrt(len(costs)), 5, MOST_BINS))
        with np.errstate(over="ignore", invalid="ignore"):  # costs whose difference overflows
            edges = np.linspace(scale.low, max(high, float(np.nextafter(scale.low, np.inf))), number + 1)
            even = (np.diff(edges) > 0).all()
        if not even:  # or costs that are almost equal as floats
            edges = np.array([scale.low, scale.high])
    people = np.histogram(costs, bins=edges)[0].tolist()
    top = AxisScale(0.0, 1.12 * max(people))
    bars = []
    for begin, end, number in zip(edges[:-1].tolist(), edges[1:].tolist(), people, strict=True):
        gap = 0.12 * (end - begin) if counts else 0.0
        ends = (
            [wording.numbers.cost((begin + end) / 2)]
            if counts
            else [wording.numbers.cost(begin), wording.numbers.cost(end)]
        )
        places = scale.place(begin + gap), scale.place(end - gap)
        bars.append(Bar(*places, top.place(number), number, "–".join(ends)))
    return scale, bars, text_ticks(top, lambda value: wording.numbers.fixed(value, 0), whole=True, most=5)


def lever_data(explanations: Explanations, wording: Wording, top: int = 10) -> LeverData:
    """Count for how many people each feature changes. People without options do not count.

    A feature that only moves along with another is not a lever, and the columns of one category count as one.
    """
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise InvalidArgument(f"top must be a number of features of at least 1; got {echoed(top)}.")
    groups: dict[int, Groups] = {}  # of each problem
    in_any: Counter[str] = Counter()
    in_first: defaultdict[str, Counter[str]] = defaultdict(Counter)  # the directions
    people = 0
    for entry in explanations:
        if not len(entry):
            continue
        people += 1
        features = {} if entry.problem is None else entry.problem.features
        if id(entry.problem) not in groups:
            groups[id(entry.problem)] = category_groups(features)
        moved = [_levers(option, groups[id(entry.problem)], features) for option in entry]
        in_any.update(set().union(*moved))
        for column, (old, new) in moved[0].items():
            in_first[column][_direction(features.get(column), old, new)] += 1
    places = enumerate(feature.group or column for column, feature in wording.features.items())
    order = {column: place for place, column in reversed(list(places))}

    def rank(column: str) -> tuple[Any, ...]:
        return -in_first[column].total(), -in_any[column], order.get(column, len(order)), column

    ranked = sorted(in_any, key=rank)
    shown = ranked[:top]
    # The axis ends at all people, or at a round share above the largest.
    largest = max((in_any[column] / people for column in shown), default=1.0)
    end = next((end for end in (0.1, 0.2, 0.5) if largest <= 0.92 * end), 1.0)
    notes = [wording.say("chart_lever_numbers")]
    if more := len(ranked) - len(shown):
        notes.append(wording.counted("chart_more_levers", more))
    return LeverData(
        levers=tuple(_lever(column, in_any[column], in_first[column], people, wording) for column in shown),
        end=end,
        ticks=text_ticks(AxisScale(0.0, end), lambda share: wording.numbers.share(share)),
        title=wording.counted("chart_share_of_people", people),
        people=people,
        note=" ".join(notes),
    )


def _levers(
    option: Counterfactual, groups: Groups, features: Mapping[str, Feature]
) -> dict[str, tuple[Any, Any]]:
    """List the features that a person changes: a one-hot group once, and no linked feature."""
    return {
        name: change
        for name, change in whole_changes(option, groups).items()
        if name not in features or features[name].moves != ALONG
    }


def _direction(feature: Feature | None, old: Any, new: Any) -> str:
    """Return the direction of a change. Labels, yes and no, and missing values have no order."""
    unordered = feature is not None and feature.kind in ("binary", "category")
    if unordered or not (is_number(old) and is_number(new)) or new == old:
        return "switched"
    return "up" if new > old else "down"


def _lever(column: str, in_any: int, first: Counter[str], people: int, wording: Wording) -> Lever:
    any_share, first_share = in_any / people, first.total() / people
    return Lever(
        column=column,
        name=wording.name(column),
        any_share=any_share,
        first_share=first_share,
        directions={one: first[one] / people for one in DIRECTIONS if first[one]},
        text=f"{wording.numbers.share(first_share)} ({wording.numbers.share(any_share)})",
    )
