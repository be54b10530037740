"""What a folder says of itself is compared with its files: no one gets another person's explanation."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from distributed import Client

from p2ce import evidence, portfolio
from p2ce.base.limits import Limits
from p2ce.errors import DamagedData, InvalidArgument, LimitExceeded, P2CEError, UnfinishedRun
from p2ce.explainer import Explainer
from p2ce.portfolio.runs.manifest import JOURNAL, MANIFEST
from p2ce.portfolio.runs.portfolio_results import PortfolioResults
from p2ce.portfolio.runs.shard import RowSource
from tests.portfolio.small import contents, source_of, write_people

COUNT, GROUP = 60, 20
SHARDS = range(COUNT // GROUP)
UNIX = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and pipes as Unix has them")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, credit: Explainer) -> RowSource:
    path = write_people(tmp_path_factory.mktemp("source") / "people.parquet", COUNT, group=GROUP)
    return source_of(path, credit, group=GROUP)  # ids are the places of rows


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, credit: Explainer, source: RowSource, client: Client
) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "results"
    portfolio.run(credit, source, out, client=client)
    return out


@pytest.fixture
def copied(undisturbed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(undisturbed, tmp_path / "results"))


@pytest.fixture
def run(credit: Explainer, source: RowSource, client: Client) -> Callable[[Path], PortfolioResults]:
    return partial(_run, credit, source, client)


def _run(credit: Explainer, source: RowSource, client: Client, out: Path) -> PortfolioResults:
    return portfolio.run(credit, source, out, client=client)


def edited(folder: Path, edit: Callable[[Any], Any]) -> Path:
    """Change the manifest; what the edit returns takes its place, unless that is None."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_bytes())
    changed = edit(manifest)
    path.write_text(json.dumps(manifest if changed is None else changed), encoding="utf-8")
    return folder


def journal_of(folder: Path) -> list[dict[str, Any]]:
    """Make a finished folder one that was stopped at its end, and give the lines of its journal."""
    manifest = json.loads((folder / MANIFEST).read_bytes())
    names = ("package", "code", "hashes", "id_column", "keep", "time_limit")
    header = {"format": "p2ce.journal/1", "request": {name: manifest[name] for name in names}}
    (folder / MANIFEST).unlink()
    return [header, *({"shard": shard, "seconds": {"read": 0.1}} for shard in manifest["shards"])]


def write_journal(folder: Path, lines: list[dict[str, Any]]) -> None:
    (folder / JOURNAL).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / JOURNAL).chmod(0o600)


def fault(act: Callable[[], Any], error: type[P2CEError] | tuple[type[P2CEError], ...] = P2CEError) -> str:
    """Return the message of an error, which has to be one line."""
    with pytest.raises(error) as raised:
        act()
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 1000
    return message


# Each shifts which person a row of the folder is taken for.
def _first_is_empty(manifest: Any) -> None:
    manifest["shards"][0].update(rows=0, statuses={})


def _first_is_empty_and_counted(manifest: Any) -> None:
    _first_is_empty(manifest)
    _add_up(manifest)


def _first_is_shorter(manifest: Any) -> None:
    for number, rows in ((0, GROUP - 10), (1, GROUP + 10)):
        manifest["shards"][number].update(rows=rows, statuses={"OPTIMAL": rows})
    _add_up(manifest)


def _in_another_order(manifest: Any) -> None:
    first, second, *_ = manifest["shards"]
    for name in set(first) - {"number"}:
        first[name], second[name] = second[name], first[name]


def _one_twice(manifest: Any) -> None:
    manifest["shards"][1] = {**manifest["shards"][0], "number": 1}
    _add_up(manifest)


def _without_the_last(manifest: Any) -> None:
    manifest["shards"].pop()
    _add_up(manifest)


def _add_up(manifest: Any) -> None:
    """Let the sums fit again, as someone would who knows about them."""
    shards = manifest["shards"]
    manifest["people"] = sum(shard["rows"] for shard in shards)
    manifest["options"] = sum(shard["options"] for shard in shards)
    known = sorted({status for shard in shards for status in shard["statuses"]})
    manifest["statuses"] = {
        status: sum(shard["statuses"].get(status, 0) for shard in shards) for status in known
    }


