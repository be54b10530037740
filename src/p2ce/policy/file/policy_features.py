"""Convert an entry of a policy file to a feature, and a feature to its entry."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from itertools import pairwise
from math import copysign
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import INEXACT, is_exact
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.decimals import as_typed, multiples, round_step, shortest
from p2ce.policy.features.describe_features import stated_change, tidy
from p2ce.policy.features.display import AS_IT_IS
from p2ce.policy.features.feature import MOST_CANDIDATES, Direction, FeaturePolicy, Kind, date_feature
from p2ce.policy.file.policy_entries import FEATURES, AnyFeatureEntry, CategoryEntry, DateEntry, NumberEntry
from p2ce.policy.file.typed_entries import Misfit, typed_by
from p2ce.policy.policy_arguments import read_change, read_choices, read_range, read_step

NONE = Fraction(0)
SHORTEST = 3  # numbers in a run; fewer are written one by one
# Differences of doubles need no more digits, so none is rounded. Fractions would take ten times as long.
EXACT = Context(prec=1000, traps=[Inexact])
DIRECTIONS = {"up": Direction.UP, "down": Direction.DOWN, "either": Direction.BOTH}
# (whether a missing value may become known, whether a known one may become missing)
MISSING_WORDS = {
    "keep": (False, False),
    "may be filled": (True, False),
    "may be made missing": (False, True),
    "may be filled or made missing": (True, True),
}
USUAL_DTYPE = {Kind.BINARY: "int64", Kind.WHOLE: "int64", Kind.NUMBER: "float64", Kind.CATEGORY: "float64"}


class Run(NamedTuple):
    """Numbers from ``first`` to ``last`` in equal steps. A single number has the step 0."""

    first: float
    last: float
    step: Fraction

    def numbers(self) -> list[float]:
        """Return all numbers of the run."""
        if not self.step:
            return [self.first]
        first = as_typed(self.first)
        count = (as_typed(self.last) - first) // self.step + 1
        return [float(number) for number in multiples(range(count), anchor=first, step=self.step)]


def runs_of(numbers: Sequence[float]) -> list[Run]:
    """Join ascending numbers into runs, which expand to exactly the same numbers.

    >>> [(run.first, run.last, float(run.step)) for run in runs_of([0.1, 0.2, 0.3, 1.0, 5.0, 10.0, 15.0])]
    [(0.1, 0.3, 0.1), (1.0, 1.0, 0.0), (5.0, 15.0, 5.0)]
    """
    with localcontext(EXACT):
        typed = [Decimal(shortest(number)) for number in numbers]
        steps = [after - before for before, after in pairwise(typed)]
    runs: list[Run] = []
    at = 0
    while at < len(numbers):
        end = at + 1
        while end + 1 < len(numbers) and steps[end] == steps[at]:
            end += 1
        # Steps are equal as decimals, so each number is the double nearest to its multiple of the step.
        if end - at + 1 >= SHORTEST and steps[at]:
            runs.append(Run(numbers[at], numbers[end], Fraction(steps[at])))
        else:
            end = at
            runs.append(Run(numbers[at], numbers[at], NONE))
        at = end + 1
    return runs


def numbers_in(runs: Iterable[Run]) -> tuple[float, ...]:
    """Expand runs to distinct ascending numbers."""
    return tuple(np.unique([number for run in runs for number in run.numbers()]).tolist())


def feature_to_plain(feature: FeaturePolicy) -> dict[str, Any]:
    """Return the entry of a feature as JSON-ready data, without defaults."""
    if feature.kind is Kind.DATE:
        display = _unless(AS_IT_IS, feature.display)
        date: dict[str, Any] = msgspec.to_builtins(DateEntry(protected=feature.protected, display=display))
        return date
    entry: dict[str, Any] = {
        "dtype": _unless(USUAL_DTYPE[feature.kind], feature.dtype.name),
        "protected": feature.protected,
        "may_change": UNSET if feature.fixed == feature.protected else not feature.fixed,
        "direction": _unless(Direction.BOTH, feature.direction, DIRECTIONS),
        "association": _unless(Direction.BOTH, feature.association, DIRECTIONS),
        "candidates": UNSET if feature.choices is None else [_value(one, feature) for one in feature.choices],
        "missing": _unless((True, False), (feature.fillable, feature.may_go_missing), MISSING_WORDS),
        "can_be_missing": _unless(feature.dtype.kind == "f", feature.holds_missing),
        "display": _unless(AS_IT_IS, feature.display),
    }
    if feature.labels is not None:
        entry["labels"] = [_value(label, feature) for label in feature.labels]
        entry["order"] = UNSET if feature.order is None else [_value(one, feature) for one in feature.order]
    else:
        entry |= _numbers_of(feature)
    stated = {key: value for key, value in entry.items() if value is not UNSET}
    plain: dict[str, Any] = msgspec.to_builtins(FEATURES[feature.kind](**stated))
    return plain


def _numbers_of(feature: FeaturePolicy) -> dict[str, Any]:
    seen: Any = [tidy(feature.low), tidy(feature.high)]
    step: float | UnsetType = UNSET
    if feature.kind is Kind.BINARY:
        seen, step = _unless([0, 1], seen), _unless(1.0, feature.step)
    # Inferred candidates need no step, if parsing the file would derive the same one from the range.
    elif feature.inferred is None or feature.step != usual_step(feature.low, feature.high, feature.kind):
        step = feature.step
    return {
        "range": UNSET if feature.stated_range is None else list(map(tidy, feature.stated_range)),
        "within_change": list(stated_change(feature.change)) or UNSET,
        "seen": seen,
        "inferred_candidates": [
            [tidy(run.first), tidy(run.last), tidy(float(run.step))] if run.step else tidy(run.first)
            for run in runs_of(feature.inferred or ())
        ]
        or UNSET,
        "step": step if step is UNSET else tidy(step),
        "special": list(map(tidy, feature.special)) or UNSET,
        "may_leave_special": feature.leaves_special,
        "count_from": tidy(feature.anchor) if feature.anchor or copysign(1, feature.anchor) < 0 else UNSET,
    }


def _unless(usual: Any, value: Any, words: Mapping[str, Any] | None = None) -> Any:
    """Return a value or the word for it, or UNSET if it is the default."""
    if value == usual:
        return UNSET
    return value if words is None else next(word for word, meant in words.items() if meant == value)


def usual_step(low: float, high: float, kind: Kind) -> float:
    """Return the default step for a range."""
    width = as_typed(high) - as_typed(low)
    return 1.0 if kind is Kind.BINARY or not width else round_step(width, whole=kind is not Kind.NUMBER)


def _value(value: Any, feature: FeaturePolicy) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if feature.labels is None:
        return tidy(plain)
    if not isinstance(plain, str | bool | int | float):
        raise InvalidPolicy(
            f"{echoed(feature.name)} has the label {echoed(plain)} of type {type(plain).__name__}, which a "
            "policy file cannot hold. Convert labels to text or numbers before fitting the model."
        )
    return plain


def _reject_inexact(plain: Any, name: str, path: tuple[str | int, ...]) -> None:
    """Reject whole numbers that float64 cannot hold, wherever they stand in a feature's entry."""
    if isinstance(plain, Mapping | list | tuple):
        parts = plain.items() if isinstance(plain, Mapping) else enumerate(plain)
        for key, part in parts:
            _reject_inexact(part, name, (*path, key))
    elif not is_exact(plain):
        raise Misfit(f"{echoed(name)} has {echoed(plain)}, {INEXACT}. Write a smaller number.", path)


