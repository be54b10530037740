"""Whatever a command writes, on a disk with too little room: the old file, and one line that says why."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps.command_line import Ran, people, run
from tests.full_disks import largest_file
from tests.optional import mostly_slow
from tests.populations import loans
from tests.portfolio.dask_cluster import environment
from tests.portfolio.written_runs import as_arrow, write_run

EXPLAIN = ("explain", "--model", "model.txt", "--data", "people.csv", "--target", "1")
AUDIT = ("audit", "results", "--groups", "Owns", "--min-size", "2")
AUDITS = [(*AUDIT, "--out", f"out.{form}") for form in ("html", "md", "json", "csv")]
COMMANDS = [
    *((*EXPLAIN, "--out", f"out.{form}") for form in ("html", "md", "json", "csv", "parquet")),
    *AUDITS,
    ("evidence", "results", "--id", "3", "--out", "out.zip"),
    ("policy", "infer", "people.csv", "--out", "out.yaml"),
    ("demo", "--out", "out.html"),
]


@pytest.fixture
def files(folder: Path) -> Path:
    """Add what the other commands read to the files that there are."""
    people(rows=240).to_csv("people.csv", index=False)
    explainer = loans.explainer()
    write_run(folder / "results", explainer, as_arrow(loans.people().head(20).reset_index(drop=True)))
    explainer.save(folder / "results" / "explainer.p2ce")
    return folder


def written(folder: Path) -> dict[str, bytes]:
    """Read the outputs."""
    return {path.name: path.read_bytes() for path in folder.glob("out.*")}


@pytest.mark.parametrize(
    "command", mostly_slow(COMMANDS, COMMANDS[0], AUDITS[0]), ids=lambda words: f"{words[0]} {words[-1]}"
)
def test_a_file_that_may_not_grow_is_the_old_one(
    files: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    def ran() -> Ran:
        return run(capsys, *command, "--force")

    umask = os.umask(0)
    try:
        assert ran().code == 0
    finally:
        os.umask(umask)
    new = written(files)
    assert {(files / name).stat().st_mode & 0o777 for name in new} == {0o600}  # they hold people's data
    for name in new:
        (files / name).write_bytes(b"old")
    before = set(files.iterdir())
    with largest_file(min(map(len, new.values())) - 1):
        failed = ran()
    assert failed.code == 2
    assert "File too large. Raise the limit on the size of files (ulimit -f)." in failed.line
    assert written(files) == dict.fromkeys(new, b"old")
    assert set(files.iterdir()) == before
    assert ran().code == 0
    assert written(files) == new


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_is_printed_to_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "p2ce", "version"],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    assert ended.returncode == 2
    assert ended.stderr == "p2ce: The output cannot be written: No space left on device. Free some space.\n"
