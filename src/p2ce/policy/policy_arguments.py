"""Check and convert the arguments of the methods of a policy."""

import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from p2ce.base.visible import as_text, echoed
from p2ce.base.whole_numbers import INEXACT, is_exact, largest_held
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.change_limit import Amount, ChangeLimit
from p2ce.policy.features.decimals import as_float, to_dtype
from p2ce.policy.features.display import Display
from p2ce.policy.features.feature import (
    LARGEST_MAGNITUDE,
    MOST_CANDIDATES,
    FeaturePolicy,
    Kind,
    shown_number,
    shown_range,
)
from p2ce.tables.cells import is_missing, label_key

if TYPE_CHECKING:
    from p2ce.policy.rules.rule import Rule


def read_range(feature: FeaturePolicy, given: object) -> tuple[float, float]:
    """Return the two ends of a range, and raise if it is not valid. None is the end of the inferred range."""
    name = feature.name
    _reject_category(feature, "within()")
    ends = _listed(given)
    if ends is None or len(ends) != 2:
        raise InvalidPolicy(
            f"within() expects (low, high) for {echoed(name)}, got {_described(given)}. "
            f"Write within({{{echoed(name)}: (0, 10)}})."
        )
    inferred = (feature.low, feature.high)
    low, high = (
        known if end is None else _number(end, f"within() of {echoed(name)}")
        for end, known in zip(ends, inferred, strict=True)
    )
    if low > high and None in ends:
        raise InvalidPolicy(
            f"within() leaves one end of {echoed(name)} open, and the data are in {shown_range(*inferred)}, "
            f"so the range {shown_range(low, high)} is empty. Write both ends."
        )
    if low > high:
        raise InvalidPolicy(
            f"within() requires {shown_range(low, high)} of {echoed(name)}, which is an empty range. "
            f"Swap the ends: ({shown_number(high)}, {shown_number(low)})."
        )
    return low, high


PERCENT = re.compile(r"([-+±]?)\s*([0-9]+(?:\.[0-9]+)?)\s*%")


def read_change(feature: FeaturePolicy, given: object) -> ChangeLimit | None:
    """Return a limit relative to the current value; None removes it."""
    name = feature.name
    if feature.is_category or feature.kind is Kind.BINARY:
        what = "a category" if feature.is_category else "binary"
        raise InvalidPolicy(
            f"within_change() is for numbers, but {echoed(name)} is {what}. Use increase_only(), "
            "decrease_only() or candidates()."
        )
    ends = _listed(given)
    if given is None or ends == [None, None]:
        return None
    if ends is not None and len(ends) != 2:
        raise _not_a_change(name, given)
    low, high = _both_ends(name, given) if ends is None else [_amount(name, end, given) for end in ends]
    if (low is not None and low.number > 0) or (high is not None and high.number < 0):
        raise InvalidPolicy(
            f"within_change() of {echoed(name)} expects how far it may fall and rise, got "
            f"{_described(given)}. The first end must be at most 0, and the second at least 0."
        )
    if low is not None and high is not None and low.number == high.number == 0:
        raise InvalidPolicy(f"within_change() of {echoed(name)} allows no change. Use fix({echoed(name)}).")
    return ChangeLimit(low=low, high=high)


def _both_ends(name: str, given: object) -> tuple[Amount, Amount]:
    """Return the ends of a single amount: "+10%" lets a value rise and not fall, "±10%" lets it do both."""
    sign = "" if not isinstance(given, str) else given.strip()[:1]
    if isinstance(given, str) and sign.isdigit():
        percent = given.strip()
        raise InvalidPolicy(
            f"within_change() of {echoed(name)} got {_described(given)} without a sign. Write '+{percent}' "
            f"(it may rise), '-{percent}' (it may fall) or '±{percent}' (both)."
        )
    amount = _amount(name, given, given)
    assert amount is not None
    if sign == "±":
        return Amount(-amount.number + 0.0, amount.percent), amount
    none = Amount(0.0)
    return (amount, none) if amount.number < 0 else (none, amount)


