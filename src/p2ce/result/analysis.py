"""Define the results of other questions about an instance: an evaluation of a proposal, and a feature map."""

from dataclasses import dataclass, field
from typing import Any

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.result.counterfactual import AdmittedBy, Counterfactual
from p2ce.result.explanation import Explanation
from p2ce.result.relaxations import Violation
from p2ce.result.rendered import rendered
from p2ce.tables.json_values import Value

LEAST_PEOPLE = 5  # a block with fewer people of the reference is not shown, since they could be identified


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Whether a proposed change is accepted, plausible and allowed, and what it costs.

    `ok` means that all three hold. `better` lists the options that dominate the proposal: they cost no more
    in any objective and less in at least one. It is None if no explanation was passed.
    """

    valid: bool  # the user's own model accepts it
    score: float
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

    explanation: Explanation  # its options that change no other feature are drawn
    columns: tuple[str, str]  # across, up
    values: tuple[tuple[Value, ...], tuple[Value, ...]]  # the values on each axis, in order
    scores: FloatArray  # (up, across) the score as explanations report it
    accepted: BoolArray  # (up, across)
    plausible: BoolArray | None  # (up, across); None without a detector
    allowed: BoolArray  # (up, across) what the policy allows for this person
    density: Density = field(repr=False)  # of the reference, drawn in the background
