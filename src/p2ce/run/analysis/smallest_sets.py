"""Find all minimal sets that have a property."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, TypeAlias

Set: TypeAlias = frozenset[int]

MOST_TRIES = 2


class Smallest(NamedTuple):
    """What is known when the search for sets ends."""

    found: tuple[Set, ...]  # each has a yes; every proper part without unsettled sets in it has a no
    unsettled: tuple[Set, ...]  # the smallest sets for which the result is not known


@dataclass(slots=True)
class _Layer:
    """The sets that share their odd elements. Among them, more elements never turn a yes into a no.

    A set with a yes is not part of any set with a no, so it has an element outside each of these. The
    candidates are the smallest sets with this property. Every proper part of them is part of a set with a no.
    """

    odd: Set
    plain: Set
    candidates: tuple[Set, ...] = (frozenset(),)  # without the odd elements

    def rule_out(self, no: Set) -> None:
        """Record a set with a no."""
        outside = self.plain - no
        kept = [one for one in self.candidates if one & outside]
        missed = [one for one in self.candidates if not one & outside]
        self.candidates = smallest_of([*kept, *(one | {other} for one in missed for other in outside)])


def smallest_sets(
    plain: Set,
    odd: Set = frozenset(),
    *,
    ask: Callable[[Set, bool], bool | None],
    is_no: Callable[[Set], bool],
    is_over: Callable[[], bool],
) -> Smallest:
    """Find every set of elements with a yes of which no proper part has a yes.

    More ``plain`` elements never turn a yes into a no; ``odd`` ones may. The empty set is known to have a no.
    ``ask`` decides for a set, or returns None if it cannot. Then it may be called once more, after all others
    are decided, as its second argument says. ``is_no`` may miss a no and so be quicker: it only saves calls.
    Small sets come first. ``is_over`` ends the search. Elements are numbered so that the first ones make the
    record hardest.

    >>> def enough(chosen):
    ...     return {0, 1} <= chosen or 3 in chosen
    >>> smallest_sets(
    ...     frozenset(range(5)), ask=lambda chosen, again: enough(chosen),
    ...     is_no=lambda chosen: not enough(chosen), is_over=lambda: False,
    ... ).found
    (frozenset({3}), frozenset({0, 1}))
    """
    found: list[Set] = []
    tries: dict[Set, int] = {}
    layers = [_Layer(frozenset(), plain)]
    layers[0].rule_out(_widened(layers[0], frozenset(), is_no))
    opened = 0  # layers with so many odd elements exist
    while not is_over():
        waiting = [
            (tries.get(whole, 0), len(whole), sorted(whole), whole, layer)
            for whole, layer in _candidates(layers, found)
            if tries.get(whole, 0) < MOST_TRIES
        ]
        if opened < len(odd) and all(tried or size > opened for tried, size, *_ in waiting):
            opened += 1
            layers += [_Layer(frozenset(some), plain) for some in combinations(sorted(odd), opened)]
            continue
        if not waiting:
            break
        tried, _, _, whole, layer = min(waiting)
        found_yes = ask(whole, tried > 0)
        if found_yes is None:
            tries[whole] = tried + 1
        elif found_yes:
            found.append(whole)
        else:
            layer.rule_out(_widened(layer, whole - layer.odd, is_no))
    layers += [_Layer(frozenset(some), plain) for some in combinations(sorted(odd), opened + 1)]
    left = [whole for whole, _ in _candidates(layers, found)]
    # A set that was settled late may be part of one that was found before.
    return Smallest(smallest_of(found), smallest_of(left))


def smallest_of(sets: Iterable[Set]) -> tuple[Set, ...]:
    """Drop every set that contains another one, and put small sets first."""
    kept: list[Set] = []
    for one in sorted(set(sets), key=lambda one: (len(one), sorted(one))):
        if not any(smaller <= one for smaller in kept):
            kept.append(one)
    return tuple(kept)


def _candidates(layers: Iterable[_Layer], found: Iterable[Set]) -> list[tuple[Set, _Layer]]:
    """List the sets that may still be a smallest set."""
    wholes = [(chosen | layer.odd, layer) for layer in layers for chosen in layer.candidates]
    return [(whole, layer) for whole, layer in wholes if not any(smaller <= whole for smaller in found)]


def _widened(layer: _Layer, no: Set, is_no: Callable[[Set], bool]) -> Set:
    """Add all elements to a set with a no that leave it a no: all at once if possible, else half by half."""

    def add(some: list[int], no: Set) -> Set:
        if not some or is_no(layer.odd | no | set(some)):
            return no | set(some)
        middle = len(some) // 2
        return no if not middle else add(some[middle:], add(some[:middle], no))

    # The last ones first: the caller puts first the elements that make the record hardest.
    return add(sorted(layer.plain - no, reverse=True), no)