SHIFTS = [
    _first_is_empty,
    _first_is_empty_and_counted,
    _first_is_shorter,
    _in_another_order,
    _one_twice,
    _without_the_last,
]


@pytest.mark.parametrize("shift", SHIFTS)
def test_nobody_gets_the_explanation_of_another_person(
    undisturbed: Path, copied: Path, tmp_path: Path, shift: Callable[[Any], None]
) -> None:
    """Whoever is asked for, and whatever the manifest says: the right explanation, or none."""
    sound, people = PortfolioResults(undisturbed), range(0, COUNT, 5)
    edited(copied, shift)
    fault(lambda: PortfolioResults(copied).verify_checksums())
    given = 0
    for person in people:
        try:
            found = PortfolioResults(copied).explanation(person)
        except P2CEError:
            given += 1
            fault(
                lambda person=person: evidence.save(PortfolioResults(copied), tmp_path / "e.zip", id=person)
            )
            continue
        assert found == sound.explanation(person)
    assert given
    assert not (tmp_path / "e.zip").exists()


def test_swapped_parts_are_found_although_their_checksums_fit(copied: Path) -> None:
    """Both files of two shards change places, and the manifest says so."""
    edited(copied, _in_another_order)
    for folder in ("people", "options"):
        first, second = (copied / folder / f"part-0000{number}.parquet" for number in (0, 1))
        content = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(content)
    results = PortfolioResults(copied)
    # People are found by their id, wherever their row lies.
    for person in (0, GROUP, COUNT - 1):
        row = pq.read_table(copied / "people").to_pandas().set_index("id").loc[person]
        assert results.explanation(person).person["Income"] == row["Income"]


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda m: m.update(people=10**18), "sums over the shards"),
        (lambda m: m["shards"][0].update(rows=10**18), "rows, but not as many statuses"),
        (lambda m: m.update(shards=[], people=0, options=0, statuses={}), "at least one"),
        (lambda m: m.update(statuses={"OPTIMAL": COUNT}), "sums over the shards"),
        (lambda m: m["shards"][0].update(statuses={"\x1b[31mOPTIMAL": GROUP}), "is not a status"),
        (lambda m: m["shards"][0].update(number=7), "must be numbered 0, 1, …"),
        (lambda m: m["shards"][0].update(people_sha256="x"), "people_sha256"),
        (lambda m: m["shards"][0].update(rows=-1), "rows"),
        (lambda m: m["shards"][0].pop("options"), "options"),
        (lambda m: m["hashes"].pop("reference") and None, "hashes lacks 'reference'"),
        (lambda m: m["problem"]["hashes"].pop("reference") and None, "another model, policy or reference"),
        (lambda m: m["hashes"].update(model="0" * 64), "another model, policy or reference"),
        (lambda m: m.update(time_limit="soon"), "time_limit"),
        (lambda m: m.update(format="p2ce.portfolio/9"), "expects a dict with format"),
        (lambda m: [m], "expects a dict with format"),
        (lambda m: m.update(problem={}), "another model, policy or reference"),
        (lambda m: m.update(problem=3), "problem"),
        (lambda m: m.pop("objectives") and None, "objectives"),
    ],
)
def test_a_manifest_that_does_not_add_up_is_said_in_one_line(
    copied: Path, edit: Callable[[Any], Any], says: str
) -> None:
    def changed(manifest: Any) -> Any:
        made = edit(manifest)
        return made if isinstance(made, list) else None

    assert says in fault(lambda: PortfolioResults(edited(copied, changed)))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
        (b'{"format": NaN}', "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"", "is not JSON"),
        (b'{"format": ' + b"9" * 10_000 + b"}", "is not JSON"),
        (json.dumps({"format": "p2ce.portfolio/1", "problem": None}).encode(), "Expected `object`"),
    ],
)
def test_any_other_content_of_a_manifest_is_said_in_one_line(copied: Path, content: bytes, says: str) -> None:
    (copied / MANIFEST).write_bytes(content)
    assert says in fault(lambda: PortfolioResults(copied))


def test_a_manifest_nested_below_its_types_has_a_depth(copied: Path) -> None:
    deep: Any = "x"
    for _ in range(60):
        deep = [deep]
    edited(copied, lambda manifest: manifest["problem"].update(settings={"deep": deep}))
    assert "explanation_depth" in fault(lambda: PortfolioResults(copied), LimitExceeded)


