"""Whole numbers that float64 cannot hold are rejected where they come in; all others stay exact."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import Explanation, Policy, rules
from p2ce.base.whole_numbers import is_exact, largest_held
from p2ce.errors import InvalidArgument, InvalidObjective, InvalidPolicy, InvalidReference, InvalidRow
from p2ce.objectives import CostTable
from p2ce.tables.codebook import codebook_of
from p2ce.tables.encode import encode_row, encode_table
from p2ce.tables.table_files import read_table
from p2ce.tables.typed_columns import natural, numbers_of, typed_rows
from tests.optional import needs

INEXACT = [2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**60 + 1]
EXACT = [2**53, 2**53 + 2, -(2**63), 10**15, 2**62]
BEYOND = r"beyond 2\*\*53 \(9,007,199,254,740,992\)"
REFERENCE = pd.DataFrame(
    {
        "a": np.arange(40),
        "b": pd.array([*range(39), None], dtype="Int64"),
        "c": np.arange(40) / 4,
        "d": np.arange(40, dtype=np.uint64),
    }
)
BOOK = codebook_of(REFERENCE)
PERSON = {"a": 1, "b": 2, "c": 0.5, "d": 3}


def score(rows: pd.DataFrame) -> np.ndarray:
    """A black box that looks at every column."""
    return np.minimum((rows["a"] + rows["c"]).to_numpy(dtype=float) / 60.0, 1.0)


@given(st.integers(-(2**70), 2**70))
def test_a_number_is_exact_if_it_comes_back(number: int) -> None:
    assert is_exact(number) == (int(float(number)) == number)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_the_largest_number_that_a_type_holds_comes_back(dtype: str) -> None:
    most = largest_held(np.dtype(dtype))
    assert int(np.array([most]).astype(dtype)[0]) == int(most) <= np.iinfo(dtype).max
    assert float(np.nextafter(most, np.inf)) > int(np.iinfo(dtype).max)  # Python compares exactly


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
@pytest.mark.parametrize("value", INEXACT)
def test_a_row_says_where_it_is(name: str, value: int) -> None:
    for given_value in (value, np.int64(value)):
        with pytest.raises(
            InvalidRow, match=rf"'{name}', -?[\d_,]+, is a whole number {BEYOND}.*Pass a smaller"
        ):
            encode_row({**PERSON, name: given_value}, BOOK)


@pytest.mark.parametrize("name", ["a", "b", "c"])
@pytest.mark.parametrize("value", EXACT)
def test_what_float64_holds_arrives_exactly(name: str, value: int) -> None:
    for form in (value, float(value), np.int64(value)):
        rows = encode_row({**PERSON, name: form}, BOOK)
        frame = rows.codebook.decode(rows.values, pd.Index(BOOK.names))
        assert int(frame[name].iloc[0]) == value == int(rows.row(0, BOOK.names)[name])


@pytest.mark.parametrize(("name", "value"), [("a", 2.0**63), ("b", 2.0**63), ("d", 2.0**64), ("d", -1.0)])
def test_a_float_beyond_the_type_is_rejected(name: str, value: float) -> None:
    with pytest.raises(InvalidRow, match=f"'{name}' holds .* which cannot hold"):
        encode_row({**PERSON, name: value}, BOOK)


def _polars(frame: pd.DataFrame) -> Any:
    return needs("polars").DataFrame({name: frame[name].tolist() for name in frame})


TABLES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "int64": lambda frame: frame.astype({"a": "int64"}),
    "uint64": lambda frame: frame.assign(a=frame["a"].astype("uint64")),
    "Int64": lambda frame: frame.astype({"a": "Int64"}),
    "Int64 with a gap": lambda frame: pd.concat(
        [frame, frame.head(1).assign(a=None)], ignore_index=True
    ).astype({"a": "Int64"}),
    "objects": lambda frame: frame.astype(object),
    "Arrow types": lambda frame: frame.assign(a=frame["a"].astype("int64[pyarrow]")),
    "Arrow": lambda frame: pa.table({name: pa.array(frame[name].tolist()) for name in frame}),
    "polars": _polars,
    "records": lambda frame: frame.astype(object).to_dict("records"),
    "columns": lambda frame: {name: frame[name].tolist() for name in frame},
    "a pair": lambda frame: (frame.astype(object).to_numpy(), list(frame)),
    "rows": lambda frame: frame.astype(object).to_numpy(),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("many", [False, True])
def test_a_table_of_any_kind_loses_only_that_row(kind: str, many: bool) -> None:
    numbers = [5, 2**53 + 1, 2**53, 2**63 - 1, 7] + [8] * (200 if many else 0)
    frame = pd.DataFrame({name: [value] * len(numbers) for name, value in PERSON.items()})
    frame["a"] = np.array(numbers, dtype=np.int64)
    found = encode_table(TABLES[kind](frame), BOOK)
    assert sorted(found.problems) == [1, 3]
    assert all("'a', 9" in text and "beyond 2**53" in text for text in found.problems.values())
    assert found.values[[0, 2, 4], 0].tolist() == [5.0, 2.0**53, 7.0]


@pytest.mark.parametrize(
    "kind", ["int64", "uint64", "Int64", "Int64 with a gap", "Arrow types", "Arrow", "polars"]
)
def test_a_reference_says_the_column_and_the_row(kind: str) -> None:
    frame = REFERENCE[["a", "c"]].copy()
    frame.loc[3, "a"] = 2**53 + 1
    with pytest.raises(InvalidReference, match=rf"'a' holds 9007199254740993 in row 3, .*{BEYOND}"):
        p2ce.Explainer(score, TABLES[kind](frame), target=1, at_least=0.5)


def test_a_policy_rejects_them_in_every_argument() -> None:
    inferred = Policy.infer(REFERENCE[["a", "c"]], protect=None)
    for change in (
        lambda: inferred.within(a=(0, 2**53 + 1)),
        lambda: inferred.step(a=2**53 + 1),
        lambda: inferred.candidates(a=[1, 2**53 + 1]),
        lambda: Policy.infer(REFERENCE[["a", "c"]], special_values={"a": [2**53 + 1]}),
        lambda: p2ce.Explainer(
            score,
            REFERENCE[["a", "c"]],
            target=1,
            at_least=0.5,
            policy=inferred.with_rules(rules.implies({"a": 2**53 + 1}, {"c": 1.0})),
        ),
    ):
        with pytest.raises(InvalidPolicy, match=BEYOND):
            change()
    assert inferred.candidates(a=[1, 2**53])["a"].candidates().tolist() == [1.0, 2.0**53]
    with pytest.raises(InvalidPolicy, match="int64"):
        inferred.candidates(a=[2.0**63])


def test_a_policy_file_and_a_price_reject_them(tmp_path: Path) -> None:
    policy = Policy.infer(REFERENCE[["a", "c"]], protect=None).candidates(a=[1, 1234567])
    policy.save(tmp_path / "policy.yaml")
    text = (tmp_path / "policy.yaml").read_text()
    assert "1234567" in text
    (tmp_path / "policy.yaml").write_text(text.replace("1234567", str(2**53 + 1)))
    with pytest.raises(InvalidPolicy, match=rf"'a' has 9007199254740993, .*{BEYOND}"):
        Policy.load(tmp_path / "policy.yaml")
    prices = CostTable("price", {"a": {2**53 + 1: 1.0}}, default=1.0)
    with pytest.raises(InvalidObjective, match="9007199254740993"):
        p2ce.Explainer(score, REFERENCE[["a", "c"]], target=1, at_least=0.5, objectives=[prices])


def test_files_of_people_lose_only_that_row_and_references_name_it(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(f"a,c\n5,0.5\n{2**53 + 1},0.5\n{2**53},0.5\n")
    pq.write_table(pa.table({"a": [5, 2**53 + 1, 2**53], "c": [0.5] * 3}), tmp_path / "rows.parquet")
    reference = REFERENCE[["a", "c"]]
    for name in ("rows.csv", "rows.parquet"):
        table = read_table(tmp_path / name, "--rows")
        people = typed_rows(table, reference)
        found = encode_table(people, codebook_of(reference))
        assert list(found.problems) == [1]
        assert "'a', 9007199254740993, is" in found.problems[1].replace(
            ",007,199,254,740,993", "007199254740993"
        )
    table = read_table(tmp_path / "rows.csv", "--rows")
    with pytest.raises(
        InvalidArgument, match=rf"'a' of rows\.csv holds 9007199254740993 in row 1, .*{BEYOND}"
    ):
        numbers_of(table, "a", who="the model")
    assert natural(table, "a").tolist()[1] == str(2**53 + 1)  # an id keeps its digits


def test_an_explanation_in_json_keeps_every_digit() -> None:
    made = p2ce.Explainer(score, REFERENCE[["a", "c"]], target=1, at_least=0.5, plausibility=None)
    found = made.explain({"a": -(2**53), "c": 0.5})
    data = json.loads(json.dumps(found.to_dict(problem=True)))
    assert Explanation.from_dict(data).person["a"] == -(2**53)
    data["person"]["a"] -= 1
    with pytest.raises(InvalidRow, match=BEYOND):
        made.feature_map(Explanation.from_dict(data), "a", "c", size=3)
