"""Choose the options to highlight, name each, and say what it is best at."""

from collections.abc import Iterable
from dataclasses import replace

from p2ce.present.wording import Wording
from p2ce.result import Explanation, Pick
from p2ce.result.picks import BALANCED, DIFFERENT, ONLY, number_of_changes, scaled_costs

ALL_SHOWN = 5  # up to so many options, all are highlighted
PICKS = 3  # options of a longer list to highlight; more do not help to choose
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def picked(explanation: Explanation, *, lettered: bool = False) -> tuple[Pick, ...]:
    """Choose a few options with their reasons. Those with letters are sorted by their number of changes."""
    few = len(explanation) <= ALL_SHOWN
    picks = explanation.pick(ALL_SHOWN if few else PICKS)
    if len(explanation) > 1 and not scaled_costs(explanation).any():
        # If all options cost the same, none is balanced or different from the others.
        picks = tuple(replace(one, reasons=(ONLY,)) for one in picks)
    elif few:  # if none is left out, none was chosen for being different
        picks = tuple(
            replace(one, reasons=tuple(reason for reason in one.reasons if reason != DIFFERENT))
            for one in picks
        )
    if not lettered:
        return picks
    return tuple(sorted(picks, key=lambda one: number_of_changes(one.counterfactual)))


def marks_of(explanation: Explanation, *, lettered: bool = False) -> dict[int, str]:
    """Name each option by its number, or by a letter: the highlighted ones first, then by their changes.

    Letters are for applicants, who would wonder what happened to the second of the options 1, 3 and 4.
    """
    if not lettered:
        return {option.number: str(option.number) for option in explanation}
    first = [one.number for one in picked(explanation, lettered=True)]
    others = [option for option in explanation if option.number not in first]
    numbers = [*first, *(option.number for option in sorted(others, key=number_of_changes))]
    return {number: letter(place) for place, number in enumerate(numbers)}


def looks_of(explanation: Explanation) -> dict[int, int]:
    """Return the position of each option's colour and shape: the highlighted ones first, then the others.

    Every page and chart draws an option this way, for every audience, or pale if it is not highlighted.
    """
    first = [one.number for one in picked(explanation)]
    others = (option.number for option in explanation if option.number not in first)
    return {number: place for place, number in enumerate([*first, *others])}


def letter(place: int) -> str:
    """Return the letters of a position, counted from 0.

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    before, last = divmod(place, len(LETTERS))
    return (letter(before - 1) if before else "") + LETTERS[last]


def best_text(reasons: Iterable[str], wording: Wording) -> str:
    """Join what an option is best at. It is only called "balanced" if it is best at nothing else."""
    named = [reason for reason in reasons if reason != ONLY]
    if len(named) > 1:
        named = [reason for reason in named if reason != BALANCED]
    return wording.listed([wording.best_at(reason) for reason in named])
