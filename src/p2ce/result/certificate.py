"""Define how an explanation ended: its status in one word, and its certificate of what was proven."""

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Literal, TypeAlias

from p2ce.base.calls.budget import BudgetName
from p2ce.base.visible import echoed
from p2ce.result.rule_data import RuleData
from p2ce.tables.json_values import Count, Number, Whole

GridName: TypeAlias = Literal[
    "given",  # the user stated all candidates
    "inferred",  # some candidates come from the data and the model's thresholds
    "finest",  # all values that the data support, or a selection; used if the inferred grid has no option
]
Unproven: TypeAlias = Literal[
    "estimate",  # a calibrated estimate pruned boxes
    "contradiction",  # the model contradicts the certified bounds of its parsed form
    "rounding",  # too many cells lay inside the error band of a score
    "misprint",  # an algorithm of the paper ran as printed
]
# The first restriction whose removal yields an option on the same grid, see `p2ce.run.none_because`.
NoneBecause: TypeAlias = Literal[
    "model",  # the model accepts no allowed change
    "plausibility",
    "rules",
    "max_changes",
]
GIVEN: GridName = "given"
INFERRED: GridName = "inferred"
FINEST: GridName = "finest"


class Status(StrEnum):
    """How an explanation ended. ``str(status)`` is the name itself.

    * OPTIMAL: proven and verified. Every combination of the grid that is accepted, allowed and, if required,
      plausible costs at least as much as one of the options found, in every objective. They are all listed,
      except for those that `Explanation.unlisted` counts. With a ``score_tolerance``, this holds except for
      the combinations that `Certificate.undecided` counts.
    * NO_RECOURSE: proven. No combination of the grid is accepted, allowed and, if required, plausible, with
      the same exception.
      `Certificate.none_because` says why.
    * HEURISTIC: not proven. For example, an estimate pruned the search.
    * TIME_LIMIT: the search stopped early, by ``time_limit``, ``max_calls`` or ``max_rows``. Further options
      may exist. `Certificate.stopped_by` names a budget that ended it.
    * ACCEPTED: the model accepts the person as they are.
    * ERROR: the row could not be explained. `Explanation.message` says why.

    A proof is about a grid. `Certificate.grid` names it, and `Feature.candidates` says how fine it is. If the
    grid was inferred from the data, NO_RECOURSE also requires a complete search of the finest grid that the
    data support. If that search does not end, the status is TIME_LIMIT.

    >>> print(Status.NO_RECOURSE)
    NO_RECOURSE
    >>> Status("OPTIMAL") is Status.OPTIMAL
    True
    """

    OPTIMAL = "OPTIMAL"
    NO_RECOURSE = "NO_RECOURSE"
    HEURISTIC = "HEURISTIC"
    TIME_LIMIT = "TIME_LIMIT"  # also a budget of calls or rows, and the limit of work on the finest grid
    ACCEPTED = "ACCEPTED"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimate from SHAP values that pruned the search, and how it was calibrated.

    The paper's own estimate is not calibrated: its `miss_rate`, `sample_size` and `residual` are None.

    >>> Estimate(method="tree paths", miss_rate=0.01, sample_size=199, residual=0.02).miss_rate
    0.01
    """

    method: str  # the SHAP explainer that computed the attributions
    attributed: Count = field(default=0, compare=False)  # points at which SHAP values were computed
    miss_rate: Number | None = None  # expected share of rejected people for whom it misses options
    sample_size: Count | None = None  # people it was calibrated on
    residual: Number | None = None  # by how much it was widened to reach that rate


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate:
    """What the search proved, on which grid, and what each pruning rule removed.

    The work done (`boxes`, `scored`, `pruned`, `verified`, `discrepancies`) depends on the other people in
    the batch. It is not part of what was proven, so equality ignores it.

    `none_because` names the reason why there is no option: there would be one without the plausibility
    requirement, the rules between features or the limit of changes; "model" means that none of these is the
    reason. It is None if there are options, or if a bounded search could not prove the reason.

    >>> certificate = Certificate(
    ...     proven=True, method="exact", model_family="LightGBM", bound="tree leaves", cells=1_000, axes=3
    ... )
    >>> certificate.proven, certificate.grid
    (True, 'given')
    """

    proven: bool  # every pruned box was pruned by a proven rule, none is open, every point verified
    unproven_because: Unproven | None = None
    method: str
    model_family: str
    detector_family: str | None = None
    # The detector's value for the person today, or None if it does not count. An option must be plausible
    # (0 or more), or no less plausible than this.
    plausibility_today: Number | None = field(default=None, compare=False)
    none_because: NoneBecause | None = None
    # What pruned cells: "tree leaves", "additive", "network", "complete", "shap", …; "none" for costs alone
    # (`bound=None`).
    bound: str
    cells: Whole  # grid cells in reach; a Python int, since it can exceed any machine integer
    axes: Count  # features that may change
    grid: GridName = GIVEN  # the grid that the proof is about
    # This grid was searched completely and has no option, but the search of the finest grid did not end.
    finest_open: bool = False
    # Rows between the grid's values that were tried close to the front. They can only improve the front. The
    # proof is about the grid alone.
    refined: Count = 0
    max_changes: Count | None = None
    ties: bool = False  # whether all options of equal cost are listed, or one of them
    boxes: Count = field(default=0, compare=False)  # boxes examined
    scored: Count = field(default=0, compare=False)  # cells scored one by one, some from remembered values
    pruned: dict[str, Count] = field(default_factory=dict, compare=False)  # rule → boxes that it removed
    # Points evaluated again by the user's own model (and own detector), and those for which the result
    # differed from the compiled scores.
    verified: Count = field(default=0, compare=False)
    discrepancies: Count = field(default=0, compare=False)
    estimate: Estimate | None = None  # None if no estimate from SHAP values was used
    open_boxes: Count = 0  # boxes not examined when time ran out
    open_costs: dict[str, Number] | None = None  # the least that an option in an open box could cost
    # By how much the model may score a row differently from call to call, as the user states it. Options
    # score this much inside their limit.
    score_tolerance: Number = 0.0
    # At most this many cells that no option dominates lie within the tolerance of the limit: the model may
    # accept or reject them. They are not options. None without a tolerance.
    undecided: Count | None = field(default=None, compare=False)
    # The budget of calls or rows that ended the search; None if it was the time, or if nothing ended it.
    stopped_by: BudgetName | None = None
    # Calls and rows of the user's own models and detector, if they had a budget.
    calls: Count | None = field(default=None, compare=False)
    rows: Count | None = field(default=None, compare=False)
    rules: tuple[RuleData, ...] = ()  # rules between features that pruned the search
    checked_rules: tuple[RuleData, ...] = ()  # rules that cells were only checked against

    def __repr__(self) -> str:
        # The default repr fails for counts of more than 4,300 digits.
        shown = (f"{one.name}={echoed(getattr(self, one.name))}" for one in fields(self))
        return f"Certificate({', '.join(shown)})"
