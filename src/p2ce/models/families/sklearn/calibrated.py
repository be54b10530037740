"""Parse scikit-learn's CalibratedClassifierCV: the mean of calibrated scores of one or several classifiers.

Each calibrator maps what its classifier reports for a class, a decision value or a probability, to a share by
a function that never falls (or never rises): a logistic function, or the steps and slopes of an isotonic
regression. Of two classes, the second one's share is the probability. Of several, each share is divided by
their sum: it rises with its own share, and falls with the others.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class
from p2ce.base.visible import echoed
from p2ce.engine.scores.combined.combination import Combination, Ends, joined, minus, through
from p2ce.engine.scores.combined.means import mean_of
from p2ce.engine.scores.error_bands import summation_error
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.ensemble import Ensemble, Members, certify_ensemble, with_labels_of_members
from p2ce.models.decisions.adapter import DECISION, PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import estimator_call, estimator_columns, require_fitted
from p2ce.models.families.sklearn.members import family_of, require_same_classes
from p2ce.models.fitted import require_library_class

_NAMES = frozenset({"CalibratedClassifierCV"})
_METHODS = ("sigmoid", "isotonic")
_SLACK = 16.0 * 2.0**-53  # relative error of SciPy's expit, which is off by a few units in the last place
_TINY = 1e-300  # its absolute error for numbers with fewer digits


def recognises(model: object) -> bool:
    """Return whether a model is scikit-learn's CalibratedClassifierCV."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


@with_labels_of_members
def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the classifiers and their calibrators."""
    require_library_class(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    calibrated = list(model.calibrated_classifiers_)
    classes = plain_classes(model.classes_)
    inside = [one.estimator for one in calibrated]
    require_same_classes(inside, classes, name="CalibratedClassifierCV")
    for one in calibrated:
        if one.method not in _METHODS:
            raise UnsupportedModel(
                f"CalibratedClassifierCV with method={echoed(one.method)} is not supported natively. "
                "Supported are 'sigmoid' and 'isotonic'."
            )
    members = Members(request=request, columns=estimator_columns(model, request.reference)[0])

    def number(index: int) -> Combination:
        if len(classes) == 2:
            second = mean_of([_share(members, one, classes, 1) for one in calibrated])
            return second if index == 1 else through(minus(second), _one_plus)
        return mean_of([_of_several(members, one, classes, index) for one in calibrated])

    ensemble = Ensemble(
        family=family_of("scikit-learn CalibratedClassifierCV", inside),
        members=members,
        names=classes,
        calls={PROBABILITY: estimator_call(model, "predict_proba", request.reference)},
        numbers={PROBABILITY: number},
        steepest=max(_steepest(one) for each in calibrated for one in each.calibrators),
    )
    return certify_ensemble(ensemble, request)


def _steepest(calibrator: Any) -> float:
    """Return the largest slope of a calibrator."""
    if not hasattr(calibrator, "X_thresholds_"):
        return abs(float(calibrator.a_)) / 4.0
    places, values = (
        np.asarray(part, dtype=np.float64) for part in (calibrator.X_thresholds_, calibrator.y_thresholds_)
    )
    with np.errstate(all="ignore"):
        return float(np.abs(np.diff(values) / np.diff(places)).max(initial=0.0))


def _share(members: Members, one: Any, classes: tuple[Any, ...], index: int) -> Combination:
    """Return the calibrated share of a class, before shares are divided by their sum."""
    scale = DECISION if hasattr(one.estimator, "decision_function") else PROBABILITY
    score = members.of_class(one.estimator, classes[index], scale)
    calibrator = one.calibrators[0 if len(classes) == 2 else index]
    if one.method == "isotonic":
        rises, link = _isotonic(calibrator)
    else:
        rises, link = _sigmoid(float(calibrator.a_), float(calibrator.b_))
    return through(score if rises else minus(score), link)


def _sigmoid(slope: float, offset: float) -> tuple[bool, Callable[[FloatArray], Ends]]:
    """Return whether expit(-(slope · score + offset)) rises with the score, and its ends.

    Product and sum are IEEE operations; float32 scores are widened first, since the slope is a float64.
    """
    rises = slope <= 0.0

    def link(scores: FloatArray) -> Ends:
        with np.errstate(all="ignore"):
            share = expit(-(slope * (scores if rises else -scores) + offset))
        return share * (1.0 - _SLACK) - _TINY, np.minimum(share * (1.0 + _SLACK) + _TINY, 1.0)

    return rises, link


def _isotonic(calibrator: Any) -> tuple[bool, Callable[[FloatArray], Ends]]:
    """Return whether an isotonic regression rises, and its ends, by its own arithmetic.

    Between two thresholds it interpolates, and may end a few roundings above the next threshold's value. In
    float64, no value from a threshold on lies below that of the threshold, so a flat step is exact from
    below. In float32, SciPy computes a threshold's own value from the piece before it.
    """
    kind = calibrator.X_thresholds_.dtype
    if calibrator.out_of_bounds != "clip" or kind not in (np.float64, np.float32):
        raise UnsupportedModel(
            "An IsotonicRegression as a calibrator is supported natively if it clips, and was fitted on "
            "float64 or float32. Fit CalibratedClassifierCV on such numbers."
        )
    rises = bool(calibrator.increasing_)
    places = np.asarray(calibrator.X_thresholds_, dtype=np.float64)
    values = np.asarray(calibrator.y_thresholds_, dtype=np.float64)
    with np.errstate(all="ignore"):
        if not np.isfinite(np.diff(values) / np.diff(places)).all():
            raise UnsupportedModel(
                "An IsotonicRegression with a jump between two adjacent numbers is not supported natively. "
                "Fit the calibrator on coarser scores."
            )
    slack = 8.0 * float(np.finfo(kind).eps) * float(np.abs(values).max(initial=0.0))

    def link(scores: FloatArray) -> Ends:
        given = np.clip(scores if rises else -scores, places[0], places[-1])
        known = np.where(np.isnan(given), places[0], given).astype(kind)  # a cast never reverses an order
        found = np.where(np.isnan(given), np.nan, np.asarray(calibrator.f_(known), dtype=np.float64))
        low = found - slack
        if kind == np.float64:
            low = np.maximum(low, values[np.searchsorted(places, known, side="right") - 1])
        return low, found + slack

    return rises, link


def _one_plus(values: FloatArray) -> Ends:
    return 1.0 + values, 1.0 + values


def _of_several(members: Members, one: Any, classes: tuple[Any, ...], index: int) -> Combination:
    """Return a class's share of the sum of all calibrated shares; all are equal if all shares are 0."""
    count = len(classes)
    own = _share(members, one, classes, index)
    others = [minus(_share(members, one, classes, at)) for at in range(count) if at != index]
    # The library's sum of shares, and its quotient.
    error = 2.0 * summation_error(count + 3, 1.0)

    def ends(values: FloatArray) -> Ends:
        mine, rest = values[:, 0], -values[:, 1:].sum(axis=1)
        with np.errstate(all="ignore"):
            share = np.clip(mine / (mine + rest), 0.0, 1.0)
        low, high = share * (1.0 - error) - _TINY, share * (1.0 + error) + _TINY
        # Where nothing is left of the sum, the library may report any share, such as 1 / count.
        small = ~(mine + rest > 1e-290)
        return np.where(small, 0.0, low), np.where(small, 1.0, np.minimum(high, 1.0))

    return joined([own, *others], ends)
