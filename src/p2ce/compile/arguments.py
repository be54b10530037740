"""The arguments of an explainer, and the checks of single ones."""

import math
import numbers
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import Any, Final, Literal, get_args

from p2ce.base.calls.budget import BudgetName
from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import is_whole
from p2ce.compile.compiled_problem import EXACT
from p2ce.compile.own_plausibility import COUNTS, IGNORE, OfToday
from p2ce.compile.paper_settings import Mapocam
from p2ce.engine.scores.score import Bound
from p2ce.errors import InvalidArgument, not_a_choice
from p2ce.models.detectors.plausibility_forest import PlausibilityForest, settled
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.objectives.objective_names import Objectives
from p2ce.policy.policy import Policy
from p2ce.result.points import Points

MOST_CHANGES = 1_000_000  # more than any table has features
LARGEST_MAP = 1000  # values on an axis
BOUNDS = ("auto", "shap", None)
BUDGETS: tuple[BudgetName, ...] = get_args(BudgetName)
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


def check_tolerance(score_tolerance: Any) -> None:
    """Reject a tolerance that is not a finite number of at least 0."""
    is_number = isinstance(score_tolerance, numbers.Real) and not isinstance(score_tolerance, bool)
    if not is_number or not 0 <= score_tolerance <= sys.float_info.max / 4:
        raise InvalidArgument(
            "score_tolerance must be a number, 0 or more: by how much the model's scores of a row may "
            f"differ from call to call; got {echoed(score_tolerance)}."
        )


def check_budget(max_calls: object, max_rows: object, *, names: Sequence[str] = BUDGETS) -> None:
    """Reject budgets that are not whole numbers above 0."""
    for name, most in zip(names, (max_calls, max_rows), strict=True):
        if most is not None and not (is_whole(most) and most >= 1):
            raise InvalidArgument(f"{name} must be a whole number, 1 or more, or None; got {echoed(most)}.")


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """The arguments of an explainer, except the model and the reference.

    They are stored unchanged, except for a forest to fit: `plausibility` is then a `PlausibilityForest` that
    states its share of implausible rows.
    """

    policy: Policy | None
    target: Any  # None if the caller passed none: the names of the classes or of the label must then show it
    at_least: float | Sequence[float | None] | None
    at_most: float | Sequence[float] | None
    outcome: str | None  # None if only the names of the label and the classes may show it
    report: Any  # Points, a function of the reported score, or None
    margin: float
    score_tolerance: float
    scale: str | None
    objectives: Objectives
    max_changes: int | None
    plausibility: Any
    contamination: float | None
    plausibility_of_today: OfToday
    price_of_plausibility: bool
    method: Literal["exact"] | Mapocam
    ties: bool
    refine: bool
    bound: str | ShapEstimate | None
    random_state: int | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "plausibility", settled(self.plausibility, self.contamination))

    def stated(self) -> dict[str, Any]:
        """Return what an auditor needs to repeat an explanation, and the certificate does not state."""
        settings = {
            # None means "not stated", so a bound of None is written as a word, as in certificates.
            "bound": None if isinstance(self.method, Mapocam) else str(self.bound or Bound.NONE.value),
            "method": str(self.method) if isinstance(self.method, Mapocam) else None,
            "contamination": self._contamination,
            # The paper's algorithms ignore it.
            "plausibility_of_today": self.plausibility_of_today
            if self.plausibility is not None and not isinstance(self.method, Mapocam)
            else None,
            "price_of_plausibility": True if self.price_of_plausibility else None,
            "margin": self.margin or None,
            "report": str(self.report) if isinstance(self.report, Points) else None,
            "score_tolerance": self.score_tolerance or None,
            "random_state": self.random_state,
            "ties": True if self.ties else None,
            "refine": None if self.refine else False,
        }
        return {name: value for name, value in settings.items() if value is not None}

    @property
    def _contamination(self) -> float | str | None:
        own = getattr(self.plausibility, "contamination", None)
        share = own if self.contamination is None else self.contamination
        if isinstance(share, Real):
            return float(share)
        # A fitted detector may store any text.
        return own if isinstance(self.plausibility, PlausibilityForest) else None
