"""Define the metrics of an audit, the people they are based on, and whether low or high is good."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Base: TypeAlias = Literal["explained", "rejected", "with_recourse"]
HALF = 0.5
MetricKind: TypeAlias = Literal["rate", "quantile", "burden"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure of a group."""

    name: str
    kind: MetricKind
    base: Base  # the people in its denominator; it is hidden if they are fewer than `min_size`
    numerator: str = ""  # of a rate: the count
    is_open: bool = False  # of a rate: whether people with unfinished searches may belong to the numerator
    objective: str = ""  # of costs
    quantile: float = HALF  # of costs
    best: Literal["low", "high", ""] = "low"  # which end is best; "" if groups are not compared

    @property
    def is_median(self) -> bool:
        """Whether it is the median of costs."""
        return self.kind == "quantile" and self.quantile == HALF


RATES = (
    Metric(name="rejection_rate", kind="rate", base="explained", numerator="rejected"),
    Metric(
        name="recourse_rate",
        kind="rate",
        base="rejected",
        numerator="with_recourse",
        is_open=True,
        best="high",
    ),
    Metric(name="no_recourse_rate", kind="rate", base="rejected", numerator="no_recourse", is_open=True),
    Metric(name="unfinished_rate", kind="rate", base="rejected", numerator="unfinished", best=""),
)
QUARTILES = (("lower_quartile", 0.25, False), ("median", HALF, True), ("upper_quartile", 0.75, False))


def metrics_of(objectives: Sequence[str]) -> tuple[Metric, ...]:
    """List all metrics of an audit: rates, then the costs of the cheapest options and the burden.

    >>> [metric.name for metric in metrics_of(["changes"])][-2:]
    ['upper_quartile_changes', 'burden_changes']
    """
    costs = [
        metric
        for objective in objectives
        for metric in (
            *(
                Metric(
                    name=f"{name}_{objective}",
                    kind="quantile",
                    base="with_recourse",
                    objective=objective,
                    quantile=quantile,
                    best="low" if compared else "",
                )
                for name, quantile, compared in QUARTILES
            ),
            # The rejection rate × the median cost.
            Metric(name=f"burden_{objective}", kind="burden", base="with_recourse", objective=objective),
        )
    ]
    return (*RATES, *costs)
