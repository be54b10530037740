"""Define the price of plausibility, for one person and for a sample of rejected people."""

from collections.abc import Mapping
from dataclasses import dataclass

from p2ce.tables.json_values import Count, Number


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceOfPlausibility:
    """The lowest cost in each objective, with and without the plausibility requirement.

    Each objective is considered by itself. Costs are those of the cheapest option found, or None if none was
    found. ``with_proven`` and ``without_proven`` say whether this is proven: no combination on the grid costs
    less. If it is not proven, a cheaper option may exist.

    >>> price = PriceOfPlausibility(
    ...     with_plausibility={"changes": 2.0}, with_proven=True,
    ...     without_plausibility={"changes": 1.0}, without_proven=False,
    ... )
    >>> price.ratio
    {'changes': 2.0}
    """

    with_plausibility: dict[str, Number] | None
    with_proven: bool
    without_plausibility: dict[str, Number] | None  # never more than with it
    without_proven: bool

    @property
    def ratio(self) -> dict[str, float]:
        """The cost with the requirement divided by the cost without it, for each objective.

        The ratio is exact if both costs are proven. If only the cost with the requirement is proven, the true
        ratio is at least this. If only the cost without it is proven, the true ratio is at most this. An
        objective that costs nothing without the requirement has no ratio.
        """
        more, less = self.with_plausibility or {}, self.without_plausibility or {}
        return {name: more[name] / less[name] for name in more if less.get(name, 0.0) > 0.0}

    @property
    def leaves_no_option(self) -> bool:
        """Whether the person provably has an option only without the requirement."""
        return self.with_plausibility is None and self.with_proven and self.without_plausibility is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPrice:
    """What the plausibility requirement costs, on a sample of rejected people of the reference."""

    people: Count  # in the sample
    left_without: Count  # people with an option, but provably no plausible one
    undecided: Count  # people for whom this is not known
    compared: Count  # people whose lowest costs, with and without the requirement, are both proven
    median_ratio: Mapping[str, float]  # objective → the median ratio of these two costs
