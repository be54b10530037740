"""Describe how a model is supported, and over which grid the search runs."""

from dataclasses import dataclass
from typing import Any

from p2ce.result.rendered import rendered
from p2ce.result.rule_data import RuleData


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What `Explainer.describe` returns: how results are proven, and how large the grid is."""

    family: str  # as what the model is parsed
    bound: str  # "tree leaves", "additive", "network", "complete", …: what boxes are pruned by
    is_black_box: bool  # the model itself decides about cells, in part or wholly
    black_box_because: str  # why it is not supported natively; "" where it is
    scale: str
    threshold: float
    classes: tuple[Any, ...]
    target: Any
    columns: tuple[str, ...]
    detector: str | None
    objectives: tuple[str, ...]
    max_changes: int | None
    cells: int  # combinations in reach of an instance on the grid
    alternatives: dict[str, int]  # axis → how many other values there are
    rules: tuple[RuleData, ...]  # between features

    def __str__(self) -> str:
        return rendered("facts_text", self)
