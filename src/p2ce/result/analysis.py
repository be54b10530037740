"""Define what other questions about an instance return.

They are the evaluation of a proposal, a map of two features, and the price of plausibility.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.result.counterfactual import AdmittedBy, Counterfactual
from p2ce.result.points import PersonPoints
from p2ce.result.relaxations import Violation
from p2ce.result.rendered import rendered
from p2ce.tables.json_values import Count, Number, Value

if TYPE_CHECKING:
    from p2ce.result.explanation import Explanation

LEAST_PEOPLE = 5  # a block with fewer people of the reference is not shown, since they could be identified


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Whether a proposed change is accepted, plausible and allowed, and what it costs.

    `ok` means that all three hold. `better` lists the options that dominate the proposal: they cost no more
    in any objective and less in at least one. It is None if no explanation was passed, or one that does not
    list all options.
    """

    valid: bool  # the user's own model accepts it
    score: float
    points: PersonPoints | None = None  # if the explainer reports points
    # Plausible, or no less plausible than the person today. None if plausibility is not required: there is no
    # detector, or the method is p2ce.paper.Mapocam().
    plausible: bool | None
    plausibility: float | None  # the detector's value, if there is a detector
    admitted_by: AdmittedBy | None = None  # how it meets the plausibility requirement
    plausibility_today: float | None = None  # the detector's value for the person today, if it counts
    allowed: bool  # the policy allows it
    broken: tuple[Violation, ...]  # the restrictions that it breaks
    on_grid: bool  # every new value is a candidate of the grid
    changes: dict[str, tuple[Any, Any]]
    costs: dict[str, float]
    better: tuple[Counterfactual, ...] | None = None

    @property
    def ok(self) -> bool:
        """Whether the proposal is valid, plausible and allowed."""
        return self.valid and self.plausible is not False and self.allowed

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return rendered("evaluation_text", self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Density:
    """The number of people of the reference in each block of a map's cells. Few people count as none."""

    edges: tuple[tuple[int, ...], tuple[int, ...]]  # across, up: the first cell of each block, and the end
    people: IntArray  # (up, across)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureMap:
    """The model's score over two features of one person, with everything else unchanged.

    `Explainer.feature_map` computes it. `p2ce.plot_map` draws it.
    """

    explanation: "Explanation"  # its options that change no other feature are drawn
    columns: tuple[str, str]  # across, up
    values: tuple[tuple[Value, ...], tuple[Value, ...]]  # the values on each axis, in order
    scores: FloatArray  # (up, across) the score as explanations report it
    accepted: BoolArray  # (up, across)
    plausible: BoolArray | None  # (up, across); None without a detector
    allowed: BoolArray  # (up, across) what the policy allows for this person
    density: Density = field(repr=False)  # of the reference, drawn in the background


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceOfPlausibility:
    """The lowest cost in each objective, with and without the plausibility requirement.

    Each objective is considered by itself. Costs are those of the cheapest option found, or None if none was
    found. ``with_proven`` and ``without_proven`` say whether this is proven: no combination on the grid costs
    less. If it is not proven, a cheaper option may exist.

    >>> price = PriceOfPlausibility(
    ...     with_plausibility={"changes": 2.0}, with_proven=True,
    ...     without_plausibility={"changes": 1.0}, without_proven=False,
    ... )
    >>> price.ratio
    {'changes': 2.0}
    """

    with_plausibility: dict[str, Number] | None
    with_proven: bool
    without_plausibility: dict[str, Number] | None  # never more than with it
    without_proven: bool

    @property
    def ratio(self) -> dict[str, float]:
        """The cost with the requirement divided by the cost without it, for each objective.

        The ratio is exact if both costs are proven. If only the cost with the requirement is proven, the true
        ratio is at least this. If only the cost without it is proven, the true ratio is at most this. An
        objective that costs nothing without the requirement has no ratio.
        """
        more, less = self.with_plausibility or {}, self.without_plausibility or {}
        return {name: more[name] / less[name] for name in more if less.get(name, 0.0) > 0.0}

    @property
    def leaves_no_option(self) -> bool:
        """Whether the person provably has an option only without the requirement."""
        return self.with_plausibility is None and self.with_proven and self.without_plausibility is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPrice:
    """What the plausibility requirement costs, on a sample of rejected people of the reference."""

    people: Count  # in the sample
    left_without: Count  # people with an option, but provably no plausible one
    undecided: Count  # people for whom this is not known
    compared: Count  # people whose lowest costs, with and without the requirement, are both proven
    median_ratio: Mapping[str, float]  # objective → the median ratio of these two costs
