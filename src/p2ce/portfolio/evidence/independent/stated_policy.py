"""Judge rows by the policy file: what each feature may do, and the rules between features."""

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from p2ce.base.limits import Limits
from p2ce.base.zip_parts import Parts

# A part of an inequality: a sign, or a term with a factor, a name, or both.
TERM = re.compile(
    r"(?P<sign><=|==)|(?P<factor>\d[\d.]*(?:e[-+]?\d+)?(?:/\d+)?)?\*?(?P<name>`(?:[^`]|``)+`|[^\W\d]\w*)?"
)
SIDES = ("left", "right", "equal")  # the same as data; an explanation adds them
GAP = -np.inf  # the code of a missing value. A number is its own code, and labels are numbered


class Unchecked(Exception):
    """The reason why something cannot be checked here."""

    outcome: Literal["unchecked", "sampled"] = "unchecked"


class SampledOnly(Unchecked):
    """How much was tried, if there is too much to try all."""

    outcome = "sampled"


def unzipped(source: Any, limits: Limits) -> dict[str, bytes]:
    """Return the parts of a zip file by name. ``source`` is its path or its content."""
    with Parts(source, limits) as parts:
        return {name: parts.take(name) for name in parts}


def parsed(parts: dict[str, bytes], name: str) -> Any:
    """Parse a JSON part. An object with one key represents a number that JSON lacks."""
    try:
        return json.loads(parts[name], object_pairs_hook=_object)
    except ValueError as error:
        raise ValueError(f"its part {name} was changed and is not JSON: {error}") from error


def _object(entries: list[tuple[str, Any]]) -> Any:
    one = dict(entries)
    if len(one) < len(entries):  # programs disagree on which one counts
        raise ValueError("it has an entry twice")
    return float(one["float"]) if len(one) == 1 and one.get("float") in ("nan", "inf", "-inf") else one


