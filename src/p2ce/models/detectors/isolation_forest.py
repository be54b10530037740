"""Parse an isolation forest as a sum of path lengths; fit it first if it is only specified."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class, overrides
from p2ce.base.calls.model_call import AsArray, AsFrame, ModelCall, labels_in_order, one_per_row
from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import check_seed
from p2ce.engine.scores.error_bands import certified
from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.cuts import cut_of_float32_at_most
from p2ce.engine.scores.trees.float_bisection import first_true
from p2ce.engine.scores.trees.steps import steps_of_cut
from p2ce.engine.scores.trees.tree_nodes import TreeNodes
from p2ce.errors import NotFitted, UnsupportedDetector, UnsupportedModel
from p2ce.models.decisions.adapter import Adapter, ParseRequest, never_called
from p2ce.models.detectors.black_box_detector import above, detector_columns, lowest_share
from p2ce.models.detectors.imputed_values import known_codes
from p2ce.models.detectors.outlier_detectors import CALL
from p2ce.models.detectors.plausibility_forest import LIBRARYS, PlausibilityForest, is_fitted, settled

# 2 ** x is off by about one unit in the last place; four times that is allowed on either side.
_POWER_SLACK = 4.0 * 2.0**-52


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLengthDecision:
    """Computes decision values from summed path lengths, as scikit-learn does."""

    whole_length: float  # the divisor of path lengths; 0 for trees of one row
    offset: float
    least: float = 0.0  # subtracted from decision values, if another share of the reference is implausible

    def __call__(self, depths: FloatArray) -> FloatArray:
        depths = np.asarray(depths, dtype=np.float64)
        with np.errstate(all="ignore"):
            share = depths / self.whole_length if self.whole_length else np.ones_like(depths)
            return np.asarray((-(2.0**-share) - self.offset) - self.least, dtype=np.float64)


def recognises(detector: object) -> bool:
    """Return whether a detector is an isolation forest of this library or of scikit-learn."""
    return (
        isinstance(detector, PlausibilityForest)
        or library_class(detector, root="sklearn", names=LIBRARYS) is not None
    )


def parse(detector: Any, request: ParseRequest) -> Adapter:
    """Parse a forest; fit it first if it is only specified."""
    wanted = settled(detector, request.contamination)
    return (
        _fit(wanted, request) if isinstance(wanted, PlausibilityForest) else _parse_fitted(detector, request)
    )


def _fit(wanted: PlausibilityForest, request: ParseRequest) -> Adapter:
    """Fit a forest to the codes of the reference, with every missing value replaced by a number.

    That number is the lowest of its column. Splits lie at or above the lowest and below the highest value
    that the forest was fitted on. So minus infinity takes the same path as that number in every tree, and
    the code of an unseen label takes the same path as any number beyond the last rank. Hence codes can be
    scored without replacing anything.

    Dates are left out. New people come after the reference, and a date stays as it is, so it would only make
    them all look unusual.
    """
    from sklearn.ensemble import IsolationForest as Fitted

    check_seed(request.random_state)
    looks_at = np.array([not coding.is_date for coding in request.codebook], dtype=np.bool_)
    if not looks_at.any():
        raise UnsupportedDetector(
            "All columns of the reference hold dates, which the plausibility forest does not look at. Pass a "
            "fitted detector, a function, or plausibility=None."
        )
    codebook = request.codebook.of(tuple(np.array(request.codebook.names, dtype=object)[looks_at]))
    rows = known_codes(request.codes[:, looks_at], codebook)
    samples = wanted.max_samples if wanted.max_samples == "auto" else min(int(wanted.max_samples), len(rows))
    fitted = Fitted(
        contamination=wanted.contamination,
        n_estimators=wanted.n_estimators,
        max_samples=samples,
        random_state=request.random_state if wanted.random_state is None else wanted.random_state,
    ).fit(rows)
    decide = _decision(fitted)
    # No other program computes this detector, so one exact threshold on the path lengths defines it.
    least = first_true(lambda depth: float(decide(np.array([depth]))[0]) >= 0.0)
    score = _score(fitted, codebook.names, frozenset(), accept_from=least, reject_below=least)
    return own_forest(score, columns=codebook.names, decide=decide)


def own_forest(score: FlatScore, *, columns: tuple[str, ...], decide: PathLengthDecision) -> Adapter:
    """Build the detector of a compiled forest, whether it was just fitted or loaded from a file."""
    return Adapter(
        family="isolation forest", score=score, columns=columns, evaluate=never_called, report=decide
    )


def _parse_fitted(detector: Any, request: ParseRequest) -> Adapter:
    reference, contamination = request.reference, request.contamination
    kind = library_class(detector, root="sklearn", names=LIBRARYS)
    assert kind is not None, "a family only parses what it recognises"
    replaced = overrides(detector, kind)
    if replaced:
        raise UnsupportedDetector(
            f"{type(detector).__name__} overrides {', '.join(replaced)} of scikit-learn's IsolationForest. "
            "So its scores do not follow from the fitted trees. Pass a plain IsolationForest."
        )
    if not is_fitted(detector):
        raise NotFitted(
            f"This {type(detector).__name__} is not fitted. Call .fit(X) on it, or pass "
            "p2ce.PlausibilityForest(), which is fitted on the reference."
        )
    columns, named = detector_columns(detector, reference)
    labels = labels_in_order(columns, reference)
    categories = [name for name in columns if request.codebook[name].is_category]
    if categories:
        raise UnsupportedDetector(
            f"This IsolationForest uses {echoed(categories[0])}, which holds categories here and not "
            "numbers. So its trees are not supported. Pass p2ce.PlausibilityForest(), which accepts "
            "categories."
        )
    if dates := request.codebook.of(columns).dates:
        raise UnsupportedDetector(
            f"This IsolationForest uses {echoed(dates[0])}, which holds dates, so its trees are not "
            "supported. Pass p2ce.PlausibilityForest(), which leaves dates out."
        )
    # An array is passed as float64: scikit-learn casts it to float32 itself.
    rows = AsFrame(labels=labels) if named else AsArray(labels=labels, dtype=np.dtype(np.float64))
    call = ModelCall(name=CALL, method=detector.decision_function, rows=rows, check=one_per_row)
    least = 0.0 if contamination is None else lowest_share(call(reference), contamination)
    return _parse_for(detector, columns, call.then(partial(above, least=least)), least, request.nullable)


def _parse_for(
    detector: Any, columns: tuple[str, ...], evaluate: ModelCall, least: float, nullable: frozenset[str]
) -> Adapter:
    """Parse the trees of a fitted forest for missing values in some columns; its threshold is known."""
    accept_from, reject_below = certified(_reported(detector), least)
    return Adapter(
        family="scikit-learn isolation forest",
        score=_score(detector, columns, nullable, accept_from=accept_from, reject_below=reject_below),
        columns=columns,
        evaluate=evaluate,
        report=replace(_decision(detector), least=least),
        again=partial(_parse_for, detector, columns, evaluate, least),
    )


def _score(
    fitted: Any, columns: Sequence[str], nullable: Collection[str], *, accept_from: float, reject_below: float
) -> FlatScore:
    """Build the sum of path lengths in scikit-learn's order, with its c(n) for leaves with several rows.

    Each split in scikit-learn sends missing values to a side that it has learnt. This matters only for
    columns in ``nullable``.
    """
    misses = np.array([name in nullable for name in columns], dtype=np.bool_)
    trees = []
    for index, (member, features) in enumerate(
        zip(fitted.estimators_, fitted.estimators_features_, strict=True)
    ):
        tree = member.tree_
        length = fitted._decision_path_lengths[index] + fitted._average_path_length_per_tree[index] - 1.0
        inner = tree.children_left >= 0
        feature = np.asarray(features)[np.where(inner, tree.feature, 0)]
        cut = cut_of_float32_at_most(np.where(inner, tree.threshold, 0.0))
        # Minus infinity goes left at a plain cut.
        goes_right = inner & misses[feature] & (tree.missing_go_to_left == 0) if misses.any() else misses[:0]
        trees.append(
            TreeNodes(
                left=tree.children_left,
                right=tree.children_right,
                feature=feature,
                threshold=cut,
                value=length,
                steps={
                    node: steps_of_cut(float(cut[node]), missing_left=False)
                    for node in np.flatnonzero(goes_right).tolist()
                },
            )
        )
    try:
        forest = assemble_forest(trees)
    except UnsupportedModel as error:  # too many cuts
        raise UnsupportedDetector(str(error)) from error
    return FlatScore(
        name="plausibility",
        column_count=len(columns),
        forest=forest,
        accept_from=accept_from,
        reject_below=reject_below,
    )


def _decision(fitted: Any) -> PathLengthDecision:
    return PathLengthDecision(whole_length=_full_length(fitted), offset=float(fitted.offset_))


def _reported(fitted: Any) -> Callable[[float], tuple[float, float]]:
    """Bound the decision value of a path length; the last subtraction is one IEEE operation, so monotone."""
    whole_length = _full_length(fitted)
    offset = float(fitted.offset_)

    def reported(depth: float) -> tuple[float, float]:
        if not whole_length:  # trees of one row: every score is exactly -0.5
            return -0.5 - offset, -0.5 - offset
        with np.errstate(all="ignore"):
            anomaly = 2.0 ** np.float64(-(depth / whole_length))
            low, high = -anomaly * (1.0 + _POWER_SLACK) - offset, -anomaly * (1.0 - _POWER_SLACK) - offset
        return float(low), float(high)

    return reported


def _full_length(fitted: Any) -> float:
    """Compute trees × c(max_samples), the divisor of path lengths; 0 for samples of one row."""
    from sklearn.ensemble._iforest import _average_path_length

    return float(len(fitted.estimators_) * _average_path_length([fitted._max_samples])[0])