def _amount(name: str, end: object, given: object) -> Amount | None:
    if end is None:
        return None
    if not isinstance(end, str):
        return Amount(_number(end, f"within_change() of {echoed(name)}") + 0.0)
    found = PERCENT.fullmatch(end.strip().replace("−", "-"))
    if found is None or (found[1] == "±" and end is not given):
        raise _not_a_change(name, given)
    number = _number(float(found[2]), f"within_change() of {echoed(name)}")
    return Amount((-number if found[1] == "-" else number) + 0.0, percent=number != 0)


def _not_a_change(name: str, given: object) -> InvalidPolicy:
    return InvalidPolicy(
        f"within_change() expects an amount or a pair for {echoed(name)}, got {_described(given)}. Write "
        f"'+10%', '-10%', '±10%', a number, or a pair such as (-2, 5) or ('-10%', None)."
    )


def read_step(feature: FeaturePolicy, given: object) -> float:
    """Return the step as a number above zero, which is whole if the feature is."""
    name = feature.name
    _reject_category(feature, "step()")
    step = _number(given, f"step() of {echoed(name)}")
    if step <= 0:
        raise InvalidPolicy(
            f"step() of {echoed(name)} must be above 0, got {shown_number(step)}. "
            f"Use increase_only() or decrease_only() to set a direction, or fix() to forbid changes."
        )
    if feature.kind is Kind.BINARY and step != 1:
        raise InvalidPolicy(
            f"{echoed(name)} is binary, so its step must be 1, got {shown_number(step)}. Leave step() out."
        )
    if feature.kind is Kind.WHOLE and not step.is_integer():
        raise InvalidPolicy(
            f"{echoed(name)} holds whole numbers, so its step() must be whole, got {shown_number(step)}. "
            f"Use {max(1, round(step))}{_or_values(feature)}."
        )
    return step


def read_choices(feature: FeaturePolicy, given: object) -> tuple[Any, ...]:
    """Return distinct candidates: numbers ascending, in the column's precision; labels in its order."""
    name = feature.name
    listed = _listed(given)
    if listed is None:
        raise InvalidPolicy(
            f"candidates() expects a list for {echoed(name)}, got {_described(given)}. "
            f"Write candidates({{{echoed(name)}: {_example(feature)}}})."
        )
    if not listed:
        raise InvalidPolicy(
            f"candidates() of {echoed(name)} is empty. List at least one value, or use fix({echoed(name)}) "
            "if it must not change."
        )
    if len(listed) > MOST_CANDIDATES:
        raise InvalidPolicy(
            f"candidates() lists {len(listed):,} values for {echoed(name)}, more than the "
            f"{MOST_CANDIDATES:,} allowed. List fewer."
        )
    if feature.labels is not None:
        return _labels(feature, feature.labels, listed)
    numbers = [_number(value, f"candidates() of {echoed(name)}") for value in listed]
    # Adding 0 turns -0 into 0, so equal policies have equal candidates.
    return tuple(sorted({_as_held(feature, number) + 0.0 for number in numbers}))


def read_display(feature: FeaturePolicy, given: Any) -> Display:
    """Return how a feature is displayed, from a `Display` or a dict with its entries."""
    try:
        return Display.from_dict(given)
    except InvalidPolicy as error:
        raise InvalidPolicy(f"display() of {echoed(feature.name)}: {error}") from error


def read_feature_names(names: tuple[object, ...]) -> dict[str, None]:
    """Return the names, passed one by one or in lists. A tuple is one name with several levels."""
    each: list[Any] = []
    for name in names:
        each.extend(name if _is_listed(name) else [name])
    for name in each:
        if _is_listed(name):
            raise InvalidPolicy(f"Expected names of features, got {echoed(name)} in a list. Pass one list.")
    return {as_text(name): None for name in each}