@dataclass
class StatedPolicy:
    """A policy for one person. Rows (n, d) are codes of all columns of the model."""

    names: list[str]
    labels: dict[str, list[Any]]  # of category columns, in the order of the codes
    features: dict[str, dict[str, Any]]  # the entries of a policy file
    rules: list[dict[str, Any]]
    person: dict[str, Any]
    limits: dict[str, list[Any]]  # of this person: the ends of a feature's range, or None

    @cached_property
    def before(self) -> Any:
        """The person's row."""
        return self.codes(self.names, [self.person])[0]

    def at(self, names: Any) -> list[int]:
        """Return the positions of columns."""
        return [self.names.index(name) for name in names]

    def code(self, name: str, value: Any) -> float:
        """Return the code of a value. An unseen label comes after all others."""
        known = self.labels.get(name)
        if value is None or value != value:
            return GAP
        if self.is_date(name):
            return float(value != self.person[name])
        return float(value) if known is None else float(known.index(value) if value in known else len(known))

    def codes(self, names: Any, rows: Any) -> Any:
        """Return the codes of rows. Each row is a dict, or in the order of the names."""
        cells = ([row[name] for name in names] if isinstance(row, dict) else row for row in rows)
        found = [[self.code(name, cell) for name, cell in zip(names, row, strict=True)] for row in cells]
        return np.array(found, dtype=float).reshape(-1, len(names))

    def shown(self, place: int, code: float) -> Any:
        """Return the value of a code."""
        known = self.labels.get(self.names[place])
        if self.is_date(self.names[place]):
            return None if code == GAP else self.person[self.names[place]]
        return None if code == GAP else code if known is None else [*known, self.person][int(code)]

    def count(self, rows: Any) -> Any:
        """Count the changes of rows: a one-hot group counts once, a follower not at all unless it counts."""
        moved = rows != self.before
        for rule in self.rules:
            if rule["rule"] == "one_hot":
                first, *others = self.at(rule["columns"])
                moved[:, first] |= moved[:, others].any(axis=1)
                moved[:, others] = False
            elif rule["rule"] == "linked" and rule.get("counts", "once") == "once":
                moved[:, self.at([rule["follower"]])] = False
        return moved.sum(axis=1)

    def allows(self, rows: Any) -> Any:
        """Return which rows all features and rules allow."""
        features = [self.feature_allows(name, rows) for name in self.names]
        return np.all([*features, *(self.rule_allows(rule, rows) for rule in self.rules)], axis=0)

    def is_date(self, name: str) -> bool:
        """Return whether a feature is a date, which never changes. The person's own has the code 0."""
        return bool(self.features[name]["kind"] == "date")

    def may_change(self, name: str) -> bool:
        """Return whether a feature's entry lets it change at all."""
        one = self.features[name]
        return not self.is_date(name) and bool(one.get("may_change", not one.get("protected", False)))

    def feature_allows(self, name: str, rows: Any) -> Any:
        """Return which rows keep a feature unchanged, or change it as its entry allows."""
        one, (place,) = self.features[name], self.at([name])
        now, was, special = rows[:, place], self.before[place], one.get("special", [])
        gaps, missing = now == GAP, one.get("missing", "may be filled")
        fine = ~np.isin(now, special) & self.may_change(name)
        fine &= ~gaps | ("made missing" in missing)
        if was == GAP or was in special:
            fine &= bool("filled" in missing if was == GAP else one.get("may_leave_special", False))
        elif one.get("direction", "either") != "either":
            fine &= gaps | ((now > was) == (one["direction"] == "up"))
        if "range" in one:
            fine &= gaps | ((now >= one["range"][0]) & (now <= one["range"][1]))
        low, high = self.limits.get(name, (None, None))
        fine &= gaps | (
            (now >= (-np.inf if low is None else low)) & (now <= (np.inf if high is None else high))
        )
        if "within_change" in one and was != GAP and was not in special:
            fine &= gaps | self._moves_within(one, now, was)
        if "candidates" in one or "labels" in one:
            fine &= gaps | self._is_one_of(name, now, one.get("candidates", one.get("labels")))
        elif one["kind"] != "number":
            fine &= gaps | (now == np.round(now))
        return fine | (now == was)

    def _moves_within(self, one: dict[str, Any], now: Any, was: float) -> Any:
        """Return which values keep a limit relative to today, in the decimals that people read."""
        dtype = np.dtype(one.get("dtype", "float64"))

        def decimal(number: float) -> Fraction:
            return Fraction(str(dtype.type(number)) if dtype.kind == "f" else repr(number))

        here, ends = decimal(was), []
        for amount in one["within_change"]:
            if isinstance(amount, str):
                amount = abs(here) * Fraction(amount.removesuffix("%")) / 100
            ends.append(None if amount is None else here + Fraction(str(amount)))
        fine = np.ones(len(now), dtype=bool)
        for row in np.flatnonzero(now != GAP):
            new = decimal(float(now[row]))
            fine[row] = (ends[0] is None or new >= ends[0]) and (ends[1] is None or new <= ends[1])
        return fine

    def rule_allows(self, rule: dict[str, Any], rows: Any) -> Any:
        """Return which rows satisfy a rule."""
        kind, names = rule["rule"], rule.get("columns") or [rule[key] for key in ("column",) if key in rule]
        some, moves = rows[:, self.at(names)], (rows != self.before)[:, self.at(names)].sum(axis=1)
        if kind in ("change_at_most_one", "together"):
            return moves <= 1 if kind == "change_at_most_one" else np.isin(moves, [0, len(names)])
        if kind == "at_most_one_nonzero":
            return (~np.isin(some, [0, GAP])).sum(axis=1) <= 1
        if kind == "one_hot":
            sums = [0, 1] if rule.get("may_be_none") else [1]
            return np.isin(some, [0, 1]).all(axis=1) & np.isin(some.sum(axis=1), sums)
        if kind in ("forbid", "allow_only"):
            here, named = self.before[self.at(names)], np.zeros(len(rows), dtype=bool)
            for move in rule["transitions"]:
                named |= self._is_one_of(names[0], here, move["from"]) & self._is_one_of(
                    names[0], some[:, 0], move["to"]
                )
            return (moves == 0) | (named == (kind == "allow_only"))
        if kind == "implies":
            met, kept = (
                np.all([self._meets(rows, name, entry) for name, entry in rule[side].items()], axis=0)
                for side in ("condition", "consequence")
            )
            return ~met | kept
        if kind == "leave_out":
            met = [self._meets(rows, name, entry) for name, entry in rule["where"].items()]
            return ~np.all(met, axis=0)
        if kind == "linked":
            return self._follows(rule["follower"], rows)
        if kind == "inequality":
            return self._balances(rule["text"], rows)
        raise Unchecked("only its author's code can check it")

    def _follows(self, follower: str, rows: Any) -> Any:
        """Return in which rows a feature moves by the sum of what all its links say."""
        (place,) = self.at([follower])
        own, moved = self.before[place], np.zeros(len(rows))
        for rule in self.rules:
            if rule["rule"] == "linked" and rule["follower"] == follower:
                (driver,) = self.at([rule["driver"]])
                now, was = rows[:, driver], self.before[driver]
                known = (now != GAP) & (was != GAP) & (own != GAP)
                moved += rule["ratio"] * (np.where(known, now, 0.0) - np.where(known, was, 0.0))
        return np.isclose(rows[:, place], own + moved, rtol=1e-6)

    def _balances(self, text: str, rows: Any) -> Any:
        """Compare the two sums of an inequality. A row with a missing value satisfies it."""
        sums, side, unknown = [np.zeros(len(rows)), np.zeros(len(rows))], 0, np.zeros(len(rows), dtype=bool)
        for term in TERM.finditer(text):
            side += term["sign"] is not None
            if term["name"] or term["factor"]:
                name = (term["name"] or "").removeprefix("`").removesuffix("`").replace("``", "`")
                column = rows[:, self.at([name])[0]] if name else np.ones(len(rows))
                unknown |= column == GAP
                sums[side] += float(Fraction(term["factor"] or 1)) * np.where(column == GAP, 0.0, column)
        close = np.isclose(sums[0], sums[1], rtol=1e-12, atol=0.0)
        return unknown | close | ((sums[0] < sums[1]) & (" == " not in text))

    def _meets(self, rows: Any, name: str, entry: Any) -> Any:
        """Return the rows in which a column meets a condition: a value, a list, a range, or changed."""
        (place,) = self.at([name])
        now = rows[:, place]
        if not isinstance(entry, dict):
            return self._is_one_of(name, now, entry)
        if "changes" in entry:
            return now != self.before[place]
        low, high = self.code(name, entry.get("from")), self.code(name, entry.get("to"))
        return (now != GAP) & (now >= low) & (now <= (np.inf if high == GAP else high))

    def _is_one_of(self, name: str, codes: Any, values: Any) -> Any:
        known = [self.code(name, value) for value in (values if isinstance(values, list) else [values])]
        return np.isclose(codes[:, None], known, rtol=1e-6).any(axis=1)
