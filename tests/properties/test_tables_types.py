"""Every column comes back in the type in which it came."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Status
from tests.oracle import plain

LETTERS = ["b", "a", "c", "b", "a", "b"] * 5
NUMBERS = [0, 1, 2, 0, 3, 1] * 5
BITS = [True, False, False, True, True, False] * 5
COLUMNS: dict[str, "pd.Series[Any]"] = {
    "category with unused labels": pd.Series(pd.Categorical(LETTERS, ["z", "c", "a", "b"])),
    "ordered category": pd.Series(pd.Categorical(LETTERS, ["z", "c", "a", "b"], ordered=True)),
    "category with gaps": pd.Series(pd.Categorical([None, *LETTERS[1:]], ["c", "a", "b"])),
    "category of numbers": pd.Series(pd.Categorical(NUMBERS, [7, 3, 2, 1, 0])),
    "category of bools": pd.Series(pd.Categorical(BITS)),
    "text": pd.Series(LETTERS),
    "string": pd.Series(LETTERS, dtype="string"),
    "string with gaps": pd.Series([None, *LETTERS[1:]], dtype="string"),
    "object": pd.Series(LETTERS, dtype=object),
    "object with None": pd.Series([None, *LETTERS[1:]], dtype=object),
    "object with NaN": pd.Series([np.nan, *LETTERS[1:]], dtype=object),
    "bool": pd.Series(BITS),
    "boolean": pd.Series(BITS, dtype="boolean"),
    "boolean with gaps": pd.Series([None, *BITS[1:]], dtype="boolean"),
    "Int64": pd.Series(NUMBERS, dtype="Int64"),
    "Int64 with gaps": pd.Series([None, *NUMBERS[1:]], dtype="Int64"),
    "UInt8": pd.Series(NUMBERS, dtype="UInt8"),
    "Float64": pd.Series(NUMBERS, dtype="Float64"),
    "Float64 with gaps": pd.Series([None, *NUMBERS[1:]], dtype="Float64"),
    "Float32": pd.Series(NUMBERS, dtype="Float32"),
    "int8": pd.Series(NUMBERS, dtype="int8"),
    "uint16": pd.Series(NUMBERS, dtype="uint16"),
    "int64": pd.Series(NUMBERS),
    "float32": pd.Series(NUMBERS, dtype="float32"),
    "float32 with gaps": pd.Series([None, *NUMBERS[1:]], dtype="float32"),
    "float64": pd.Series(NUMBERS, dtype="float64"),
}


def table(name: str) -> pd.DataFrame:
    """Put the column between two ordinary ones."""
    return pd.DataFrame({"first": range(30), "it": COLUMNS[name], "last": np.arange(30) / 4})


def make_explainer(frame: pd.DataFrame, **arguments: Any) -> p2ce.Explainer:
    """Accept rows with the last label, or the largest number; every frame is held against the reference."""
    wanted = plain(frame["it"].dropna().max() if frame["it"].dtype != "category" else frame["it"].iloc[2])

    def score(rows: pd.DataFrame) -> np.ndarray:
        assert rows.dtypes.equals(frame.dtypes)
        assert list(rows.columns) == list(frame.columns)
        return np.array([float(plain(cell) == wanted) for cell in rows["it"]])

    return p2ce.Explainer(score, frame, at_least=0.5, **{"plausibility": None, **arguments})


def rejected(frame: pd.DataFrame, explainer: p2ce.Explainer) -> pd.DataFrame:
    """Return the rows that the model rejects; the one with the gap comes first."""
    favourable = [one.status is Status.ACCEPTED for one in explainer.explain_many(frame)]
    return frame[~np.array(favourable)]


@pytest.mark.parametrize("name", COLUMNS)
def test_types_and_gaps_come_back(name: str) -> None:
    frame = table(name)
    explainer = make_explainer(frame)
    people = rejected(frame, explainer)
    found = explainer.explain(people.iloc[[0]])
    assert found.status is Status.OPTIMAL
    assert found.to_frame()[list(frame)].dtypes.equals(frame.dtypes)
    assert found.to_frame()["first"].tolist() == [people["first"].iloc[0]] * len(found)
    # The person is echoed as given, gaps included.
    assert plain(found.person["it"]) == plain(people["it"].iloc[0])
    many = explainer.explain_many(people)
    assert many.to_frame()[list(frame)].dtypes.equals(frame.dtypes)
    assert [one.status for one in many] == [Status.OPTIMAL] * len(people)
    for one, (_, person) in zip(many, people.iterrows(), strict=True):
        assert plain(one.person["it"]) == plain(person["it"])
