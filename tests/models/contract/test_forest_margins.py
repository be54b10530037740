"""Are margins over trees, and their differences, the sums that they should be?"""

import numpy as np
import pytest

from p2ce.engine.scores.score import score_rows
from p2ce.engine.scores.trees.forest import NO_TREES
from p2ce.engine.scores.trees.tree_nodes import TreeNodes
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins, forest_of


def stump(column: int, cut: float, low: float, high: float) -> TreeNodes:
    return TreeNodes(
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        feature=np.array([column, 0, 0]),
        threshold=np.array([cut, 0.0, 0.0]),
        value=np.array([0.0, low, high]),
    )


def margins(*found: ForestMargin, share_trees: bool = False) -> ForestMargins:
    return ForestMargins(
        columns=("a", "b"),
        count=len(found),
        parse=lambda place: found[place],
        precision=1e-12,
        share_trees=share_trees,
    )


def test_a_margin_without_trees_is_its_offset() -> None:
    both = margins(
        ForestMargin(forest=NO_TREES, offset=2.0), ForestMargin(forest=NO_TREES, offset=0.5, error=0.25)
    )
    band = both.band(0, 1)
    score = both.score(0, 1, limits=(band, -band))
    assert score_rows(score, np.array([[-np.inf, 1.0]])).tolist() == [1.5]
    assert score.accept_from == pytest.approx(0.25)


@pytest.mark.parametrize("share_trees", [False, True])
def test_differences_are_those_of_the_margins(share_trees: bool) -> None:
    first = ForestMargin(forest=forest_of([stump(0, 1.0, 0.5, 2.0), stump(1, 0.0, -1.0, 4.0)]), offset=0.25)
    other = ForestMargin(forest=forest_of([stump(0, 1.0, 3.0, 1.0), stump(1, 0.0, 2.0, 0.0)]))
    both = margins(first, other, share_trees=share_trees)
    rows = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 5e-324], [3.0, 7.0]])
    values = [score_rows(both.score(place, limits=(0.0, 0.0)), rows) for place in (0, 1)]
    assert score_rows(both.score(0, 1, limits=(0.0, 0.0)), rows).tolist() == (values[0] - values[1]).tolist()
    turned = both.score(0, sign=-1.0, limits=(0.0, 0.0))
    assert score_rows(turned, rows).tolist() == (-values[0]).tolist()
    trees = both.score(0, 1, limits=(0.0, 0.0)).forest
    assert trees is not None
    assert trees.tree_count == (2 if share_trees else 4)


def test_a_margin_is_parsed_once_and_only_if_it_is_needed() -> None:
    parsed: list[int] = []

    def parse(place: int) -> ForestMargin:
        parsed.append(place)
        return ForestMargin(forest=NO_TREES)

    lazy = ForestMargins(columns=("a",), count=3, parse=parse, precision=1e-12)
    lazy.score(1, limits=(0.0, 0.0))
    lazy.band(1)
    assert parsed == [1]
