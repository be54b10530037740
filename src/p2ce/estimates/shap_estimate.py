"""State how the SHAP estimate is made and how often it may miss."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from p2ce.errors import InvalidArgument
from p2ce.visible import echoed
from p2ce.whole_numbers import check_count, check_seed

EXPLAINERS = ("auto", "sampling", "tree", "deep", "permutation", "kernel", "exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapEstimate:
    """The paper's SHAP estimate, repaired and calibrated, to prune the search of a black-box model.

    ``explainer`` computes the attributions φ. "sampling" is our own: permutations of the features, each
    walked in both directions, all rows in one call of the model. "tree" and "deep" look into trees and
    networks that are supported natively, and evaluate nothing. "permutation", "kernel" and "exact" are those
    of the shap package. "auto" is "tree" or "deep" where the model is of that kind, else "sampling".

    ``single_changes`` also attributes each single change of an instance, with the instance as the background.
    Each costs one evaluation, of a cell that the search would evaluate anyway, and prunes several times more
    than attributions from other rows alone.

    ``miss_rate`` is the share of people, between 0 and 1, whose front may come out wrong; the estimate is
    widened until it holds on at most ``sample_size`` rejected people of the reference. Finding their true
    fronts takes at most ``max_evaluations`` of the model in all, so the sample is the same on every machine.
    ``time_limit`` in seconds may cut it shorter, and a warning says so. ``background`` rows stand for
    "feature unknown". Each candidate value is tried in ``rows_per_candidate`` rows to see its attribution.

    >>> ShapEstimate(miss_rate=0.05).explainer
    'auto'
    """

    explainer: str = "auto"
    single_changes: bool = True
    miss_rate: float = 0.01
    sample_size: int = 199
    background: int = 16
    rows_per_candidate: int = 3
    max_evaluations: int = 4_000_000  # two minutes or so of a model that takes 30 microseconds a row
    time_limit: float | None = None
    random_state: int | None = None

    def __post_init__(self) -> None:
        _check_name("explainer", self.explainer, EXPLAINERS)
        if not isinstance(self.single_changes, bool | np.bool_):
            raise InvalidArgument(f"single_changes must be True or False; got {echoed(self.single_changes)}.")
        if not _is_number(self.miss_rate) or not 0.0 < self.miss_rate < 1.0:
            raise InvalidArgument(
                "miss_rate is the share of people whose front may come out wrong, above 0 and below 1 (0.01 "
                f"is one in a hundred); got {echoed(self.miss_rate)}. "
                "For results with proof, pass bound=None."
            )
        check_count("sample_size", self.sample_size, "people to calibrate on")
        check_count("background", self.background, "background rows")
        check_count("rows_per_candidate", self.rows_per_candidate, "rows per candidate value")
        check_count("max_evaluations", self.max_evaluations, "evaluations of the model")
        if self.time_limit is not None and (not _is_number(self.time_limit) or not self.time_limit > 0.0):
            raise InvalidArgument(
                "time_limit is the most seconds that calibration may take, above 0, or None for no limit; "
                f"got {echoed(self.time_limit)}."
            )
        check_seed(self.random_state)


def _check_name(option: str, given: object, known: tuple[str, ...]) -> None:
    if not isinstance(given, str) or given not in known:
        raise InvalidArgument(f"{option} is one of {', '.join(map(repr, known))}; got {echoed(given)}.")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
