"""Collect what a map of two features draws: the regions, the person, arrows to options, the population."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.present.charts.axis_scales import Scale, Tick, distinct_labels, text_ticks
from p2ce.present.charts.chart_labels import label
from p2ce.present.speaker import Speaker, speaker_of
from p2ce.result import Explanation, FeatureMap
from p2ce.tables.cells import is_missing

MOST_TICKS = 6
MOST_SLOT_TICKS = 12
MOST_ARROWS = 12  # more arrows from one point cannot be distinguished


@dataclass(frozen=True, slots=True, kw_only=True)
class MapAxis:
    """One of the two features; cells lie between `edges`, which go from 0 to 1."""

    column: str
    title: str
    kind: str  # "number" or "category"
    edges: tuple[float, ...]
    middles: tuple[float, ...]
    ticks: tuple[Tick, ...]
    values: tuple[str, ...]  # what each cell stands for, written
    scale: Scale | None = None  # of numbers

    def place(self, value: Any, values: Sequence[Any]) -> float | None:
        """Find a value's place, None where it has none here."""
        if self.scale is None:
            found = [one for one, known in enumerate(values) if _same(known, value)]
            return self.middles[found[0]] if found else None
        if is_missing(value) or isinstance(value, str):
            return None
        number = float(value)
        return self.scale.place(number) if self.scale.low <= number <= self.scale.high else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionArrow:
    """One option that changes only these two features."""

    number: int  # its place in the explanation, counted from 1
    name: str
    across: float
    up: float
    text: str  # where it leads, written
    look: int  # the position among the drawn arrows, from 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapData:
    """A map of two features; arrays are (up, across), and the first row is the lowest."""

    language: str
    across: MapAxis
    up: MapAxis
    accepted: BoolArray = field(repr=False)
    plausible: BoolArray | None = field(repr=False)  # None without a detector
    allowed: BoolArray = field(repr=False)
    scores: FloatArray = field(repr=False)
    person: tuple[float, float] | None  # None where today's values have no place here
    person_text: str
    arrows: tuple[OptionArrow, ...]
    population: FloatArray = field(repr=False)  # (people, 2) places; only those inside of the frame
    note: str

    def boxes(self, mask: BoolArray) -> list[tuple[float, float, float, float]]:
        """Cover a mask by few boxes (left, bottom, right, top), for hatches and outlines."""
        return [
            (self.across.edges[left], self.up.edges[low], self.across.edges[right], self.up.edges[high])
            for left, low, right, high in _boxes(mask)
        ]

    def outline(self, mask: BoolArray) -> list[tuple[float, float, float, float]]:
        """Give the lines (left, bottom, right, top) between the cells of a mask and all others."""
        lines = []
        across, up = self.across.edges, self.up.edges
        for row, column in np.argwhere(mask[:, 1:] != mask[:, :-1]):
            lines.append((across[column + 1], up[row], across[column + 1], up[row + 1]))
        for row, column in np.argwhere(mask[1:] != mask[:-1]):
            lines.append((across[column], up[row + 1], across[column + 1], up[row + 1]))
        return lines


def map_data(feature_map: FeatureMap, *, language: str = "en") -> MapData:
    """Gather what a map shows; options that change other features as well are only counted."""
    explanation = feature_map.explanation
    speaker = speaker_of(explanation, language)
    across, up = (
        _axis(column, values, feature_map, speaker)
        for column, values in zip(feature_map.columns, feature_map.values, strict=True)
    )
    today = [explanation.person.get(column) for column in feature_map.columns]
    person = _point(today, across, up, feature_map)
    arrows: list[OptionArrow] = []
    left_out = 0
    for number, option in enumerate(explanation, start=1):
        ends = [option.values.get(column) for column in feature_map.columns]
        place = _point(ends, across, up, feature_map)
        if not set(option.changes) <= set(feature_map.columns) or place is None or len(arrows) == MOST_ARROWS:
            left_out += 1
            continue
        said = [option.rounded.get(one, end) for one, end in zip(feature_map.columns, ends, strict=True)]
        arrows.append(
            OptionArrow(
                number=number,
                name=label(language, "option", number=number),
                across=place[0],
                up=place[1],
                text=_text(said, feature_map, speaker),
                look=len(arrows),
            )
        )
    notes = [label(language, "rest_as_today")]
    if left_out:
        key = "not_shown_option" if left_out == 1 else "not_shown_options"
        notes.append(label(language, key, count=speaker.figure(left_out, 0)))
    if person is None:
        notes.append(label(language, "no_place"))
    return MapData(
        language=language,
        across=across,
        up=up,
        accepted=feature_map.accepted,
        plausible=feature_map.plausible,
        allowed=feature_map.allowed,
        scores=feature_map.scores,
        person=person,
        person_text=f"{label(language, 'today')}: {_text(today, feature_map, speaker)}",
        arrows=tuple(arrows),
        population=_population(feature_map, across, up),
        note=" ".join(notes),
    )


