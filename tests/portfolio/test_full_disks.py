"""A disk that is full at any write of a run: one line says so, and the same call resumes."""

import errno
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from p2ce import portfolio
from p2ce.errors import P2CEError
from p2ce.explainer import Explainer
from p2ce.portfolio.runs.portfolio_results import PortfolioResults
from tests.full_disks import largest_file
from tests.optional import mostly_slow
from tests.portfolio.small import contents, source_of, write_people

COUNT, GROUP = 12, 4
# The header and the shards of the journal; the mark, the explainer, two parts of a shard, timings, manifest.
APPENDS = 1 + COUNT // GROUP
FILES = 2 + 2 * (COUNT // GROUP) + 2


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory, credit: Explainer, client: Client
) -> Callable[[Path], PortfolioResults]:
    path = write_people(tmp_path_factory.mktemp("source") / "people.parquet", COUNT, group=GROUP)
    source = source_of(path, credit, group=GROUP)
    return partial(_run, credit, source, client)


def _run(credit: Explainer, source: Any, client: Client, out: Path) -> PortfolioResults:
    return portfolio.run(credit, source, out, client=client)


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, run: Callable[[Path], PortfolioResults]
) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed") / "results"
    run(out)
    return contents(out)


class Full:
    """Counts calls, and lets the disk be full from one of them on."""

    def __init__(self, first: int) -> None:
        self.first, self.calls = first, 0

    def is_reached(self) -> bool:
        self.calls += 1
        return self.calls >= self.first

    def synced(self, original: Callable[[int], None], descriptor: int) -> None:
        """Take the place of `os.fsync`, by which every file that is written ends."""
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and self.is_reached():
            raise OSError(errno.ENOSPC, "No space left on device")
        original(descriptor)

    def written(self, original: Callable[[int, bytes], int], descriptor: int, content: bytes) -> int:
        """Take the place of `os.write`, by which the journal grows: half a line has room."""
        if not content.startswith(b"{"):
            if self.calls >= self.first:
                raise OSError(errno.ENOSPC, "No space left on device")
        elif self.is_reached():
            content = content[: len(content) // 2]
        return original(descriptor, content)

    def made(self, original: Callable[..., None], *given: Any, **named: Any) -> None:
        """Take the place of `os.mkdir`."""
        if self.is_reached():
            raise OSError(errno.ENOSPC, "No space left on device")
        original(*given, **named)


KINDS = {"fsync": (Full.synced, FILES + APPENDS), "write": (Full.written, APPENDS), "mkdir": (Full.made, 3)}


@pytest.mark.parametrize(
    ("name", "first"),
    mostly_slow(
        [(name, first) for name, (_, count) in KINDS.items() for first in range(1, count + 1)],
        *((name, 1) for name in KINDS),
        several=True,
    ),
)
def test_a_disk_that_is_full_at_any_write_is_said_and_gone_on_from(
    run: Callable[[Path], PortfolioResults],
    undisturbed: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    first: int,
) -> None:
    out, full = tmp_path / "results", Full(first)
    with monkeypatch.context() as patch:
        patch.setattr(os, name, partial(KINDS[name][0], full, getattr(os, name)))
        for _ in range(2):  # it is still full when someone tries again
            with pytest.raises(P2CEError, match="No space left on device") as raised:
                run(out)
            assert "\n" not in str(raised.value)
            assert not (out / "manifest.json").exists()
    assert len(run(out)) == COUNT
    assert contents(out) == undisturbed


def test_there_are_no_other_writes(
    run: Callable[[Path], PortfolioResults], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the disk was full at each of them."""
    counts = {}
    for name, (replacement, count) in KINDS.items():
        full = Full(10**9)
        with monkeypatch.context() as patch:
            patch.setattr(os, name, partial(replacement, full, getattr(os, name)))
            run(tmp_path / name)
        counts[name] = (full.calls, count)
    assert all(calls == count for calls, count in counts.values()), counts


@pytest.mark.parametrize("share", mostly_slow([0.0, 0.2, 0.5, 0.9, 0.999], 0.5))
def test_a_limit_on_the_size_of_files_is_said_and_gone_on_from(
    run: Callable[[Path], PortfolioResults], undisturbed: dict[str, bytes], tmp_path: Path, share: float
) -> None:
    out = tmp_path / "results"
    largest = max(map(len, undisturbed.values()))
    with (
        largest_file(int(share * largest)),
        pytest.raises(P2CEError, match=r"File too large\. Raise the limit .*\(ulimit -f\)"),
    ):
        run(out)
    run(out)
    assert contents(out) == undisturbed
