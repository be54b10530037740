"""Write what one feature may do in the words of a policy file, and read it back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import copysign
from typing import Any, NoReturn

import numpy as np

from p2ce.errors import InvalidActions, PolicyError, nearest
from p2ce.problem.constraint_arguments import read_choices, read_range, read_step
from p2ce.problem.decimals import as_float, as_typed, round_step
from p2ce.problem.display import DISPLAY_KEYS, Display
from p2ce.problem.feature import LARGEST_MAGNITUDE, MOST_CANDIDATES, Direction, FeatureActions, Kind
from p2ce.problem.policy_document import Document, Path
from p2ce.problem.runs import Run, numbers_in, runs_of
from p2ce.visible import echoed

FEATURE_KEYS = (
    "kind",
    "dtype",
    "protected",
    "may_change",
    "direction",
    "range",
    "values",
    "seen",
    "candidates",
    "step",
    "count_from",
    "special",
    "may_leave_special",
    "labels",
    "order",
    "missing",
    "can_be_missing",
    "display",
)
NUMBERS_ONLY = ("range", "seen", "candidates", "step", "count_from", "special", "may_leave_special")
CATEGORIES_ONLY = ("labels", "order")
DIRECTIONS = {"up": Direction.UP, "down": Direction.DOWN, "either": Direction.BOTH}
# (a missing value may become known, a known one may become missing)
MISSING_WORDS = {
    "keep": (False, False),
    "may be filled": (True, False),
    "may be made missing": (False, True),
    "may be filled or made missing": (True, True),
}
DTYPES = (
    *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
    *("float64", "float32", "float16", "bool"),
)
USUAL_DTYPE = {Kind.BINARY: "int64", Kind.WHOLE: "int64", Kind.NUMBER: "float64", Kind.CATEGORY: "float64"}


def feature_to_plain(feature: FeatureActions) -> dict[str, Any]:
    """Give the entries of a feature, without those that are as usual."""
    usual = _usual(feature)
    plain: dict[str, Any] = {"kind": str(feature.kind)}
    if feature.dtype.name != USUAL_DTYPE[feature.kind]:
        plain["dtype"] = feature.dtype.name
    if feature.protected:
        plain["protected"] = True
    if feature.fixed != feature.protected:
        plain["may_change"] = not feature.fixed
    if feature.direction is not Direction.BOTH:
        plain["direction"] = feature.direction.name.lower()
    if feature.stated_range is not None:
        plain["range"] = [tidy(end) for end in feature.stated_range]
    if feature.choices is not None:
        plain["values"] = [_value(value, feature) for value in feature.choices]
    if (feature.low, feature.high) != usual["seen"]:
        plain["seen"] = [tidy(feature.low), tidy(feature.high)]
    if feature.inferred:
        plain["candidates"] = [
            [tidy(run.first), tidy(run.last), tidy(float(run.step))] if run.step else tidy(run.first)
            for run in runs_of(feature.inferred)
        ]
    if feature.step != usual["step"]:
        plain["step"] = tidy(feature.step)
    if feature.special:
        plain["special"] = [tidy(code) for code in feature.special]
    if feature.leaves_special:
        plain["may_leave_special"] = True
    if feature.anchor != 0 or copysign(1, feature.anchor) < 0:
        plain["count_from"] = tidy(feature.anchor)
    for key, labels in (("labels", feature.labels), ("order", feature.order)):
        if labels is not None:
            plain[key] = [_value(label, feature) for label in labels]
    words = {pair: text for text, pair in MISSING_WORDS.items()}
    if (feature.fillable, feature.may_go_missing) != (True, False):
        plain["missing"] = words[feature.fillable, feature.may_go_missing]
    if feature.holds_missing != (feature.dtype.kind == "f"):
        plain["can_be_missing"] = feature.holds_missing
    if shown := feature.display.to_dict():
        plain["display"] = shown
    return plain


def _usual(feature: FeatureActions) -> dict[str, Any]:
    """Give the range and step that need no mention: of a binary column and of a category."""
    if feature.kind is Kind.BINARY:
        return {"seen": (0.0, 1.0), "step": 1.0}
    if feature.labels is not None:
        return {"seen": (0.0, float(len(feature.labels) - 1)), "step": 1.0}
    # What was inferred needs no step, as long as it is the one that parsing the file infers from the range.
    usual = None if feature.inferred is None else usual_step(feature.low, feature.high, feature.kind)
    return {"seen": None, "step": usual}


def usual_step(low: float, high: float, kind: Kind) -> float:
    """Give the step that goes without saying, from the range that was seen."""
    width = as_typed(high) - as_typed(low)
    return 1.0 if kind is Kind.BINARY or not width else round_step(width, whole=kind is not Kind.NUMBER)


def tidy(number: float) -> int | float:
    """Write 41 and not 41.0, as long as it is read back as the very same number."""
    value = float(number)
    whole = value.is_integer() and abs(value) < 1e15 and (value != 0 or copysign(1, value) > 0)
    return int(value) if whole else value


def _value(value: Any, feature: FeatureActions) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if feature.labels is None:
        return tidy(plain)
    if not isinstance(plain, str | bool | int | float):
        raise PolicyError(
            f"{echoed(feature.name)} has the label {echoed(plain)} of type {type(plain).__name__}, which a "
            "policy file cannot hold. Turn labels into text or numbers before fitting the model."
        )
    return plain


class FeatureReader:
    """Reads one feature, and knows the line of whatever is wrong with it."""

    def __init__(self, name: str, document: Document, path: Path) -> None:
        self.name, self.document, self.path = name, document, path

    def read(self, plain: Any) -> FeatureActions:
        """Make the feature, or raise a PolicyError with a line."""
        if not isinstance(plain, Mapping):
            self.reject((), f"{echoed(self.name)} needs entries such as 'kind: whole', got {echoed(plain)}.")
        for key in plain:
            if key not in FEATURE_KEYS:
                self.reject(
                    (key,),
                    f"{echoed(self.name)} has an entry {echoed(key)} that means nothing. "
                    f"{nearest(key, FEATURE_KEYS)}",
                )
        if "kind" not in plain:
            self.reject((), f"{echoed(self.name)} needs its 'kind': one of {', '.join(Kind)}.")
        kind = Kind(self.word(plain, "kind", [str(one) for one in Kind]))
        others = NUMBERS_ONLY if kind is Kind.CATEGORY else CATEGORIES_ONLY
        for key in plain:
            if key in others:
                self.reject(
                    (key,),
                    f"{echoed(self.name)} is of kind {kind}, for which {echoed(key)} means nothing. Remove "
                    "it.",
                )
        try:
            return self._category(plain) if kind is Kind.CATEGORY else self._number(plain, kind)
        except PolicyError:
            raise
        except InvalidActions as error:
            raise PolicyError(str(error), line=self.document.line(self.path)) from error

    def _category(self, plain: Mapping[str, Any]) -> FeatureActions:
        if "labels" not in plain:
            self.reject((), f"{echoed(self.name)} is a category and needs its 'labels', a list of them.")
        labels = self.labels(plain, "labels")
        order = self.labels(plain, "order") if "order" in plain else None
        shared = self._shared(plain, Kind.CATEGORY)
        feature = FeatureActions(
            **shared, low=0.0, high=float(len(labels) - 1), step=1.0, labels=labels, order=order
        )
        return self._with_values(feature, plain)

    def _number(self, plain: Mapping[str, Any], kind: Kind) -> FeatureActions:
        shared = self._shared(plain, kind)
        stated = self.pair(plain, "range")
        values = self.numbers(plain, "values") if "values" in plain else None
        seen = self.pair(plain, "seen") or stated or ((min(values), max(values)) if values else None)
        if kind is Kind.BINARY:
            seen = self.pair(plain, "seen") or (0.0, 1.0)
        if seen is None:
            self.reject((), f"{echoed(self.name)} needs a 'range' [low, high], or 'values' to choose from.")
        step = self.number(plain, "step") if "step" in plain else usual_step(*seen, kind)
        anchor = self.number(plain, "count_from") if "count_from" in plain else 0.0
        if step <= 0:
            self.reject(("step",), f"The step of {echoed(self.name)} must be above 0, got {step}.")
        feature = FeatureActions(
            **shared,
            low=seen[0],
            high=seen[1],
            step=step,
            anchor=anchor,
            inferred=self.candidates(plain, kind),
            stated_range=stated,
            choices=None if values is None else tuple(sorted(set(values))),
            special=tuple(sorted(set(self.numbers(plain, "special")))) if "special" in plain else (),
            leaves_special=self.flag(plain, "may_leave_special", False),
        )
        if stated is not None:
            read_range(feature, stated)
        read_step(feature, step)
        return self._with_values(feature, plain)

    def _with_values(self, feature: FeatureActions, plain: Mapping[str, Any]) -> FeatureActions:
        if "values" not in plain:
            return feature
        try:
            return replace(feature, choices=read_choices(feature, plain["values"]))
        except InvalidActions as error:
            raise PolicyError(str(error), line=self.document.line((*self.path, "values"))) from error

    def _shared(self, plain: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
        name = self.word(plain, "dtype", DTYPES, USUAL_DTYPE[kind])
        dtype = np.dtype(name)
        protected = self.flag(plain, "protected", False)
        may_change = self.flag(plain, "may_change", not protected)
        if protected and may_change:
            self.reject(
                ("may_change",),
                f"{echoed(self.name)} is protected, so that it may not change. Remove one entry.",
            )
        fillable, may_go_missing = MISSING_WORDS[self.word(plain, "missing", MISSING_WORDS, "may be filled")]
        return {
            "name": self.name,
            "kind": kind,
            "dtype": dtype,
            "fixed": not may_change,
            "protected": protected,
            "direction": DIRECTIONS[self.word(plain, "direction", DIRECTIONS, "either")],
            "fillable": fillable,
            "may_go_missing": may_go_missing,
            "holds_missing": self.flag(plain, "can_be_missing", dtype.kind == "f"),
            "display": self.display(plain),
        }

    def display(self, plain: Mapping[str, Any]) -> Display:
        given = plain.get("display", {})
        if isinstance(given, Mapping):
            for key in given:
                if key not in DISPLAY_KEYS:
                    text = f"display of {echoed(self.name)} has an entry {echoed(key)} that means nothing."
                    self.reject(("display", key), f"{text} {nearest(key, DISPLAY_KEYS)}")
                try:
                    Display.from_dict({key: given[key]})
                except InvalidActions as error:
                    self.reject(("display", key), f"{echoed(self.name)}: {error}")
        try:
            return Display.from_dict(given)
        except InvalidActions as error:
            self.reject(("display",), f"{echoed(self.name)}: {error}")

    def word(self, plain: Mapping[str, Any], key: str, known: Any, usual: str = "") -> str:
        given = plain.get(key, usual)
        if not isinstance(given, str) or given not in known:
            self.reject(
                (key,), f"{key} of {echoed(self.name)} cannot be {echoed(given)}. {nearest(given, known)}"
            )
        return given

    def flag(self, plain: Mapping[str, Any], key: str, usual: bool) -> bool:
        given = plain.get(key, usual)
        if not isinstance(given, bool):
            self.reject((key,), f"{key} of {echoed(self.name)} must be true or false, got {echoed(given)}.")
        return given

    def number(self, plain: Mapping[str, Any], key: str, place: int | None = None) -> float:
        given = plain[key] if place is None else plain[key][place]
        if isinstance(given, bool) or not isinstance(given, int | float) or not _is_usable(given):
            self.reject(
                (key,),
                f"{key} of {echoed(self.name)} must be a number, got {echoed(given)}."
                + f" Keep it within ±{LARGEST_MAGNITUDE:g}." * (type(given) in (int, float)),
            )
        return float(given)

    def numbers(self, plain: Mapping[str, Any], key: str) -> list[float]:
        given = plain[key]
        if not isinstance(given, Sequence) or isinstance(given, str) or not given:
            self.reject(
                (key,), f"{key} of {echoed(self.name)} must be a list such as [1, 2, 3], got {echoed(given)}."
            )
        return [self.number(plain, key, place) for place in range(len(given))]

    def candidates(self, plain: Mapping[str, Any], kind: Kind) -> tuple[float, ...] | None:
        """Read what was inferred; a policy that names no step either leaves the choice to the data."""
        if "candidates" not in plain:
            return None if "step" in plain or kind is Kind.BINARY else ()
        given = plain["candidates"]
        runs = [_run(part) for part in given] if isinstance(given, list) else [None]
        many = sum((run.last - run.first) / float(run.step) + 1 if run.step else 1 for run in runs if run)
        if None in runs or many > MOST_CANDIDATES:
            self.reject(
                ("candidates",),
                f"candidates of {echoed(self.name)} must be a list of numbers and of [first, last, step], "
                "at most "
                f"{MOST_CANDIDATES:,} in all, got {echoed(given)}.",
            )
        return numbers_in(run for run in runs if run is not None)

    def pair(self, plain: Mapping[str, Any], key: str) -> tuple[float, float] | None:
        if key not in plain:
            return None
        ends = self.numbers(plain, key)
        if len(ends) != 2 or ends[0] > ends[1]:
            self.reject(
                (key,), f"{key} of {echoed(self.name)} must be [low, high], got {echoed(plain[key])}."
            )
        return ends[0], ends[1]

    def labels(self, plain: Mapping[str, Any], key: str) -> tuple[Any, ...]:
        given = plain[key]
        fits = isinstance(given, list) and all(isinstance(one, str | bool | int | float) for one in given)
        if not fits or not given:
            self.reject(
                (key,), f"{key} of {echoed(self.name)} must be a list of labels, got {echoed(given)}."
            )
        return tuple(given)

    def reject(self, key: Path, message: str) -> NoReturn:
        raise PolicyError(message, line=self.document.line((*self.path, *key)))


def _is_usable(number: float) -> bool:
    return abs(as_float(number)) <= LARGEST_MAGNITUDE


def _run(part: Any) -> Run | None:
    """Read a number, or a run [first, last, step]; None if it is neither."""
    ends = part if isinstance(part, list) else [part, part, 0]
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in ends) or len(ends) != 3:
        return None
    first, last, step = (as_float(one) for one in ends)
    if (
        not all(map(_is_usable, (first, last, step)))
        or first > last
        or step < 0
        or (not step and first < last)
    ):
        return None
    fits = not step or (last - first) / step <= MOST_CANDIDATES
    return Run(first, last, as_typed(step)) if fits else None
