"""Write the fitted isolation forest as arrays, and read it back with every index checked.

The compiled search walks these arrays without bounds checks, so a forest from a file is checked before use.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from p2ce.base.zip_parts import Damaged
from p2ce.compile.archive.stored_columns import Arrays
from p2ce.compile.archive.stored_values import read_value, take, write_value
from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.assemble import assemble_forest, trees_of
from p2ce.engine.scores.trees.forest import Forest
from p2ce.errors import P2CEError
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.detectors.isolation_forest import PathLengthDecision, own_forest

ARRAYS = {"root": "i", "feature": "i", "threshold": "f", "right": "i", "value": "f"}
NUMBERS = ("accept_from", "reject_below", "whole_length", "offset")


def write_forest(detector: Adapter) -> tuple[dict[str, Any], Arrays]:
    """Return the forest of this library as JSON and named arrays."""
    assert detector.score is not None
    score, decide = detector.score.flat, detector.report
    assert score is not None
    assert score.forest is not None
    assert isinstance(decide, PathLengthDecision)
    numbers = {
        "accept_from": score.accept_from,
        "reject_below": score.reject_below,
        "whole_length": decide.whole_length,
        "offset": decide.offset,
    }
    written = {name: write_value(float(number), name) for name, number in numbers.items()}
    arrays = {name: np.asarray(getattr(score.forest, name)) for name in ARRAYS}
    return {**written, "columns": list(detector.columns)}, arrays


def read_forest(written: Any, array: Callable[[str], npt.NDArray[Any]]) -> Adapter:
    """Read a forest that `write_forest` wrote. ``array`` returns an array by name."""
    columns = take(written, "columns", list)
    if not all(type(name) is str for name in columns) or len(set(columns)) != len(columns):
        raise Damaged("the forest's columns have no names")
    numbers = {name: float(read_value(take(written, name, int, float, dict))) for name in NUMBERS}
    accept_from, reject_below, offset = numbers["accept_from"], numbers["reject_below"], numbers["offset"]
    if not reject_below <= accept_from or not np.isfinite([offset, numbers["whole_length"]]).all():
        raise Damaged("the forest's threshold is not valid")
    held = {name: array(name) for name in ARRAYS}
    if any(held[name].dtype.kind != kind for name, kind in ARRAYS.items()):
        raise Damaged("the forest has arrays of unexpected types")
    forest = Forest(
        root=held["root"].astype(np.int32),
        feature=held["feature"].astype(np.int32),
        threshold=held["threshold"].astype(np.float64),
        right=held["right"].astype(np.int32),
        value=held["value"].astype(np.float64),
    )
    check_forest(forest, len(columns))
    score = FlatScore(
        name="plausibility",
        column_count=len(columns),
        forest=forest,
        accept_from=accept_from,
        reject_below=reject_below,
    )
    decide = PathLengthDecision(whole_length=numbers["whole_length"], offset=offset)
    return own_forest(score, columns=tuple(columns), decide=decide)


def check_forest(forest: Forest, columns: int) -> None:
    """Reject arrays that are not trees in preorder in which each node occurs exactly once."""
    try:
        again = assemble_forest(trees_of(forest))
    except P2CEError as error:
        raise Damaged(f"the forest is not valid. {error}") from error
    if not all(np.array_equal(getattr(again, name), getattr(forest, name)) for name in ARRAYS):
        raise Damaged("the forest's nodes are out of order")
    if forest.feature.max() >= columns:
        raise Damaged("the forest uses a column that does not exist")
