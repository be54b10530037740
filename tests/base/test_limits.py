"""Every input has a limit, which its error names with the way to raise it; time and memory stay bounded."""

import gzip
import tracemalloc
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import p2ce
from p2ce import Limits, Policy
from p2ce.base.limits import read_limits
from p2ce.errors import InvalidArgument, InvalidPolicy, LimitExceeded
from p2ce.tables.table_files import read_table
from tests.apps.command_line import run
from tests.clock import processor_time
from tests.hostile.plain_data import tame
from tests.optional import LazyLibrary
from tests.populations import loans

pa = LazyLibrary("pyarrow")
pq = LazyLibrary("pyarrow.parquet")

MIB = 1 << 20
FEATURES = "version: 1\nfeatures:\n  a: {kind: number, range: [0, 1]}\n  b: {kind: number, range: [0, 1]}\n"


def rejection(do: Callable[[], Any], name: str) -> str:
    """Do something that exceeds a limit; give the message, which says all that it has to."""
    with pytest.raises(LimitExceeded) as caught:
        do()
    message = str(caught.value)
    assert f"the limit {name} is " in message
    assert f"limits=p2ce.Limits({name}=...)" in message
    assert f"--limit {name.replace('_', '-')}=..." in message
    assert tame(message)
    return message


def table(path: Path, **limits: Any) -> Any:
    return read_table(path, "--data", limits=Limits(**limits))


def packed(path: Path, block: bytes, times: int) -> Path:
    """Write a file that unpacks to a thousand times its size."""
    with path.open("wb") as file:
        file.write(gzip.compress(b"a,b\n"))
        member = gzip.compress(block, 9)
        for _ in range(times):
            file.write(member)
    return path


