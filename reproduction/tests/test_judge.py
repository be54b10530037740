"""The judge finds outliers, even those that cuts along the axes miss."""

import doctest

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.ensemble import IsolationForest

from reproduction import judge as subject
from reproduction.judge import ExtendedIsolationForest

ROWS = 800


def blob(columns: int = 4, *, seed: int = 0, rows: int = ROWS) -> pd.DataFrame:
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    return pd.DataFrame(values, columns=[f"c{number}" for number in range(columns)])


def two_blobs() -> pd.DataFrame:
    """Half of the rows around (0, 10), half around (10, 0), and none near (0, 0) or (10, 10)."""
    frame = blob(2)
    frame.iloc[::2, 0] += 10
    frame.iloc[1::2, 1] += 10
    return frame


@pytest.mark.parametrize("dimensions", [None, 1, 2])
def test_planted_outliers_score_highest(dimensions: int | None) -> None:
    frame = blob()
    rng = np.random.default_rng(1)
    directions = rng.normal(size=(10, 4))
    frame.iloc[:10] = 8 * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    forest = ExtendedIsolationForest(dimensions=dimensions).fit(frame)
    scores = forest.scores(frame)
    assert set(np.argsort(scores)[-10:]) == set(range(10))
    assert forest.is_outlier(frame)[:10].all()
    assert ((scores > 0) & (scores < 1)).all()
    assert np.median(scores) < 0.5 < scores[:10].min()


def test_the_middle_of_the_data_is_the_least_outlying_and_scores_rise_outwards() -> None:
    forest = ExtendedIsolationForest(trees=300).fit(blob(2))
    for direction in ([1, 0], [0, 1], [0.7, 0.7], [-0.7, 0.7]):
        ray = pd.DataFrame(np.outer([0, 2, 4, 6], direction), columns=["c0", "c1"])
        assert (np.diff(forest.scores(ray)) > 0).all()


def test_ghost_regions_are_seen_by_cuts_in_all_directions() -> None:
    """The bands of two blobs cross where no rows are. To cuts along the axes this looks like a fringe."""
    frame = two_blobs()
    ghosts = pd.DataFrame({"c0": [0.0, 10.0], "c1": [0.0, 10.0]})
    extended = ExtendedIsolationForest(trees=200).fit(frame)
    assert extended.scores(ghosts).min() > extended.scores(frame).max()
    parallel = ExtendedIsolationForest(trees=200, dimensions=1).fit(frame)
    assert parallel.scores(ghosts).max() < parallel.scores(frame).max()
    assert extended.scores(ghosts).min() > parallel.scores(ghosts).max()


def test_a_round_cloud_has_round_scores_without_bands_along_the_axes() -> None:
    """Hariri et al., figure 1: on a circle around a blob all scores should be the same."""
    frame = blob(2)
    angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    circle = pd.DataFrame({"c0": 4 * np.cos(angles), "c1": 4 * np.sin(angles)})

    def spread(dimensions: int | None) -> float:
        return np.std(ExtendedIsolationForest(dimensions=dimensions, trees=300).fit(frame).scores(circle))

    assert spread(None) < 0.6 * spread(1)


@pytest.mark.parametrize("dimensions", [None, 1])
@pytest.mark.parametrize("contamination", [0.01, 0.05, 0.25])
def test_the_stated_share_of_the_fitted_rows_is_flagged(dimensions: int | None, contamination: float) -> None:
    frame = blob()
    forest = ExtendedIsolationForest(dimensions=dimensions, contamination=contamination).fit(frame)
    assert forest.is_outlier(frame).mean() == pytest.approx(contamination, abs=1.5 / ROWS)


def test_with_cuts_along_the_axes_it_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    frame = blob().assign(binary=rng.integers(0, 2, ROWS), skewed=rng.lognormal(0, 1, ROWS))
    theirs = -IsolationForest(n_estimators=1000, random_state=0).fit(frame).score_samples(frame)
    ours = ExtendedIsolationForest(trees=1000, dimensions=1).fit(frame).scores(frame)
    assert spearmanr(ours, theirs).statistic > 0.97
    assert np.abs(ours - theirs).max() < 0.03  # the same scale, not only the same order


def test_the_seed_decides() -> None:
    frame = blob()
    scores = [ExtendedIsolationForest(seed=seed).fit(frame).scores(frame) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])


