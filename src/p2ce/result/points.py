"""Show scores in points of a scorecard: what people see instead of a probability or a decision value."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.tables.json_values import Number

MOST_DECIMALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Points of a scorecard: ``base + pdo / ln 2 · (ln(odds of good) - ln(odds))``.

    Points only change what people see. The search and the proof use the model's own number.

    The odds are those of the favourable outcome. With `at_least`, this is the target; with `at_most`, it is
    what the target is not. Decision values are taken as log-odds of the target. A probability of 0 or 1 has
    infinite points.

    Args:
        base: The points at the stated odds.
        odds: The odds of good to bad at which the points are `base`.
        pdo: The points that double the odds.
        round: How many decimals texts show. A text shows more where a rejected score would otherwise seem to
            reach the threshold.

    >>> card = Points(base=600, odds=50, pdo=20)
    >>> card.of(1 / 51, scale="probability", rises=False)
    600.0
    """

    base: float = 600.0
    odds: float = 50.0
    pdo: float = 20.0
    round: int = 0

    def __post_init__(self) -> None:
        for name in ("base", "odds", "pdo"):
            given: Any = getattr(self, name)
            is_number = isinstance(given, int | float) and not isinstance(given, bool)
            if not is_number or not math.isfinite(given) or (name != "base" and given <= 0):
                wanted = "a number" if name == "base" else "a number above 0"
                raise InvalidArgument(f"{name} of Points must be {wanted}; got {echoed(given)}.")
        decimals: object = self.round
        if type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS:
            raise InvalidArgument(
                f"round of Points is a number of decimals from 0 to {MOST_DECIMALS}; got {echoed(decimals)}."
            )

    def of(self, number: float, *, scale: str, rises: bool) -> float:
        """Convert a probability or log-odds of the target; ``rises`` says whether the target is good."""
        if scale == "probability":
            if not 0.0 < number < 1.0:
                log_odds = math.inf if number > 0.5 else -math.inf
            else:
                log_odds = math.log(number) - math.log1p(-number)
        else:
            log_odds = number
        good = log_odds if rises else -log_odds
        return self.base + self.pdo / math.log(2.0) * (good - math.log(self.odds))


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonPoints:
    """The points of a person, and what they must be. `Counterfactual.points` has those of an option."""

    person: Number | None = None  # None if the person could not be scored
    at_least: Number | None = None  # what the points must be at least, with the margin; or else:
    at_most: Number | None = None  # what they must be at most
    # How many decimals are shown; None for about four digits.
    decimals: Annotated[int, Meta(ge=0, le=MOST_DECIMALS)] | None = None

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise InvalidArgument(
                f"Points must be at_least or at_most so many; got at_least={echoed(self.at_least)}, "
                f"at_most={echoed(self.at_most)}. Pass one of them."
            )

    @property
    def limit(self) -> float:
        """The points that must be reached, or not exceeded."""
        limit = self.at_least if self.at_most is None else self.at_most
        assert limit is not None, "one of the two is stated"
        return limit
