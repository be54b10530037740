"""The parts of a data set are those of the paper, or those of the authors' code."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.splits import Parts, SplitKind, split

ROWS = 1000


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, "pd.Series[int]"]:
    rng = np.random.default_rng(0)
    labels = rng.permutation(5 * ROWS)[:ROWS]  # neither sorted nor 0 to n − 1
    frame = pd.DataFrame({"a": rng.normal(size=ROWS), "b": rng.integers(0, 9, ROWS)}, index=labels)
    return frame, pd.Series(rng.integers(0, 2, ROWS), index=labels, name="good")


def features(parts: Parts) -> list[pd.DataFrame]:
    return [parts.train, parts.validation, parts.test]


@pytest.mark.parametrize(("kind", "sizes"), [("paper", [400, 100, 500]), ("code", [450, 50, 500])])
def test_the_shares_are_the_stated_ones(
    data: tuple[pd.DataFrame, "pd.Series[int]"], kind: SplitKind, sizes: list[int]
) -> None:
    assert [len(part) for part in features(split(*data, kind=kind, seed=0))] == sizes


@pytest.mark.parametrize("kind", ["paper", "code"])
def test_every_row_is_in_one_part_with_its_label_and_its_outcome(
    data: tuple[pd.DataFrame, "pd.Series[int]"], kind: SplitKind
) -> None:
    frame, outcome = data
    parts = split(frame, outcome, kind=kind, seed=3)
    together = pd.concat(features(parts))
    assert not together.index.has_duplicates
    pd.testing.assert_frame_equal(together.sort_index(), frame.sort_index())
    outcomes = [parts.train_outcome, parts.validation_outcome, parts.test_outcome]
    for part, held in zip(features(parts), outcomes, strict=True):
        pd.testing.assert_series_equal(held, outcome.loc[part.index])


def test_the_code_is_followed_row_by_row(data: tuple[pd.DataFrame, "pd.Series[int]"]) -> None:
    first, test = train_test_split(data[0], test_size=0.5, random_state=0, shuffle=True)
    train, validation = train_test_split(first, test_size=0.1, random_state=0)
    parts = split(*data, kind="code", seed=0)
    for part, expected in zip(features(parts), (train, validation, test), strict=True):
        pd.testing.assert_frame_equal(part, expected)


def test_both_kinds_ask_about_the_same_people(data: tuple[pd.DataFrame, "pd.Series[int]"]) -> None:
    paper, code = split(*data, kind="paper", seed=1), split(*data, kind="code", seed=1)
    assert paper.test.index.equals(code.test.index)
    assert not paper.test.index.equals(split(*data, kind="paper", seed=2).test.index)


def test_an_unknown_kind_names_the_known_ones(data: tuple[pd.DataFrame, "pd.Series[int]"]) -> None:
    with pytest.raises(ValueError, match="paper and code"):
        split(*data, kind="80/20", seed=0)  # type: ignore[arg-type]
