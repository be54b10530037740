"""Hold the optimality certificate of an explanation: what was proven, and by what work."""

from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

from p2ce.result.rule_data import RuleData
from p2ce.tables.json_values import Count, Number, Whole
from p2ce.visible import echoed

GridName: TypeAlias = Literal[
    "given",  # the user states all candidates
    "inferred",  # the data and the model's thresholds choose some
    "finest",  # all values that data, model or detector distinguish, where the usual ones hold no option
]
Unproven: TypeAlias = Literal[
    "estimate",  # a calibrated estimate pruned boxes
    "contradiction",  # the model contradicts the certified bounds of its parsed form
    "rounding",  # too many cells lay inside the error band of a score
    "misprint",  # an algorithm of the paper ran as printed
]
# The first restriction whose removal gives an option on the same grid, see `p2ce.explain.none_because`.
NoneBecause: TypeAlias = Literal[
    "model",  # no allowed change of the features that may change is accepted
    "plausibility",
    "rules",
    "max_changes",
]
GIVEN: GridName = "given"
INFERRED: GridName = "inferred"
FINEST: GridName = "finest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimate from SHAP values that pruned the search, and how it was calibrated.

    `miss_rate`, `sample_size` and `residual` are None for the paper's own estimate, which is not calibrated.

    >>> Estimate(method="tree paths", miss_rate=0.01, sample_size=199, residual=0.02).miss_rate
    0.01
    """

    method: str  # the SHAP explainer that computed the attributions
    attributed: Count = field(default=0, compare=False)  # points at which SHAP values were computed
    miss_rate: Number | None = None  # share of rejected people for whom it is expected to miss options
    sample_size: Count | None = None  # people it was calibrated on
    residual: Number | None = None  # by how much it was widened to keep that rate


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate:
    """What the search proved, over which grid, and what each rule removed.

    How much work it was (`boxes`, `scored`, `pruned`, `verified`, `discrepancies`) is not part of what was
    proven, and depends on who else was explained at the same time: equality leaves it out.

    `none_because` names the reason where there is no option: without the requirement of
    plausibility, or without the rules between features, or without the limit of changes, there is one. None
    where there are options, or where that was not proven within a bounded search.

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
    # The detector's value for the person as they are; None where that does not count. An option must be
    # plausible (0 or more), or no less plausible than this.
    plausibility_today: Number | None = field(default=None, compare=False)
    none_because: NoneBecause | None = None
    # What cells were pruned by: "tree leaves", "additive", "network", "complete", "shap", …; "none": by costs
    # alone (`bound=None`).
    bound: str
    cells: Whole  # grid cells in reach; a Python int, since it can exceed any machine integer
    axes: Count  # features that may change
    grid: GridName = GIVEN  # the one that this is about
    # There is no option on this grid, which was searched completely; the finest was not searched to its end.
    finest_open: bool = False
    # Rows between the grid's values that were tried close to its front. The front is nowhere worse for it,
    # and what is proven is about the grid alone.
    refined: Count = 0
    max_changes: Count | None = None
    ties: bool = False  # options of equal cost are all listed; else one of them stands for the others
    boxes: Count = field(default=0, compare=False)  # boxes looked at
    scored: Count = field(default=0, compare=False)  # cells scored one by one
    pruned: dict[str, Count] = field(default_factory=dict, compare=False)  # rule → boxes that it removed
    # Points re-scored by the user's own model (and detector, if it is theirs), and those on which these
    # disagreed with the compiled scores.
    verified: Count = field(default=0, compare=False)
    discrepancies: Count = field(default=0, compare=False)
    estimate: Estimate | None = None  # None where no estimate from SHAP values took part
    open_boxes: Count = 0  # boxes not looked at when time ran out
    open_costs: dict[str, Number] | None = None  # the least an open box could still cost
    rules: tuple[RuleData, ...] = ()  # rules between features that narrowed the search
    checked_rules: tuple[RuleData, ...] = ()  # rules that cells were only checked against: they prune nothing

    def __repr__(self) -> str:
        # Not Python's own, which does not write counts of more than 4,300 digits.
        shown = (f"{one.name}={echoed(getattr(self, one.name))}" for one in fields(self))
        return f"Certificate({', '.join(shown)})"
