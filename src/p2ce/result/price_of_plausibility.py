"""Hold what the requirement of plausibility costs: of one person, and of a sample of rejected people."""

from collections.abc import Mapping
from dataclasses import dataclass

from p2ce.tables.json_values import Count, Number


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceOfPlausibility:
    """The least cost in each objective, with the requirement of plausibility and without it.

    Costs are those of the cheapest options that were found, each objective by itself; None where no option
    was found. ``with_proven`` and ``without_proven`` say whether that is proven: no combination on the grid
    costs less, or there is none. Otherwise there may be a cheaper one.

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
        """How many times as much an option costs with the requirement, in each objective.

        It is exact where both costs are proven, at least this where only ``with_proven`` is, and at most
        this where only ``without_proven`` is. An objective that costs nothing without it has no ratio.
        """
        more, less = self.with_plausibility or {}, self.without_plausibility or {}
        return {name: more[name] / less[name] for name in more if less.get(name, 0.0) > 0.0}

    @property
    def leaves_no_option(self) -> bool:
        """Whether it is proven that the person has an option only without the requirement."""
        return self.with_plausibility is None and self.with_proven and self.without_plausibility is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPrice:
    """What the requirement of plausibility costs a sample of rejected people of the reference."""

    people: Count
    left_without: Count  # have an option, but provably no plausible one
    undecided: Count  # of whom that is not known
    compared: Count  # both of whose cheapest costs are proven
    median_ratio: Mapping[str, float]  # objective → how many times as much those pay, in the median
