"""Check how rows are handed over, and what is said when that fails."""

import numpy as np
import pandas as pd
import pytest

from p2ce.base.calls.checked_calls import (
    as_array,
    as_frame,
    missing_columns,
    one_per_row,
    outputs_of,
    require_probabilities,
)
from p2ce.errors import InvalidOutput

FRAME = pd.DataFrame(
    {
        "age": pd.array([31, None], dtype="Int64"),
        "owner": pd.array([True, None], dtype="boolean"),
        "job": pd.Categorical(["cook", None]),
        "income": [1.5, np.nan],
        "sex": [0, 1],
    }
)


def test_columns_with_missing_values_are_listed():
    assert missing_columns(FRAME) == ["age", "owner", "job", "income"]
    assert missing_columns(FRAME[:1]) == []
    assert missing_columns(FRAME.set_axis(range(5), axis=1)) == ["0", "1", "2", "3"]
    assert missing_columns(np.array([np.nan])) == []
    assert missing_columns(None) == []


def test_a_frame_is_a_copy_with_its_own_types():
    given = as_frame(["job", "age"]).give(FRAME)
    assert list(given.dtypes) == [FRAME["job"].dtype, FRAME["age"].dtype]
    given.loc[0, "age"] = 99
    assert FRAME["age"][0] == 31


def test_an_array_says_nan_for_what_is_missing():
    given = as_array(["age", "income", "sex"], np.dtype(np.float64)).give(FRAME)
    assert given.dtype == np.float64
    assert np.array_equal(given, [[31.0, 1.5, 0.0], [np.nan, np.nan, 1.0]], equal_nan=True)
    given[:] = 0.0
    whole = as_array(["sex"], np.dtype(np.int64)).give(FRAME)
    assert whole.tolist() == [[0], [1]]
    words = as_array(["job", "sex"], np.dtype(object)).give(FRAME)
    assert words[0].tolist() == ["cook", 0]


def raises(rows):
    raise ValueError("Input X contains NaN.\nA long explanation follows.")


def test_an_exception_names_the_columns_with_missing_values():
    with pytest.raises(InvalidOutput) as error:
        outputs_of(raises, FRAME, call="model.predict")
    assert str(error.value) == (
        "model.predict raised ValueError: Input X contains NaN when called with 2 rows. "
        "Columns with missing values here: 'age', 'owner', 'job', 'income'. "
        "If the model does not accept them, put an imputer in front of it, or fill or drop them."
    )
    with pytest.raises(InvalidOutput, match="'age'"):
        outputs_of(raises, FRAME.to_numpy(), call="model.predict", rows=FRAME)
    with pytest.raises(InvalidOutput, match=r"follows\. when called with 1 rows\.$"):
        outputs_of(raises, FRAME[:1].drop(columns="job"), call="model.predict")


def test_an_answer_that_is_missing_names_them_too():
    with pytest.raises(InvalidOutput, match=r"NaN for 1 of 2 rows.*here: 'age'"):
        one_per_row(np.array([1.0, np.nan]), 2, call="model", rows=FRAME)


class Unwritable(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Unwritable("x"), "raised Unwritable: Unwritable('x') when called"),
        (ValueError("first\nsecond\r\nthird"), "raised ValueError: first second third when called"),
        (SystemExit(3), "called sys.exit(3) when called"),
        (GeneratorExit("stop"), "raised GeneratorExit: stop when called"),
        (MemoryError(), "raised MemoryError when called"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_whatever_is_raised_is_an_error_of_one_line(error, said):
    def fails(rows):
        raise error

    with pytest.raises(InvalidOutput) as caught:
        outputs_of(fails, FRAME[["sex"]], call="model")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ctrl_c_is_no_error_of_the_model():
    def interrupted(rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outputs_of(interrupted, FRAME, call="model")


@pytest.mark.parametrize("wrong", [2.5, -0.1, np.inf, 1.001])
def test_probabilities_lie_between_0_and_1(wrong):
    found = np.array([[0.5, 0.5], [1.0 + 1e-7, -1e-7]])
    assert require_probabilities(found, call="model") is found
    found[1, 0] = wrong
    with pytest.raises(InvalidOutput, match=r"probabilities, from 0 to 1; it returned .* in 1 of 2 rows"):
        require_probabilities(found, call="model")
