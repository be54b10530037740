"""Attribute a model's score to its columns, with the explainer that suits the model."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, InvalidOutput
from p2ce.models.estimates.link_scale import LinkScale, to_scale
from p2ce.models.estimates.native import DeepShap, Parsed, native_explainer
from p2ce.models.estimates.permutation_sampling import Sampler
from p2ce.models.estimates.shap_explainers import PackageExplainer, explain_black_box

if TYPE_CHECKING:
    from p2ce.models.estimates.tree_shap import TreeShap

# Rows (n, d) of the model's columns → reported scores (n,).
EvaluateRows: TypeAlias = Callable[[FloatArray], FloatArray]
Engine: TypeAlias = "Sampler | TreeShap | DeepShap | PackageExplainer"
REMEMBERED = 20_000  # the number of rows whose attributions are cached


class Wanted(Protocol):
    """The settings of attributions, which `ShapEstimate` and the paper's algorithms share."""

    @property
    def explainer(self) -> str: ...

    @property
    def background(self) -> int: ...

    @property
    def random_state(self) -> int | None: ...


class Attributor:
    """Attributions φ of one model, all on one scale.

    The background is drawn from the rows ``reference`` (n, d). Rejected rows explain rejected instances best
    (measured on Taiwan: half as many cells were left as with all rows). ``link`` is the scale on which
    attributions add up to the score, usually `LinkScale.LOGIT` for probabilities. ``parsed`` is the model if
    it is supported natively: trees and networks need no evaluations.
    """

    def __init__(
        self,
        spec: Wanted,
        parsed: Parsed | None,
        evaluate: EvaluateRows,
        reference: FloatArray,
        columns: Sequence[str],
        random_state: int | None,
        link: LinkScale = LinkScale.LOGIT,
    ) -> None:
        reference = np.asarray(reference, dtype=np.float64)
        assert reference.shape == (max(1, len(reference)), len(columns)), "the caller ensures this"
        self.spec = spec
        self.link = LinkScale(link)
        self.columns = tuple(columns)
        self.evaluate = evaluate
        seed = spec.random_state if spec.random_state is not None else random_state
        rng = np.random.default_rng(seed)
        chosen = rng.choice(len(reference), size=min(spec.background, len(reference)), replace=False)
        self.background = np.ascontiguousarray(reference[np.sort(chosen)])
        self._seed = int(rng.integers(2**32))
        self._known: OrderedDict[bytes, FloatArray] = OrderedDict()
        self._lock = Lock()
        self._parsed = parsed
        self.explainer_name, self._engine = self._choose(spec.explainer)

    def score(self, rows: FloatArray) -> FloatArray:
        """Return the model's scores on the scale of the estimate."""
        return self.to_scale(self.evaluate(rows))

    def to_scale(self, values: FloatArray) -> FloatArray:
        """Convert reported scores, or a threshold, to the scale of the estimate."""
        return to_scale(values, self.link)

    @property
    def evaluations(self) -> int:
        """The number of model evaluations for each row that is explained for the first time."""
        return self._engine.evaluations

    def explain(self, rows: FloatArray) -> FloatArray:
        """Attribute the scores of rows (n, d) to the columns: (n, d). A repeated row needs no evaluation."""
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        keys = [row.tobytes() for row in rows]
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
        new = {key: index for index, key in enumerate(keys) if key not in found}
        if new:
            values = self._engine.explain(rows[list(new.values())])
            if values.shape != (len(new), rows.shape[1]) or not np.isfinite(values).all():
                raise InvalidOutput(
                    f"The {echoed(self.explainer_name)} explainer must return one finite number per column, "
                    'but it did not. Pass explainer="sampling".'
                )
            found.update(zip(new, values, strict=True))
            with self._lock:
                self._known.update(zip(new, values, strict=True))
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return np.array([found[key] for key in keys]).reshape(rows.shape)

    def explain_planted(self, bases: FloatArray, column: int, values: FloatArray) -> FloatArray:
        """Return ``column``'s attribution with each value (v,) in each base row (b, d): (b, v)."""
        if isinstance(self._engine, Sampler):
            return self._engine.explain_planted(bases, column, values)
        rows = np.repeat(bases, len(values), axis=0)
        rows[:, column] = np.tile(values, len(bases))
        return self._engine.explain(rows)[:, column].reshape(len(bases), len(values))

    def _choose(self, wanted: str) -> tuple[str, Engine]:
        parsed = self._parsed
        if wanted == "auto" and parsed is not None and (parsed.is_trees or parsed.is_network):
            name = "tree" if parsed.is_trees else "deep"
            with suppress(InvalidArgument):  # raised for trees that are too large or too deep
                return name, native_explainer(name, parsed, self.background, self.to_scale)
        if wanted in ("tree", "deep"):
            return wanted, native_explainer(wanted, parsed, self.background, self.to_scale)
        if wanted in ("auto", "sampling"):
            return "sampling", Sampler.build(self.score, self.background, np.random.default_rng(self._seed))
        return wanted, explain_black_box(wanted, self.score, self.background, seed=self._seed)

    def __getstate__(self) -> dict[str, Any]:
        # shap's explainers and locks cannot be pickled, but all of them can be built again.
        left_out = ("_lock", "_engine", "_known")
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()
        self._known = OrderedDict()
        _, self._engine = self._choose(self.explainer_name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attributions:
    """The SHAP values that the paper's algorithms need, computed once for an explainer."""

    attributor: Attributor
    largest: FloatArray  # (d,) φ̄ of every column
    importance: FloatArray  # (d,) the mean magnitude of φ
