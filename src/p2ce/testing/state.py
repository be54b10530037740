"""Check whether a model, the caller's frame or the global seeds have changed."""

import io
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from p2ce.testing.reports import require

WHOLE = "the object as a whole"
BY_TENSORS, BY_BYTES, BY_NAMES = "tensors and modes", "pickled bytes", "names of attributes"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The parts of an object, as bytes."""

    how: str
    parts: dict[str, bytes]

    def difference(self, later: "State") -> str | None:
        """Name a part that differs, or return None if nothing differs."""
        # The name of a part is more helpful than that the whole object differs.
        for name in sorted([*self.parts, *later.parts], key=lambda name: name == WHOLE):
            if self.parts.get(name) != later.parts.get(name):
                return name
        return None


def state_of(thing: Any) -> State:
    """Record the state of an object: tensors of a module, else pickled bytes, else names of attributes."""
    if callable(getattr(thing, "state_dict", None)) and callable(getattr(thing, "named_modules", None)):
        return State(how=BY_TENSORS, parts=_tensors(thing))
    attributes = dict(getattr(thing, "__dict__", {}))
    whole = _bytes(thing)
    parts = {f"attribute {name!r}": _bytes(value) or b"" for name, value in attributes.items()}
    if whole is None and not any(parts.values()):
        return State(how=BY_NAMES, parts=parts)
    return State(how=BY_BYTES, parts={**parts, WHOLE: whole or b""})


def _tensors(module: Any) -> dict[str, bytes]:
    parts = {f"tensor {name!r}": _bytes(value) or b"" for name, value in module.state_dict().items()}
    for name, part in module.named_modules():
        parts[f"mode of {name or 'the module'!r}"] = str(bool(part.training)).encode()
    for name, value in module.named_parameters():
        parts[f"gradient of {name!r}"] = str((value.requires_grad, value.grad is None)).encode()
    return parts


def _bytes(thing: Any) -> bytes | None:
    """Pickle an object. Return None if that fails, or gives other bytes each time."""
    try:
        found = _pickled(thing)
        return found if found == _pickled(thing) else None
    except Exception:  # whatever an object raises when it is pickled
        return None


def _pickled(thing: Any) -> bytes:
    try:
        import cloudpickle
    except ImportError:
        from joblib.externals import cloudpickle  # older versions of joblib include their own

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, part: Any) -> Any:
            # scikit-learn's trees of neighbours count their queries, which changes no result.
            if hasattr(part, "get_tree_stats") and hasattr(part, "get_arrays"):
                return list, (list(map(np.asarray, part.get_arrays())),)
            return super().reducer_override(part)

    stream = io.BytesIO()
    Pickler(stream).dump(thing)
    return stream.getvalue()


@contextmanager
def unchanged(thing: Any, who: str, reference: pd.DataFrame) -> Iterator[State]:
    """Require that an object, the reference and the global seeds are unchanged after the block."""
    before, frame = state_of(thing), reference.copy(deep=True)
    numpy_seed, python_seed = np.random.get_state(), random.getstate()  # noqa: NPY002 - the global one is meant
    yield before
    changed = before.difference(state_of(thing))
    require(
        changed is None,
        f"Parsing and calling must not change the {who} ({type(thing).__name__}), but {changed} has changed. "
        "Compute on a copy, and keep caches outside of it.",
    )
    require(
        reference.equals(frame) and reference.columns.equals(frame.columns),
        f"Parsing and calling the {who} must not change the reference frame, but it has changed. "
        "Pass a copy to the code that writes.",
    )
    same = random.getstate() == python_seed and all(
        np.array_equal(now, then)
        for now, then in zip(np.random.get_state(), numpy_seed, strict=True)  # noqa: NPY002
    )
    require(
        same,
        f"Parsing and calling the {who} must not draw from the global random generators, but their state has "
        "changed. Use a separate generator: np.random.default_rng(seed).",
    )