def parse_feature(name: str, plain: Any) -> FeaturePolicy:
    """Build a feature from its entry. An error has the path from this entry to the invalid one."""
    entry: AnyFeatureEntry = typed_by(plain, "kind", FEATURES, echoed(name))
    if isinstance(entry, DateEntry):
        display = AS_IT_IS if entry.display is UNSET else entry.display
        return replace(date_feature(name), protected=entry.protected, display=display)
    kind = Kind(str(entry.__struct_config__.tag))
    if kind is not Kind.CATEGORY:
        _reject_inexact(plain, name, ())
    dtype = np.dtype(USUAL_DTYPE[kind] if entry.dtype is UNSET else entry.dtype)
    may_change = not entry.protected if entry.may_change is UNSET else entry.may_change
    if entry.protected and may_change:
        text = f"{echoed(name)} is protected, so it may not change. Remove one of the two entries."
        raise Misfit(text, ("may_change",))
    fillable, may_go_missing = MISSING_WORDS[entry.missing]
    shared: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "dtype": dtype,
        "fixed": not may_change,
        "protected": entry.protected,
        "direction": DIRECTIONS[entry.direction],
        "association": DIRECTIONS[entry.association],
        "fillable": fillable,
        "may_go_missing": may_go_missing,
        "holds_missing": dtype.kind == "f" if entry.can_be_missing is UNSET else entry.can_be_missing,
        "display": AS_IT_IS if entry.display is UNSET else entry.display,
    }
    if isinstance(entry, CategoryEntry):
        order = None if entry.order is UNSET else tuple(entry.order)
        high = float(len(entry.labels) - 1)
        feature = FeaturePolicy(
            **shared, labels=tuple(entry.labels), order=order, low=0.0, high=high, step=1.0
        )
    else:
        feature = FeaturePolicy(**shared, **_numbers(name, entry, kind))
        if feature.stated_range is not None:
            read_range(feature, feature.stated_range)
        read_step(feature, feature.step)
        if entry.within_change is not UNSET:
            feature = _with_change(feature, entry.within_change)
    if entry.candidates is UNSET:
        return feature
    try:
        return replace(feature, choices=read_choices(feature, entry.candidates))
    except InvalidPolicy as error:
        raise Misfit(str(error), ("candidates",)) from error


