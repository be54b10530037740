"""Run shap's own explainers quietly, and find which of their outputs is the score that we mean."""

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidOption, MissingExtra
from p2ce.estimates.sampling import ScaledScore
from p2ce.estimates.scales import Link, to_scale

# shap draws from NumPy's global generator, so that only one thread at a time may use it.
_ONE_AT_A_TIME = RLock()
# Attributions must add up to the score to this share of the scores' spread; shap's trees work in float32.
ADDS_UP = 1e-3
SMALLEST_SPREAD = 1e-3
FAR_OUT = 8.0  # log-odds of a float32 probability are rounding noise beyond
TREE_ROOTS = ("lightgbm", "xgboost", "catboost", "sklearn.ensemble", "sklearn.tree")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explained:
    """A working shap explainer: rows (n, d) → attributions (n, d) on the scale of ``link``."""

    explain: Callable[[FloatArray], FloatArray]
    link: Link
    evaluations: int  # of the user's scoring method, per explained row; 0 where shap reads the model itself


def looks_like_trees(model: object) -> bool:
    """Tell whether shap's TreeExplainer may know the model's class."""
    return any(kind.__module__.startswith(TREE_ROOTS) for kind in type(model).__mro__)


def looks_like_torch(model: object) -> bool:
    """Tell a PyTorch module, without importing PyTorch."""
    return any(kind.__module__.startswith("torch.nn") for kind in type(model).__mro__)


def explain_natively(
    name: str,
    model: Any,
    ask: Callable[[FloatArray], FloatArray],
    background: FloatArray,
    *,
    checked: FloatArray,
    links: tuple[Link, ...],
    seed: int,
) -> Explained:
    """Let shap read the model itself, as trees ("tree") or as a PyTorch module ("deep").

    shap explains what it takes for the model's output: a margin, a probability per class, a logit. We take
    the output, or the difference of two, whose attributions add up to the reported score on one of the
    links, on the rows ``checked``; if there is none, they are of something else, and we say so.
    """
    shap = _shap()
    with _quietly(seed):
        try:
            raw, expected = (
                _tree(shap, model, background) if name == "tree" else _deep(shap, model, background)
            )
            outputs = _stacked(raw(checked))
        except Exception as error:  # shap raises whatever its converters run into
            raise InvalidOption(
                f"shap's {name!r} explainer cannot read {type(model).__name__}: {error}. "
                'Pass explainer="sampling", which only asks the model for scores.'
            ) from error
    reported = ask(checked)
    for link in links:
        weights = _matching(outputs, expected, to_scale(reported, link), link)
        if weights is not None:
            return Explained(explain=_weighted(raw, weights, seed), link=link, evaluations=0)
    raise InvalidOption(
        f"The attributions of shap's {name!r} explainer do not add up to the reported score of "
        f'{type(model).__name__} (nor to its log-odds). Pass explainer="sampling".'
    )


def _weighted(
    raw: Callable[[FloatArray], Any], weights: FloatArray, seed: int
) -> Callable[[FloatArray], FloatArray]:
    def explain(rows: FloatArray) -> FloatArray:
        with _quietly(seed):
            return np.asarray(_stacked(raw(rows)) @ weights, dtype=np.float64)

    return explain


def _matching(outputs: FloatArray, expected: FloatArray, wanted: FloatArray, link: Link) -> FloatArray | None:
    """Find the outputs (n, d, outputs) that add up to the wanted scores (n,), as weights (outputs,)."""
    if link is Link.LOGIT and (np.abs(wanted) < FAR_OUT).sum() >= 2:
        near = np.abs(wanted) < FAR_OUT
        outputs, wanted = outputs[near], wanted[near]
    allowed = ADDS_UP * max(float(np.ptp(wanted)), SMALLEST_SPREAD)
    for pick in _picks(outputs.shape[2]):
        sums = (outputs @ pick).sum(axis=1) + float(expected @ pick)
        if (np.abs(sums - wanted) <= allowed).all():
            return pick
    return None


