"""Collect what a map of two features draws: the axes, the person, arrows to options, the population."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from p2ce.present.charts.axis_scales import (
    AxisScale,
    FeatureAxis,
    feature_ticks,
    is_number,
    slot_axis,
    slot_key,
)
from p2ce.present.charts.front_data import ChartOption
from p2ce.present.highlights import looks_of
from p2ce.present.wording import Wording
from p2ce.result import FeatureMap
from p2ce.result.analysis import LEAST_PEOPLE, Density

MOST_SLOT_TICKS = 12
MOST_ARROWS = 12  # more arrows from one point cannot be distinguished


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionArrow(ChartOption):
    """One option that changes only these two features, and where it leads."""

    end: tuple[float, float]  # across, up


class Crowd(NamedTuple):
    """A block of the map with people of the reference: its corners, and the number of people."""

    begin: tuple[float, float]  # across, up
    end: tuple[float, float]
    people: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapData:
    """A map of two features. The regions are those of `feature_map`, whose first row is the lowest."""

    feature_map: FeatureMap
    across: FeatureAxis
    up: FeatureAxis
    person: tuple[float, float] | None  # None if today's values have no place here
    arrows: tuple[OptionArrow, ...]
    crowds: tuple[Crowd, ...]
    note: str


def map_data(feature_map: FeatureMap, wording: Wording) -> MapData:
    """Collect what a map shows. The note counts the options that it cannot show, by reason."""
    explanation, columns = feature_map.explanation, feature_map.columns
    across, up = (
        _axis(column, values, wording) for column, values in zip(columns, feature_map.values, strict=True)
    )
    person = _point([explanation.person.get(column) for column in columns], across, up)
    looks, arrows = looks_of(explanation), list[OptionArrow]()
    left_out = {"chart_elsewhere": 0, "chart_off_map": 0, "chart_crowded": 0}
    for number, option in enumerate(explanation, start=1):
        end = _point([option.values.get(column) for column in columns], across, up)
        if not set(option.changes) <= set(columns):
            left_out["chart_elsewhere"] += 1
        elif end is None:
            left_out["chart_off_map"] += 1
        elif len(arrows) == MOST_ARROWS:
            left_out["chart_crowded"] += 1
        else:
            name = wording.say("chart_option", number=number)
            arrows.append(
                OptionArrow(number=number, mark=str(number), name=name, look=looks[number], end=end)
            )
    notes = [wording.say("chart_rest_as_today")]
    crowds = _crowds(feature_map.density, across, up)
    if crowds:
        notes.append(wording.say("chart_density", count=wording.numbers.count(LEAST_PEOPLE)))
    if left_out["chart_elsewhere"] and left_out["chart_elsewhere"] == len(explanation) + explanation.unlisted:
        notes.append(wording.counted("chart_all_elsewhere", left_out.pop("chart_elsewhere")))
    notes += [wording.counted(key, count) for key, count in left_out.items() if count]
    if person is None:
        notes.append(wording.say("chart_no_place"))
    return MapData(
        feature_map=feature_map,
        across=across,
        up=up,
        person=person,
        arrows=tuple(arrows),
        crowds=crowds,
        note=" ".join(notes),
    )


def _axis(column: str, values: Sequence[Any], wording: Wording) -> FeatureAxis:
    feature = wording.features.get(column)
    ordered = feature is None or feature.kind not in ("category", "binary")
    if ordered and all(is_number(value) for value in values) and len(set(values)) > 1:
        points = np.array(values, dtype=np.float64)
        between = points[:-1] / 2 + points[1:] / 2
        ends = (points[0] - (between[0] - points[0]), points[-1] + (points[-1] - between[-1]))
        scale = AxisScale(float(ends[0]), float(ends[1]))
        whole = all(float(value).is_integer() for value in values)
        return FeatureAxis(
            column=column,
            title=wording.axis(column),
            edges=tuple(scale.place(float(edge)) for edge in (ends[0], *between, ends[1])),
            ticks=feature_ticks(column, scale, wording, whole=whole, room=50),
            scale=scale,
        )
    count = len(values)
    every = -(-count // MOST_SLOT_TICKS)
    width = max(60 // max(-(-count // every), 1) - 1, 5)
    texts = [wording.value(column, value) for value in values]
    return slot_axis(column, [slot_key(value) for value in values], texts, width, wording, every)


def _point(values: Sequence[Any], *axes: FeatureAxis) -> tuple[float, float] | None:
    across, up = (
        None if axis.outside(value) else axis.place(value) for axis, value in zip(axes, values, strict=True)
    )
    return None if across is None or up is None else (across, up)


def _crowds(density: Density, across: FeatureAxis, up: FeatureAxis) -> tuple[Crowd, ...]:
    """List the blocks with people, by the edges of their cells."""
    columns, rows = (
        [axis.edges[cell] for cell in cells] for axis, cells in zip((across, up), density.edges, strict=True)
    )
    return tuple(
        Crowd(
            begin=(columns[column], rows[row]),
            end=(columns[column + 1], rows[row + 1]),
            people=int(density.people[row, column]),
        )
        for row, column in np.argwhere(density.people)
    )
