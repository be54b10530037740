"""Check how rows are handed over, and what is said when that fails."""

import numpy as np
import pandas as pd
import pytest

from p2ce.base.calls.checked_calls import missing_columns, require_complete, require_probabilities
from p2ce.base.calls.model_call import AsArray, AsFrame, ModelCall
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


def as_array(*labels, dtype):
    return AsArray(labels=pd.Index(labels), dtype=np.dtype(dtype))


@pytest.mark.parametrize("labels", [["job", "age"], list(FRAME.columns)])
def test_a_frame_is_a_copy_with_its_own_types(labels):
    def overwrite(given):
        assert list(given.dtypes) == [FRAME[label].dtype for label in labels]
        given.loc[0, "age"] = 99
        return np.zeros(2)

    ModelCall(name="model", method=overwrite, rows=AsFrame(labels=pd.Index(labels)), copies=True)(FRAME)
    assert FRAME["age"][0] == 31


def test_an_array_is_a_copy_too():
    def overwrite(given):
        given[:] = 7
        return np.zeros(2)

    ModelCall(name="model", method=overwrite, rows=as_array("sex", dtype=np.int64), copies=True)(FRAME)
    assert FRAME["sex"].tolist() == [0, 1]


def test_an_array_says_nan_for_what_is_missing():
    given = as_array("age", "income", "sex", dtype=np.float64)(FRAME)
    assert given.dtype == np.float64
    assert np.array_equal(given, [[31.0, 1.5, 0.0], [np.nan, np.nan, 1.0]], equal_nan=True)
    whole = as_array("sex", dtype=np.int64)(FRAME)
    assert whole.tolist() == [[0], [1]]
    words = as_array("job", "sex", dtype=object)(FRAME)
    assert words[0].tolist() == ["cook", 0]


def raises(rows):
    raise ValueError("Input X contains NaN.\nA long explanation follows.")


def test_an_exception_names_the_columns_with_missing_values():
    with pytest.raises(InvalidOutput) as error:
        ModelCall(name="model.predict", method=raises)(FRAME)
    assert str(error.value) == (
        "model.predict raised ValueError: Input X contains NaN when called with 2 rows. "
        "Columns with missing values here: 'age', 'owner', 'job', 'income'. "
        "If the model does not accept them, put an imputer in front of it, or fill or drop them."
    )
    with pytest.raises(InvalidOutput, match="'age'"):
        ModelCall(name="model.predict", method=raises, rows=as_array("age", dtype=np.float64))(FRAME)
    with pytest.raises(InvalidOutput, match=r"follows\. when called with 1 rows\.$"):
        ModelCall(name="model.predict", method=raises)(FRAME[:1].drop(columns="job"))


def test_an_answer_that_is_missing_names_them_too():
    with pytest.raises(InvalidOutput, match=r"NaN for 1 of 2 rows.*here: 'age'"):
        require_complete(np.array([1.0, np.nan]), call="model", rows=FRAME)


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
        ModelCall(name="model", method=fails)(FRAME[["sex"]])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ctrl_c_is_no_error_of_the_model():
    def interrupted(rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ModelCall(name="model", method=interrupted)(FRAME)


@pytest.mark.parametrize("wrong", [2.5, -0.1, np.inf, 1.001])
def test_probabilities_lie_between_0_and_1(wrong):
    found = np.array([[0.5, 0.5], [1.0 + 1e-7, -1e-7]])
    assert require_probabilities(found, call="model") is found
    found[1, 0] = wrong
    with pytest.raises(InvalidOutput, match=r"probabilities, from 0 to 1; it returned .* in 1 of 2 rows"):
        require_probabilities(found, call="model")
