"""Define a map of two features: where the model accepts, what is plausible, and what is allowed."""

from dataclasses import dataclass, field

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.result.explanation import Explanation
from p2ce.tables.json_values import Value

LEAST_PEOPLE = 5  # a block with fewer people of the reference is not shown, since they could be identified


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
