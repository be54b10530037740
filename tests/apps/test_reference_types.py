"""Are dates of files read as dates, where the policy or the reference says so?"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.apps.model_files.model_columns import ModelColumns
from p2ce.apps.reference_types import typed_reference
from p2ce.errors import InvalidArgument
from p2ce.tables.codebook import codebook_of
from p2ce.tables.encode import encode_table
from p2ce.tables.table_files import Table
from p2ce.tables.typed_columns import typed_rows

DATED = pd.DataFrame({"Applied": pd.Series(["2024-03-27", "2025-01-01T09:30", None], dtype="datetime64[us]")})
POLICY = p2ce.Policy.infer(DATED)


def text_file(*cells: str) -> Table:
    return Table(Path("people.csv"), pd.DataFrame({"Applied": list(cells)}), is_text=True)


def test_a_policy_says_which_texts_are_dates() -> None:
    table = text_file("2024-03-27", "2025-01-01 09:30", "")
    found = typed_reference(table, ["Applied"], ModelColumns(), POLICY, "The model")
    pd.testing.assert_frame_equal(found, DATED)
    with pytest.raises(InvalidArgument, match=r"'Applied' of people.csv holds '27/03/2024'.* kind: date"):
        typed_reference(text_file("27/03/2024"), ["Applied"], ModelColumns(), POLICY, "The model")


def test_rows_of_text_hold_the_dates_of_the_reference() -> None:
    rows = typed_rows(text_file("2024-03-27", "NA", "27/03/2024"), DATED)
    encoded = encode_table(rows, codebook_of(DATED))
    assert encoded.columns[0] == ["2024-03-27", None, "27/03/2024"]
    assert np.isneginf(encoded.values[1, 0])
    assert list(encoded.problems) == [2]  # only its row fails


def test_dates_of_a_parquet_file_stay_dates() -> None:
    table = Table(Path("people.parquet"), DATED, is_text=False)
    pd.testing.assert_frame_equal(typed_rows(table, DATED), DATED)
    found = typed_reference(table, ["Applied"], ModelColumns(), POLICY, "The model")
    pd.testing.assert_frame_equal(found, DATED)
