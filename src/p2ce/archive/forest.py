"""Write the fitted isolation forest as arrays, and read it back with every index checked.

The compiled search walks these arrays without looking where they end, so a forest from a file has to be
one before it is used.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from p2ce.archive.columns import Arrays
from p2ce.archive.values import Damaged, read_value, take, write_value
from p2ce.arrays import IntArray
from p2ce.compiled.forest import Forest
from p2ce.compiled.score import CompiledScore
from p2ce.plausibility.isolation_forest import Decision, own_forest
from p2ce.plausibility.reading import ReadDetector

ARRAYS = {"root": "i", "feature": "i", "threshold": "f", "right": "i", "value": "f"}
NUMBERS = ("sure", "maybe", "whole_length", "offset")
DEEPEST = 64  # scikit-learn stops at log₂ of the rows per tree


def write_forest(detector: ReadDetector) -> tuple[dict[str, Any], Arrays]:
    """Give the forest of this library as JSON and named arrays."""
    score, decide = detector.score, detector.report
    assert score is not None
    assert score.forest is not None
    assert isinstance(decide, Decision)
    numbers = {
        "sure": score.sure,
        "maybe": score.maybe,
        "whole_length": decide.whole_length,
        "offset": decide.offset,
    }
    told = {name: write_value(float(number), name) for name, number in numbers.items()}
    arrays = {name: np.asarray(getattr(score.forest, name)) for name in ARRAYS}
    return {**told, "columns": list(detector.columns)}, arrays


def read_forest(told: Any, array: Callable[[str], npt.NDArray[Any]]) -> ReadDetector:
    """Undo `write_forest`; ``array`` gives an array by its name."""
    columns = take(told, "columns", list)
    if not all(type(name) is str for name in columns) or len(set(columns)) != len(columns):
        raise Damaged("the forest's columns have no names")
    numbers = {name: float(read_value(take(told, name, int, float, dict))) for name in NUMBERS}
    sure, maybe, offset = numbers["sure"], numbers["maybe"], numbers["offset"]
    if not maybe <= sure or not np.isfinite([offset, numbers["whole_length"]]).all():
        raise Damaged("the forest's threshold is none")
    held = {name: array(name) for name in ARRAYS}
    if any(held[name].dtype.kind != kind for name, kind in ARRAYS.items()):
        raise Damaged("the forest holds other types")
    forest = Forest(
        root=held["root"].astype(np.int32),
        feature=held["feature"].astype(np.int32),
        threshold=held["threshold"].astype(np.float64),
        right=held["right"].astype(np.int32),
        value=held["value"].astype(np.float64),
    )
    check_forest(forest, len(columns))
    score = CompiledScore(
        name="plausibility", column_count=len(columns), forest=forest, sure=sure, maybe=maybe
    )
    decide = Decision(whole_length=numbers["whole_length"], offset=offset)
    return own_forest(score, columns=tuple(columns), decide=decide)


def check_forest(forest: Forest, columns: int) -> None:
    """Refuse arrays that are no trees in preorder, each node of them met exactly once."""
    count = len(forest.feature)
    root, feature, right = forest.root, forest.feature, forest.right
    same_length = all(len(part) == count for part in (forest.threshold, right, forest.value))
    if not len(root) or not same_length or root[0] != 0 or (np.diff(root) < 1).any() or root[-1] >= count:
        raise Damaged("the forest has no trees, or no roots")
    inner = feature >= 0
    if feature.min() < -1 or feature.max() >= columns:
        raise Damaged("the forest looks at a column that is not there")
    if not np.isfinite(forest.threshold).all() or not np.isfinite(forest.value).all():
        raise Damaged("the forest holds what is no number")
    if (right[inner] >= count).any() or (right[inner] <= np.flatnonzero(inner) + 1).any():
        raise Damaged("the forest leads out of its trees")
    # In preorder a node's left part stands between it and its right part.
    size = np.ones(count, dtype=np.int64)
    levels = _levels(root.astype(np.int64), right.astype(np.int64), inner)
    if sum(map(len, levels)) != count:
        raise Damaged("the forest has nodes that no way leads to")
    for nodes in reversed(levels):
        parents = nodes[inner[nodes]]
        size[parents] += size[parents + 1] + size[right[parents]]
    parents = np.flatnonzero(inner)
    whole = np.append(root[1:], count) - root
    if (right[parents] != parents + 1 + size[parents + 1]).any() or (size[root] != whole).any():
        raise Damaged("the forest's nodes are out of order")


def _levels(root: IntArray, right: IntArray, inner: npt.NDArray[np.bool_]) -> list[IntArray]:
    levels = [root]
    met = len(root)
    while len(parents := levels[-1][inner[levels[-1]]]):
        levels.append(np.concatenate([parents + 1, right[parents]]))
        met += len(levels[-1])
        if met > len(right) or len(levels) > DEEPEST + 1:
            raise Damaged("the forest has no end")
    return levels
