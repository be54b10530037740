"""Write the changes of one option: as a clause, line by line, and what a reviewer should check about them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.present.wording import Wording
from p2ce.result import Counterfactual, ProblemRecord
from p2ce.result.counterfactual import Flag
from p2ce.result.one_hot_groups import whole_changes
from p2ce.result.problem_record import ALONG

MOST_BESIDE = 16  # characters of two values that fit next to a name on the narrowest phone


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of an option."""

    column: str  # or the category, if several columns are its levels
    name: str
    before: str
    after: str
    old: Any
    new: Any
    along: bool  # it moves only along with another feature

    @property
    def is_long(self) -> bool:
        """Whether its two values leave no room for a name next to them on a narrow card."""
        return len(self.before) + len(self.after) > MOST_BESIDE


def changes_of(option: Counterfactual, wording: Wording) -> tuple[Change, ...]:
    """List what an option changes. A category that is encoded in several columns is listed once."""
    found = []
    for column, (old, new) in whole_changes(option, wording.groups).items():
        before, after = wording.before_and_after(column, old, new, rounded=option.rounded.get(column))
        feature = wording.features.get(column)
        along = feature is not None and feature.moves == ALONG
        name = wording.name(column)
        found.append(
            Change(column=column, name=name, before=before, after=after, old=old, new=new, along=along)
        )
    return tuple(found)


def clause_of(option: Counterfactual, wording: Wording) -> str:
    """Put all changes of one option into one clause, without a capital and a full stop.

    A linked feature is written as a consequence, since no one can change it directly.
    """
    changes = changes_of(option, wording)
    followers = [one for one in changes if one.along]
    if len(followers) == len(changes):
        followers = []  # without the rule that links it, a feature moves by itself
    parts = [
        wording.change(one.column, one.old, one.new, rounded=option.rounded.get(one.column))
        for one in changes
        if one not in followers
    ]
    advice = wording.listed(parts) if parts else wording.say("change_nothing")
    if not followers:
        return advice
    consequences = [
        wording.say(
            wording.share_form("along_part", one.column),
            name=wording.named(one.column),
            old=one.before,
            new=one.after,
        )
        for one in followers
    ]
    return wording.say("along", advice=advice, changes=wording.listed(consequences))


def check_advice(options: Iterable[Counterfactual], problem: ProblemRecord | None) -> None:
    """Raise if an option changes a protected or fixed feature."""
    features = {} if problem is None else problem.features
    for option in options:
        for name in option.changes:
            if name in features and not features[name].may_change:
                raise InvalidArgument(
                    f"An option changes {echoed(name)}, which is {features[name].moves}: no advice may name "
                    "it. Explain the person again with the intended policy."
                )


def flag_text(flag: Flag, wording: Wording) -> str:
    """Write one flag as a clause, without a full stop."""
    if flag.kind == "breaks_relation":
        return wording.say(
            "flag_breaks_relation", name=wording.name(flag.feature), other=wording.name(flag.other)
        )
    key = "flag_against_up" if flag.direction == "up" else "flag_against_down"
    return wording.say(key, name=wording.name(flag.feature))
