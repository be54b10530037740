"""Check how labels are matched with those that a library knows."""

import numpy as np
import pandas as pd

from p2ce.models.category_codes import library_codes
from p2ce.scores.steps import steps_of_stretches, with_missing
from p2ce.tables.codebook import MISSING, coding_of


def test_labels_are_found_among_those_of_the_library():
    coding = coding_of(pd.Series(pd.Categorical(["own", "rent", "own", "free"]), name="Housing"))
    assert coding.labels == ("own", "free", "rent")
    codes = library_codes(coding, ["rent", "own"])
    assert codes[[0, 2]].tolist() == [1.0, 0.0]
    assert np.isnan(codes[1])


def test_labels_that_only_the_library_knows_get_codes():
    coding = coding_of(pd.Series(pd.Categorical([3, 1, 3]), name="Region"))
    codes = library_codes(coding, [1, 2, 3])
    assert codes.tolist() == [2.0, 0.0, 1.0]
    assert coding.encode([2]).tolist() == [2.0]
    assert library_codes(coding, [1, 2, 3]).tolist() == [2.0, 0.0, 1.0]


def test_stretches_alternate():
    steps = steps_of_stretches([0.0, 1.0, 5.0], [True, False, False, True])
    assert steps.goes_left(np.array([-1.0, 0.0, 0.5, 5.0, 5.5])).tolist() == [True, True, False, False, True]
    apart = with_missing([0.0], [True, False], missing_left=False)
    assert apart.goes_left(np.array([MISSING, -1e300, 0.0, 1.0])).tolist() == [False, True, True, False]
