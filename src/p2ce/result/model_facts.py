"""Say what a model was read as, and over which grid people are searched."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What `Explainer.describe` tells: how answers are proven, and how much there is to look at."""

    family: str  # what the model is read as
    bound: str  # "tree leaves", "additive", "network", "complete", …: what boxes are pruned by
    is_black_box: bool  # the model itself decides about cells, in part or wholly
    black_box_because: str  # why it is not read; "" where it is
    is_compiled: bool  # people are searched in one compiled loop, nothing is computed beside it
    scale: str
    threshold: float
    classes: tuple[Any, ...]
    target: Any
    columns: tuple[str, ...]
    detector: str | None
    objectives: tuple[str, ...]
    max_changes: int | None
    cells: int  # combinations in reach of somebody who stands on the grid
    alternatives: dict[str, int]  # axis → how many other values there are
    rules: tuple[str, ...]  # between features, in words