def _with_change(feature: FeaturePolicy, given: Any) -> FeaturePolicy:
    try:
        return replace(feature, change=read_change(feature, given))
    except InvalidPolicy as error:
        raise Misfit(str(error), ("within_change",)) from error


def _numbers(name: str, entry: NumberEntry, kind: Kind) -> dict[str, Any]:
    choices = None if entry.candidates is UNSET else tuple(sorted(set(entry.candidates)))
    chosen = (choices[0], choices[-1]) if choices else None
    seen = _ends(name, "seen", entry.seen)
    if seen is None and kind is Kind.BINARY:
        seen = (0.0, 1.0)
    stated = _ends(name, "range", _closed(name, entry.range, seen or chosen))
    seen = seen or stated or chosen
    if seen is None:
        raise Misfit(f"{echoed(name)} needs a 'range' [low, high], or 'candidates' to choose from.")
    inferred: tuple[float, ...] | None = None
    if entry.inferred_candidates:
        inferred = numbers_in(_runs(name, entry.inferred_candidates))
    elif entry.step is UNSET and kind is not Kind.BINARY:
        inferred = ()  # the data choose the candidates
    return {
        "low": seen[0],
        "high": seen[1],
        "step": usual_step(*seen, kind) if entry.step is UNSET else entry.step,
        "anchor": 0.0 if entry.count_from is UNSET else entry.count_from,
        "inferred": inferred,
        "stated_range": stated,
        "choices": choices,
        "special": () if entry.special is UNSET else tuple(sorted(set(entry.special))),
        "leaves_special": entry.may_leave_special,
    }


def _closed(
    name: str, ends: list[float | None] | UnsetType, known: tuple[float, float] | None
) -> list[float] | UnsetType:
    """Replace open ends by the ends of the data."""
    if ends is UNSET:
        return UNSET
    if known is None and None in ends:
        raise Misfit(
            f"range of {echoed(name)} has an open end, which is the end of 'seen'. Add 'seen' [low, high], "
            "or write both ends.",
            ("range",),
        )
    return [inferred if end is None else end for end, inferred in zip(ends, known or (0.0, 0.0), strict=True)]


def _ends(name: str, key: str, ends: list[float] | UnsetType) -> tuple[float, float] | None:
    if ends is UNSET:
        return None
    if ends[0] > ends[1]:
        raise Misfit(
            f"{key} of {echoed(name)} must be [low, high], got {echoed(ends)}. Swap the ends.", (key,)
        )
    return ends[0], ends[1]


def _runs(name: str, candidates: list[float | list[float]]) -> Iterator[Run]:
    """Return single numbers and runs as runs, and raise if there are too many numbers."""
    many = 0.0
    for one in candidates:
        first, last, step = one if isinstance(one, list) else (one, one, 0.0)
        many += (last - first) / step + 1 if step else 1
        if first > last or step < 0 or (not step and first < last) or many > MOST_CANDIDATES:
            raise Misfit(
                f"inferred_candidates of {echoed(name)} must be numbers and [first, last, step], at most "
                f"{MOST_CANDIDATES:,} in total, got {echoed(candidates)}.",
                ("inferred_candidates",),
            )
        yield Run(first, last, as_typed(step))