def _text(values: Sequence[Any], feature_map: FeatureMap, speaker: Speaker) -> str:
    return ", ".join(
        f"{speaker.name(column)} {speaker.value(column, value)}"
        for column, value in zip(feature_map.columns, values, strict=True)
    )


def _axis(column: str, values: Sequence[Any], feature_map: FeatureMap, speaker: Speaker) -> MapAxis:
    texts = tuple(speaker.value(column, value) for value in values)
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    question = feature_map.explanation.question
    feature = None if question is None else question.features.get(column)
    kind = "" if feature is None else feature.kind
    if len(numbers) == len(values) and len(set(numbers)) > 1 and kind not in ("category", "binary"):
        points = np.array(numbers, dtype=np.float64)
        between = points[:-1] / 2 + points[1:] / 2
        ends = (points[0] - (between[0] - points[0]), points[-1] + (points[-1] - between[-1]))
        scale = Scale(low=float(ends[0]), high=float(ends[1]))
        whole = all(float(number).is_integer() for number in numbers)

        def write(value: float) -> str:
            return speaker.number(column, int(value) if value.is_integer() and abs(value) < 2**53 else value)

        return MapAxis(
            column=column,
            title=speaker.axis(column),
            kind="number",
            edges=tuple(scale.place(float(edge)) for edge in (ends[0], *between, ends[1])),
            middles=tuple(scale.place(float(point)) for point in points),
            ticks=text_ticks(scale, write, whole=whole, most=MOST_TICKS, room=50),
            values=texts,
            scale=scale,
        )
    count = len(values)
    middles = tuple((place + 0.5) / count for place in range(count))
    every = -(-count // MOST_SLOT_TICKS)
    width = max(60 // max(-(-count // every), 1) - 1, 5)
    return MapAxis(
        column=column,
        title=speaker.axis(column),
        kind="category",
        edges=tuple(place / count for place in range(count + 1)),
        middles=middles,
        ticks=tuple(
            Tick(place=middle, text=text)
            for middle, text in zip(middles[::every], distinct_labels(texts[::every], width), strict=True)
        ),
        values=texts,
    )


def _point(
    values: Sequence[Any], across: MapAxis, up: MapAxis, feature_map: FeatureMap
) -> tuple[float, float] | None:
    right = across.place(values[0], feature_map.values[0])
    high = up.place(values[1], feature_map.values[1])
    return None if right is None or high is None else (right, high)


def _same(known: Any, value: Any) -> bool:
    return bool(known == value) or (is_missing(known) and is_missing(value))


def _population(feature_map: FeatureMap, across: MapAxis, up: MapAxis) -> FloatArray:
    """Give the places of the people who lie on the map; labels are spread within their cell."""
    people = np.asarray(feature_map.population, dtype=np.float64).reshape(-1, 2)
    columns = []
    for place, axis in enumerate((across, up)):
        numbers = people[:, place]
        if axis.scale is not None:
            low, high = axis.scale.low, axis.scale.high
            columns.append((numbers - low) / (high - low))
            continue
        # A golden step spreads people over a cell evenly, and is deterministic.
        spread = ((np.arange(len(people)) * (0.618034, 0.754878)[place]) % 1.0 - 0.5) * 0.7
        cells = _cell_of(numbers, axis.column, feature_map.values[place], feature_map.explanation)
        columns.append((cells + 0.5 + spread) / len(axis.middles))
    places = np.stack(columns, axis=1) if len(people) else np.empty((0, 2))
    inside = ((places >= 0.0) & (places <= 1.0)).all(axis=1)  # no NaN is
    found: FloatArray = places[inside]
    return found


def _cell_of(numbers: FloatArray, column: str, values: Sequence[Any], explanation: Explanation) -> FloatArray:
    """Find the cell of each person: a category comes as its position, everything else as its value."""
    feature = None if explanation.question is None else explanation.question.features.get(column)
    named = feature is not None and feature.kind == "category"
    if named or column in explanation.categories or any(isinstance(value, str) for value in values):
        return numbers
    cells = np.full(len(numbers), np.nan)
    for cell, value in enumerate(values):
        cells[numbers == float(value)] = cell
    return cells


def _boxes(mask: BoolArray) -> list[tuple[int, int, int, int]]:
    """Merge runs of cells in a row, and equal runs of rows that follow each other."""
    found: list[tuple[int, int, int, int]] = []
    open_runs: dict[tuple[int, int], int] = {}
    for row in range(len(mask) + 1):
        runs = _runs(mask[row]) if row < len(mask) else []
        for run in [run for run in open_runs if run not in runs]:
            found.append((run[0], open_runs.pop(run), run[1], row))
        for run in runs:
            open_runs.setdefault(run, row)
    return found


def _runs(row: BoolArray) -> list[tuple[int, int]]:
    steps = np.flatnonzero(np.diff(np.concatenate([[False], row, [False]]).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in zip(steps[::2], steps[1::2], strict=True)]
