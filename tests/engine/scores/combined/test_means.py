"""Law: means and differences of forests decide as the numbers that a library computes from its members."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.combined.combination import Combination, Ends, only, through
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.combined.means import difference_of, joined_forests, mean_of
from p2ce.engine.scores.score import FlatScore, score_rows
from p2ce.engine.scores.trees.forest import Forest
from tests.engine.scores.combined.test_combined_score import a_sum, random_tree
from tests.populations.small_scores import flat, forest
from tests.properties.amount import examples

seeds = st.integers(0, 10_000)


def member(rng: np.random.Generator, *, coarse: bool = False, trees: int = 1) -> Combination:
    """Make the number of a member: a mean over its trees, exact for one tree."""
    part = flat(4, forest=forest(*(random_tree(rng) for _ in range(trees))))
    assert part.forest is not None
    if coarse:
        part = replace(part, forest=replace(part.forest, value=np.rint(part.forest.value)))

    def mean(values: np.ndarray) -> Ends:
        return values[:, 0] / trees, values[:, 0] / trees

    error = 0.0 if trees == 1 else 1e-14
    return Combination(parts=(part,), reported=mean, slope=1.0 / trees, error=error)


def rows_of(rng: np.random.Generator) -> np.ndarray:
    return rng.choice([-1.0, -0.5, 0.0, 0.1, 0.5, 0.75, 1.0, 2.0, 3.0], (60, 4))


def values_of(number: Combination, rows: np.ndarray) -> np.ndarray:
    """Compute what a library reports for rows, by the slow twin of its parts."""
    return number.reported(np.column_stack([score_rows(part, rows) for part in number.parts]))[0]  # type: ignore[arg-type]


@examples(60)
@given(seed=seeds, weighted=st.booleans(), coarse=st.booleans(), trees=st.sampled_from([1, 3]))
def test_a_mean_of_forests_is_one_forest_within_its_error(
    seed: int, weighted: bool, coarse: bool, trees: int
) -> None:
    rng = np.random.default_rng(seed)
    members = [member(rng, coarse=coarse, trees=trees) for _ in range(4)]
    weights = rng.uniform(0.1, 3.0, 4).tolist() if weighted else None
    number = mean_of(members, weights=weights)
    (part,) = number.parts
    assert isinstance(part, FlatScore)
    rows = rows_of(rng)
    own = np.average(np.array([values_of(one, rows) for one in members]), axis=0, weights=weights)
    value = score_rows(part, rows)
    low, high = number.reported(value[:, None])
    assert ((low <= own) & (own <= high)).all()
    assert float((high - low).max()) < 1e-12
    assert (np.abs(own - (number.slope or 0.0) * value) <= number.error + 1e-15).all()
    if coarse and not weighted and trees == 1:
        assert (low == high).all()


@examples(40)
@given(seed=seeds, coarse=st.booleans())
def test_the_sign_of_a_difference_is_that_of_the_two_numbers(seed: int, coarse: bool) -> None:
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng) for _ in range(3)]
    both = []
    for _ in range(2):  # two classes share their splits, as in a forest
        members = []
        for one in trees:
            part = flat(4, forest=forest(one))
            assert part.forest is not None
            value = np.where(part.forest.feature < 0, rng.integers(0, 3, len(part.forest.value)), 0.0)
            value = value if coarse else value * 0.1
            members.append(
                replace(member(rng), parts=(replace(part, forest=replace(part.forest, value=value)),))
            )
        both.append(mean_of(members))
    rows = rows_of(rng)
    own = values_of(both[0], rows) - values_of(both[1], rows)
    number = difference_of(*both)
    (part,) = number.parts
    assert isinstance(part, FlatScore)
    assert part.forest is not None
    assert part.forest.tree_count == 3
    low, high = number.reported(score_rows(part, rows)[:, None])
    if coarse:
        assert (np.sign(low) == np.sign(own)).all()
        assert (np.sign(high) == np.sign(own)).all()
    else:
        assert (low[own < 0] < 0).all()
        assert (high[own > 0] > 0).all()
        assert ((low <= 0) & (high >= 0))[own == 0].all()


def test_what_are_no_multiples_of_forests_stays_combined() -> None:
    rng = np.random.default_rng(0)
    linked = through(member(rng), lambda values: (np.tanh(values), np.tanh(values)))
    for other in (linked, only(a_sum(rng))):
        assert len(mean_of([member(rng), other]).parts) == 2
        assert len(difference_of(member(rng), other).parts) == 2
    narrow = member(rng)
    seen = replace(narrow, parts=(replace(narrow.parts[0], see=lambda rows: rows + 0.0),))
    assert len(mean_of([member(rng), seen]).parts) == 2


def test_single_precision_widens_the_mean() -> None:
    rng = np.random.default_rng(1)
    members = [member(rng), only(a_sum(rng))]
    values = rng.normal(size=(50, 2))
    low, high = mean_of(members, unit=2.0**-24).reported(values)
    narrow = values.astype(np.float32).mean(axis=1, dtype=np.float32)
    exact = values.astype(np.float32).astype(np.float64)
    low, high = mean_of(members, unit=2.0**-24).reported(exact)
    assert ((low <= narrow) & (narrow <= high)).all()


def test_forests_are_joined_tree_by_tree() -> None:
    rng = np.random.default_rng(2)
    parts = [member(rng, trees=count).parts[0] for count in (1, 3, 2)]
    forests = [part.forest for part in parts if isinstance(part, FlatScore) and part.forest is not None]
    joined = joined_forests(forests)
    assert isinstance(joined, Forest)
    rows = rows_of(rng)
    added = sum(score_rows(flat(4, forest=one), rows) for one in forests)
    np.testing.assert_allclose(score_rows(flat(4, forest=joined), rows), added, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2])
def test_a_combined_score_is_needed_for_several_parts_only(count: int) -> None:
    from p2ce.engine.scores.combined.combination import score_of

    rng = np.random.default_rng(4)
    number = mean_of([only(a_sum(rng)) for _ in range(count)])
    score = score_of(number, accept_from=0.1, reject_below=0.1)
    assert isinstance(score, CombinedScore) == (count == 2)
