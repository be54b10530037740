"""Follow the columns of a table through fitted transformers: what each column that comes out depends on.

Only transformers on a list are followed, each of which is known to work on one column at a time; anything
else raises, and the whole pipeline is a black box. Nothing is concluded from samples, but what is concluded
is compared with the transformers' own outputs on some.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from p2ce.adapters.library import library_class, overrides
from p2ce.errors import UnsupportedModel
from p2ce.preprocessing.input_maps import InputMap, Operation
from p2ce.visible import echoed

# Follow strands through one fitted transformer; ``given`` is what some reference rows look like before it.
Follow: TypeAlias = Callable[[Any, list[InputMap], Any, "Fold"], list[InputMap]]
# What only holds others says nothing by its name, and a function has one of its own.
_UNNAMED = frozenset({"Pipeline", "ColumnTransformer", "FeatureUnion", "FunctionTransformer"})


@dataclass(slots=True)
class Fold:
    """What is learnt on the way through a pipeline's transformers."""

    columns: tuple[str, ...]  # of the table
    known: dict[int, list[Any]] = field(default_factory=dict)  # labels that encoders know, of each column
    names: list[str] = field(default_factory=list)  # of the transformers
    writes: bool = False  # some transformer writes into what it is given

    def knows(self, input_map: InputMap, labels: Sequence[Any]) -> None:
        """Note labels that an encoder tells apart, other than as one of all unknown ones."""
        self.known.setdefault(input_map.source, []).extend(labels)

    def follow(self, step: Any, maps_by_input: list[InputMap], given: Any) -> list[InputMap]:
        """Follow the strands through one transformer, whatever it is."""
        from p2ce.preprocessing.known_transformers import TRANSFORMERS

        if step is None or (isinstance(step, str) and step == "passthrough"):
            return maps_by_input
        for root, followers in TRANSFORMERS.items():
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
        known = sorted({name for followers in TRANSFORMERS.values() for name in followers})
        raise UnsupportedModel(
            f"This Pipeline contains {type(step).__name__}, which is not supported. "
            f"Supported in front of a model are {', '.join(known)}, 'passthrough' and 'drop'."
        )

    def note(self, name: str) -> None:
        """Name a transformer, once."""
        if name not in self.names:
            self.names.append(name)


def transformed(step: Any, given: Any) -> Any:
    """Let a transformer do its work on a copy, and keep its warnings to ourselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return step.transform(given.copy())


def some_columns(given: Any, which: Sequence[int]) -> Any:
    """Take columns of what a transformer is given: a frame, an array or a sparse matrix."""
    return given.iloc[:, list(which)] if isinstance(given, pd.DataFrame) else given[:, list(which)]


def is_sparse(given: Any) -> bool:
    """Tell one of SciPy's sparse matrices."""
    return hasattr(given, "toarray")


def precision(given: Any) -> np.dtype[Any]:
    """Tell in which precision scikit-learn computes with what it is given: its own float, or float64."""
    if isinstance(given, pd.DataFrame):
        # Truth values make objects of all, which become float64.
        kinds = [kind for kind in given.dtypes if isinstance(kind, np.dtype) and kind.kind in "fiu"]
        found = np.result_type(*kinds) if len(kinds) == given.shape[1] else np.dtype(np.float64)
    else:
        found = given.dtype
    return found if found.kind == "f" else np.dtype(np.float64)


def extended(input_map: InputMap, *operations: Operation, name: str, fold: Fold) -> InputMap:
    """Continue a strand by arithmetic; of a category only what an encoder made of it can be continued."""
    if input_map.is_category:
        if input_map.raw:
            raise UnsupportedModel(
                f"This Pipeline puts {echoed(fold.columns[input_map.source])}, which holds categories, "
                f"through {name}, which takes numbers. Encode it first, or make it a column of numbers."
            )
        return input_map
    return InputMap(source=input_map.source, operations=(*input_map.operations, *operations))


def encoded(input_map: InputMap) -> InputMap:
    """Continue a strand of categories by what an encoder makes of each label."""
    return InputMap(source=input_map.source, is_category=True)