def test_manifests_and_journals_have_a_size(
    copied: Path, credit: Explainer, source: RowSource, client: Client
) -> None:
    size = (copied / MANIFEST).stat().st_size
    assert len(PortfolioResults(copied, limits=Limits(manifest_bytes=size))) == COUNT
    small = Limits(manifest_bytes=100)
    assert "manifest-bytes" in fault(lambda: PortfolioResults(copied, limits=small), LimitExceeded)
    write_journal(copied, journal_of(copied))
    run = partial(portfolio.run, credit, source, copied, client=client)
    assert "manifest-bytes" in fault(lambda: run(limits=small), LimitExceeded)
    # A file that claims to be large is not read: it has a gigabyte of nothing.
    os.truncate(copied / JOURNAL, 1 << 30)
    assert "manifest-bytes" in fault(run, LimitExceeded)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@UNIX
@pytest.mark.parametrize("put", [_endless, os.mkfifo])
@pytest.mark.parametrize("name", [MANIFEST, "people/part-00001.parquet", "options/part-00001.parquet"])
def test_a_pipe_or_a_device_is_neither_waited_for_nor_read(
    copied: Path, run: Callable[[Path], PortfolioResults], name: str, put: Callable[[Path], None]
) -> None:
    (copied / name).unlink()
    put(copied / name)
    if name == MANIFEST:
        assert "not a regular file" in fault(lambda: PortfolioResults(copied))
    else:
        results = PortfolioResults(copied)
        fault(results.verify_checksums, DamagedData)
        fault(lambda: results.explanation(GROUP), DamagedData)
        fault(getattr(results, Path(name).parent.name), DamagedData)
    assert "is a link" in (said := fault(lambda: run(copied))) or "is a pipe" in said


def test_parts_that_the_manifest_does_not_list_are_found(copied: Path) -> None:
    shutil.copy(copied / "people" / "part-00002.parquet", copied / "people" / "part-00003.parquet")
    assert "'part-00003.parquet', which the manifest does not list" in fault(
        PortfolioResults(copied).verify_checksums
    )


def test_statuses_are_compared_with_the_people(copied: Path) -> None:
    def swapped(manifest: Any) -> None:
        manifest["shards"][0]["statuses"] = {"TIME_LIMIT": GROUP}
        _add_up(manifest)

    assert "'people/part-00000.parquet'" in fault(
        PortfolioResults(edited(copied, swapped)).verify_checksums, DamagedData
    )


LIES: list[Callable[[list[dict[str, Any]]], None]] = [
    lambda lines: lines[1]["shard"].update(rows=10**18, statuses={"OPTIMAL": 10**18}),
    lambda lines: lines[1]["shard"].update(rows=0, statuses={}),
    lambda lines: lines[1]["shard"].update(options=10**18),
    lambda lines: lines[1]["shard"].update(statuses={"TIME_LIMIT": GROUP}),
    lambda lines: lines[2]["shard"].update({**lines[1]["shard"], "number": 1}),
    lambda lines: lines[1]["shard"].update(where="elsewhere"),
    lambda lines: lines[1].update(seconds={"read": float("nan")}),
    lambda lines: lines[1].update(seconds=[]),
    lambda lines: lines[1].pop("shard"),
    lambda lines: lines[1]["shard"].update(number="0"),
    lambda lines: lines[1]["shard"].update({"\ud800": 1}),
    lambda lines: lines[1]["shard"].update(where="\ud800"),
]


@pytest.mark.parametrize("lie", LIES)
def test_a_journal_is_believed_no_more_than_its_files(
    undisturbed: Path,
    copied: Path,
    run: Callable[[Path], PortfolioResults],
    lie: Callable[[list[dict[str, Any]]], None],
) -> None:
    lines = journal_of(copied)
    lie(lines)
    write_journal(copied, lines)
    assert len(run(copied)) == COUNT
    assert contents(copied) == contents(undisturbed)


def test_a_journal_of_damaged_lines_is_no_traceback(
    undisturbed: Path, copied: Path, run: Callable[[Path], PortfolioResults]
) -> None:
    write_journal(copied, journal_of(copied))
    with (copied / JOURNAL).open("ab") as file:
        file.write(b"[" * 200_000 + b"\n")
    run(copied)
    assert contents(copied) == contents(undisturbed)