@pytest.mark.parametrize(
    ("block", "name"),
    [(b"1,2\n" * (MIB // 4), "table_rows"), (b"0" * MIB, "table_bytes"), (b"\n" * MIB, "table_rows")],
)
def test_a_small_file_that_unpacks_to_gigabytes(tmp_path: Path, block: bytes, name: str) -> None:
    path = packed(tmp_path / "bomb.csv.gz", block, 2000)
    assert path.stat().st_size < 4 * MIB
    tracemalloc.start()
    rejection(lambda: table(path, table_bytes=100 * MIB, table_rows=10 * MIB), name)
    assert tracemalloc.get_traced_memory()[1] < 20 * MIB
    tracemalloc.stop()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_are_counted_before_they_are_loaded(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"people.{form}"
    if form == "csv":
        path.write_text("a,b\n" + "1,x\n" * 1000, encoding="utf-8")
    else:
        pq.write_table(pa.table({"a": np.zeros(1000), "b": ["x"] * 1000}), path)
    # The header of a text counts as cells.
    assert table(path, table_rows=1000, table_columns=2, table_cells=2002).frame.shape == (1000, 2)
    for name, most in (
        ("table_rows", 999),
        ("table_columns", 1),
        ("table_cells", 1999),
        ("table_bytes", 100),
    ):
        rejection(lambda name=name, most=most: table(path, **{name: most}), name)


def test_a_header_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    names = [f"{'name' * 60}{place}" for place in range(9_000)]
    (tmp_path / "wide.csv").write_text(f"{','.join(names)}\n{','.join('1' * 9_000)}\n", encoding="utf-8")
    assert table(tmp_path / "wide.csv").columns == names


def test_parquet_in_which_one_long_text_stands_for_many(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    codes = pa.array(np.zeros(3000, dtype=np.int32))
    long = pa.table({"a": pa.DictionaryArray.from_arrays(codes, pa.array(["x" * MIB]))})
    pq.write_table(long, path, store_schema=False)  # so that it is read as text
    assert path.stat().st_size < MIB
    rejection(lambda: table(path), "table_bytes")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("policy_bytes", "\n" * 19_000_000),
        ("policy_values", FEATURES + "more: {a: [" + "1," * 110_000 + "]}"),
        ("policy_depth", "a: " + "[" * 20_000),
        ("policy_depth", "".join(f"{' ' * depth}a:\n" for depth in range(100))),
        ("policy_rules", FEATURES + "rules:\n" + "  - {rule: change_at_most_one, columns: [a, b]}\n" * 1001),
    ],
)
def test_policies(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with processor_time(30):
        rejection(lambda: Policy.load(path), name)


def test_a_policy_within_raised_limits(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(FEATURES, encoding="utf-8")
    rejection(lambda: Policy.load(path, limits=Limits(policy_bytes=len(FEATURES) - 1)), "policy_bytes")
    assert Policy.load(path, limits=Limits(policy_bytes=len(FEATURES))).names == ("a", "b")


SLOW = {
    "a product": "1e399*" * 20_000 + "1*a <= b",
    "a quotient": "a" + "/1e399" * 20_000 + " <= b",
    "brackets": "(" * 20_000 + "a" + ")" * 20_000 + " <= b",
    "signs": "-" * 20_000 + "a <= b",
    "a sum": "+".join(["a"] * 20_000) + " <= b",
    "a sum of fractions": "+".join(f"a/{2 * place + 3}" for place in range(10_000)) + " <= b",
    "digits": "1" * 20_000 + "*a <= b",
    "an exponent": "1e999999999*a <= b",
    "digits of an exponent": f"1e{'9' * 20_000}*a <= b",
    "many columns": "+".join(f"a{place}" for place in range(10_000)) + " <= b",
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_no_inequality_takes_long(text: str) -> None:
    message = ""
    with processor_time(10):
        try:
            p2ce.rules.inequality(text)
        except InvalidPolicy as error:
            message = str(error)
    assert tame(message)


def test_rules_that_leave_each_other_no_room_are_found_quickly(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    rules = (
        "  - {rule: change_at_most_one, columns: [a, b]}\n" * 500
        + "  - {rule: together, columns: [a, b]}\n" * 500
    )
    path.write_text(f"{FEATURES}rules:\n{rules}", encoding="utf-8")
    with processor_time(20), pytest.raises(p2ce.P2CEError, match=r":506: 'a' and 'b' can never change"):
        Policy.load(path)


def test_runs_of_candidates_are_counted_before_they_are_written_out(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    runs = ", ".join(["[0, 1, 0.0001]"] * 1000)
    path.write_text(
        f"version: 1\nfeatures:\n  a: {{kind: number, range: [0, 9], inferred_candidates: [{runs}]}}\n",
        encoding="utf-8",
    )
    with pytest.raises(p2ce.P2CEError, match="at most 30,000 in total"):
        Policy.load(path)


def test_archives(tmp_path: Path) -> None:
    path = tmp_path / "credit.p2ce"
    loans.explainer(plausibility=None).save(path)
    model = loans.forest()
    rejection(lambda: p2ce.Explainer.load(path, model, limits=Limits(archive_bytes=1000)), "archive_bytes")
    rejection(lambda: p2ce.Explainer.load(path, model, limits=Limits(policy_values=3)), "policy_values")
    assert p2ce.Explainer.load(path, model, limits=Limits(archive_bytes=MIB)) is not None


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
def test_every_limit_has_a_name_on_the_command_line(name: str) -> None:
    option = name.replace("_", "-")
    assert getattr(read_limits([f"{option}=2e9"]), name) == 2_000_000_000
    assert getattr(read_limits([f"{option}=16GB"]), name) == 16_000_000_000
    assert getattr(read_limits([f"{option}=1.5 KiB"]), name) == 1536


@pytest.mark.parametrize("text", ["table-rows=" + "9" * 10**5, "x" * 10**6])
def test_long_texts_are_no_limits(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_limits([text])
    assert tame(str(caught.value))


def test_the_command_line_raises_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, policy = tmp_path / "people.csv", tmp_path / "policy.yaml"
    data.write_text("a,b\n0.1,0.2\n0.3,0.4\n0.5,0.9\n", encoding="utf-8")
    policy.write_text(FEATURES, encoding="utf-8")
    assert run(capsys, "policy", "check", policy, data).code == 0
    ran = run(capsys, "policy", "check", policy, data, "--limit", "table-rows=2")
    assert ran.code == 2
    assert "--limit table-rows=" in ran.line
    assert run(capsys, "policy", "check", policy, data, "--limit", "policy-depth=2").code == 2
    out = tmp_path / "p.yaml"
    assert run(capsys, "policy", "infer", data, "--out", out, "--limit", "table-columns=1").code == 2
    for command in (["explain", "--data", data], ["inspect"]):
        ran = run(capsys, *command, "--model", "m.txt", "--limit", "table-rowz=2")
        assert ran.code == 2
        assert "'table-rows'" in ran.line
