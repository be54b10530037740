"""Read scikit-learn's GaussianNB: log-odds between two classes are a sum of one parabola per column."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from p2ce.adapters.library import library_class, quiet_check_array
from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import (
    LEAD,
    PROBABILITY,
    ModelAdapter,
    Request,
    class_index,
    feeder,
    plain_classes,
    probability_threshold,
)
from p2ce.decisions.targets import refuse_scale, wins_ask
from p2ce.errors import UnsupportedModel
from p2ce.models.sklearn.fitted_attributes import (
    asks_all,
    asks_estimator,
    columns_of,
    require_fitted,
    require_numbers,
    require_own,
)
from p2ce.scores.error_bands import Reported, summation_error, sure_and_maybe, widened
from p2ce.scores.score import CompiledScore

FAMILY = "scikit-learn Gaussian naive Bayes"
_NAMES = frozenset({"GaussianNB"})
_UNIT = 2.0**-53
# Below this a float has lost digits, and relative errors say nothing.
_TINY = 1e-300


class _Class(NamedTuple):
    """What the model knows about one class."""

    prior: float
    mean: FloatArray  # (d,)
    variance: FloatArray  # (d,)

    @property
    def constant(self) -> float:
        """The part of the log-likelihood that no column changes."""
        return float(np.log(self.prior) - 0.5 * np.log(2.0 * np.pi * self.variance).sum())

    def magnitude(self, reach: FloatArray) -> float:
        """Bound the magnitudes of all terms of the log-likelihood, for rows within reach, with room."""
        with np.errstate(over="ignore"):
            squares = (reach + np.abs(self.mean)) ** 2 / self.variance
            logs = np.abs(np.log(2.0 * np.pi * self.variance))
            # 4 more per column: a rounded argument moves its logarithm by as much as three units of 1.
            return float(abs(np.log(self.prior)) + (logs + squares + 4.0).sum()) * (1.0 + 2.0**-30)


def recognises(model: object) -> bool:
    """Tell a scikit-learn GaussianNB."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def read(model: Any, request: Request) -> ModelAdapter:
    """Read means and variances; what a column adds to the log-odds is what the search sees of it."""
    require_own(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    classes = plain_classes(model.classes_)
    index = class_index(classes, request.target)
    refuse_scale(request, (PROBABILITY,), name="GaussianNB")
    columns, named = columns_of(model, request.reference)
    require_numbers(request, columns, name=FAMILY)
    given = quiet_check_array(feeder(columns, request.reference, named=named)(request.reference.head(1)))
    _refuse_what_rounds_otherwise(model, given.dtype)
    known = [
        _Class(
            prior=float(model.class_prior_[place]),
            mean=np.array(model.theta_[place], dtype=np.float64),
            variance=np.array(model.var_[place], dtype=np.float64),
        )
        for place in range(len(classes))
    ]
    positions = [list(map(str, request.reference.columns)).index(name) for name in columns]
    reach = request.reach[positions]
    magnitudes = [one.magnitude(reach) for one in known]
    others = [place for place in range(len(classes)) if place != index]
    bands = {place: _band(len(columns), magnitudes[index] + magnitudes[place]) for place in others}
    relative = _relative_error(sum(magnitudes), len(classes))
    wins = len(classes) > 2 and request.threshold is None
    threshold = 0.0 if wins else probability_threshold(request.threshold)
    first, *more = (
        CompiledScore(
            name="model",
            column_count=len(columns),
            offset=known[index].constant - known[place].constant,
            weights=np.ones(len(columns)),
            accept_from=limits[0],
            reject_below=limits[1],
            see=_parabolas(known[index], known[place]),
        )
        for place, limits in (
            (place, _win(band) if wins else _reaches(relative, threshold, band, several=len(classes) > 2))
            for place, band in bands.items()
        )
    )
    of_target = asks_estimator(model, "predict_proba", request.reference, column=index)
    return ModelAdapter(
        family=FAMILY,
        score=first,
        also=tuple(more),
        decides=wins or not more,
        columns=columns,
        scale=LEAD if wins else PROBABILITY,
        threshold=threshold,
        classes=classes,
        # predict takes the largest of these, of which the probabilities are a rounded function
        ask=wins_ask(asks_all(model, "predict_joint_log_proba", request.reference), index)
        if wins
        else of_target,
        predict=of_target if wins else None,
        report=None if more else lambda scores: np.asarray(expit(scores), dtype=np.float64),
        tolerance=1e-9 + max(bands.values()) + relative,
        reach=reach,
    )


def _win(band: float) -> tuple[float, float]:
    """Compare two sums of which each is off by its part of the band."""
    return widened(0.0, 0.0, band) if math.isfinite(band) else (math.inf, -math.inf)


def _reaches(relative: float, threshold: float, band: float, *, several: bool) -> tuple[float, float]:
    """Find which log-odds between two classes go with a probability that reaches the threshold.

    Beside others, a probability is at most what it is between these two: enough of it proves nothing.
    """
    if not (relative < 0.25 and math.isfinite(band)):
        return math.inf, -math.inf  # rows out to the ends of float64: of those nothing is certain
    accept_from, reject_below = widened(*sure_and_maybe(_reported(relative), threshold), band)
    return (math.inf if several else accept_from), reject_below


def _parabolas(target: _Class, other: _Class) -> Callable[[FloatArray], FloatArray]:
    """Show each value as its own part of the log-odds: ½(x − μ₀)²/σ₀² − ½(x − μ₁)²/σ₁²."""

    def see(rows: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            against = (rows - other.mean) ** 2 / other.variance
            wanted = (rows - target.mean) ** 2 / target.variance
            return np.asarray(0.5 * (against - wanted), dtype=np.float64)

    return see


def _band(columns: int, largest: float) -> float:
    """Bound how far the log-odds behind scikit-learn's answer and our sum can be apart.

    Each is a sum of terms whose magnitudes add up to ``largest`` at most: two logarithms of priors, and for
    every column and class a logarithm and a square. A square is four rounded operations, a
    logarithm errs by a few units, the halves are exact; 32 roundings more than there are additions
    cover all of that. Theirs counts once and ours twice, as the search may add changes to a base; all of it
    doubled, to be generous.
    """
    return 2.0 * 3.0 * summation_error(2 * columns + 32, largest)


def _relative_error(largest: float, classes: int) -> float:
    """Bound the relative error of exp(a − logsumexp(a, b, …)), given the floats a, b, …

    The logarithm of the sum is the largest of them plus the logarithm of at most as many as there are. That
    part errs by a few units of 1, and one for every addition; adding it rounds by a unit of the largest,
    and the subtraction by one of the result: together less than 4 units of |a| + |b| + … exp turns this
    into a relative error, and adds its own. Twice that and more is allowed.
    """
    return 2.0 * _UNIT * (32.0 + 8.0 * classes + 8.0 * largest)


def _reported(relative: float) -> Reported:
    """Bound the reported probability for exact log-odds; rounding may carry it above 1."""

    def reported(score: float) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            share = 1.0 / (1.0 + np.exp(np.float64(-score)))
        low, high = share * (1.0 - relative) - _TINY, share * (1.0 + relative) + _TINY
        return max(0.0, float(low)), float(high)

    return reported


def _refuse_what_rounds_otherwise(model: Any, given: np.dtype[Any]) -> None:
    single = [name for name in ("theta_", "var_", "class_prior_") if getattr(model, name).dtype != np.float64]
    if single or given == np.float32:
        raise UnsupportedModel(
            f"{FAMILY} in single precision rounds too coarsely to be read. Fit it on float64."
        )
    if not (model.class_prior_ > 0.0).all() or not (model.var_ > 0.0).all():
        raise UnsupportedModel(
            f"{FAMILY} with a class of prior 0 or a column of variance 0 divides by zero. "
            "Give all classes a prior, and var_smoothing above 0."
        )
    if len(model.class_prior_) < 2:
        raise UnsupportedModel(f"{FAMILY} with one class has nothing to decide. Fit it on several.")