@pytest.mark.parametrize("dimensions", [None, 1, 2])
def test_units_do_not_matter(dimensions: int | None) -> None:
    frame = blob()
    other = frame.assign(c1=frame["c1"] * 3700 + 12, c3=frame["c3"] / 250)
    np.testing.assert_allclose(
        ExtendedIsolationForest(dimensions=dimensions).fit(frame).scores(frame),
        ExtendedIsolationForest(dimensions=dimensions).fit(other).scores(other),
        rtol=1e-9,
    )


def test_constant_columns_drop_out_and_columns_are_found_by_name() -> None:
    frame = blob()
    # The mean of many 0.1 is not 0.1, so the deviation of this column is not 0.
    wider = frame.assign(constant=0.1)[["constant", *frame.columns]]
    expected = ExtendedIsolationForest().fit(frame).scores(frame)
    forest = ExtendedIsolationForest().fit(wider)
    np.testing.assert_array_equal(forest.scores(wider[wider.columns[::-1]]), expected)


def test_a_score_does_not_depend_on_the_other_rows() -> None:
    frame = blob(rows=2 * subject.ROWS_AT_ONCE + 5)
    forest = ExtendedIsolationForest(trees=20).fit(frame)
    scores = forest.scores(frame)
    picked = [0, 1, subject.ROWS_AT_ONCE - 1, subject.ROWS_AT_ONCE, len(frame) - 1]
    for row in picked:
        assert forest.scores(frame.iloc[[row]])[0] == scores[row]
    np.testing.assert_array_equal(forest.scores(frame.iloc[picked]), scores[picked])


@pytest.mark.parametrize("dimensions", [None, 1])
def test_duplicates_and_few_rows_do_not_break_it(dimensions: int | None) -> None:
    forest = ExtendedIsolationForest(dimensions=dimensions)
    copies = pd.DataFrame({"a": [1.0] * 50, "b": [2.0] * 50})
    np.testing.assert_allclose(forest.fit(copies).scores(copies), 0.5)
    assert not forest.is_outlier(copies).any()

    one_apart = pd.DataFrame({"a": [0.0] * 99 + [5.0], "b": 0})
    assert np.flatnonzero(forest.fit(one_apart).is_outlier(one_apart)).tolist() == [99]

    pair = pd.DataFrame({"a": [0.0, 1.0]})
    scores = forest.fit(pair).scores(pair)
    assert ((scores > 0) & (scores < 1)).all()
    assert len(forest.scores(pair.iloc[:0])) == 0


def test_trees_are_walked_as_they_read() -> None:
    """Compare with the slow twin: one row, one tree, one step at a time."""
    frame = blob(3)
    forest = ExtendedIsolationForest(trees=5, rows_per_tree=64, dimensions=2).fit(frame)
    trees = forest._grown
    values = (frame.to_numpy() - frame.to_numpy().mean(axis=0)) / frame.to_numpy().std(axis=0)
    for row, score in zip(values[:40], forest.scores(frame), strict=False):
        lengths = []
        for tree in range(5):
            node, steps = 0, 0
            while trees.normal[tree, node].any():
                assert np.count_nonzero(trees.normal[tree, node]) == 2
                node = 2 * node + (2 if row @ trees.normal[tree, node] > trees.offset[tree, node] else 1)
                steps += 1
            assert steps <= trees.depth == 6
            assert trees.length[tree, node] >= steps  # more where several rows of the sample ended
            lengths.append(trees.length[tree, node])
        usual = 2 * (np.log(63) + np.euler_gamma) - 2 * 63 / 64
        assert score == pytest.approx(2 ** (-np.mean(lengths) / usual))


def test_wrong_arguments_are_rejected_with_advice() -> None:
    holes = pd.DataFrame({"a": [1.0, 2.0, np.nan]})
    for make, said in (
        (lambda: ExtendedIsolationForest(rows_per_tree=1), "at least 1 tree"),
        (lambda: ExtendedIsolationForest(dimensions=0), "None for all"),
        (lambda: ExtendedIsolationForest(contamination=5), "between 0 and 1"),
        (lambda: ExtendedIsolationForest().scores(blob()), "Call fit first"),
        (lambda: ExtendedIsolationForest().fit(holes), "1 missing or infinite values"),
    ):
        with pytest.raises(ValueError, match=said):
            make()


def test_the_example_is_true() -> None:
    assert doctest.testmod(subject).failed == 0
