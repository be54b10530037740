"""Follow the columns of a table through fitted transformers: on which column each output depends, and how.

Only transformers on a list are followed, those that their authors declare, and those that see a single
column. Each of them works on one column at a time. Any other transformer raises, and then the whole pipeline
is a black box. Nothing is inferred from samples, but the result is compared with the transformers' own
outputs on some rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from p2ce.base.calls.library import library_class, overrides, without_warnings
from p2ce.base.visible import echoed
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.columnwise import is_columnwise
from p2ce.models.preprocessing.input_maps import InputMap, Operation

# Follows input maps through one fitted transformer; ``given`` holds some reference rows as its input.
Follow: TypeAlias = Callable[[Any, list[InputMap], Any, "Fold"], list[InputMap]]
# Containers are not named in messages, and a FunctionTransformer is named by its function.
_UNNAMED = frozenset({"Pipeline", "ColumnTransformer", "FeatureUnion", "FunctionTransformer"})


@dataclass(slots=True)
class Fold:
    """What is found while following a pipeline's transformers."""

    columns: tuple[str, ...]  # the table's columns
    transformers: Mapping[str, Mapping[str, "Follow"]]  # those that are known: by package and class name
    tabulate: "Follow"  # follows any other one that works on one column at a time
    known: dict[int, list[Any]] = field(default_factory=dict)  # labels that encoders distinguish, by column
    names: list[str] = field(default_factory=list)  # the transformers' names
    writes: bool = False  # whether a transformer writes into its input
    knows_unseen: bool = True  # whether all labels are known that a transformer distinguishes

    def knows(self, input_map: InputMap, labels: Sequence[Any]) -> None:
        """Record labels that an encoder distinguishes, and does not treat as unknown."""
        self.known.setdefault(input_map.source, []).extend(labels)

    def follow(self, step: Any, maps_by_input: list[InputMap], given: Any) -> list[InputMap]:
        """Follow the input maps through one transformer; raise UnsupportedModel for an unknown one."""
        if step is None or (isinstance(step, str) and step == "passthrough"):
            return maps_by_input
        for root, followers in self.transformers.items():
            kind = library_class(step, root=root, names=frozenset(followers))
            if kind is None:
                continue
            if overrides(step, kind):
                break
            if getattr(step, "copy", True) is False:
                self.writes = True
            found = followers[kind.__name__](step, maps_by_input, given, self)
            if kind.__name__ not in _UNNAMED:
                self.note(kind.__name__)
            return found
        if is_columnwise(step) or len(maps_by_input) == 1:
            found = self.tabulate(step, maps_by_input, given, self)
            self.note(type(step).__name__)
            return found
        known = sorted({name for followers in self.transformers.values() for name in followers})
        raise UnsupportedModel(
            f"This Pipeline contains {type(step).__name__}, which is not supported. "
            f"Supported in front of a model are {', '.join(known)}, 'passthrough', 'drop', any transformer "
            "of a single column, and your own that p2ce.extend.columnwise declares."
        )

    def note(self, name: str) -> None:
        """Record the name of a transformer, once."""
        if name not in self.names:
            self.names.append(name)


def transformed(step: Any, given: Any) -> Any:
    """Apply a transformer to a copy, and suppress its warnings."""
    with without_warnings():
        return step.transform(given.copy())


def some_columns(given: Any, which: Sequence[int]) -> Any:
    """Return some columns of a transformer's input: a frame, an array or a sparse matrix."""
    return given.iloc[:, list(which)] if isinstance(given, pd.DataFrame) else given[:, list(which)]


def is_sparse(given: Any) -> bool:
    """Return whether rows are one of SciPy's sparse matrices."""
    return hasattr(given, "toarray")


def as_plain(given: Any) -> Any:
    """Return rows as an array; an array itself is returned unchanged."""
    return given.toarray() if is_sparse(given) else np.asarray(given)


def precision(given: Any) -> np.dtype[Any]:
    """Return the precision in which scikit-learn computes: the input's own float type, or float64."""
    if isinstance(given, pd.DataFrame):
        # Bools turn the whole array into objects, which become float64.
        kinds = [kind for kind in given.dtypes if isinstance(kind, np.dtype) and kind.kind in "fiu"]
        found = np.result_type(*kinds) if len(kinds) == given.shape[1] else np.dtype(np.float64)
    else:
        found = given.dtype
    return found if found.kind == "f" else np.dtype(np.float64)


def extended(input_map: InputMap, *operations: Operation, name: str, fold: Fold) -> InputMap:
    """Extend an input map by arithmetic; for a category, an encoder must come first."""
    if input_map.is_category:
        if input_map.raw:
            raise UnsupportedModel(
                f"This Pipeline passes {echoed(fold.columns[input_map.source])}, which holds categories, "
                f"to {name}, which expects numbers. Encode it first, or convert it to numbers."
            )
        return input_map
    return InputMap(source=input_map.source, operations=(*input_map.operations, *operations))


def encoded(input_map: InputMap) -> InputMap:
    """Extend the input map of a category by an encoder, which maps each label to numbers."""
    return InputMap(source=input_map.source, is_category=True)