def test_a_journal_that_begins_otherwise_is_said_in_one_line(
    copied: Path, run: Callable[[Path], PortfolioResults]
) -> None:
    header, *lines = journal_of(copied)
    for first in ({**header, "\ud800": 1}, {**header, "format": "\ud800"}, {"format": header["format"]}, [1]):
        write_journal(copied, [first, *lines])
        assert "not from this version" in fault(lambda: run(copied), InvalidArgument)


def test_a_copied_part_does_not_become_more_people(
    undisturbed: Path, copied: Path, run: Callable[[Path], PortfolioResults]
) -> None:
    lines = journal_of(copied)
    last = len(SHARDS)
    for folder in ("people", "options"):
        shutil.copy(
            copied / folder / f"part-0000{last - 1}.parquet", copied / folder / f"part-0000{last}.parquet"
        )
    lines.append({"shard": {**lines[-1]["shard"], "number": last}})
    write_journal(copied, lines)
    said = fault(lambda: run(copied), UnfinishedRun)
    assert f"contains 'part-0000{last}.parquet', which is not part of the results. Remove it." in said
    for folder in ("people", "options"):
        (copied / folder / f"part-0000{last}.parquet").unlink()
    assert len(run(copied)) == COUNT
    assert contents(copied) == contents(undisturbed)


@UNIX
def test_a_prepared_folder_leads_nowhere_else(
    tmp_path: Path, run: Callable[[Path], PortfolioResults]
) -> None:
    """A journal to go on with, and links to what another user would like to have overwritten."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "authorized_keys").write_text("mine", encoding="utf-8")
    links: dict[str, Path] = {
        "explainer.p2ce": victim / "authorized_keys",
        "manifest.json": victim / "nothing",
        "timings.json": victim / "authorized_keys",
        ".p2ce-run": victim / "nothing",
        "journal.jsonl": victim / "nothing",
        "people": victim,
        "people/part-00000.parquet": victim / "authorized_keys",
    }
    for place, (name, target) in enumerate(links.items()):
        out = tmp_path / f"results {place}"
        (out / name).parent.mkdir(parents=True)
        if name != "journal.jsonl":
            (out / "journal.jsonl").touch(mode=0o600)
        (out / name).symlink_to(target)
        assert "is a link, and links are not followed" in fault(lambda out=out: run(out), InvalidArgument)
    (tmp_path / "results").symlink_to(victim)
    assert "is a link" in fault(lambda: run(tmp_path / "results"), InvalidArgument)
    assert [path.name for path in victim.iterdir()] == ["authorized_keys"]
    assert (victim / "authorized_keys").read_text(encoding="utf-8") == "mine"


@UNIX
def test_a_folder_to_which_others_may_write_is_rejected(
    copied: Path, run: Callable[[Path], PortfolioResults]
) -> None:
    (copied / "people" / "part-00000.parquet").unlink()  # something is left to do
    before = contents(copied)
    for name in (".", "people", "options", "people/part-00001.parquet", "manifest.json"):
        mode = (copied / name).stat().st_mode
        (copied / name).chmod(mode | 0o002)
        assert "Other users may write to" in fault(lambda: run(copied), InvalidArgument)
        (copied / name).chmod(mode)
    assert contents(copied) == before


@UNIX
def test_what_a_run_writes_is_its_owners_alone(
    tmp_path: Path, run: Callable[[Path], PortfolioResults]
) -> None:
    out, seen = tmp_path / "results", set()
    hear = True

    def noting(event: str, given: tuple[Any, ...]) -> None:
        # Whatever has its place taken, or is removed, has been complete until then.
        if hear and event in ("os.rename", "os.remove") and str(given[0]).startswith(str(out)):
            path = Path(given[0])
            if path.exists():
                seen.add((path.suffix, path.stat().st_mode & 0o777))

    sys.addaudithook(noting)
    old = os.umask(0)
    try:
        run(out)
    finally:
        os.umask(old)
        hear = False
    assert seen == {(".tmp", 0o600), (".jsonl", 0o600), ("", 0o600)}
    for path in (out, *out.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
