"""Parse a linear inequality as people write it, and write it as text.

    comparison := sum ("<=" | ">=" | "==") sum
    sum        := product (("+" | "-") product)*
    product    := factor (("*" | "/") factor)*
    factor     := number | name | `any name` | "-" factor | "+" factor | "(" sum ")"

A number is exactly the decimal that is written: 0.1 is one tenth.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w`])"
    r"|(?P<name>[^\W\d]\w*)"
    r"|`(?P<quoted>(?:[^`]|``)+)`"
    r"|(?P<sign><=|>=|==|≤|≥|<|>|=|!=|[-+*/()]|−|·|×))"
)
PLAIN_NAME = re.compile(r"[^\W\d]\w*")
SAME_SIGN = {"≤": "<=", "≥": ">=", "−": "-", "·": "*", "×": "*"}
MOST_DIGITS = 400  # a number beyond float64 is of no use, and its fraction would exhaust the memory
MOST_BITS = 4_000  # in the numerator and denominator of a result
MOST_DEEP = 100  # brackets within brackets


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of columns times numbers, plus a constant."""

    terms: dict[str, Fraction] = field(default_factory=dict)
    constant: Fraction = Fraction(0)

    def times(self, factor: Fraction) -> "Linear":
        return added([(self, factor)])


def added(parts: Iterable[tuple[Linear, Fraction]]) -> Linear:
    """Return the sum of multiples of linear sums."""
    terms: dict[str, Fraction] = {}
    constant = Fraction(0)
    for part, times in parts:
        for name, factor in part.terms.items():
            terms[name] = _in_bounds(terms.get(name, Fraction(0)) + factor * times)
        constant = _in_bounds(constant + part.constant * times)
    return Linear(terms, constant)


def _in_bounds(number: Fraction) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_BITS:
        raise InvalidPolicy("The numbers of an inequality are too large or too precise. Rescale it.")
    return number


def read_comparison(text: str) -> tuple[Linear, str]:
    """Return left − right of a comparison, and its sign ("<=", ">=" or "==")."""
    reader = _Reader(text, _tokens(text))
    left = reader.sum()
    sign = reader.next_sign()
    if sign in ("<", ">"):
        raise InvalidPolicy(
            f"The inequality {echoed(text)} uses {sign}, but only <=, >= and == are supported. "
            f"Write {sign}=, and for whole numbers add 1 to the smaller side."
        )
    if sign not in ("<=", ">=", "=="):
        raise reader.unexpected("<=, >= or ==")
    right = reader.sum()
    if not reader.at_end():
        raise reader.unexpected("the end; write one comparison per rule")
    return added([(left, Fraction(1)), (right, Fraction(-1))]), sign


def write_sum(terms: list[tuple[str, Fraction]], constant: Fraction) -> str:
    """Write a sum of positive multiples of columns and a non-negative constant."""
    parts = [name if factor == 1 else f"{number_text(factor)}*{name}" for name, factor in terms]
    if constant or not parts:
        parts.append(number_text(constant))
    return " + ".join(parts)


def name_text(name: str) -> str:
    """Write a column's name so that it is parsed as one name."""
    return name if PLAIN_NAME.fullmatch(name) else f"`{name.replace('`', '``')}`"


def number_text(number: Fraction) -> str:
    """Write a number so that it is parsed exactly: as a decimal if there is one, else as a fraction."""
    shortest = repr(float(number))
    if Fraction(shortest) == number:
        return str(int(number)) if number.denominator == 1 and abs(number) < 10**15 else shortest
    return f"{number.numerator}/{number.denominator}" if number.denominator > 1 else str(number.numerator)


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise InvalidPolicy(
                f"Cannot parse the inequality {echoed(text)} from {echoed(text[place:].strip())} on. Put "
                "names that are not plain words in backticks: `Loan amount` <= 2*Income."
            )
        token = match[match.lastgroup]
        if match.lastgroup == "quoted":
            token = token.replace("``", "`")
        elif match.lastgroup == "sign":
            token = SAME_SIGN.get(token, token)
        found.append((match.lastgroup, token))
        place = match.end()
    return found


class _Reader:
    """The parser of one comparison, given its tokens."""

    def __init__(self, text: str, tokens: list[tuple[str, str]]) -> None:
        self.text, self.tokens, self.place, self.depth = text, tokens, 0, 0

    def sum(self) -> Linear:
        parts = [(self.product(), Fraction(1))]
        while (sign := self.peek_sign()) in ("+", "-"):
            self.place += 1
            parts.append((self.product(), Fraction(1 if sign == "+" else -1)))
        return added(parts)

    def product(self) -> Linear:
        total, scale = self.factor(), Fraction(1)
        while (sign := self.peek_sign()) in ("*", "/"):
            self.place += 1
            other = self.factor()
            if sign == "/":
                if other.terms or other.constant == 0:
                    raise InvalidPolicy(
                        f"The inequality {echoed(self.text)} divides by zero or by a column. Multiply the "
                        "other side instead."
                    )
                scale = _in_bounds(scale / other.constant)
            elif not other.terms:
                scale = _in_bounds(scale * other.constant)
            elif not total.terms:
                total, scale = other, _in_bounds(scale * total.constant)
            else:
                raise InvalidPolicy(
                    f"The inequality {echoed(self.text)} multiplies columns with each other, but it must be "
                    "linear. Use predicate() instead."
                )
        return total if scale == 1 else total.times(scale)

    def factor(self) -> Linear:
        kind, token = self._take()
        if kind == "number":
            return Linear({}, self._number(token))
        if kind in ("name", "quoted"):
            return Linear({token: Fraction(1)})
        if kind == "" or token not in ("-", "+", "("):
            self.place -= 1
            raise self.unexpected("a number or a column")
        self.depth += 1
        if self.depth > MOST_DEEP:
            raise InvalidPolicy(f"The inequality {echoed(self.text)} is nested too deeply. Simplify it.")
        if token == "(":
            found = self.sum()
            if self.peek_sign() != ")":
                raise self.unexpected("a closing )")
            self.place += 1
        else:
            found = self.factor().times(Fraction(-1 if token == "-" else 1))
        self.depth -= 1
        return found

    def _take(self) -> tuple[str, str]:
        taken = ("", "") if self.at_end() else self.tokens[self.place]
        self.place += 1
        return taken

    def _number(self, token: str) -> Fraction:
        exponent = token.lower().partition("e")[2]
        if len(token) > MOST_DIGITS or (exponent and abs(int(exponent)) > MOST_DIGITS):
            raise InvalidPolicy(
                f"The inequality {echoed(self.text)} contains a number beyond float64. Rescale it."
            )
        return Fraction(token)

    def peek_sign(self) -> str:
        if self.at_end() or self.tokens[self.place][0] != "sign":
            return ""
        return self.tokens[self.place][1]

    def next_sign(self) -> str:
        sign = self.peek_sign()
        if sign in ("<=", ">=", "==", "<", ">"):
            self.place += 1
        return sign

    def at_end(self) -> bool:
        return self.place >= len(self.tokens)

    def unexpected(self, wanted: str) -> InvalidPolicy:
        got = "the end" if self.at_end() else repr(self.tokens[self.place][1])
        return InvalidPolicy(
            f"Cannot parse the inequality {echoed(self.text)}: expected {wanted}, got {got}."
        )
