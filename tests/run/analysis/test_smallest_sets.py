"""All smallest sets are found, compared with a look at every set."""

from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from p2ce.run.analysis.smallest_sets import Smallest, smallest_of, smallest_sets

ELEMENTS = 6


def subsets(elements: frozenset[int]) -> list[frozenset[int]]:
    listed = sorted(elements)
    sizes = range(len(listed) + 1)
    return [frozenset(some) for some in chain.from_iterable(combinations(listed, size) for size in sizes)]


sets = st.frozensets(st.integers(0, ELEMENTS - 1))


class Puzzle:
    """Which sets open: those that hold, of the plain elements, one of what their odd elements need."""

    def __init__(self, plain: frozenset[int], enough: dict[frozenset[int], list[frozenset[int]]]) -> None:
        self.plain = plain
        self.odd = frozenset(range(ELEMENTS)) - plain
        self.enough = enough
        self.tried: list[frozenset[int]] = []

    def opens(self, some: frozenset[int]) -> bool:
        return any(one & self.plain <= some for one in self.enough.get(some & self.odd, ()) if some)

    def smallest(self) -> set[frozenset[int]]:
        return set(smallest_of(some for some in subsets(self.plain | self.odd) if self.opens(some)))

    def find(
        self,
        unknown: frozenset[frozenset[int]] = frozenset(),
        missed: frozenset[frozenset[int]] = frozenset(),
        most: int = 10_000,
    ) -> Smallest:
        def ask(some: frozenset[int], again: bool) -> bool | None:
            assert (some in self.tried) == again
            self.tried.append(some)
            return None if some in unknown else self.opens(some)

        return smallest_sets(
            self.plain,
            self.odd,
            ask=ask,
            is_no=lambda some: not self.opens(some) and some not in missed,
            is_over=lambda: len(self.tried) >= most,
        )


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    plain = draw(sets)
    odd = frozenset(range(ELEMENTS)) - plain
    enough = {
        some: draw(st.lists(sets.map(lambda one: one & plain), max_size=3)) for some in subsets(odd)[:8]
    }
    # The empty set never opens.
    enough[frozenset()] = [one for one in enough[frozenset()] if one]
    return Puzzle(plain, enough)


@given(puzzle=puzzles(), missed=st.frozensets(sets, max_size=6))
def test_exactly_the_smallest_sets_are_found(puzzle: Puzzle, missed: frozenset[frozenset[int]]) -> None:
    found, unsettled = puzzle.find(missed=missed)
    assert set(found) == puzzle.smallest()
    assert len(found) == len(set(found))
    assert not unsettled


@given(puzzle=puzzles(), unknown=st.frozensets(sets, max_size=12), most=st.integers(0, 12))
def test_what_is_not_known_is_said(puzzle: Puzzle, unknown: frozenset[frozenset[int]], most: int) -> None:
    found, unsettled = puzzle.find(unknown=unknown, most=most)
    assert all(puzzle.opens(some) for some in found)
    for some in found:
        if not any(part < some for part in unsettled):
            assert some in puzzle.smallest()
    for some in puzzle.smallest():
        assert some in found or any(part <= some for part in unsettled)


def test_one_that_could_not_be_settled_is_tried_once_more_at_the_end() -> None:
    tried = []

    def ask(some: frozenset[int], again: bool) -> bool | None:
        tried.append((sorted(some), again))
        return None if some == {0} and not again else 1 in some or some == {0}

    found, unsettled = smallest_sets(
        frozenset(range(3)), ask=ask, is_no=lambda some: some == {2}, is_over=lambda: False
    )
    assert tried == [([0], False), ([1], False), ([0], True)]
    assert set(found) == {frozenset({0}), frozenset({1})}
    assert not unsettled
