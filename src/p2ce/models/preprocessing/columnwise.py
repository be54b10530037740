"""Let authors declare that a transformer of their own works on one column at a time."""

from typing import Any, TypeVar

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

_Declared = TypeVar("_Declared")
_MARK = "__p2ce_columnwise__"


def columnwise(declared: _Declared) -> _Declared:
    """Declare that a transformer's class, or a function for a FunctionTransformer, works column by column.

    Each output may depend on one column only, of the same row. Every column has the same number of outputs,
    in the order of the columns: with two each, the first two belong to the first column. Then a model behind
    the transformer keeps its proof. A transformer of a single column need not be declared.

    Use it as a decorator. The class or function is returned unchanged, but for the mark.

    >>> @columnwise
    ... def thousands(rows):
    ...     return rows // 1000
    """
    if not callable(declared):
        raise InvalidArgument(
            f"columnwise() expects the class of a transformer, or a function; got {echoed(declared)}. "
            "Decorate the class, so that clones of the transformer are declared too."
        )
    try:
        setattr(declared, _MARK, True)
    except (AttributeError, TypeError):
        raise InvalidArgument(
            f"columnwise() cannot mark {echoed(declared)}, which takes no attributes. Wrap it in a function, "
            "or in a class that derives from it, and declare that."
        ) from None
    return declared


def is_columnwise(step: Any) -> bool:
    """Return whether a transformer's class, or the function of a FunctionTransformer, is declared."""
    declares = getattr(type(step), _MARK, False) or getattr(getattr(step, "func", None), _MARK, False)
    return declares is True
