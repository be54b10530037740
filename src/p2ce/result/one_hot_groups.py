"""Combine the 0/1 columns of a category into one feature again, as people know it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from p2ce.result.counterfactual import Counterfactual
    from p2ce.result.problem_record import Feature

Groups: TypeAlias = Mapping[str, tuple[str, ...]]  # category → the columns that are its levels
Level: TypeAlias = tuple[str, ...]  # the columns that are 1: usually one, but none or several in odd data

SEPARATORS = "_-=.:/ "


def category_groups(features: "Mapping[str, Feature]") -> dict[str, tuple[str, ...]]:
    """Return the columns of each category that is encoded in several columns."""
    found: dict[str, list[str]] = {}
    for name, feature in features.items():
        if feature.group and feature.group not in features:
            found.setdefault(feature.group, []).append(name)
    return {group: tuple(columns) for group, columns in found.items()}


def whole_changes(option: "Counterfactual", groups: Groups) -> dict[str, tuple[Any, Any]]:
    """Return the changes as people see them: (before, after) of columns, and of categories as levels.

    A category appears in place of the first of its columns that changes.
    """
    if not groups:
        return dict(option.changes)
    group_of = {column: group for group, columns in groups.items() for column in columns}
    found: dict[str, tuple[Any, Any]] = {}
    for name, change in option.changes.items():
        group = group_of.get(name)
        if group is None:
            found[name] = change
        elif group not in found:
            found[group] = _levels(option, groups[group])
    return found


def level_in(values: Mapping[str, Any], columns: Sequence[str]) -> Level:
    """Return the level that a row has."""
    return tuple(column for column in columns if values.get(column) == 1)


def level_names(features: "Mapping[str, Feature]", group: str, language: str) -> dict[str, str]:
    """Return the names of a category's levels, by column.

    A level's name comes from its display (the name, or the name of the value 1). Without one, it is the
    column's name without the common prefix: "own" and "rent" for Housing_own and Housing_rent.
    """
    columns = [name for name, feature in features.items() if feature.group == group]
    begin = _common_beginning(group, columns)
    names = {}
    for column in columns:
        display = features[column].display
        own = display.name_in(language).strip() or display.value_name(1, language).strip()
        names[column] = own or column[begin:].strip() or column
    return names


def _levels(option: "Counterfactual", columns: Sequence[str]) -> tuple[Level, Level]:
    after = {column: option.values.get(column) for column in columns}
    before = dict(after)
    for column in columns:
        if column in option.changes:
            before[column], after[column] = option.changes[column]
    return level_in(before, columns), level_in(after, columns)


def _common_beginning(group: str, columns: Sequence[str]) -> int:
    """Return the length of the prefix before the level: the group's name, or what the columns share."""
    first = min(columns, default="")
    for end in sorted((at + 1 for at, letter in enumerate(first) if letter in SEPARATORS), reverse=True):
        begin = first[:end].lower()
        shared = all(column.lower().startswith(begin) for column in columns)
        if shared and (len(columns) > 1 or begin[:-1] == group.lower()):
            return end
    return 0
