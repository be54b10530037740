"""Does a single feature keep to its dtype, up to the far ends of it, and give codes that mean the same?"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy import FeaturePolicy, Kind, Policy
from p2ce.policy.features.feature import LARGEST_MAGNITUDE, shown_number, shown_values
from p2ce.tables.codebook import MISSING, coding_of


def feature(dtype: type, low: float, high: float, step: float, anchor: float = 0.0) -> FeaturePolicy:
    kind = Kind.NUMBER if np.dtype(dtype).kind == "f" else Kind.WHOLE
    return FeaturePolicy(
        name="x", kind=kind, dtype=np.dtype(dtype), low=low, high=high, step=step, anchor=anchor
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_largest_number_of_the_dtype_is_an_end_like_any_other(dtype: type) -> None:
    largest = min(float(np.finfo(dtype).max), LARGEST_MAGNITUDE)
    found = feature(dtype, -largest, largest, largest / 8).candidates()
    assert np.isfinite(found).all()
    assert (found.astype(dtype) == found).all()
    assert len(found) in (15, 16, 17)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32])
def test_integer_candidates_stay_inside_the_dtype(dtype: type) -> None:
    limits = np.iinfo(dtype)
    found = feature(dtype, -1e12, 1e12, max(1, limits.max // 10)).candidates()
    assert found[0] >= limits.min
    assert found[-1] <= limits.max
    assert (found.astype(dtype) == found).all()


@given(st.floats(-1e15, 1e15), st.floats(1e-9, 1e3), st.floats(1e-9, 1e3))
def test_candidates_ascend_without_repeats_whatever_the_magnitude(
    low: float, width: float, step: float
) -> None:
    high = low + width
    if high == low or width / step > 1000:
        return
    made = feature(float, low, high, step, anchor=low)
    found = made.candidates()
    assert found[0] == low
    assert (np.diff(found) > 0).all()
    assert found[-1] <= high
    assert len(found) <= made.count()


def test_numbers_are_shown_as_people_write_them() -> None:
    assert (shown_number(41.0), shown_number(0.15), shown_number(1e300)) == ("41", "0.15", "1e+300")
    assert shown_values(range(9)) == "0, 1, 2, 3, 4, 5, …"


LABELS = st.sampled_from(["own", "rent", "free", "boat", None])
COLUMNS = st.lists(LABELS, min_size=1, max_size=20).filter(any)


@given(COLUMNS, st.booleans())
def test_codes_are_the_candidates_ascending_and_missing_comes_first(
    column: list[str | None], may_go_missing: bool
) -> None:
    series = pd.Series(column, name="x")
    policy, coding = Policy.infer(series.to_frame()), coding_of(series)
    feature = (policy.allow_missing("x") if may_go_missing else policy)["x"]
    codes = feature.codes(coding)
    assert (np.diff(codes) > 0).all()
    assert (MISSING in codes) == may_go_missing
    known = [coding.plain(code) for code in codes if code != MISSING]
    assert known == feature.candidates().tolist()
    assert set(known) == {label for label in column if label is not None}
    assert policy.fix("x")["x"].codes(coding).tolist() == []


def test_codes_of_numbers_are_the_numbers() -> None:
    column = pd.Series([0.0, 1.0, np.nan, 5.0], name="x")
    policy = Policy.infer(column.to_frame())
    assert policy["x"].codes(coding_of(column)).tolist() == policy["x"].candidates().tolist()
    assert policy.allow_missing("x")["x"].codes(coding_of(column))[0] == MISSING
    assert policy.allow_missing("x").fix("x")["x"].codes(coding_of(column)).tolist() == []


def test_actions_for_another_table_are_rejected() -> None:
    texts, numbers = pd.Series(["own", "rent"], name="x"), pd.Series([1, 2], name="x")
    of_texts, of_numbers = (Policy.infer(one.to_frame())["x"] for one in (texts, numbers))
    with pytest.raises(InvalidPolicy, match="'x' is a category in the policy but numbers in the reference"):
        of_texts.codes(coding_of(numbers))
    with pytest.raises(InvalidPolicy, match="'x' is numbers in the policy but a category"):
        of_numbers.codes(coding_of(texts))
    with pytest.raises(
        InvalidPolicy, match=r"may become 'rent', which is not in the reference frame.*'rents'"
    ):
        of_texts.codes(coding_of(pd.Series(["own", "rents"], name="x")))


def test_too_many_labels_are_an_identifier() -> None:
    policy = Policy.infer(pd.DataFrame({"id": [f"person {i}" for i in range(30_001)]}), protect=None)
    message = r"'id' has 30,001 labels, more than .*make it the index: X = X.set_index\('id'\)"
    with pytest.raises(InvalidPolicy, match=message):
        policy["id"].candidates()
    assert len(policy.fix("id")["id"].candidates()) == 0


KEPT = st.lists(
    st.one_of(st.integers(-3, 13).map(float), st.floats(-1, 12), st.sampled_from([0.25, 0.5, 0.1 + 0.2])),
    min_size=1,
)
WHOLE_OF_INT = feature(np.int64, 0, 10, 3, 1)
FOLLOWERS = {
    "steps": feature(np.float64, 0, 10, 0.25),
    "tenths": feature(np.float32, 0, 1, 0.1),
    "whole steps": WHOLE_OF_INT,
    "more steps than candidates may be": feature(np.float64, 0, 10, 1e-5),
    "choices": replace(WHOLE_OF_INT, choices=(1, 4, 9), stated_range=(2, 10)),
    "inferred": replace(feature(np.float64, 0, 10, 1), inferred=(0.0, 5.0, 10.0)),
    "special": replace(WHOLE_OF_INT, special=(4.0,)),
    "constant": feature(np.float64, 2, 2, 1),
}


@pytest.mark.parametrize("name", FOLLOWERS)
@given(values=KEPT)
def test_many_numbers_are_kept_as_each_is(name: str, values: list[float]) -> None:
    found = FOLLOWERS[name].keeps_codes(np.array(values))
    assert found.tolist() == [FOLLOWERS[name].keeps(value) for value in values]
