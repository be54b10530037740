"""Keep a map of two features: where the model accepts, what is plausible, and where a person could go."""

from dataclasses import dataclass, field

from p2ce.arrays import BoolArray, FloatArray
from p2ce.result.explanation import Explanation
from p2ce.tables.json_values import Value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureMap:
    """Two features of one person, everything else as it is today: the model's score on a fine grid.

    `Explainer.map_of` makes it, since that takes the model; `p2ce.plot_map` draws it.
    """

    explanation: Explanation  # whose options changing no other feature are drawn
    columns: tuple[str, str]  # across, up
    values: tuple[tuple[Value, ...], tuple[Value, ...]]  # the ticks on each axis, in order
    scores: FloatArray  # (up, across) the score as reported
    accepted: BoolArray  # (up, across)
    plausible: BoolArray | None  # (up, across); None without a detector
    allowed: BoolArray  # (up, across) what the policy lets this person become
    population: FloatArray = field(repr=False)  # (people, 2) some of the reference, to be drawn behind
