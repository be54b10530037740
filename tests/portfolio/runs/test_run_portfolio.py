"""A run over a portfolio: everyone explained as by `explain_many`, whatever was done before or fails."""

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster

from p2ce import portfolio
from p2ce.errors import InvalidArgument, ModelMismatch, P2CEError, UnfinishedRun
from p2ce.explainer import Explainer, explain_apart
from p2ce.portfolio.runs.explain_shard import Failed, Place, RunContext, explain_shard
from p2ce.portfolio.runs.journal import begin
from p2ce.portfolio.runs.manifest import RunRequest, code_hash
from p2ce.portfolio.runs.result_tables import schema_of
from p2ce.portfolio.runs.shard import RowSource, Shard
from p2ce.result import Status
from tests.full_disks import largest_file
from tests.portfolio.small import contents, explainer, people, source_of, write_people
from tests.run.test_trust import changed_model

COUNT, GROUP = 60, 20


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, credit: Explainer) -> RowSource:
    path = write_people(tmp_path_factory.mktemp("source") / "people.parquet", COUNT, group=GROUP)
    return source_of(path, credit, group=GROUP, id_column="id", keep=["sex"])


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, credit: Explainer, source: RowSource, client: Client
) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "results"
    portfolio.run(credit, source, out, client=client, keep=["sex"])
    return out


def shards_with(source: RowSource, number: int, read: Any) -> RowSource:
    """Return the source with another way to read one of its shards."""

    def shards() -> Iterator[Shard]:
        for shard in source.shards():
            yield replace(shard, read=partial(read, shard)) if shard.number == number else shard

    return replace(source, shards=shards)


def unreadable(_: Shard) -> pa.Table:
    raise OSError("Couldn't deserialize thrift: the page is damaged")


def test_everybody_is_explained_as_by_explain_many(undisturbed: Path, credit: Explainer) -> None:
    results = portfolio.PortfolioResults(undisturbed)
    frame = people(COUNT)
    expected = credit.explain_many(frame.drop(columns=["id", "sex"]))
    assert len(results) == COUNT
    assert results.people()["id"].tolist() == frame["id"].tolist()
    assert results.people()["sex"].tolist() == frame["sex"].tolist()
    assert results.manifest.statuses == {str(status): count for status, count in expected.statuses.items()}
    assert results.manifest.options == sum(map(len, expected)) > 0
    for place in (0, 25, 59):
        again = results.explanation(frame["id"][place])
        assert again.counterfactuals == expected[place].counterfactuals
        assert again.status == expected[place].status
    results.verify_checksums()


def test_a_finished_folder_is_given_at_once(
    undisturbed: Path, credit: Explainer, source: RowSource, tmp_path: Path
) -> None:
    before = contents(undisturbed)
    # No shard can be read, and no worker is needed.
    broken = replace(source, shards=partial(pytest.fail, "nothing is left to do"))
    results = portfolio.run(credit, broken, undisturbed, keep=["sex"])
    assert len(results) == COUNT
    assert contents(undisturbed) == before


def test_a_damaged_part_of_a_finished_folder_is_explained_again(
    undisturbed: Path, credit: Explainer, source: RowSource, client: Client, tmp_path: Path
) -> None:
    out = Path(shutil.copytree(undisturbed, tmp_path / "results"))
    sound = out / "people" / "part-00000.parquet"
    written = sound.stat().st_mtime_ns
    (out / "people" / "part-00001.parquet").unlink()
    part = out / "options" / "part-00002.parquet"
    part.write_bytes(part.read_bytes()[:-10])
    portfolio.run(credit, source, out, client=client, keep=["sex"])
    assert contents(out) == contents(undisturbed)
    assert sound.stat().st_mtime_ns == written


