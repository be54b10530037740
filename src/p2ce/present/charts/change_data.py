"""Collect what a chart of changes draws: per feature, today's value, each option's, and the population."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from p2ce.errors import InvalidArgument
from p2ce.present.charts.axis_scales import Tick
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.feature_frames import Bar, FeatureFrame, Mark, frame_for
from p2ce.present.speaker import Speaker, speaker_of
from p2ce.result import Explanation
from p2ce.result.one_hot_groups import whole_changes
from p2ce.result.picks import Pick, pick, strengths
from p2ce.visible import echoed

MOST_OPTIONS = 5  # of a larger front, a few picks are shown unless the caller names others
PICKS = 3

Changes: TypeAlias = Mapping[int, Mapping[str, tuple[Any, Any]]]  # option's number → column → before, after

__all__ = [
    "Bar",
    "ChangeData",
    "ChangeOption",
    "FeatureChanges",
    "FeatureFrame",
    "Mark",
    "Tick",
    "change_data",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOption:
    """One option that is shown; its place among them gives the look."""

    number: int  # its place in the explanation, counted from 1
    name: str  # "option 2"
    why: str  # what it is good at, in words; "" where nothing sets it apart


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureChanges:
    """One feature that any of the options changes; all places are 0 to 1 in its frame."""

    column: str  # or the category that several columns are the levels of
    name: str  # how people call it
    title: str  # the same with its unit
    frame: FeatureFrame  # the population and the axis
    today: Mark
    marks: tuple[Mark, ...]  # one per option shown, in their order


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeData:
    """From → to for a few options; the feature that most of them change comes first."""

    language: str
    options: tuple[ChangeOption, ...]
    features: tuple[FeatureChanges, ...]
    total: int  # options there are, shown or not
    note: str  # what a reader has to know, "" if nothing

    @property
    def has_population(self) -> bool:
        """Whether any frame has the population in it."""
        return any(feature.frame.bars for feature in self.features)


def change_data(
    explanation: Explanation, options: Iterable[int | Pick] | None = None, *, language: str = "en"
) -> ChangeData:
    """Gather what a picture of the changes shows.

    `options` are the numbers of options, counted from 1 as everywhere people read them, or what
    ``explanation.pick(3)`` gave. Left out, all are shown, or three picks where there are more than five.
    """
    speaker = speaker_of(explanation, language)
    numbers = _numbers(explanation, options)
    best = _why(explanation, numbers, speaker)
    shown = tuple(
        ChangeOption(number=number, name=label(language, "option", number=number), why=best[number])
        for number in numbers
    )
    changes = {number: whole_changes(explanation[number - 1], speaker.groups) for number in numbers}
    features = tuple(_changes(explanation, column, changes, speaker) for column in _columns(changes))
    notes = []
    if len(numbers) < len(explanation):
        notes.append(label(language, "shown_of", shown=len(numbers), all=speaker.figure(len(explanation), 0)))
    marks = [mark for feature in features for mark in (feature.today, *feature.marks)]
    if any(mark.outside for mark in marks):
        notes.append(label(language, "off_scale"))
    return ChangeData(
        language=language, options=shown, features=features, total=len(explanation), note=" ".join(notes)
    )


def _numbers(explanation: Explanation, options: Iterable[int | Pick] | None) -> tuple[int, ...]:
    if options is None:
        if len(explanation) <= MOST_OPTIONS:
            return tuple(range(1, len(explanation) + 1))
        return tuple(one.number for one in pick(explanation, PICKS))
    given = list(options) if isinstance(options, Iterable) else [options]
    numbers = [one.number if isinstance(one, Pick) else one for one in given]
    for number in numbers:
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not 1 <= number <= len(explanation):
            raise InvalidArgument(
                f"options expects numbers of options from 1 to {len(explanation)}, got {echoed(number)}. "
                "They are counted as people read them: the first is 1."
            )
    if not numbers:
        raise InvalidArgument("options is empty: nothing would be shown. Leave it out to see a few picks.")
    return tuple(dict.fromkeys(numbers))


def _why(explanation: Explanation, numbers: Sequence[int], speaker: Speaker) -> dict[int, str]:
    """Say what each option is good at; picks say it better, since they know which is balanced."""
    best = strengths(explanation)
    reasons = {number: best[number - 1] for number in numbers}
    for one in explanation.pick(PICKS):
        reasons[one.number] = one.reasons
    return {number: ", ".join(speaker.best_at(reason) for reason in reasons[number]) for number in numbers}


def _columns(changes: Changes) -> list[str]:
    """List what the options change: what most change first, then in the order of the options."""
    counts = Counter(column for mine in changes.values() for column in mine)
    return sorted(counts, key=lambda column: -counts[column])


def _changes(explanation: Explanation, column: str, changes: Changes, speaker: Speaker) -> FeatureChanges:
    before = next(mine[column][0] for mine in changes.values() if column in mine)
    today = before if column in speaker.groups else explanation.person.get(column, before)
    new = [mine[column][1] for mine in changes.values() if column in mine]
    frame = frame_for(explanation, column, [today, *new], speaker)
    marks = []
    for number, mine in changes.items():
        if column not in mine:
            marks.append(frame.mark(today, label(speaker.language, "unchanged"), changed=False))
            continue
        value = mine[column][1]
        # What is written was verified as well; where it stands is the option itself.
        said = explanation[number - 1].rounded.get(column, value)
        marks.append(frame.mark(value, speaker.value(column, said)))
    return FeatureChanges(
        column=column,
        name=speaker.name(column),
        title=speaker.axis(column),
        frame=frame,
        today=frame.mark(today, speaker.value(column, today), changed=False),
        marks=tuple(marks),
    )
