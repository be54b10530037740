"""Collect what a map of two features draws: the axes, the person, arrows to options, the population."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.present.charts.axis_scales import FeatureAxis, Scale, feature_ticks, is_number, slot_axis, slot_key
from p2ce.present.charts.front_data import ChartOption
from p2ce.present.wording import Wording
from p2ce.result import FeatureMap

MOST_SLOT_TICKS = 12
MOST_ARROWS = 12  # more arrows from one point cannot be distinguished
SPREAD = (0.618034, 0.754878)  # golden steps put people evenly over a cell, and are deterministic


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionArrow(ChartOption):
    """One option that changes only these two features, and where it leads."""

    end: tuple[float, float]  # across, up


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapData:
    """A map of two features; the regions are those of `feature_map`, whose first row is the lowest."""

    feature_map: FeatureMap
    across: FeatureAxis
    up: FeatureAxis
    person: tuple[float, float] | None  # None where today's values have no place here
    arrows: tuple[OptionArrow, ...]
    population: FloatArray = field(repr=False)  # (people, 2) places; only those inside of the frame
    note: str


def map_data(feature_map: FeatureMap, wording: Wording) -> MapData:
    """Collect what a map shows; the note counts the options that it cannot show, by reason."""
    explanation, columns = feature_map.explanation, feature_map.columns
    across, up = (
        _axis(column, values, wording) for column, values in zip(columns, feature_map.values, strict=True)
    )
    person = _point([explanation.person.get(column) for column in columns], across, up)
    arrows: list[OptionArrow] = []
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
            arrows.append(OptionArrow(number=number, mark=str(number), name=name, look=len(arrows), end=end))
    notes = [wording.say("chart_rest_as_today")]
    notes += [wording.counted(key, count) for key, count in left_out.items() if count]
    if person is None:
        notes.append(wording.say("chart_no_place"))
    return MapData(
        feature_map=feature_map,
        across=across,
        up=up,
        person=person,
        arrows=tuple(arrows),
        population=_population(feature_map, across, up, wording),
        note=" ".join(notes),
    )


def _axis(column: str, values: Sequence[Any], wording: Wording) -> FeatureAxis:
    feature = wording.features.get(column)
    ordered = feature is None or feature.kind not in ("category", "binary")
    if ordered and all(is_number(value) for value in values) and len(set(values)) > 1:
        points = np.array(values, dtype=np.float64)
        between = points[:-1] / 2 + points[1:] / 2
        ends = (points[0] - (between[0] - points[0]), points[-1] + (points[-1] - between[-1]))
        scale = Scale(float(ends[0]), float(ends[1]))
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


def _population(
    feature_map: FeatureMap, across: FeatureAxis, up: FeatureAxis, wording: Wording
) -> FloatArray:
    """Give the places of the people who lie on the map; those with a label are spread over its cell."""
    people = np.asarray(feature_map.population, dtype=np.float64).reshape(-1, 2)
    places = np.empty_like(people)
    for side, axis in enumerate((across, up)):
        numbers, values = people[:, side], feature_map.values[side]
        if axis.scale is not None:
            places[:, side] = (numbers - axis.scale.low) / (axis.scale.high - axis.scale.low)
            continue
        feature = wording.features.get(axis.column)
        labelled = axis.column in feature_map.explanation.categories or any(
            isinstance(v, str) for v in values
        )
        if labelled or (feature is not None and feature.kind == "category"):
            cells = numbers  # a category comes as its position
        else:
            cells = np.full(len(numbers), np.nan)
            for cell, value in enumerate(values):
                cells[numbers == float(value)] = cell  # type: ignore[arg-type]
        spread = ((np.arange(len(people)) * SPREAD[side]) % 1.0 - 0.5) * 0.7
        places[:, side] = (cells + 0.5 + spread) / len(values)
    inside = ((places >= 0.0) & (places <= 1.0)).all(axis=1)  # no NaN is
    found: FloatArray = places[inside]
    return found
