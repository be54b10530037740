"""Run the explainers of the shap package that only evaluate the model, without their output."""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from importlib import import_module
from threading import RLock
from types import ModuleType

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.errors import InvalidArgument, not_installed
from p2ce.models.estimates.ready_explainer import ReadyExplainer
from p2ce.models.estimates.sampling import ScaledScore

# shap draws from NumPy's global generator, so only one thread at a time may use it.
_ONE_AT_A_TIME = RLock()


def explain_black_box(name: str, score: ScaledScore, background: FloatArray, *, seed: int) -> ReadyExplainer:
    """Build shap's "permutation", "kernel" or "exact" explainer; ``score`` returns scaled scores."""
    rows, columns = background.shape
    if name == "exact" and columns > 20:
        raise InvalidArgument(
            f'explainer="exact" needs 2**{columns} scores per background row. '
            'Pass "sampling" for more than 20 columns.'
        )
    shap = _shap()
    with _quietly(seed):
        if name == "kernel":
            coalitions = 2 * columns + 2048  # shap's default; all of them if there are fewer
            explainer = shap.KernelExplainer(score, background)
            evaluations = (min(coalitions, 2**columns - 2 if columns < 30 else coalitions) + 1) * rows

            def one(row: FloatArray) -> FloatArray:
                found = explainer.shap_values(row[None], nsamples=coalitions, silent=True, l1_reg=0)
                return np.asarray(found, dtype=np.float64).reshape(columns)

        else:
            masker = shap.maskers.Independent(background, max_samples=rows)
            kind = shap.PermutationExplainer if name == "permutation" else shap.ExactExplainer
            explainer = kind(score, masker)
            # One permutation, forwards and backwards, is the least that shap accepts.
            budget = 2 * columns + 1 if name == "permutation" else 2**columns
            evaluations = budget * rows

            def one(row: FloatArray) -> FloatArray:
                found = explainer(row[None], max_evals=budget, silent=True)
                return np.asarray(found.values, dtype=np.float64).reshape(columns)

    def explain(rows: FloatArray) -> FloatArray:
        # Each row starts from the same seed: a result must not depend on the rows explained before.
        found = np.empty(rows.shape)
        for index, row in enumerate(rows):
            with _quietly(seed):
                found[index] = one(row)
        return found

    return ReadyExplainer(explain=explain, evaluations=evaluations)


def _shap() -> ModuleType:
    with _quietly(0):
        try:
            return import_module("shap")
        except ImportError as error:
            instead = 'Or pass explainer="sampling", which needs nothing else.'
            raise not_installed("This explainer", "shap", instead=instead) from error


@contextlib.contextmanager
def _quietly(seed: int) -> Iterator[None]:
    """Suppress shap's prints, warnings and log lines, and restore NumPy's global generator afterwards."""
    log = logging.getLogger("shap")
    with _ONE_AT_A_TIME, contextlib.ExitStack() as stack:
        state, level = np.random.get_state(), log.level  # noqa: NPY002 - shap draws from it
        stack.callback(np.random.set_state, state)
        stack.callback(log.setLevel, level)
        log.setLevel(logging.CRITICAL)
        np.random.seed(seed)  # noqa: NPY002
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield
