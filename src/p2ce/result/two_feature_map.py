"""Keep a map of two features: where the model accepts, what is plausible, and where a person could go."""

from dataclasses import dataclass, field

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.result.explanation import Explanation
from p2ce.tables.json_values import Value

LEAST_PEOPLE = 5  # of the reference that a block needs to be counted: fewer could be recognised


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Density:
    """How many people of the reference lie in each block of a map's cells; one with few counts as empty."""

    edges: tuple[tuple[int, ...], tuple[int, ...]]  # across, up: the cells at which blocks begin, and the end
    people: IntArray  # (up, across)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureMap:
    """Two features of one person, everything else as it is today: the model's score on a fine grid.

    `Explainer.feature_map` makes it, since that takes the model; `p2ce.plot_map` draws it.
    """

    explanation: Explanation  # whose options changing no other feature are drawn
    columns: tuple[str, str]  # across, up
    values: tuple[tuple[Value, ...], tuple[Value, ...]]  # the ticks on each axis, in order
    scores: FloatArray  # (up, across) the score as reported
    accepted: BoolArray  # (up, across)
    plausible: BoolArray | None  # (up, across); None without a detector
    allowed: BoolArray  # (up, across) what the policy lets this person become
    density: Density = field(repr=False)  # of the reference, to be drawn behind