def test_a_shard_that_cannot_be_read_fails_alone_and_is_named(
    undisturbed: Path, credit: Explainer, source: RowSource, client: Client, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    broken = shards_with(source, 1, unreadable)
    with pytest.raises(
        UnfinishedRun, match=r"1 shard could not be explained. The first is people.parquet, rows 20 to 39"
    ) as said:
        portfolio.run(credit, broken, out, client=client, keep=["sex"])
    assert "the page is damaged" in str(said.value)
    assert not (out / "manifest.json").exists()
    with pytest.raises(P2CEError, match="same command"):
        portfolio.PortfolioResults(out)
    written = {path.name: path.stat().st_mtime_ns for path in (out / "people").iterdir()}
    assert sorted(written) == ["part-00000.parquet", "part-00002.parquet"]
    # Going on does what is left, and nothing else.
    portfolio.run(credit, source, out, client=client, keep=["sex"])
    assert {name: (out / "people" / name).stat().st_mtime_ns for name in written} == written
    assert contents(out) == contents(undisturbed)


def test_other_requests_are_rejected_by_what_differs(
    undisturbed: Path, credit: Explainer, source: RowSource, client: Client
) -> None:
    before = contents(undisturbed)

    def rejected(given: Explainer, people: RowSource, says: str, **more: Any) -> None:
        with pytest.raises(InvalidArgument, match=f"another run: {says}. Choose another folder"):
            portfolio.run(given, people, undisturbed, client=client, **{"keep": ["sex"], **more})

    rejected(explainer(policy=credit.policy.fix("Income")), source, "the policy has changed")
    rejected(explainer(max_changes=2), source, r"the explainer \(its model, detector.*has changed")
    rejected(credit, replace(source, hash="other"), "the people have changed")
    rejected(credit, source, r"keep was \['sex'\] and is \[\]", keep=[])
    rejected(credit, source, r"time_limit was None and is 5\.0", time_limit=5.0)
    assert contents(undisturbed) == before


class Modest:
    """A custom detector, which finds large incomes implausible."""

    def __init__(self, most: float) -> None:
        self.most = most

    def decision_function(self, rows: pd.DataFrame) -> np.ndarray:
        return (self.most - rows["Income"]).to_numpy(dtype=np.float64)


def test_objects_of_one_class_are_told_apart(
    credit: Explainer, source: RowSource, client: Client, tmp_path: Path
) -> None:
    """An archive names them by their class; so a run went on with another detector."""
    out = tmp_path / "results"
    portfolio.run(explainer(plausibility=Modest(1e9)), source, out, client=client, keep=["sex"])
    with pytest.raises(InvalidArgument, match=r"another run: the explainer \(its model, detector"):
        portfolio.run(explainer(plausibility=Modest(40_000)), source, out, client=client, keep=["sex"])


def test_what_a_killed_run_left_under_way_writes_no_more(
    credit: Explainer, source: RowSource, client: Client, tmp_path: Path
) -> None:
    """A worker of a cluster outlives the parent, and may be late."""
    out = tmp_path / "results"
    begun = begin(out, RunRequest(package="1", code="c", hashes={}))
    stale = Place(folder=out, mark=begun.mark, code=code_hash())
    begun.close()
    shutil.rmtree(out)
    portfolio.run(credit, source, out, client=client, keep=["sex"])
    before = contents(out)
    schema = schema_of(credit, source.schema.field("id").type, [source.schema.field("sex")])
    context = RunContext(explainer=credit, schema=schema, id_column="id")
    late = explain_shard(context, next(source.shards()), stale)
    assert isinstance(late, Failed)
    assert late.stops_run
    assert contents(out) == before


def test_a_part_that_is_written_twice_is_explained_again(
    undisturbed: Path, credit: Explainer, source: RowSource, client: Client, tmp_path: Path
) -> None:
    """As by a worker that was thought to be lost, where a time limit makes two attempts differ."""
    out = tmp_path / "results"

    def overwritten(shard: Shard) -> pa.Table:
        part = out / "people" / "part-00000.parquet"
        if part.exists() and not (tmp_path / "done").exists():
            part.write_bytes(b"of another attempt")
            (tmp_path / "done").touch()
        return shard.read()

    last = max(shard.number for shard in source.shards())
    portfolio.run(credit, shards_with(source, last, overwritten), out, client=client, keep=["sex"])
    assert (tmp_path / "done").exists()
    assert contents(out) == contents(undisturbed)


def test_a_contradiction_in_one_shard_withdraws_the_proofs_of_all(client: Client, tmp_path: Path) -> None:
    contrary, rejected = changed_model()
    alone = [explain_apart(contrary, rejected[at : at + 1])[0] for at in range(8)]
    assert any(Status.OPTIMAL in few.statuses for few in alone)  # no contradiction shows in these
    assert any(Status.HEURISTIC in few.statuses for few in alone)
    path = tmp_path / "people.parquet"
    pq.write_table(pa.Table.from_pandas(rejected[:8], preserve_index=False), path, row_group_size=1)
    source = source_of(path, contrary, group=1)
    run = partial(portfolio.run, contrary, source, tmp_path / "results", client=client)
    results = run()
    # A shard that is explained again loses its proofs again.
    before = contents(results.path)
    for path in (results.path / "people").iterdir():
        if path.name != "part-00003.parquet":
            path.unlink()
    run()
    assert contents(results.path) == before
    expected = contrary.explain_many(rejected[:8])
    assert set(results.manifest.statuses) <= {"HEURISTIC", "ACCEPTED"}
    # As if one call had explained them all, and each shard by itself.
    assert [results.explanation(place) for place in range(8)] == list(expected)
    results.verify_checksums()
    # That explainer is known not to prove anything.
    with pytest.raises(ModelMismatch, match="Make a new one"):
        portfolio.run(contrary, source, tmp_path / "more", client=client)


def test_a_full_disk_stops_the_run_and_keeps_what_is_done(
    credit: Explainer, client: Client, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    # Text that does not compress, of which the last shard has too much.
    notes = [rng.bytes(20_000 if place >= 2 * GROUP else 10).hex() for place in range(COUNT)]
    table = pa.Table.from_pandas(people(COUNT).assign(note=notes), preserve_index=False)
    path = tmp_path / "people.parquet"
    pq.write_table(table, path, row_group_size=GROUP)
    source = source_of(path, credit, group=GROUP, keep=["note"])
    run = partial(portfolio.run, credit, source, client=client, keep=["note"])
    run(tmp_path / "undisturbed")
    with (
        largest_file(150_000),
        pytest.raises(UnfinishedRun, match=r"cannot be written to .*part-00002.* Finished work is kept"),
    ):
        run(tmp_path / "results")
    out = tmp_path / "results"
    assert sorted(path.name for path in (out / "people").iterdir()) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]
    run(out)
    assert contents(out) == contents(tmp_path / "undisturbed")


def test_a_cluster_without_authentication_is_warned_of(
    undisturbed: Path,
    credit: Explainer,
    source: RowSource,
    client: Client,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run = partial(portfolio.run, credit, source, keep=["sex"])
    run(tmp_path / "inside", client=client)  # whose threads no one else reaches
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            protocol="tcp",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster, set_as_default=False) as reached,
    ):
        run(tmp_path / "results", client=reached)
    (message,) = (record.getMessage() for record in caplog.records if record.name == "p2ce")
    assert "tcp://127.0.0.1:" in message
    assert "has no authentication. Anyone who can connect to it can run code" in message
    assert contents(tmp_path / "results") == contents(undisturbed)


def test_a_model_that_cannot_travel_is_said(client: Client, tmp_path: Path) -> None:
    held = threading.Lock()  # which nothing pickles

    def score(frame: pd.DataFrame) -> np.ndarray:
        with held:
            return (frame["Income"] > 30_000).to_numpy(dtype=np.float64)

    frame = people(COUNT)[["Income", "LoanAmount"]]
    boxed = Explainer(score, frame, plausibility=None, target=1)
    with pytest.raises(InvalidArgument, match=r"cannot be sent to other processes.* Use explain_many\(\)"):
        portfolio.run(boxed, frame, tmp_path / "results", client=client)


def test_wrong_arguments_are_said_before_anything_is_done(credit: Explainer, tmp_path: Path) -> None:
    for given, says in (
        ({"n_jobs": 0}, "n_jobs"),
        ({"keep": "sex"}, "keep must be a list"),
        ({"client": "tcp://127.0.0.1:8786"}, "client must be a synchronous Dask client"),
        ({"time_limit": -1.0}, "time_limit"),
    ):
        with pytest.raises(InvalidArgument, match=says):
            portfolio.run(credit, tmp_path / "none.parquet", tmp_path / "results", **given)
    assert not (tmp_path / "results").exists()
