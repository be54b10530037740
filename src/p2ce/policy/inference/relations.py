"""Find relations that hold in all of the data: one column never exceeds another with the same unit.

Such a relation may be an accident, so it is only proposed as a rule. An option that breaks it is flagged.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.inference.infer_features import EncodedColumns, encode_columns, infer_features
from p2ce.policy.inference.name_hints import words_of
from p2ce.policy.inference.special_values import detected
from p2ce.policy.rules.expressions import name_text
from p2ce.policy.rules.inequality import Inequality, inequality
from p2ce.policy.rules.rule import Rule
from p2ce.tables import as_pandas
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING

FEWEST_ROWS = 50  # rows in which both values are known
FIRST_ROWS = 1_000  # rows that reject most pairs at little cost
CLOSE_SHARE = 0.01  # the smallest share of rows in which both values are equal or close
CLOSE = 0.01  # of the upper column's standard deviation
FEWEST_BY_CHANCE = 5.0  # rows that would break the relation if the columns were independent
MOST_COMPARED = 10_000  # rows used to estimate that
SAME_SCALE = 100.0  # the largest ratio of the spreads of both columns
MOST_SHARING = 100  # columns that share a word; a word that more columns share does not indicate a unit
# Words that columns with different units may share.
COMMON_WORDS = frozenset(
    """
    a an and at avg average by count current d for from geq gt has in is last least leq lt m max mean min most
    n no num number of or over percent recent sum than the to total w with x y
    """.split()  # noqa: SIM905 - a list of so many words is hard to read
)


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """One column never exceeds another in the data."""

    lower: str
    upper: str

    def rule(self) -> Inequality:
        """Return the relation as a rule."""
        return inequality(f"{name_text(self.lower)} <= {name_text(self.upper)}")


def relations_in(frame: Any) -> tuple[Relation, ...]:
    """Find pairs of numeric columns with the same unit of which one never exceeds the other.

    Of a chain such as 90 days late ≤ 60 days late ≤ 30 days late, only neighbours are returned.

    >>> import pandas as pd
    >>> late = pd.DataFrame({"late_30d": [0, 1, 2, 3, 4] * 20})
    >>> relations_in(late.assign(late_90d=late["late_30d"] // 2))
    (Relation(lower='late_90d', upper='late_30d'),)
    """
    columns = encode_columns(as_pandas(frame)[0])
    special = detected(columns.numbers)
    return relations_between(columns, infer_features(columns, special=special))


def relations_between(columns: EncodedColumns, features: Sequence[FeaturePolicy]) -> tuple[Relation, ...]:
    """Find the relations between encoded columns, given their features."""
    codes = dict(zip(columns.names, columns.codes, strict=True))
    numbers = {feature.name: feature for feature in features if feature.name in columns.numbers}
    found = []
    for pair in _of_one_unit(numbers):
        one, other = (numbers[name] for name in pair)
        if (one.kind is Kind.BINARY) == (other.kind is Kind.BINARY) and _same_scale(one, other):
            found += [
                Relation(lower.name, upper.name)
                for lower, upper in ((one, other), (other, one))
                if _never_above(codes[lower.name], codes[upper.name], lower, upper)
            ]
    return _neighbours(found)


def relations_of(rules: Iterable[Rule]) -> tuple[Relation, ...]:
    """Return the relations that rules state, such as the proposed rules of a policy.

    >>> relations_of([inequality("late_90d <= late_30d"), inequality("a + b <= 9")])
    (Relation(lower='late_90d', upper='late_30d'),)
    """
    return tuple(
        Relation(rule.columns[0], rule.columns[1])
        for rule in rules
        if isinstance(rule, Inequality)
        and [factor for _, factor in rule.terms] == [1, -1]
        and rule.limit == 0
        and not rule.equal
    )


def broken_relations(relations: Iterable[Relation], row: Mapping[str, Any]) -> tuple[Relation, ...]:
    """Return the relations that a row breaks. A relation with a missing value is not broken.

    >>> late = Relation("late_90d", "late_30d")
    >>> broken_relations([late], {"late_90d": 2, "late_30d": 1})
    (Relation(lower='late_90d', upper='late_30d'),)
    >>> broken_relations([late], {"late_90d": 1, "late_30d": 1})
    ()
    """
    return tuple(
        relation
        for relation in relations
        if not is_missing(row[relation.lower])
        and not is_missing(row[relation.upper])
        and row[relation.lower] > row[relation.upper]
    )


def _of_one_unit(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return each pair of columns whose names share a word that may indicate a unit."""
    by_word: dict[str, list[str]] = {}
    for name in names:
        for word in dict.fromkeys(words_of(name)):
            if len(word) > 1 and word not in COMMON_WORDS:
                by_word.setdefault(word, []).append(name)
    sharing = (names for names in by_word.values() if len(names) <= MOST_SHARING)
    yield from dict.fromkeys(pair for names in sharing for pair in combinations(names, 2))


def _same_scale(one: FeaturePolicy, other: FeaturePolicy) -> bool:
    widths = sorted([one.high - one.low, other.high - other.low])
    return widths[0] > 0 and widths[1] <= SAME_SCALE * widths[0]


def _never_above(lower: FloatArray, upper: FloatArray, low: FeaturePolicy, high: FeaturePolicy) -> bool:
    first = slice(None, FIRST_ROWS)
    if (lower[first] > upper[first])[_known(lower[first], upper[first], low, high)].any():
        return False
    known = _known(lower, upper, low, high)
    lower, upper = lower[known], upper[known]
    if len(lower) < FEWEST_ROWS or (lower > upper).any() or not (lower < upper).any():
        return False
    close = upper - lower <= CLOSE * float(upper.std())
    return bool(close.mean() >= CLOSE_SHARE) and _broken_by_chance(lower, upper) >= FEWEST_BY_CHANCE


def _broken_by_chance(lower: FloatArray, upper: FloatArray) -> float:
    """Return how many rows would break the relation if each had the lower value of a random other row."""
    every = max(1, len(lower) // MOST_COMPARED)
    below = np.searchsorted(np.sort(upper[::every]), lower[::every], side="left")
    return len(lower) * float(below.mean()) / len(below)


def _known(lower: FloatArray, upper: FloatArray, low: FeaturePolicy, high: FeaturePolicy) -> BoolArray:
    known: BoolArray = (lower != MISSING) & (upper != MISSING)
    for values, feature in ((lower, low), (upper, high)):
        if feature.special:
            known &= ~np.isin(values, feature.special)
    return known


def _neighbours(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """Leave out relations that follow from two others."""
    above: dict[str, set[str]] = {}
    for relation in relations:
        above.setdefault(relation.lower, set()).add(relation.upper)
    return tuple(
        relation
        for relation in relations
        if not any(
            relation.upper in above.get(between, ())
            for between in above[relation.lower]
            if between != relation.upper
        )
    )
