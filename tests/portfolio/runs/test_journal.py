"""The journal of a run: what is written counts, whatever was cut off, and no one else's folder is touched."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from p2ce.errors import InvalidArgument, UnfinishedRun
from p2ce.portfolio.runs.journal import Finished, Journal, begin, is_finished, sees_folder
from p2ce.portfolio.runs.manifest import JOURNAL, MANIFEST, RunRequest, ShardEntry, manifest_of, part_name
from p2ce.portfolio.runs.result_tables import to_parquet
from p2ce.result import ProblemRecord

REQUEST = RunRequest(
    package="0.1.0", code="c", hashes={name: name for name in ("model", "policy", "reference", "input")}
)
QUESTION = ProblemRecord(hashes=REQUEST.hashes)


def finished(folder: Path, number: int, note: str = "") -> Finished:
    """Write both files of a shard, and give its entry."""
    statuses = ["OPTIMAL", "ERROR"]
    contents = {
        "people": to_parquet(pa.table({"id": [0, 1], "status": statuses, "note": [note, note]})),
        "options": to_parquet(pa.table({"id": [0]})),
    }
    for name, content in contents.items():
        (folder / name / part_name(number)).write_bytes(content)
    entry = ShardEntry(
        number=number,
        where=f"rows of shard {number}",
        rows=2,
        options=1,
        statuses=dict.fromkeys(statuses, 1),
        people_sha256=hashlib.sha256(contents["people"]).hexdigest(),
        options_sha256=hashlib.sha256(contents["options"]).hexdigest(),
    )
    return Finished(shard=entry, seconds={"read": 0.5})


def begun(folder: Path, shards: int = 3) -> bytes:
    """Leave the journal of a run that was stopped."""
    journal = begin(folder, REQUEST)
    for number in range(shards):
        journal.add(finished(folder, number))
    journal.close()
    return (folder / JOURNAL).read_bytes()


def kept(folder: Path) -> set[int]:
    """Go on with a run, and list the shards that it need not do."""
    journal = begin(folder, REQUEST)
    journal.close()
    return set(journal.finished)


def complete(journal: Journal) -> None:
    """Finish a run."""
    entries = [entry.shard for entry in journal.finished.values()]
    journal.end(manifest_of(journal.request, entries, objectives=(), problem=QUESTION), {})
    journal.close()


def test_a_journal_cut_at_any_byte_keeps_its_whole_lines(tmp_path: Path) -> None:
    content = begun(tmp_path)
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for cut in range(0, len(content) + 1, 3):
        (tmp_path / JOURNAL).write_bytes(content[:cut])
        whole = sum(end <= cut for end in ends)
        assert kept(tmp_path) == set(range(whole - 1)) if whole else kept(tmp_path) == set(), cut
        # What was cut off is gone, so the next entry begins a line.
        assert (tmp_path / JOURNAL).read_bytes().endswith(b"\n")


def test_zeros_behind_a_power_cut_count_as_nothing(tmp_path: Path) -> None:
    content = begun(tmp_path)
    (tmp_path / JOURNAL).write_bytes(content + b"\0" * 100)
    assert kept(tmp_path) == {0, 1, 2}
    (tmp_path / JOURNAL).write_bytes(b"\0" * 100)
    assert kept(tmp_path) == set()


def test_a_shard_whose_files_changed_is_done_again(tmp_path: Path) -> None:
    begun(tmp_path)
    (tmp_path / "people" / part_name(0)).write_bytes(b"half")
    (tmp_path / "options" / part_name(2)).unlink()
    assert kept(tmp_path) == {1}


def test_the_last_entry_of_a_shard_counts(tmp_path: Path) -> None:
    begun(tmp_path)
    journal = begin(tmp_path, REQUEST)
    journal.add(replace(finished(tmp_path, 1, "without proof"), withdrawn=True))
    journal.close()
    journal = begin(tmp_path, REQUEST)
    journal.close()
    assert {number: entry.withdrawn for number, entry in journal.finished.items()} == {
        0: False,
        1: True,
        2: False,
    }


def test_temporary_files_of_killed_runs_go(tmp_path: Path) -> None:
    begun(tmp_path)
    left = [tmp_path / place / ".p2ce-0123456789ab.tmp" for place in (".", "people", "options")]
    for path in left:
        path.write_bytes(b"half a fi")
    assert kept(tmp_path) == {0, 1, 2}
    assert not any(path.exists() for path in left)


def test_a_second_run_on_the_same_folder_is_rejected(tmp_path: Path) -> None:
    journal = begin(tmp_path, REQUEST)
    with pytest.raises(InvalidArgument, match=r"Another run is writing to .* Wait until it ends"):
        begin(tmp_path, REQUEST)
    journal.close()
    assert kept(tmp_path) == set()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hashes": {**REQUEST.hashes, "model": "x"}}, "the model has changed"),
        ({"hashes": {**REQUEST.hashes, "policy": "x"}}, "the policy has changed"),
        ({"hashes": {**REQUEST.hashes, "reference": "x"}}, "the reference has changed"),
        ({"hashes": {**REQUEST.hashes, "input": "x"}}, "the people have changed"),
        ({"code": "d"}, "the code of p2ce has changed"),
        ({"package": "0.2.0"}, "the version of p2ce was 0.1.0 and is 0.2.0"),
        ({"keep": ("sex",)}, r"keep was \[\] and is \['sex'\]"),
        ({"time_limit": 2.0}, r"time_limit was None and is 2\.0"),
    ],
)
@pytest.mark.parametrize("is_complete", [False, True])
def test_another_request_is_rejected_with_what_differs(
    tmp_path: Path, changes: dict[str, object], says: str, is_complete: bool
) -> None:
    begun(tmp_path)
    if is_complete:
        complete(begin(tmp_path, REQUEST))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InvalidArgument, match=f"contains results of another run: {says}. Choose another"):
        is_finished(tmp_path, replace(REQUEST, **changes))
    assert sorted(tmp_path.rglob("*")) == before
    assert is_finished(tmp_path, REQUEST) == is_complete


def test_a_folder_that_holds_something_else_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("all of it", encoding="utf-8")
    with pytest.raises(InvalidArgument, match=r"contains 'thesis.doc', which no run of p2ce wrote"):
        is_finished(tmp_path, REQUEST)
    with pytest.raises(InvalidArgument, match="is a file"):
        is_finished(tmp_path / "thesis.doc", REQUEST)
    with pytest.raises(InvalidArgument, match="Create it first: mkdir -p"):
        is_finished(tmp_path / "no" / "such", REQUEST)


@pytest.mark.parametrize("content", ['{"mine": 1}\n', "my own notes", '{"format": "p2ce.journal/9"}\n'])
def test_a_journal_of_somebody_else_is_rejected_and_stays(tmp_path: Path, content: str) -> None:
    (tmp_path / JOURNAL).write_text(content, encoding="utf-8")
    with pytest.raises(InvalidArgument, match="is not from this version of p2ce"):
        begin(tmp_path, REQUEST)
    assert (tmp_path / JOURNAL).read_text(encoding="utf-8") == content


def test_a_manifest_of_somebody_else_is_rejected(tmp_path: Path) -> None:
    for content in ("{", "[]", '{"format": "other"}'):
        (tmp_path / MANIFEST).write_text(content, encoding="utf-8")
        with pytest.raises(InvalidArgument, match=r"manifest\.json"):
            is_finished(tmp_path, REQUEST)


def test_files_among_the_parts_are_rejected(tmp_path: Path) -> None:
    begun(tmp_path)
    (tmp_path / "options" / "mine.parquet").write_bytes(b"")
    with pytest.raises(InvalidArgument, match=r"contains 'mine.parquet', which is not part"):
        begin(tmp_path, REQUEST)


def test_a_complete_run_has_no_journal_and_sums_up(tmp_path: Path) -> None:
    begun(tmp_path)
    complete(begin(tmp_path, REQUEST))
    assert is_finished(tmp_path, REQUEST)
    assert not (tmp_path / JOURNAL).exists()
    written = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))
    assert (written["people"], written["options"]) == (6, 3)
    assert written["statuses"] == {"ERROR": 3, "OPTIMAL": 3}
    assert [shard["number"] for shard in written["shards"]] == [0, 1, 2]
    # Stopped between the manifest and the journal.
    (tmp_path / JOURNAL).write_text("", encoding="utf-8")
    assert is_finished(tmp_path, REQUEST)
    assert not (tmp_path / JOURNAL).exists()


def test_a_process_knows_the_folder_by_its_mark(tmp_path: Path) -> None:
    journal = begin(tmp_path, REQUEST)
    journal.close()
    assert sees_folder(tmp_path, journal.mark)
    assert not sees_folder(tmp_path, "another mark")
    assert not sees_folder(tmp_path / "elsewhere", journal.mark)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_under_the_journal_keeps_what_is_done(tmp_path: Path) -> None:
    begun(tmp_path)
    journal = begin(tmp_path, REQUEST)
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, journal._descriptor)
    os.close(full)
    with pytest.raises(
        UnfinishedRun,
        match=r"No space left on device. Free some space, then run the same command",
    ):
        journal.add(finished(tmp_path, 3))
    journal.close()
    assert kept(tmp_path) == {0, 1, 2}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_rejected(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InvalidArgument, match="cannot be"):
        begin(tmp_path / "out", REQUEST)
    tmp_path.chmod(0o700)
