"""Define the rule that a linear inequality between columns holds, exactly.

Every float64 is a fraction, and so is every number of an inequality, so the sum of their products can be
compared exactly. A float64 sum almost always gives the same result. Fractions are computed only inside its
error band.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, TypeAlias

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.decimals import as_float, as_typed
from p2ce.policy.rules.expressions import Linear, name_text, read_comparison, write_sum
from p2ce.policy.rules.rule import (
    Budget,
    Codes,
    Rule,
    RuleEntry,
    coding_for,
    read_name,
    reject_categories,
)
from p2ce.tables.codebook import MISSING, Codebook

Factors: TypeAlias = tuple[tuple[str, Fraction], ...]
LARGEST_NUMBER = Fraction(10) ** 200  # products with column values are still finite
LARGEST_WHOLE_FACTOR = 2**20  # times values up to 2**30, sums stay below 2**53
TINY = 1e-290  # smaller products lose digits, which the relative error band does not cover
DETAILS = ("left", "right", "equal")  # entries of an explanation in addition to the text


class InequalityEntry(RuleEntry, tag="inequality"):
    """A linear inequality such as 'late_90d <= late_30d'. Put names of several words in backticks."""

    text: str

    def rule(self) -> "Inequality":
        return inequality(self.text)


@dataclass(frozen=True, slots=True)
class Inequality(Rule):
    """A sum of columns times numbers is at most a limit, or equal to it.

    Values are compared exactly: every float64 as a fraction, and every number of the rule as the decimal that
    was written. A row with a missing value satisfies the inequality, since nothing is known about it.
    """

    terms: Factors  # positive factors first, so equal rules have one form
    limit: Fraction
    equal: bool = False

    kind = "inequality"
    about_numbers = True

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.terms)

    def text(self) -> str:
        left = [(name_text(name), factor) for name, factor in self.terms if factor > 0]
        right = [(name_text(name), -factor) for name, factor in self.terms if factor < 0]
        sign = "==" if self.equal else "<="
        constants = (-self.limit, Fraction(0)) if self.limit < 0 else (Fraction(0), self.limit)
        return f"{write_sum(left, constants[0])} {sign} {write_sum(right, constants[1])}"

    def entry(self) -> InequalityEntry:
        return InequalityEntry(text=self.text())

    def details(self) -> dict[str, Any]:
        """Return the two sides as lists of terms: columns times positive factors, then a constant."""
        left: list[dict[str, Any]] = []
        right: list[dict[str, Any]] = []
        for name, factor in self.terms:
            (left if factor > 0 else right).append({"column": name, "factor": _plain_factor(abs(factor))})
        if self.limit:
            (left if self.limit < 0 else right).append({"factor": _plain_factor(abs(self.limit))})
        return dict(zip(DETAILS, (left, right, self.equal), strict=True))

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        reject_categories(self, codebook, because="they cannot be added. Use implies() instead")
        dtypes = [coding_for(self, codebook, name).number_dtype for name in self.columns]
        # With whole factors and columns, nothing is rounded, and no sum is between limit and limit + 1.
        whole = all(dtype.kind in "biu" for dtype in dtypes) and all(
            factor.denominator == 1 and abs(factor) <= LARGEST_WHOLE_FACTOR for _, factor in self.terms
        )
        sides = [(self.terms, self.limit)]
        if self.equal:
            sides.append((tuple((name, -factor) for name, factor in self.terms), -self.limit))
        return tuple(self._budget(terms, limit, whole) for terms, limit in sides)

    def _budget(self, terms: Factors, limit: Fraction, whole: bool) -> Budget:
        prices = tuple((name, _Product(float(factor))) for name, factor in terms)
        return Budget(self.text(), float(limit // 1) + 0.5 if whole else float(limit), whole, prices)

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:  # noqa: ARG002
        columns = [after[name] for name in self.columns]
        signs = compare_with(columns, [factor for _, factor in self.terms], self.limit)
        if not self.equal:
            kept: BoolArray = signs <= 0
            return kept
        missing = np.logical_or.reduce([column == MISSING for column in columns])
        met: BoolArray = (signs == 0) | missing
        return met


@dataclass(frozen=True, slots=True)
class _Product:
    factor: float

    def __call__(self, values: FloatArray, current: FloatArray) -> FloatArray:
        # Nothing is known about a missing value, so the inequality counts as satisfied.
        missing = (values == MISSING) & np.ones(current.shape, dtype=np.bool_)
        return np.where(missing, -np.inf, self.factor * np.where(missing, 0.0, values))


def inequality(terms: str | Mapping[Any, Any], /, *, at_most: float | None = None) -> Inequality:
    """Require a linear inequality between columns.

    Args:
        terms: A text with columns, numbers, ``+ - * /``, brackets and one of ``<=``, ``>=``, ``==``. Put
            names that are not plain words in backticks. Or a dict from columns to factors.
        at_most: The limit of the sum of factors times columns, if ``terms`` is a dict.

    >>> inequality("2*late_90d - 3 <= `late 30d`").text()
    '2*late_90d <= `late 30d` + 3'
    >>> inequality({"late_90d": 1, "late_30d": -1}, at_most=0) == inequality("late_90d <= late_30d")
    True
    """
    if isinstance(terms, str):
        if at_most is not None:
            raise InvalidPolicy(
                "inequality() expects text, or a dict of factors with at_most, got text with at_most. "
                "Leave at_most out."
            )
        difference, sign = read_comparison(terms)
        if sign == ">=":
            difference = difference.times(Fraction(-1))
        return _canonical(difference, repr(terms), equal=sign == "==")
    if not isinstance(terms, Mapping):
        raise InvalidPolicy(
            "inequality() expects text such as 'late_90d <= late_30d' or a dict of factors, got "
            f"{echoed(terms)}."
        )
    if at_most is None:
        raise InvalidPolicy("inequality() with factors needs a limit: inequality({...}, at_most=0).")
    factors = {read_name("inequality", name): _number(factor) for name, factor in terms.items()}
    return _canonical(Linear(factors, -_number(at_most)), repr(terms), equal=False)


def _canonical(difference: Linear, given: str, *, equal: bool) -> Inequality:
    kept = [(name, factor) for name, factor in difference.terms.items() if factor]
    if not kept:
        raise InvalidPolicy(f"The inequality {given} does not depend on any column. Name a column.")
    limit = -difference.constant
    for number in (*(factor for _, factor in kept), limit):
        if number and not 1 / LARGEST_NUMBER <= abs(number) <= LARGEST_NUMBER:
            raise InvalidPolicy(f"The inequality {given} contains a number beyond 1e±200. Rescale it.")
    positive = [term for term in kept if term[1] > 0]
    negative = [term for term in kept if term[1] < 0]
    return Inequality((*positive, *negative), limit, equal)


def _plain_factor(factor: Fraction) -> int | float | str:
    """Return a factor as the number that was written, or as a fraction if no decimal is exact."""
    if factor.denominator == 1:
        return factor.numerator
    return float(factor) if Fraction(repr(float(factor))) == factor else str(factor)


def _number(given: object) -> Fraction:
    if isinstance(given, Rational):
        return Fraction(given)
    if not isinstance(given, Real) or not np.isfinite(as_float(given)):
        raise InvalidPolicy(f"inequality() expects finite numbers as factors and limit, got {echoed(given)}.")
    return as_typed(float(given))


def compare_with(columns: Sequence[FloatArray], factors: Sequence[Fraction], limit: Fraction) -> FloatArray:
    """Return the sign of Σ factor · column − limit for each row, (n,): -1, 0 or 1.

    The sign is −1 for a row with a missing value, since nothing is known about it, and 1 for NaN, which no
    column holds.

    >>> compare_with([np.array([0.1, 3.0])], [Fraction(10)], Fraction(1)).tolist()
    [1.0, 1.0]
    """
    values = np.array(columns, dtype=np.float64)  # (terms, n)
    weights = np.array([float(factor) for factor in factors])[:, None]
    missing = (values == MISSING).any(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        products = weights * np.where(missing, 0.0, values)
        gap = products.sum(axis=0) - float(limit)
        # Each factor, product and addition is rounded once, and so is the limit. Each time the error is at
        # most 2⁻⁵³ of the sum of magnitudes. Twice that leaves room for rounding the band itself.
        magnitude = np.abs(products).sum(axis=0) + abs(float(limit))
        band = (len(factors) + 4) * 2.0**-52 * magnitude + TINY
        # Whole numbers below 2⁵³ are added exactly, and counts often equal their limit.
        whole = all(number.denominator == 1 for number in (*factors, limit))
        exact = whole & (values == np.floor(values)).all(axis=0) & (magnitude < 2.0**53)
    signs: FloatArray = np.sign(gap)
    for row in np.flatnonzero(~missing & ~exact & ~(np.abs(gap) > band)):
        signs[row] = _exactly(values[:, row], factors, limit)
    signs[missing] = -1.0
    return signs


def _exactly(row: FloatArray, factors: Sequence[Fraction], limit: Fraction) -> float:
    if not np.isfinite(row).all():
        return 1.0
    total = sum(
        (Fraction(value) * factor for value, factor in zip(row.tolist(), factors, strict=True)), -limit
    )
    return float((total > 0) - (total < 0))
