"""Are labels compared as people would, and written readably?"""

import numpy as np

from p2ce.problem.category_labels import as_cells, label_key, place_of, shown_labels


def test_true_is_not_one_but_one_is_one() -> None:
    assert place_of(True, [1, True]) == 1
    assert place_of(1.0, [True, 1]) == 1
    assert place_of(np.int64(1), [1]) == 0
    assert place_of(np.str_("own"), ["rent", "own"]) == 1
    assert place_of("2", [2]) is None
    assert label_key(np.True_) == label_key(True)


def test_cells_keep_what_they_hold() -> None:
    cells = as_cells(["own", (1, 2), None])
    assert cells.shape == (3,)
    assert cells.tolist() == ["own", (1, 2), None]


def test_long_lists_are_cut() -> None:
    assert shown_labels("abcdefgh") == "a, b, c, d, e, f, …"
