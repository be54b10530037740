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

    ``personal`` also looks at each single change of the person: its attribution with the person as the
    background. Each costs one evaluation, of a cell that the search would evaluate anyway, and prunes
    several times more than attributions from other people's rows alone.

    ``miss_rate`` is the share of people, between 0 and 1, whose front may come out wrong; the estimate is
    widened until it holds on at most ``people`` rejected people of the reference. Their true fronts are
    searched for with at most ``evaluations`` of the model in all, so that the same people are calibrated on
    whatever the machine; ``seconds`` is a limit of your own beside it, and a warning says when it cut.
    ``background`` rows stand for "feature unknown", ``rows`` are those in which each candidate value is
    planted to see its attribution.

    >>> ShapEstimate(miss_rate=0.05).explainer
    'auto'
    """

    explainer: str = "auto"
    personal: bool = True
    miss_rate: float = 0.01
    people: int = 199
    background: int = 16
    rows: int = 3
    evaluations: int = 4_000_000  # two minutes or so of a model that takes 30 microseconds a row
    seconds: float | None = None
    random_state: int | None = None

    def __post_init__(self) -> None:
        _check_name("explainer", self.explainer, EXPLAINERS)
        if not isinstance(self.personal, bool | np.bool_):
            raise InvalidArgument(f"personal must be True or False; got {echoed(self.personal)}.")
        if not _is_number(self.miss_rate) or not 0.0 < self.miss_rate < 1.0:
            raise InvalidArgument(
                "miss_rate is the share of people whose front may come out wrong, above 0 and below 1 (0.01 "
                f"is one in a hundred); got {echoed(self.miss_rate)}. "
                "For results with proof, pass bound=None."
            )
        check_count("people", self.people, "people to calibrate on")
        check_count("background", self.background, "background rows")
        check_count("rows", self.rows, "rows per candidate value")
        check_count("evaluations", self.evaluations, "evaluations of the model")
        if self.seconds is not None and (not _is_number(self.seconds) or not self.seconds > 0.0):
            raise InvalidArgument(
                "seconds is the longest that calibration may take, above 0, or None for no such limit; "
                f"got {echoed(self.seconds)}."
            )
        check_seed(self.random_state)


def _check_name(option: str, given: object, known: tuple[str, ...]) -> None:
    if not isinstance(given, str) or given not in known:
        raise InvalidArgument(f"{option} is one of {', '.join(map(repr, known))}; got {echoed(given)}.")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
