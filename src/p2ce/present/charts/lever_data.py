"""Collect what a chart of levers draws: which features change for how many people, and in which direction."""

from dataclasses import dataclass
from typing import Any, Literal

from p2ce.errors import InvalidArgument
from p2ce.present.advice import ALONG
from p2ce.present.charts.axis_scales import Scale, Tick, share_text, text_ticks
from p2ce.present.charts.chart_labels import label
from p2ce.present.speaker import Speaker, speaker_for
from p2ce.result import Counterfactual, Explanations
from p2ce.result.one_hot_groups import Groups, groups_of, whole_changes
from p2ce.result.question import Question
from p2ce.tables.cells import is_missing
from p2ce.visible import echoed

Direction = Literal["up", "down", "switched"]
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "switched")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """One feature; shares are of the people who have an option, places on the chart's scale."""

    column: str  # or the category that several columns are the levels of
    name: str
    any_share: float  # it changes in any of their options
    first_share: float  # it changes in their first option, the cheapest in the first objective
    directions: dict[Direction, float]  # how the first option moves it; adds up to `first_share`
    any_place: float
    places: tuple[tuple[Direction, float, float], ...]  # direction, begin, end; none that is empty
    text: str  # the two shares, written: "62 % (81 %)"
    first_text: str
    any_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeverData:
    """The features that change for most people, those of most first options first."""

    language: str
    levers: tuple[Lever, ...]
    scale: Scale
    ticks: tuple[Tick, ...]
    title: str
    names: dict[str, str]  # of each direction, and of "any_option"
    people: int  # who have an option
    note: str


def lever_data(explanations: Explanations, top: int = 10, *, language: str = "en") -> LeverData:
    """Count for how many people each feature changes; people without options are no part of it.

    What only moves along with another feature is no lever, and the columns of one category are one.
    """
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise InvalidArgument(f"top expects how many features to show, at least 1; got {echoed(top)}.")
    first_question: Question | None = None
    groups: dict[int, Groups] = {}  # of each question
    in_any: dict[str, int] = {}
    in_first: dict[str, dict[Direction, int]] = {}
    people = 0
    for entry in explanations:
        first_question = first_question or entry.question
        if not len(entry):
            continue
        people += 1
        question = entry.question
        if id(question) not in groups:
            groups[id(question)] = {} if question is None else groups_of(question.features)
        moved = [_levers(option, groups[id(question)], question) for option in entry]
        for column in set().union(*moved):
            in_any[column] = in_any.get(column, 0) + 1
        for column, (old, new) in moved[0].items():
            counts = in_first.setdefault(column, dict.fromkeys(DIRECTIONS, 0))
            counts[_direction(column, old, new, question)] += 1
    speaker = speaker_for(first_question, language)
    features = {} if first_question is None else first_question.features
    places = enumerate(feature.group or column for column, feature in features.items())
    order = {column: place for place, column in reversed(list(places))}
    ranked = sorted(
        in_any,
        key=lambda column: (
            -sum(in_first.get(column, {}).values()),
            -in_any[column],
            order.get(column, len(order)),
            column,
        ),
    )
    shown = ranked[:top]
    scale = Scale(low=0.0, high=_end(max((in_any[column] for column in shown), default=0), people))
    levers = tuple(
        _lever(column, in_any[column], in_first.get(column, {}), people, scale, speaker) for column in shown
    )
    key = "share_of_person" if people == 1 else "share_of_people"
    more = len(ranked) - len(shown)
    more_key = "more_lever" if more == 1 else "more_levers"
    notes = [label(language, "lever_numbers")]
    if more:
        notes.append(label(language, more_key, count=speaker.figure(more, 0)))
    return LeverData(
        language=language,
        levers=levers,
        scale=scale,
        ticks=text_ticks(scale, lambda share: share_text(share, speaker), most=6),
        title=label(language, key, count=speaker.figure(people, 0)),
        names={one: label(language, one) for one in (*DIRECTIONS, "any_option")},
        people=people,
        note=" ".join(notes),
    )


def _levers(option: Counterfactual, groups: Groups, question: Question | None) -> dict[str, tuple[Any, Any]]:
    """List the features that a person changes: a one-hot group once, and no linked feature."""
    features = {} if question is None else question.features
    changes = whole_changes(option, groups)
    return {
        name: change
        for name, change in changes.items()
        if name not in features or features[name].moves != ALONG
    }


def _direction(column: str, old: Any, new: Any, question: Question | None) -> Direction:
    """Give the direction of a change; labels, yes and no, and missing values have no order."""
    feature = None if question is None else question.features.get(column)
    if feature is not None and feature.kind in ("binary", "category"):
        return "switched"
    ordered = all(
        isinstance(value, int | float) and not isinstance(value, bool) and not is_missing(value)
        for value in (old, new)
    )
    return "switched" if not ordered or new == old else "up" if new > old else "down"


def _end(most: int, people: int) -> float:
    """Choose where the axis ends: at all people, or at a round share above the largest."""
    largest = most / people if people else 1.0
    return next((end for end in (0.1, 0.2, 0.5) if largest <= 0.92 * end), 1.0)


def _lever(
    column: str, any_count: int, counts: dict[Direction, int], people: int, scale: Scale, speaker: Speaker
) -> Lever:
    directions: dict[Direction, float] = {
        one: counts.get(one, 0) / people for one in DIRECTIONS if counts.get(one, 0)
    }
    first, reached, places = sum(counts.values()), 0, []
    for one in directions:
        begin, reached = reached, reached + counts[one]
        places.append((one, scale.place(begin / people), scale.place(reached / people)))
    first_text, any_text = share_text(first / people, speaker), share_text(any_count / people, speaker)
    return Lever(
        column=column,
        name=speaker.name(column),
        any_share=any_count / people,
        first_share=first / people,
        directions=directions,
        any_place=scale.place(any_count / people),
        places=tuple(places),
        text=f"{first_text} ({any_text})",
        first_text=first_text,
        any_text=any_text,
    )
