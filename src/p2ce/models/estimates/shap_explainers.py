"""Run the explainers of the shap package that only evaluate the model."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import without_warnings
from p2ce.errors import InvalidArgument, not_installed
from p2ce.models.estimates.permutation_sampling import ScaledScore

# shap's "permutation" and "kernel" draw from NumPy's global generator, and their own seeds only seed that. So
# one thread at a time seeds it, and restores its state. A thread that draws from the global generator at the
# same time sees the seed for a moment: no library can prevent that, and "sampling" and "exact" do without.
_GLOBAL_GENERATOR = RLock()
_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PackageExplainer:
    """One of shap's explainers, with a budget of evaluations for each row."""

    kind: str  # "permutation", "kernel" or "exact"
    explainer: Any  # shap's own
    budget: int  # masks per row: the most that shap evaluates
    evaluations: int  # of the user's model, per explained row
    seed: int | None  # of the draws; None if nothing is drawn

    def explain(self, rows: FloatArray) -> FloatArray:
        """Attribute the scores of rows (n, d) to the columns: (n, d)."""
        found = np.empty(rows.shape)
        for index, row in enumerate(rows):
            # Each row starts from the same seed: a result must not depend on the rows explained before.
            with _drawing(self.seed), _quietly():
                found[index] = self._explain(row[None]).reshape(len(row))
        return found

    def _explain(self, row: FloatArray) -> FloatArray:
        if self.kind == "kernel":
            values = self.explainer.shap_values(row, nsamples=self.budget, silent=True, l1_reg=0)
        else:
            values = self.explainer(row, max_evals=self.budget, silent=True).values
        return np.asarray(values, dtype=np.float64)


def explain_black_box(
    name: str, score: ScaledScore, background: FloatArray, *, seed: int
) -> PackageExplainer:
    """Build shap's "permutation", "kernel" or "exact" explainer; ``score`` returns scaled scores."""
    rows, columns = background.shape
    if name == "exact" and columns > 20:
        raise InvalidArgument(
            f'explainer="exact" needs 2**{columns} scores per background row. '
            'Pass "sampling" for more than 20 columns.'
        )
    shap = _shap()
    if name == "kernel":
        score(background)  # shap would print that this fails, and then raise the same error
        budget = 2 * columns + 2048  # shap's default; all of them if there are fewer
        coalitions = 2**columns - 2 if columns < 30 else budget
        evaluations, draws = (min(budget, coalitions) + 1) * rows, budget < 2**columns - 2
    else:
        # One permutation, forwards and backwards, is the least that shap accepts.
        budget = 2 * columns + 1 if name == "permutation" else 2**columns
        evaluations, draws = budget * rows, name == "permutation"
    drawn = seed if draws else None
    with _drawing(drawn), _quietly():
        if name == "kernel":
            explainer = shap.KernelExplainer(score, background)
        else:
            masker = shap.maskers.Independent(background, max_samples=rows)
            # Even without a seed, the permutation explainer seeds the global generator.
            explainer = (
                shap.PermutationExplainer(score, masker, seed=drawn)
                if name == "permutation"
                else shap.ExactExplainer(score, masker)
            )
    return PackageExplainer(
        kind=name, explainer=explainer, budget=budget, evaluations=evaluations, seed=drawn
    )


def _shap() -> ModuleType:
    with _quietly():
        try:
            return import_module("shap")
        except ImportError as error:
            instead = 'Or pass explainer="sampling", which needs nothing else.'
            raise not_installed("This explainer", "shap", instead=instead) from error


@contextmanager
def _drawing(seed: int | None) -> Iterator[None]:
    """Seed NumPy's global generator, and restore its state afterwards; None leaves it alone."""
    if seed is None:
        yield
        return
    with _GLOBAL_GENERATOR:
        state = np.random.get_state()  # noqa: NPY002 - shap draws from it
        np.random.seed(seed)  # noqa: NPY002
        try:
            yield
        finally:
            np.random.set_state(state)  # noqa: NPY002


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress shap's warnings, and its log lines in this thread."""
    log = logging.getLogger("shap")
    if _is_heard not in log.filters:
        log.addFilter(_is_heard)
    before = _quiet.set(True)
    try:
        with without_warnings():
            yield
    finally:
        _quiet.reset(before)


def _is_heard(_: logging.LogRecord) -> bool:
    return not _quiet.get()