def explain_by_asking(
    name: str, score: ScaledScore, background: FloatArray, *, link: Link, seed: int
) -> Explained:
    """Let shap ask for scores: "permutation", "kernel" or "exact"; ``score`` is already on the scale."""
    shap = _shap()
    rows, columns = background.shape
    with _quietly(seed):
        if name == "kernel":
            coalitions = 2 * columns + 2048  # shap's own default; all of them if there are fewer
            explainer = shap.KernelExplainer(score, background)
            evaluations = (min(coalitions, 2**columns - 2 if columns < 30 else coalitions) + 1) * rows

            def one(row: FloatArray) -> FloatArray:
                found = explainer.shap_values(row[None], nsamples=coalitions, silent=True, l1_reg=0)
                return np.asarray(found, dtype=np.float64).reshape(columns)

        else:
            masker = shap.maskers.Independent(background, max_samples=rows)
            kind = shap.PermutationExplainer if name == "permutation" else shap.ExactExplainer
            explainer = kind(score, masker)
            # One permutation, there and back, is the least that shap accepts.
            budget = 2 * columns + 1 if name == "permutation" else 2**columns
            evaluations = budget * rows
            if name == "exact" and columns > 20:
                raise InvalidOption(
                    f'explainer="exact" asks for 2**{columns} scores per background row. '
                    'Pass "sampling" for more than 20 columns.'
                )

            def one(row: FloatArray) -> FloatArray:
                found = explainer(row[None], max_evals=budget, silent=True)
                return np.asarray(found.values, dtype=np.float64).reshape(columns)

    def explain(rows: FloatArray) -> FloatArray:
        # Row by row under one seed: an answer must not depend on what was explained before.
        found = np.empty(rows.shape)
        for index, row in enumerate(rows):
            with _quietly(seed):
                found[index] = one(row)
        return found

    return Explained(explain=explain, link=link, evaluations=evaluations)


def _tree(
    shap: ModuleType, model: Any, background: FloatArray
) -> tuple[Callable[[FloatArray], Any], FloatArray]:
    explainer = shap.TreeExplainer(model, background, feature_perturbation="interventional")
    return (
        lambda rows: explainer.shap_values(rows, check_additivity=False),
        np.atleast_1d(np.asarray(explainer.expected_value, dtype=np.float64)),
    )


def _deep(
    shap: ModuleType, model: Any, background: FloatArray
) -> tuple[Callable[[FloatArray], Any], FloatArray]:
    torch = import_module("torch")
    kind = next((one.dtype for one in model.parameters()), torch.float32)
    copied = deepcopy(model).cpu().eval()  # shap hooks into the module, and the user's stays as it is
    explainer = shap.DeepExplainer(copied, torch.as_tensor(background, dtype=kind))
    return (
        lambda rows: explainer.shap_values(torch.as_tensor(rows, dtype=kind), check_additivity=False),
        np.atleast_1d(np.asarray(explainer.expected_value, dtype=np.float64)),
    )


def _stacked(values: Any) -> FloatArray:
    """Bring shap's shapes to one: (n, d, outputs)."""
    if isinstance(values, list):
        return np.stack([np.asarray(one, dtype=np.float64) for one in values], axis=-1)
    found = np.asarray(values, dtype=np.float64)
    return found[..., None] if found.ndim == 2 else found


def _picks(outputs: int) -> Iterator[FloatArray]:
    """List the ways in which outputs may be the score: each by itself, turned round, or against another."""
    unit = np.eye(outputs)
    for one in unit[::-1]:
        yield one
        yield -one
    if outputs == 2:
        yield unit[1] - unit[0]
        yield unit[0] - unit[1]


def _shap() -> ModuleType:
    with _quietly(0):
        try:
            return import_module("shap")
        except ImportError as error:
            raise MissingExtra(
                "This explainer comes from the shap package, which is not installed. Type "
                "pip install 'p2ce[shap]', or pass explainer=\"sampling\", which needs no extra."
            ) from error


@contextlib.contextmanager
def _quietly(seed: int) -> Iterator[None]:
    """Keep shap's prints, warnings and log lines to itself, and NumPy's global generator as it was."""
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
