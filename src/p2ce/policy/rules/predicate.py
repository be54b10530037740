"""Define the rule that a Python function accepts a row."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from p2ce.base.arrays import BoolArray
from p2ce.base.visible import as_text, echoed
from p2ce.errors import InvalidArgument, InvalidOutput, InvalidPolicy, nearest, what_happened
from p2ce.policy.rules.rule import Budget, Codes, Name, Rule, RuleEntry, check_columns, read_name
from p2ce.tables.codebook import Codebook

if TYPE_CHECKING:
    import pandas as pd

RowTest: TypeAlias = "Callable[[pd.DataFrame], Any]"


class PredicateEntry(RuleEntry, tag="predicate"):
    """A Python function module:function that judges candidate rows. Using it runs that module's code."""

    function: Annotated[str, Meta(pattern="^[^:]+:[^:]+$")]
    name: str | UnsetType = UNSET
    columns: list[Name] | UnsetType = UNSET

    def rule(self) -> "Predicate":
        return predicate(self.function, name=self.name or None, columns=map(as_text, self.columns or ()))


@dataclass(frozen=True, slots=True)
class Predicate(Rule):
    """A function that receives a frame of candidate rows and returns a bool for each.

    It is called for rows that the search found. It does not prune the search. A predicate that is passed as
    "module:function" can be saved in a policy file. The module is imported when the rule is first called, not
    when the file is loaded. Importing runs its code, so files with predicates are rejected without
    ``trust_predicates=True``.
    """

    function: "RowTest | str"
    name: str
    about: tuple[str, ...] = ()  # the columns that the function uses, if the user named them

    kind = "predicate"
    prunes = False

    @property
    def columns(self) -> tuple[str, ...]:
        return self.about

    def text(self) -> str:
        return f"{self.name} says yes"

    def entry(self) -> PredicateEntry | None:
        """Return the entry; None for a Python object, which a policy file cannot hold."""
        if not isinstance(self.function, str):
            return None
        return PredicateEntry(
            function=self.function,
            name=UNSET if self.name == self.function else self.name,
            columns=list(self.about) or UNSET,
        )

    def described(self) -> dict[str, Any]:
        return {"rule": self.kind, "name": self.name, "columns": list(self.columns)}

    def budgets(self, codebook: Codebook) -> tuple[Budget, ...]:
        check_columns(self, codebook)
        return ()

    def holds(self, before: Codes, after: Codes, codebook: Codebook) -> BoolArray:  # noqa: ARG002
        """Return True for every row: codes tell nothing. The function judges frames, see `holds_frame`."""
        return np.ones(len(next(iter(after.values()), ())), dtype=np.bool_)

    def holds_frame(self, frame: "pd.DataFrame") -> BoolArray:
        """Call the function on a copy of rows with the columns' own types, and return its bools (n,)."""
        function = self._loaded()
        try:
            result = function(frame.copy())
        except (Exception, SystemExit) as error:
            raise InvalidOutput(
                f"The predicate {echoed(self.name)} failed on {len(frame)} candidate rows: "
                f"{what_happened(error).removeprefix('raised ')}. It receives a frame and must return a "
                "bool for each row."
            ) from error
        index = getattr(result, "index", None)
        if index is not None and hasattr(result, "reindex") and not frame.index.equals(index):
            # The function may have sorted the rows. The index says which result belongs to which row.
            if len(result) != len(frame) or not frame.index.isin(index).all():
                raise self._unusable("a result with another index", len(frame))
            result = result.reindex(frame.index)
        return self._checked(result, len(frame))

    def _checked(self, result: Any, rows: int) -> BoolArray:
        try:
            found = np.asarray(result)
        except Exception as error:
            raise self._unusable(repr(type(result).__name__), rows) from error
        if found.dtype == object and all(isinstance(one, bool | np.bool_) for one in found.ravel().tolist()):
            found = found.astype(np.bool_)
        if found.dtype != np.bool_ or found.shape != (rows,):
            raise self._unusable(f"{found.dtype} of shape {found.shape}", rows)
        kept: BoolArray = found
        return kept

    def _unusable(self, got: str, rows: int) -> InvalidOutput:
        return InvalidOutput(
            f"The predicate {echoed(self.name)} must return {rows} bools, one for each row, got {got}. "
            f"Return a column of comparisons, such as frame['a'] <= frame['b'], without missing values."
        )

    def _loaded(self) -> RowTest:
        if not isinstance(self.function, str):
            return self.function
        module_name, _, path = self.function.partition(":")
        try:
            found: Any = import_module(module_name)
        except (Exception, SystemExit) as error:
            raise InvalidPolicy(
                f"The predicate {echoed(self.function)} could not be imported: "
                f"{what_happened(error).removeprefix('raised ')}. "
                f"Is {echoed(module_name)} installed, or in the folder that Python runs in?"
            ) from error
        for part in path.split("."):
            if not hasattr(found, part):
                public = [one for one in dir(found) if not one.startswith("_")]
                raise InvalidPolicy(f"{echoed(module_name)} has no {echoed(path)}. {nearest(part, public)}")
            found = getattr(found, part)
        if not callable(found):
            raise InvalidPolicy(f"{echoed(self.function)} is {type(found).__name__}, not a function.")
        function: RowTest = found
        return function


def require_trusted(rules: Iterable[Rule], what: str, *, trusted: bool) -> None:
    """Reject rules of a file that run code, unless the user trusts the file. ``what`` names it."""
    functions = [str(rule.function) for rule in rules if isinstance(rule, Predicate)]
    if functions and not trusted:
        raise InvalidArgument(
            f"{what} has the predicate {echoed(functions[0])}, a Python function, which runs code that its "
            "author chose. If you trust the author, pass trust_predicates=True, or --trust-predicates on the "
            "command line."
        )


def predicate(
    function: "RowTest | str", *, name: str | None = None, columns: "str | Iterable[str]" = ()
) -> Predicate:
    """Require that a function accepts a row.

    The function is called for candidate rows but does not prune the search, so the search may be slow.

    Args:
        function: A function that receives a frame of rows and returns a bool for each, or its name
            "module:function". Only a rule with a name can be saved.
        name: The name of the rule in messages. The default is the name of the function.
        columns: The columns that the function uses, for messages. Optional.

    >>> import pandas as pd
    >>> rule = predicate(lambda rows: rows["a"] * rows["b"] <= 6, name="small product")
    >>> rule.holds_frame(pd.DataFrame({"a": [2, 3], "b": [3, 3]})).tolist()
    [True, False]
    """
    if isinstance(function, str):
        module_name, colon, path = function.partition(":")
        parts = [*module_name.split("."), *path.split(".")]
        if not colon or not all(part.isidentifier() for part in parts):
            raise InvalidPolicy(
                f'predicate() expects a function or "module:function", got {echoed(function)}.'
            )
    elif not callable(function):
        raise InvalidPolicy(f"predicate() expects a function or its name, got {type(function).__name__}.")
    if isinstance(columns, str):
        columns = (columns,)
    given = name or (function if isinstance(function, str) else getattr(function, "__name__", "predicate"))
    return Predicate(function, str(given), tuple(read_name("predicate", column) for column in columns))
