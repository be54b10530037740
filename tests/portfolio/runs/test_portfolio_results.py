"""The folder of a run opens in every library, and says in one line what is wrong with it."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import p2ce
from p2ce.errors import DamagedData, InvalidArgument, P2CEError, UnfinishedRun
from p2ce.portfolio.runs.portfolio_results import PortfolioResults
from p2ce.tables.pandas_columns import text_dtype
from tests.optional import LazyLibrary
from tests.populations import loans
from tests.portfolio.written_runs import Written, as_arrow, write_run

duckdb = LazyLibrary("duckdb")
pl = LazyLibrary("polars")

PEOPLE = 30
IDS = [f"c{number}" for number in range(PEOPLE)]


def some_people() -> pd.DataFrame:
    frame = loans.people().head(PEOPLE).reset_index(drop=True)
    frame["Years"] = frame["Years"].astype("Int8")
    frame.loc[3, "Years"] = pd.NA
    return frame


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Written:
    kept = pa.table({"branch": pa.array(np.arange(PEOPLE) % 3, pa.int16())})
    return write_run(
        tmp_path_factory.mktemp("run") / "results",
        loans.explainer(),
        as_arrow(some_people()),
        sizes=[12, 0, 18],
        ids=IDS,
        kept=kept,
    )


@pytest.fixture
def copied(run: Written, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run.folder, tmp_path / "results"))


def complaint(wrong: Any, error: type[P2CEError] = InvalidArgument) -> str:
    """Return the message, which has to be one line."""
    with pytest.raises(error) as raised:
        wrong()
    message = str(raised.value)
    assert "\n" not in message
    assert message.endswith((".", "?"))
    return message


def test_tables_have_everybody_in_order(run: Written) -> None:
    results = PortfolioResults(run.folder)
    people, options = results.people(), results.options()
    assert len(results) == len(people) == PEOPLE
    assert people["id"].tolist() == IDS
    assert people["branch"].tolist() == [place % 3 for place in range(PEOPLE)]
    assert people["status"].tolist() == [entry.status.value for entry in run.explanations]
    assert options["id"].tolist() == [
        id_ for id_, entry in zip(IDS, run.explanations, strict=True) for _ in entry
    ]
    assert f"{PEOPLE} people" in repr(results)
    assert results.people(["status", "Income"]).columns.tolist() == ["status", "Income"]


def test_types_say_the_same_where_values_are_missing(run: Written) -> None:
    types = PortfolioResults(run.folder).people().dtypes
    assert (types["Income"], types["Rate"], types["Owns"]) == ("int64", "float32", "bool")
    assert types["status"] == types["message"] == text_dtype()
    # Someone has no value there, or no certificate.
    assert (str(types["Years"]), str(types["proven"])) == ("Int8", "boolean")


def test_other_libraries_open_the_files(run: Written) -> None:
    expected = [entry.status.value for entry in run.explanations]
    parts = str(run.folder / "people" / "*.parquet")
    assert pl.read_parquet(parts)["status"].to_list() == expected
    assert pd.read_parquet(run.folder / "people")["status"].tolist() == expected
    cheap = pl.scan_parquet(run.folder / "options").filter(pl.col("changes") == 1).collect()
    joined = duckdb.sql(
        f"select count(*), count(distinct id) from '{run.folder}/people/*.parquet' "
        f"join '{run.folder}/options/*.parquet' using (id) where changes = 1"
    ).fetchall()
    assert joined == [(cheap.height, cheap["id"].n_unique())]
    assert cheap["changed"].list.len().to_list() == [1] * cheap.height
    assert cheap.height


def test_a_person_is_found_by_id(run: Written) -> None:
    results = PortfolioResults(run.folder)
    for place in (0, 11, 12, PEOPLE - 1):
        found = results.explanation(IDS[place])
        assert found == run.explanations[place]
        assert found.problem is results.problem
    message = complaint(lambda: results.explanation("c30"))
    assert "'c30'" in message
    assert "'c0', 'c1', 'c2'" in message
    for wrong in (3, None, 1.5, IDS):
        complaint(lambda wrong=wrong: results.explanation(wrong))


def test_numbers_are_found_by_their_text(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results", loans.explainer(), loans.people().head(3), ids=[7, 8, 7])
    results = PortfolioResults(run.folder)
    for given in (8, "8", np.int32(8), 8.0):
        assert results.explanation(given) == run.explanations[1]
    for wrong in ("eight", "8.5", 8.5, 2**80, True):
        assert "int64" in complaint(lambda wrong=wrong: results.explanation(wrong))
    assert "2 people" in complaint(lambda: results.explanation(7))


def test_nobody_is_a_run_as_well(tmp_path: Path) -> None:
    run = write_run(tmp_path / "results", loans.explainer(), loans.people().head(0), ids=[])
    results = PortfolioResults(run.folder)
    assert (len(results), len(results.people()), len(results.options())) == (0, 0, 0)
    complaint(lambda: results.explanation(0))


def test_columns_that_are_not_there_are_named(run: Written) -> None:
    results = PortfolioResults(run.folder)
    assert "Did you mean 'status'?" in complaint(lambda: results.people(["statsu"]))
    assert "list" in complaint(lambda: results.people("status"))


def test_what_is_no_finished_run_is_said(copied: Path, tmp_path: Path) -> None:
    assert "does not exist" in complaint(lambda: PortfolioResults(tmp_path / "nowhere"))
    assert "is a file" in complaint(lambda: PortfolioResults(copied / "manifest.json"))
    assert "no results" in complaint(lambda: PortfolioResults(tmp_path))
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    for wrong in ("{", "[]", json.dumps({**manifest, "format": "p2ce.portfolio/9"})):
        (copied / "manifest.json").write_text(wrong, encoding="utf-8")
        assert "manifest.json" in complaint(lambda: PortfolioResults(copied))
    (copied / "manifest.json").unlink()
    (copied / "journal.jsonl").touch()
    assert "same command" in complaint(lambda: PortfolioResults(copied), UnfinishedRun)


def test_damaged_files_are_found_by_their_checksum(copied: Path) -> None:
    results = PortfolioResults(copied)
    results.verify_checksums()
    part = copied / "options" / "part-00002.parquet"
    content = bytearray(part.read_bytes())
    content[len(content) // 3] ^= 1
    part.write_bytes(content)
    assert "'options/part-00002.parquet'" in complaint(results.verify_checksums, DamagedData)
    part.write_bytes(content[: len(content) // 2])
    assert "cannot be read" in complaint(results.options, DamagedData)
    assert "by the checksums" in complaint(lambda: results.explanation(IDS[-1]), DamagedData)
    part.unlink()
    assert "1 of 6" in complaint(results.verify_checksums, DamagedData)
    assert results.explanation(IDS[0]).problem is not None


def test_an_explanation_is_whole_in_its_cell(run: Written) -> None:
    """Any program that reads JSON can use it, without the folder."""
    texts = pd.read_parquet(run.folder / "people")["explanation"]
    assert [p2ce.Explanation.from_json(text) for text in texts] == list(run.explanations)


def test_an_explanation_that_was_moved_to_another_row_is_found(copied: Path) -> None:
    """Although checksums fit: its status and options are those of its row."""
    path = copied / "people" / "part-00000.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index("explanation")
    texts = table.column(place).to_pylist()
    pq.write_table(table.set_column(place, table.schema.field(place), [texts[::-1]]), path)
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    manifest["shards"][0]["people_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (copied / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    results, sound = PortfolioResults(copied), table.to_pylist()
    for at, row in enumerate(sound):
        other = sound[len(sound) - 1 - at]
        if (row["status"], row["options"]) != (other["status"], other["options"]):
            assert "belongs to another row" in complaint(
                lambda at=at: results.explanation(IDS[at]), DamagedData
            )
            return
    pytest.fail("all rows are alike")


def test_a_text_for_a_person_needs_the_folder_only(run: Written) -> None:
    place = next(place for place, entry in enumerate(run.explanations) if len(entry))
    found = PortfolioResults(run.folder).explanation(IDS[place])
    assert p2ce.to_text(found) == p2ce.to_text(run.explanations[place])
