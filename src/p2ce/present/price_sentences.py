"""Write what the plausibility requirement costs, for officers and auditors."""

from collections.abc import Mapping

import numpy as np

from p2ce.base.comparing import quanta
from p2ce.present.wording import Wording
from p2ce.result import Explanation, PriceOfPlausibility


def price_sentences(explanation: Explanation, wording: Wording) -> list[str]:
    """Compare the least costs with and without the requirement; nothing if there is no option in either case.

    A cost that is not proven to be the least is called the least found so far.
    """
    price = explanation.price_of_plausibility
    if price is None or price.without_plausibility is None:
        return []
    if price.with_plausibility is None:
        key = "price_alone" if price.without_proven else "price_alone_found"
        return [wording.say(key, without=_costs(explanation, price.without_plausibility, wording))]
    if _is_free(price):
        return [wording.say("price_free" if price.without_proven else "price_free_so_far")]
    sides = (
        "price_without" if price.without_proven else "price_without_found",
        "price_with" if price.with_proven else "price_with_found",
    )
    first, second = (
        wording.say(key, costs=_costs(explanation, costs, wording))
        for key, costs in zip(sides, (price.without_plausibility, price.with_plausibility), strict=True)
    )
    return [wording.say("price", without=first, required=second)]


def price_facts(explanation: Explanation, wording: Wording) -> dict[str, str]:
    """List both costs in full digits, for the facts of an auditor."""
    price = explanation.price_of_plausibility
    if price is None:
        return {}
    sides = {
        "with_plausibility": (price.with_plausibility, price.with_proven),
        "without_plausibility": (price.without_plausibility, price.without_proven),
    }
    return {name: _fact(explanation, costs, proven, wording) for name, (costs, proven) in sides.items()}


def _fact(explanation: Explanation, costs: Mapping[str, float] | None, proven: bool, wording: Wording) -> str:
    held = {} if costs is None else costs
    known = {name: held[name] for name in explanation.objectives if name in held}
    text = "; ".join(f"{name} {wording.full(cost)}" for name, cost in known.items()) or wording.say("none")
    return text if proven else wording.say("price_unproven", text=text)


def _is_free(price: PriceOfPlausibility) -> bool:
    """Return whether no cost differs, as the search compares costs."""
    more, less = price.with_plausibility or {}, price.without_plausibility or {}
    pairs = np.array([(cost, less.get(name, 0.0)) for name, cost in more.items()], dtype=np.float64)
    return bool((quanta(pairs[:, 0]) == quanta(pairs[:, 1])).all())


def _costs(explanation: Explanation, costs: Mapping[str, float], wording: Wording) -> str:
    return wording.listed(
        [
            wording.say("cost_of", objective=wording.objective(name), cost=wording.numbers.cost(costs[name]))
            for name in explanation.objectives
            if name in costs
        ]
    )
