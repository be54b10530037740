"""Define the rule that several 0/1 columns are the levels of one category."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from msgspec import UNSET, UnsetType

from p2ce.base.arrays import BoolArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.file.typed_entries import about
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    ColumnNames,
    Name,
    Rule,
    RuleEntry,
    read_name,
    read_names,
    reject_categories,
)
from p2ce.tables.codebook import Codebook


class OneHotEntry(RuleEntry, tag="one_hot"):
    """0/1 columns that are the levels of one category."""

    name: Name
    columns: ColumnNames
    may_be_none: (
        Annotated[bool | None, about("Whether all may be 0; null means as in the data.")] | UnsetType
    ) = UNSET

    def rule(self) -> "OneHot":
        return one_hot(self.name, self.columns, None if self.may_be_none is UNSET else self.may_be_none)


@dataclass(frozen=True, slots=True)
class OneHot(Rule):
    """These 0/1 columns are the levels of one category: exactly one of them is 1.

    With ``may_be_none``, all of them may be 0 as well, as after an encoder that drops a level. None means
    that the data decide: all may be 0 if a row of the reference has no level. If an instance has several
    levels today, or a missing value, every option has exactly one level.
    """

    name: str  # of the category
    levels: tuple[str, ...]
    may_be_none: bool | None = None

    kind = "one_hot"

    @property
    def columns(self) -> tuple[str, ...]:
        return self.levels

    def text(self) -> str:
        much = {None: "one", True: "at most one", False: "exactly one"}[self.may_be_none]
        return f"{self.name}: {much} of {', '.join(self.levels)} is 1"

    def entry(self) -> OneHotEntry:
        none = UNSET if self.may_be_none is None else self.may_be_none
        return OneHotEntry(name=self.name, columns=list(self.levels), may_be_none=none)

    def settled(self, rows: Codes) -> "OneHot":
        """Decide from the reference (column → codes) whether all may be 0, if the user did not."""
        if self.may_be_none is not None:
            return self
        empty = np.logical_and.reduce([rows[level] == 0 for level in self.levels])
        return replace(self, may_be_none=bool(empty.any()))

    def closed(self, rows: Codes) -> BoolArray:
        """Return which rows have exactly one level, or none if that is allowed or undecided."""
        levels = np.array([rows[level] for level in self.levels])
        known = ((levels == 0) | (levels == 1)).all(axis=0)
        count = np.count_nonzero(levels == 1, axis=0)
        fits: BoolArray = known & ((count == 1) | ((count == 0) & (self.may_be_none is not False)))
        return fits

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        reject_categories(self, codebook, because="it already is a category. Leave it out of the group")
        return ()

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:  # noqa: ARG002
        # An option must have a level, unless the user or the data allow none.
        strictly = self if self.may_be_none is not None else replace(self, may_be_none=False)
        return strictly.closed(after)

    def check(self, features: Mapping[str, FeaturePolicy]) -> None:
        Rule.check(self, features)
        if self.name in features:
            raise InvalidPolicy(
                f"one_hot() names its group {echoed(self.name)}, which is already a column. Choose another "
                "name."
            )
        for level in self.levels:
            if (kind := features[level].kind) is not Kind.BINARY:
                what = {Kind.CATEGORY: "a category", Kind.WHOLE: "a whole number"}.get(kind, "a number")
                raise InvalidPolicy(
                    f"one_hot() needs columns of 0 and 1, but {echoed(level)} of {echoed(self.name)} is "
                    f"{what}. Leave it out of the group."
                )
        fixed = [level for level in self.levels if features[level].fixed]
        if fixed and len(fixed) < len(self.levels):
            free = [level for level in self.levels if level not in fixed]
            raise InvalidPolicy(
                f"{', '.join(map(echoed, fixed))} of the group {echoed(self.name)} cannot change, but "
                f"{', '.join(map(echoed, free))} can. Fix all of its columns in one call, or none."
            )


def one_hot(name: object, columns: Any, may_be_none: bool | None = None) -> OneHot:
    """Treat 0/1 columns as one category, which changes as a whole and counts as one change.

    Args:
        name: The name of the category.
        columns: The columns that are its levels.
        may_be_none: Whether all columns may be 0. The default, None, means that the data decide.

    >>> one_hot("Housing", ["Housing_own", "Housing_rent"], may_be_none=False).text()
    'Housing: exactly one of Housing_own, Housing_rent is 1'
    """
    if isinstance(columns, str):
        raise InvalidPolicy(f"one_hot() expects a list of columns, got {echoed(columns)}. Name at least two.")
    if may_be_none not in (None, True, False):
        raise InvalidPolicy(f"one_hot() expects may_be_none=None, True or False, got {echoed(may_be_none)}.")
    levels = read_names("one_hot", columns)
    return OneHot(read_name("one_hot", name), levels, None if may_be_none is None else bool(may_be_none))
