"""Check the arguments of an explainer's methods before anything is computed."""

import math
import numbers
import sys
from enum import Enum
from typing import Any, Final

from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import is_whole
from p2ce.compile.compiled_problem import EXACT
from p2ce.compile.own_plausibility import COUNTS, IGNORE
from p2ce.compile.paper_settings import Mapocam
from p2ce.errors import InvalidArgument, not_a_choice
from p2ce.models.estimates.shap_estimate import ShapEstimate

MOST_CHANGES = 1_000_000  # more than any table has features
LARGEST_MAP = 1000  # values on an axis
BOUNDS = ("auto", "shap", None)
OF_TODAY = (COUNTS, IGNORE)
# The name of each of the paper's algorithms in certificates, and the object to pass.
OF_THE_PAPER = {
    "p2ce": "p2ce.paper.P2CE()",
    "p2ce-ablation": "p2ce.paper.P2CE(partial_plausibility=False)",
    "mapocam": "p2ce.paper.Mapocam()",
}


class Unchanged(Enum):
    """The type of `UNCHANGED`, an omitted argument where None has its own meaning."""

    UNCHANGED = "unchanged"

    def __repr__(self) -> str:
        return self.name


UNCHANGED: Final = Unchanged.UNCHANGED


def check_limit(max_changes: Any) -> None:
    """Reject a limit that is not a number of changes."""
    if max_changes is not None and not (is_whole(max_changes) and 1 <= int(max_changes) <= MOST_CHANGES):
        raise InvalidArgument(
            f"max_changes must be a whole number from 1 to {MOST_CHANGES:,}, or None for no limit; "
            f"got {echoed(max_changes)}."
        )


def check_time(time_limit: Any, *, name: str = "time_limit") -> None:
    """Reject a time limit that is not a number of seconds."""
    is_number = isinstance(time_limit, numbers.Real) and not isinstance(time_limit, bool)
    fits = is_number and (0 <= time_limit <= sys.float_info.max or time_limit == math.inf)
    if time_limit is not None and not fits:
        raise InvalidArgument(
            f"{name} must be a number of seconds, 0 or more, or None; got {echoed(time_limit)}."
        )


def check_jobs(n_jobs: object, *, name: str = "n_jobs") -> None:
    """Reject a value that is not a number of processes."""
    if not is_whole(n_jobs) or n_jobs == 0:
        raise InvalidArgument(
            f"{name} must be a number of processes, or -1 for one per core; got {echoed(n_jobs)}."
        )


def check_bound(bound: object) -> None:
    """Reject an unknown bound."""
    if not isinstance(bound, str | ShapEstimate | None) or (isinstance(bound, str) and bound not in BOUNDS):
        raise not_a_choice("bound", bound, BOUNDS, more=", or a p2ce.ShapEstimate")


def check_method(method: object) -> Mapocam | None:
    """Return the settings of one of the paper's algorithms, or None for the exact search."""
    if isinstance(method, Mapocam):
        return method
    if isinstance(method, str) and method == EXACT:
        return None
    named = OF_THE_PAPER.get(method) if isinstance(method, str) else None
    hint = f" Pass method={named}." if named else ""
    if isinstance(method, type) and issubclass(method, Mapocam):
        hint = f" Pass method=p2ce.paper.{method.__name__}()."
    raise InvalidArgument(
        f"method must be {echoed(EXACT)} or one of the paper's algorithms, p2ce.paper.P2CE(...) or "
        f"p2ce.paper.Mapocam(...); got {echoed(method)}.{hint}"
    )


def check_of_today(rule: object) -> None:
    """Reject a value that does not say whether the plausibility of today counts."""
    if not isinstance(rule, str) or rule not in OF_TODAY:
        raise not_a_choice("plausibility_of_today", rule, OF_TODAY)


def check_size(size: Any) -> None:
    """Reject a number of values per axis that is too small for a map, or that means millions of rows."""
    if not is_whole(size) or not 2 <= int(size) <= LARGEST_MAP:
        raise InvalidArgument(f"size must be a whole number from 2 to {LARGEST_MAP}; got {echoed(size)}.")
