"""The settings of the SHAP estimate: how it is computed, and how often it may miss."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import check_count, check_seed
from p2ce.errors import InvalidArgument

EXPLAINERS = ("auto", "sampling", "tree", "deep", "permutation", "kernel", "exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapEstimate:
    """The paper's SHAP estimate, corrected and calibrated, which prunes the search of a black-box model.

    The estimate proves nothing. If it pruned anything, the explanation has the status HEURISTIC and may miss
    options. Calibration bounds how often that happens. For results with a proof, pass ``bound=None``.

    Args:
        explainer: how the attributions φ are computed. "sampling" evaluates the model along permutations of
            the features, each in both directions, many rows in one call. "tree" and "deep" use the structure
            of trees and networks that are supported natively, and evaluate nothing. "permutation", "kernel"
            and "exact" are the explainers of the shap package. "auto" is "tree" or "deep" if the model is of
            that kind, and "sampling" otherwise.
        single_changes: whether to also attribute each single change of an instance, with the instance as the
            background. Each single change costs one evaluation of a cell that the search would evaluate
            anyway. Together they prune several times more than attributions from other rows alone.
        miss_rate: the share of instances, between 0 and 1, whose front may be wrong.
        sample_size: the most rejected rows of the reference on which the estimate is calibrated. Calibration
            finds their true fronts, and widens the estimate until it misses few enough of them.
        background: the number of rows that stand for "feature unknown".
        rows_per_candidate: the number of rows in which each candidate value is tried to measure its
            attribution.
        max_evaluations: the most evaluations of the model for finding the true fronts of the sample. It is a
            count and not a time, so the sample is the same on every machine.
        time_limit: the most seconds for calibration; None for no limit. p2ce warns if the limit ends
            calibration early.
        random_state: the seed. None uses the seed of the explainer.

    >>> ShapEstimate(miss_rate=0.05).explainer
    'auto'
    """

    explainer: str = "auto"
    single_changes: bool = True
    miss_rate: float = 0.01
    sample_size: int = 199
    background: int = 16
    rows_per_candidate: int = 3
    max_evaluations: int = 4_000_000  # about two minutes for a model that takes 30 microseconds per row
    time_limit: float | None = None
    random_state: int | None = None

    def __post_init__(self) -> None:
        _check_name("explainer", self.explainer, EXPLAINERS)
        if not isinstance(self.single_changes, bool | np.bool_):
            raise InvalidArgument(f"single_changes must be True or False; got {echoed(self.single_changes)}.")
        if not _is_number(self.miss_rate) or not 0.0 < self.miss_rate < 1.0:
            raise InvalidArgument(
                "miss_rate is the share of instances whose front may be wrong, above 0 and below 1 (0.01 is "
                f"one in a hundred); got {echoed(self.miss_rate)}. "
                "For results with a proof, pass bound=None."
            )
        check_count("sample_size", self.sample_size, "rows to calibrate on")
        check_count("background", self.background, "background rows")
        check_count("rows_per_candidate", self.rows_per_candidate, "rows per candidate value")
        check_count("max_evaluations", self.max_evaluations, "evaluations of the model")
        if self.time_limit is not None and (not _is_number(self.time_limit) or not self.time_limit > 0.0):
            raise InvalidArgument(
                "time_limit is the most seconds that calibration may take: a number above 0, or None for no "
                f"limit; got {echoed(self.time_limit)}."
            )
        check_seed(self.random_state)


def _check_name(option: str, given: object, known: tuple[str, ...]) -> None:
    if not isinstance(given, str) or given not in known:
        raise InvalidArgument(f"{option} must be one of {', '.join(map(repr, known))}; got {echoed(given)}.")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
