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

from p2ce.arrays import BoolArray
from p2ce.errors import InvalidArgument, nearest
from p2ce.limits import DEFAULT, Limits
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
    if not isinstance(found, np.ndarray) or found.dtype != np.bool_:
        raise InvalidArgument(
            f"--where {echoed(expression)} is not true or false for a row. "
            'Compare something: --where "score < 0.5"'
        )
    return found


def _parsed(expression: str, limits: Limits) -> tuple[ast.Expression, dict[str, str]]:
    names: dict[str, str] = {}

    def stand_in(match: "re.Match[str]") -> str:
        if match[1] is None:
            return match[0]
        alias = f"_column_{len(names)}_"
        names[alias] = match[1]
        return alias

    count = len(expression)
    limits.require("where_characters", count, f"--where has {count:,} characters")
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
    def __init__(self, frame: "pd.DataFrame", more: dict[str, Any], names: dict[str, str]) -> None:
        self.frame, self.more, self.names = frame, more, names

    def read(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bool | None):
            return node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return _float(node.value)
        if isinstance(node, ast.Name):
            return self.column(self.names.get(node.id, node.id))
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(one) for one in node.values]
            return (np.logical_and if isinstance(node.op, ast.And) else np.logical_or).reduce(parts)
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not):
                return ~self.truth(node.operand)
            if isinstance(node.op, ast.USub):
                return -self.number(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return ARITHMETIC[type(node.op)](self.number(node.left), self.number(node.right))
        if isinstance(node, ast.Compare):
            return self.compare(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
            raise InvalidArgument("In --where, write and, or instead of &, |.")
        raise InvalidArgument(
            f"--where knows comparisons, and, or, not, + - * /, but not {echoed(ast.unparse(node))}. Leave "
            "it out."
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
            f"--where names {echoed(name)}, which is no column of the data. {nearest(name, known)} "
            "Text goes in quotes."
        )

    def truth(self, node: ast.expr) -> BoolArray:
        found = self.read(node)
        if isinstance(found, bool):
            return np.full(len(self.frame), found)
        if isinstance(found, np.ndarray) and found.dtype == np.bool_:
            return found
        raise InvalidArgument(
            f"In --where, {echoed(ast.unparse(node))} is not true or false. Compare it with something."
        )

    def number(self, node: ast.expr) -> Any:
        found = self.read(node)
        if isinstance(found, np.ndarray) and found.dtype.kind in "bf":
            return found.astype(np.float64)
        if isinstance(found, np.float64):
            return found
        raise InvalidArgument(
            f"In --where, {echoed(ast.unparse(node))} is no number. Only numbers are added or negated."
        )

    def compare(self, node: ast.Compare) -> BoolArray:
        result = np.ones(len(self.frame), dtype=np.bool_)
        left = node.left
        for test, right in zip(node.ops, node.comparators, strict=True):
            result &= self.one(test, left, right)
            left = right
        return result

    def one(self, test: ast.cmpop, left_node: ast.expr, right_node: ast.expr) -> BoolArray:
        if isinstance(test, ast.In | ast.NotIn):
            found = self.among(self.read(left_node), right_node)
            return found if isinstance(test, ast.In) else ~found
        left, right = self.read(left_node), self.read(right_node)
        if isinstance(test, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            found = self.same(left, right)
            return found if isinstance(test, ast.Eq | ast.Is) else ~found
        if left is None or right is None:
            raise InvalidArgument("In --where, nothing is below or above None. Write == None, or != None.")
        if _is_text(left) != _is_text(right):
            a, b = ast.unparse(left_node), ast.unparse(right_node)
            raise InvalidArgument(
                f"In --where, {self.quoted(a)} and {self.quoted(b)} cannot be compared: one of them is text."
            )
        left, right = self.spread(left), self.spread(right)
        if left.dtype.kind != "O":
            return np.asarray(COMPARISONS[type(test)](left, right), dtype=np.bool_)
        return np.array(
            [
                not (is_missing(a) or is_missing(b)) and bool(COMPARISONS[type(test)](str(a), str(b)))
                for a, b in zip(left.tolist(), right.tolist(), strict=True)
            ],
            dtype=np.bool_,
        )

    def among(self, left: Any, node: ast.expr) -> BoolArray:
        if not isinstance(node, ast.List | ast.Tuple):
            raise InvalidArgument("In --where, 'in' needs a list behind it: Housing in ['own', 'rent'].")
        found = np.zeros(len(self.frame), dtype=np.bool_)
        for one in node.elts:
            value = self.read(one)
            if isinstance(value, np.ndarray):
                raise InvalidArgument(
                    f"In --where, {self.quoted(ast.unparse(one))} stands in a list. A list holds numbers and "
                    "text in quotes only."
                )
            found |= self.same(left, value)
        return found

    def same(self, left: Any, right: Any) -> BoolArray:
        if left is None or right is None:
            cells = self.spread(left if right is None else right)
            return np.array([is_missing(cell) for cell in cells.tolist()], dtype=np.bool_)
        if _is_text(left) != _is_text(right):
            # 1 and "1" are the same here: a user rarely knows how a label is stored.
            for side in (left, right):
                if isinstance(side, str):
                    _require_number(side)
            as_texts = [[_text(cell) for cell in self.spread(side).tolist()] for side in (left, right)]
            return np.array(
                [a is not None and a == b for a, b in zip(*as_texts, strict=True)], dtype=np.bool_
            )
        return np.array(
            [
                not (is_missing(a) or is_missing(b)) and a == b
                for a, b in zip(self.spread(left).tolist(), self.spread(right).tolist(), strict=True)
            ],
            dtype=np.bool_,
        )

    def spread(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, bool):
            return np.full(len(self.frame), value)
        if isinstance(value, np.float64):
            return np.full(len(self.frame), value)
        return np.full(len(self.frame), value, dtype=object)

    def quoted(self, text: str) -> str:
        for alias, name in self.names.items():
            text = text.replace(alias, f"`{name}`")
        return repr(text)


def _plain(column: "pd.Series[Any]") -> Any:
    """Give a column as bools, floats, or objects."""
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


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, np.ndarray) and value.dtype.kind == "O")


def _float(number: int | float) -> np.float64:
    try:
        return np.float64(number)
    except OverflowError as error:
        raise InvalidArgument("--where holds a number that is too large. Write it shorter.") from error


def _require_number(text: str) -> None:
    """Raise if numbers are compared with a text that is no number: it would never be true."""
    try:
        float(text)
    except ValueError:
        if text.lower() not in BOOLS:
            raise InvalidArgument(
                f"In --where, numbers are compared with the text {echoed(text)}. Compare them with a number."
            ) from None


def _text(cell: Any) -> str | None:
    """Write a cell so that 1, 1.0 and "1" are the same; None for a missing one."""
    if is_missing(cell):
        return None
    text = str(cell).strip()
    if text.lower() in BOOLS:
        return text.lower()
    try:
        return repr(float(text))
    except ValueError:
        return str(cell)