def read_rules(call: str, given: "tuple[Rule | Iterable[Rule], ...]") -> "list[Rule]":
    """Return the rules, which may be passed one by one or in lists."""
    rules: list[Any] = []
    for one in given:
        rules.extend(one if _is_listed(one) else [one])
    for rule in rules:
        is_rule = hasattr(rule, "columns") and callable(getattr(rule, "text", None))
        if isinstance(rule, type) or not is_rule:
            raise InvalidPolicy(
                f"{call}() expects rules, got {echoed(rule)}. Build one with p2ce.rules: "
                f"{call}(linked('Years', 'Age'))."
            )
    return rules


def _labels(feature: FeaturePolicy, known: tuple[Any, ...], listed: list[Any]) -> tuple[Any, ...]:
    places = {label_key(label): place for place, label in enumerate(known)}
    chosen = set()
    for label in listed:
        if is_missing(label):
            raise InvalidPolicy(
                f"candidates() of {echoed(feature.name)} expects labels, got the missing value "
                f"{echoed(label)}. Use allow_missing({echoed(feature.name)}) if it may become missing."
            )
        place = _place(places, label)
        if place is None:
            raise InvalidPolicy(
                f"candidates() of {echoed(feature.name)} lists {echoed(label)}, which is not in the data. "
                f"{nearest(label, known)}"
            )
        chosen.add(place)
    return tuple(known[place] for place in sorted(chosen))


def _place(places: Mapping[Any, int], label: Any) -> int | None:
    try:
        return places.get(label_key(label))
    except TypeError:  # a list, for example, cannot be a label
        return None


def _reject_category(feature: FeaturePolicy, call: str) -> None:
    if feature.is_category:
        raise InvalidPolicy(
            f"{call} is for numbers, but {echoed(feature.name)} is a category. "
            f"List the labels that it may take: candidates({{{echoed(feature.name)}: {_example(feature)}}})."
        )


def _example(feature: FeaturePolicy) -> str:
    return "[1, 2, 3]" if feature.labels is None else repr(list(feature.labels[:2]))


def _as_held(feature: FeaturePolicy, number: float) -> float:
    dtype = feature.dtype
    if dtype.kind == "b":
        fits, held = number in (0.0, 1.0), "False and True (0 and 1)"
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        fits = number.is_integer() and limits.min <= number <= largest_held(dtype)
        held = f"whole numbers from {limits.min} to {limits.max}"
    else:
        limit = float(np.finfo(dtype).max)
        fits, held = abs(number) <= limit, f"numbers up to {limit:g}"
    if not fits:
        raise InvalidPolicy(
            f"candidates() of {echoed(feature.name)} lists {shown_number(number)}, but the column is {dtype} "
            f"and holds {held}. Remove that value, or change the column's dtype before fitting the model."
        )
    return to_dtype(number, dtype)


def _number(given: object, where: str) -> float:
    if isinstance(given, str) or not isinstance(given, Real | np.bool_):
        hint = " The column holds numbers, not labels." if isinstance(given, str) else ""
        raise InvalidPolicy(f"{where} expects numbers, got {_described(given)}. Pass plain numbers.{hint}")
    if not is_exact(given):
        raise InvalidPolicy(f"{where} got {_described(given)}, {INEXACT}. Pass a smaller number.")
    number = as_float(given)
    if not abs(number) <= LARGEST_MAGNITUDE:
        raise InvalidPolicy(
            f"{where} expects finite numbers, got {number}. Pass the largest or smallest value that makes "
            "sense. In a range, None leaves that end open."
        )
    return number


def _listed(given: object) -> list[Any] | None:
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        return None
    return list(given)


def _described(given: object) -> str:
    return echoed(given, most=60)


def _or_values(feature: FeaturePolicy) -> str:
    return ", or list the candidates with candidates()" if feature.dtype.kind == "f" else ""


def _is_listed(given: object) -> "TypeGuard[Iterable[Any]]":
    return isinstance(given, Iterable) and not isinstance(given, str | bytes | tuple | Mapping)
