"""Choose rows by a small expression such as ``score < 0.5 and Housing == 'rent'``, never run as code.

Known are the columns of the data and numbers, text in quotes, ``+ - * /``, comparisons, ``in [..]``, ``and``,
``or``, ``not`` and parentheses. A name with blanks stands between backticks. ``None`` is a missing value.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.errors import InvalidArgument, nearest
from p2ce.limits import DEFAULT, Limits, require_within
from p2ce.tables.cells import is_missing
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pandas as pd

SCORE = "score"
BOOLS = ("true", "false")
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
# Text is stepped over, so that a backtick in quotes stays one.
_TOKENS = re.compile(r"'[^']*'|\"[^\"]*\"|`([^`]+)`")


def names_score(expression: str, limits: Limits = DEFAULT) -> bool:
    """Return whether an expression uses scores."""
    tree, names = _parsed(expression, limits)
    used = {names.get(node.id, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return SCORE in used


def rows_where(
    expression: str,
    frame: "pd.DataFrame",
    more: Mapping[str, Any] | None = None,
    limits: Limits = DEFAULT,
) -> BoolArray:
    """Return for each row of a frame whether the expression holds; ``more`` names further columns.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"Age": [20, 40, 60], "Home town": ["Ulm", "Bonn", None]})
    >>> rows_where("Age > 30 and not `Home town` == 'Bonn'", people).tolist()
    [False, False, True]
    """
    tree, names = _parsed(expression, limits)
    reader = _Reader(frame, dict(more or {}), names)
    try:
        with np.errstate(all="ignore"):  # what is divided by zero is infinite or missing, as NumPy has it
            found = reader.read(tree.body)
    except RecursionError as error:
        raise InvalidArgument(
            f"--where {echoed(expression[:40])}… is nested too deeply. Simplify it."
        ) from error
    if found.dtype != np.bool_:
        raise InvalidArgument(
            f"--where {echoed(expression)} is not true or false for a row. "
            'Compare something: --where "score < 0.5"'
        )
    return np.asarray(found, dtype=np.bool_)


def _parsed(expression: str, limits: Limits) -> tuple[ast.Expression, dict[str, str]]:
    names: dict[str, str] = {}

    def stand_in(match: "re.Match[str]") -> str:
        if match[1] is None:
            return match[0]
        alias = f"_column_{len(names)}_"
        names[alias] = match[1]
        return alias

    count = len(expression)
    require_within(limits, "where_characters", count, f"--where has {count:,} characters")
    text = _TOKENS.sub(stand_in, expression).strip()
    try:
        return ast.parse(text, mode="eval"), names
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        hint = "Write it like \"score < 0.5 and Housing == 'rent'\"; names with blanks go in backticks."
        if re.search(r"(?<![=<>!])=(?!=)", text):
            hint = "Write == to compare."
        elif re.search(r"\b(AND|OR|NOT)\b|&&|\|\|", text):
            hint = "Write and, or, not."
        raise InvalidArgument(f"--where {echoed(expression)} cannot be read. {hint}") from error


class _Reader:
    """Evaluates expressions to arrays with an entry per row: bools, floats, or objects for all else."""

    def __init__(self, frame: "pd.DataFrame", more: dict[str, Any], names: dict[str, str]) -> None:
        self.frame, self.more, self.names = frame, more, names

    def read(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=bool() as known):
                return np.full(len(self.frame), known)
            case ast.Constant(value=int() | float() as number):
                return np.full(len(self.frame), _float(number))
            case ast.Constant(value=str() | None as text):
                return np.full(len(self.frame), text, dtype=object)
            case ast.Name(id=name):
                return self.column(self.names.get(name, name))
            case ast.BoolOp(op=op, values=values):
                join = np.logical_and if isinstance(op, ast.And) else np.logical_or
                return join.reduce([self.truth(one) for one in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ~self.truth(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.number(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                return ARITHMETIC[type(op)](self.number(left), self.number(right))
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                raise InvalidArgument("In --where, write and, or instead of &, |.")
            case ast.Compare(left=first, ops=tests, comparators=rest):
                pairs = zip(tests, [first, *rest], rest, strict=False)
                return np.logical_and.reduce([self.compare(test, left, right) for test, left, right in pairs])
        raise InvalidArgument(
            f"--where knows comparisons, and, or, not, + - * /, but not {self.shown(node)}. Leave it out."
        )

    def column(self, name: str) -> Any:
        if name in self.frame.columns:
            return _plain(self.frame[name])
        if name in self.more:
            return np.asarray(self.more[name], dtype=np.float64)
        meant = {"true": "True", "false": "False", "none": "None", "null": "None"}.get(name.lower())
        if meant is not None:
            raise InvalidArgument(f"In --where, write {meant} instead of {name}.")
        known = [*map(str, self.frame.columns), *self.more]
        raise InvalidArgument(
            f"--where names {echoed(name)}, which is not a column of the data. {nearest(name, known)} "
            "Text goes in quotes."
        )

    def truth(self, node: ast.expr) -> BoolArray:
        found: BoolArray = self.read(node)
        if found.dtype != np.bool_:
            raise InvalidArgument(
                f"In --where, {self.shown(node)} is not true or false. Compare it with something."
            )
        return found

    def number(self, node: ast.expr) -> FloatArray:
        found: FloatArray = self.read(node)
        if found.dtype == object:
            raise InvalidArgument(
                f"In --where, {self.shown(node)} is not a number. Only numbers are added or negated."
            )
        return found.astype(np.float64)

    def compare(self, test: ast.cmpop, left: ast.expr, right: ast.expr) -> BoolArray:
        if isinstance(test, ast.Eq | ast.Is):
            return self.same(left, right)
        if isinstance(test, ast.NotEq | ast.IsNot):
            return ~self.same(left, right)
        if isinstance(test, ast.In | ast.NotIn):
            found = self.among(left, right)
            return found if isinstance(test, ast.In) else ~found
        if _is_none(left) or _is_none(right):
            raise InvalidArgument("In --where, nothing is below or above None. Write == None, or != None.")
        lower, upper = self.read(left), self.read(right)
        if (lower.dtype == object) != (upper.dtype == object):
            raise InvalidArgument(
                f"In --where, {self.shown(left)} and {self.shown(right)} cannot be compared: one of them is "
                "text."
            )
        holds = COMPARISONS[type(test)]
        if lower.dtype != object:
            return np.asarray(holds(lower, upper), dtype=np.bool_)
        return _each(lower, upper, lambda one, other: holds(str(one), str(other)))

    def among(self, left: ast.expr, node: ast.expr) -> BoolArray:
        if not isinstance(node, ast.List | ast.Tuple):
            raise InvalidArgument("In --where, 'in' needs a list behind it: Housing in ['own', 'rent'].")
        found = np.zeros(len(self.frame), dtype=np.bool_)
        for one in node.elts:
            if any(isinstance(part, ast.Name) for part in ast.walk(one)):
                raise InvalidArgument(
                    f"In --where, {self.shown(one)} stands in a list. A list holds numbers and text in "
                    "quotes only."
                )
            found |= self.same(left, one)
        return found

    def same(self, left: ast.expr, right: ast.expr) -> BoolArray:
        if _is_none(left) or _is_none(right):
            cells = self.read(left if _is_none(right) else right)
            return np.array([is_missing(cell) for cell in cells.tolist()], dtype=np.bool_)
        one, other = self.read(left), self.read(right)
        if (one.dtype == object) == (other.dtype == object):
            return _each(one, other, operator.eq)
        # 1 and "1" are the same here: a user rarely knows how a label is stored.
        for node in (left, right):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                _require_number(node.value)
        return _each(one, other, lambda first, second: _text(first) == _text(second))

    def shown(self, node: ast.expr) -> str:
        text = ast.unparse(node)
        for alias, name in self.names.items():
            text = text.replace(alias, f"`{name}`")
        return echoed(text)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _each(left: Any, right: Any, holds: Callable[[Any, Any], Any]) -> BoolArray:
    """Compare cell by cell; with a missing value nothing holds."""
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    found = [not (is_missing(one) or is_missing(other)) and bool(holds(one, other)) for one, other in pairs]
    return np.array(found, dtype=np.bool_)


def _plain(column: "pd.Series[Any]") -> Any:
    """Return a column as bools, floats, or objects."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if column.dtype == np.bool_:
        return column.to_numpy()
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    cells = np.empty(len(column), dtype=object)
    cells[:] = column.tolist()
    if all(is_missing(cell) or isinstance(cell, int | float) for cell in cells.tolist()) and len(cells):
        return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells.tolist()])
    return cells


def _float(number: int | float) -> np.float64:
    try:
        return np.float64(number)
    except OverflowError as error:
        raise InvalidArgument("--where holds a number that is too large. Write it shorter.") from error


def _require_number(text: str) -> None:
    """Raise if numbers are compared with a text that is not a number: it would never be true."""
    try:
        float(text)
    except ValueError:
        if text.lower() not in BOOLS:
            raise InvalidArgument(
                f"In --where, numbers are compared with the text {echoed(text)}. Compare them with a number."
            ) from None


def _text(cell: Any) -> str:
    """Write a cell so that 1, 1.0 and "1" are the same."""
    text = str(cell).strip()
    if text.lower() in BOOLS:
        return text.lower()
    try:
        return repr(float(text))
    except ValueError:
        return str(cell)
