"""Choose a few options of a large front that differ well, each with a reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.comparing import quanta, rounded
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.rendered import rendered

if TYPE_CHECKING:
    from p2ce.result.explanation import Explanation

CHANGES = "changes"
BALANCED = "balanced"
DIFFERENT = "different"
ONLY = "only"
WEIGHTS = "weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A chosen option, and why it was chosen.

    `reasons` holds one or more of these:

    * the name of an objective in which no other option is better
    * "changes": no other option has fewer changes, even if changes are not an objective
    * "balanced": closest to the best value in all objectives at once, and the worst in none
    * "different": farthest from the options chosen before
    * "only": there is no other option
    * "weights": its weighted sum of costs is among the lowest
    """

    counterfactual: Counterfactual
    reasons: tuple[str, ...]

    @property
    def number(self) -> int:
        """The option's number in the explanation."""
        return self.counterfactual.number

    @property
    def why(self) -> str:
        """The reasons in English."""
        return rendered("pick_text", self)


def strengths(explanation: "Explanation") -> list[tuple[str, ...]]:
    """Return, for each option, the objectives in which no other option is better.

    A strength that all options share is left out. Costs are compared as the search compares them. If options
    are not listed, only the fewest changes are known to be among the listed ones: `pick` begins with them.
    """
    found: list[list[str]] = [[] for _ in explanation]
    if len(explanation) < 2:
        return [() for _ in found]
    for objective in explanation.objectives:
        if explanation.unlisted and objective != CHANGES:
            continue
        costs = quanta(np.array([option.costs[objective] for option in explanation], dtype=np.float64))
        if costs.min() == costs.max():
            continue
        for mine, cost in zip(found, costs, strict=True):
            if cost == costs.min():
                mine.append(objective)
    return [tuple(mine) for mine in found]


def pick(
    explanation: "Explanation", count: int, weights: Mapping[str, float] | None = None
) -> tuple[Pick, ...]:
    """Choose the option with the fewest changes, the best in each objective, the balanced one, then others.

    The others are the options farthest from those already chosen. With weights, choose the options with the
    lowest weighted sums instead. Each objective is scaled to its range on this front, so no unit weighs more
    than another. The picks are in the order of the explanation, or of the sums.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidArgument(f"pick() expects a whole number of options, at least 1; got {echoed(count)}.")
    if not len(explanation):
        return ()
    scaled = scaled_costs(explanation)
    best = strengths(explanation)
    if weights is not None:
        sums = quanta((scaled * _checked_weights(explanation, weights)).sum(axis=1))
        order = np.argsort(sums, kind="stable")[:count].tolist()  # ties in the order of the explanation
        return tuple(Pick(counterfactual=explanation[at], reasons=(*best[at], WEIGHTS)) for at in order)
    fewest, balanced = _fewest_changes(explanation, scaled), _balanced(scaled)
    order = _in_order_of_choice(scaled, best, explanation.objectives, count, fewest, balanced)
    chosen = sorted(order[:count])
    picks = []
    for place in chosen:
        reasons = [*best[place]]
        if place == fewest and CHANGES not in reasons:
            reasons.append(CHANGES)
        has_all = not explanation.unlisted
        if has_all and place == balanced and len(explanation) > 1 and (scaled[place] < 1.0).all():
            reasons.append(BALANCED)
        if not reasons:
            reasons.append(ONLY if len(explanation) == 1 and has_all else DIFFERENT)
        picks.append(Pick(counterfactual=explanation[place], reasons=tuple(reasons)))
    return tuple(picks)


def _checked_weights(explanation: "Explanation", weights: object) -> FloatArray:
    """Return a weight for each objective. Raise if they do not fit the explanation."""
    if not isinstance(weights, Mapping) or not weights:
        raise InvalidArgument(
            f"pick() expects weights= as a dict of objective → weight, got {echoed(weights)}. "
            f"Write weights={{{echoed(explanation.objectives[0])}: 1}}."
        )
    for name, weight in weights.items():
        if name not in explanation.objectives:
            raise InvalidArgument(
                f"weights= of pick() names {echoed(name)}, but the objectives are "
                f"{list(explanation.objectives)}. {nearest(name, explanation.objectives)}"
            )
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight < np.inf:
            raise InvalidArgument(
                f"weights= of pick() expects numbers of 0 or more, got {echoed(weight)} for {echoed(name)}."
            )
    found = np.array([weights.get(name, 0.0) for name in explanation.objectives], dtype=np.float64)
    if not found.any():
        raise InvalidArgument("weights= of pick() are all 0. Give at least one objective a weight above 0.")
    scaled: FloatArray = found / found.max()  # huge weights would leave the sums no digits
    return scaled


def scaled_costs(explanation: "Explanation") -> FloatArray:
    """Return the costs (options, objectives), scaled to the range of each objective on this front."""
    costs = rounded(
        np.array([[option.costs[name] for name in explanation.objectives] for option in explanation], float)
    )
    with np.errstate(invalid="ignore", over="ignore"):  # for infinite costs, which no search returns
        low, high = costs.min(axis=0), costs.max(axis=0)
        scaled: FloatArray = (costs - low) / np.where(high > low, high - low, 1.0)
    return np.nan_to_num(scaled, nan=1.0, posinf=1.0, neginf=0.0)


def number_of_changes(option: Counterfactual) -> float:
    """Count the changes of an option, as the objective "changes" does if it is used."""
    return option.costs.get(CHANGES, float(len(option.changes)))


def _fewest_changes(explanation: "Explanation", scaled: FloatArray) -> int | None:
    """Find the option with the fewest changes, or of several the closest to the ideal; None if all tie."""
    counts = [number_of_changes(option) for option in explanation]
    if min(counts) == max(counts):
        return None
    far = _from_ideal(scaled)
    return min(range(len(counts)), key=lambda place: (counts[place], far[place], place))


def _balanced(scaled: FloatArray) -> int:
    """Find the option closest to the ideal, preferring those that are the worst in no objective."""
    worst = (scaled >= 1.0).any(axis=1)
    return int(np.where(worst & ~worst.all(), np.inf, _from_ideal(scaled)).argmin())


def _from_ideal(scaled: FloatArray) -> FloatArray:
    """Compute each option's distance from the ideal, which has the lowest cost in every objective."""
    far: FloatArray = np.linalg.norm(scaled, axis=1)
    return far


def _in_order_of_choice(
    scaled: FloatArray,
    best: Sequence[tuple[str, ...]],
    objectives: Sequence[str],
    count: int,
    fewest: int | None,
    balanced: int,
) -> list[int]:
    """List at least ``count`` options in the order they are chosen. Ties go to the earlier option."""
    far = _from_ideal(scaled)
    order = [] if fewest is None else [fewest]
    for objective in objectives:
        extremes = [place for place, mine in enumerate(best) if objective in mine]
        if extremes and not any(place in order for place in extremes):
            order.append(min(extremes, key=lambda place: (far[place], place)))
    if balanced not in order:
        order.append(balanced)
    gap = np.min([np.linalg.norm(scaled - scaled[place], axis=1) for place in order], axis=0)
    while len(order) < min(count, len(scaled)):
        gap[order] = -1.0
        order.append(int(gap.argmax()))
        gap = np.minimum(gap, np.linalg.norm(scaled - scaled[order[-1]], axis=1))
    return order
