"""Describe how a model is supported, and over which grid the search runs."""

from dataclasses import dataclass
from typing import Any

from p2ce.result.rendered import rendered
from p2ce.result.rule_data import RuleData


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """How a model is supported, how results are proven, and how large the grid is.

    `Explainer.describe` returns it.
    """

    family: str  # the model family that parsed the model
    bound: str  # what prunes boxes: "tree leaves", "additive", "network", "complete", …
    is_black_box: bool  # the model itself decides cells, in part or entirely
    black_box_because: str  # why it is not supported natively; "" if it is
    scale: str
    threshold: float
    classes: tuple[Any, ...]
    target: Any
    columns: tuple[str, ...]
    detector: str | None
    objectives: tuple[str, ...]
    max_changes: int | None
    cells: int  # combinations of the grid that an instance can reach
    alternatives: dict[str, int]  # axis → number of other values
    rules: tuple[RuleData, ...]  # between features

    def __str__(self) -> str:
        return rendered("facts_text", self)
