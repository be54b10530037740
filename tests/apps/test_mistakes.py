"""Every mistake of a newcomer gives one line that says what to do, with exit code 2."""

import gzip
import io
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.apps.commands import run

Capture = pytest.CaptureFixture[str]
Words = dict[str, Any]


def words(**changed: Any) -> list[str]:
    """Give a command that works, but for what is changed; None leaves an option out."""
    usual: Words = {"model": "model.txt", "data": "people.csv", "reference": "train.csv", "row": "0"}
    given = {name: value for name, value in {**usual, **changed}.items() if value is not None}
    found = ["explain"]
    for name, value in given.items():
        found += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return found


def edit(name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    change(pd.read_csv(name, dtype=object)).to_csv(name, index=False)


MISTAKES: dict[str, tuple[Words, list[str]]] = {
    "wrong path of the model": ({"model": "modle.txt"}, ["'modle.txt' does not exist", "'model.txt'"]),
    "wrong path of the data": (
        {"data": "poeple.csv"},
        ["--data 'poeple.csv' does not exist", "'people.csv'"],
    ),
    "wrong path of the policy": ({"policy": "p.yml"}, ["--policy 'p.yml' does not exist"]),
    "no such folder": ({"reference": "data/t.csv"}, ["There is no folder 'data'"]),
    "a folder": ({"data": "."}, ["is a folder", "Name a file"]),
    "row beyond the end": ({"row": "30"}, ["--row 30", "30 rows, 0 to 29"]),
    "row is a word": ({"row": "p3"}, ["--row 'p3' is no number", "--index-column"]),
    "no such label": ({"row": "p99", "index_column": "id"}, ["no label in 'id'", "30 rows"]),
    "no such index column": ({"index_column": "ID"}, ["--index-column 'ID'", "Did you mean 'id'?"]),
    "row and where": ({"where": "score < 1"}, ["--row and --where"]),
    "unknown column in where": ({"row": None, "where": "Incom > 3"}, ["'Incom'", "Did you mean 'Income'?"]),
    "label without quotes": ({"row": None, "where": "Housing == own"}, ["'own'", "Text goes in quotes"]),
    "one equals sign": ({"row": None, "where": "Age = 3"}, ["Write == to compare"]),
    "nobody fits": ({"row": None, "where": "Age > 300"}, ["matches none of the 30 rows"]),
    "unknown suffix": ({"out": "out.xlsx"}, ["'.xlsx'", ".html, .md, .json, .csv, .parquet"]),
    "no suffix": ({"out": "out"}, ["has no ending", ".html, .md"]),
    "no such out folder": ({"out": "new/out.html"}, ["'new', which does not exist", "mkdir -p new"]),
    "unknown class": ({"target": "2"}, ["2", "0, 1"]),
    "unknown range": ({"target": "a:b"}, ["low:high"]),
    "threshold outside": ({"threshold": "1.5"}, ["[0, 1]", "1.5"]),
    "contamination outside": ({"contamination": "1.5"}, ["contamination", "1.5"]),
    "both about plausibility": (
        {"contamination": "0.1", "no_plausibility": True},
        ["--contamination", "--no-plausibility", "Choose one"],
    ),
    "unknown objective": ({"objective": "mean_distanc"}, ["'mean_distance'"]),
    "negative changes": ({"max_changes": "-1"}, ["--max-changes -1", "0 for no limit"]),
    "no jobs": ({"jobs": "0"}, ["--jobs 0", "-1"]),
    "negative time": ({"time_limit": "-3"}, ["--time-limit -3", "above 0"]),
    "drop of a column of the model": ({"drop": "Age"}, ["--drop 'Age'", "cannot be left out"]),
    "out below a file": ({"out": "model.txt/x.html"}, ["'model.txt', which is a file"]),
    "unknown language": ({"language": "pr"}, ["'pr'", "'pt'"]),
    "unknown audience": ({"audience": "persn"}, ["'persn'", "'person'"]),
    "unknown option": ({"thresold": "1"}, ["--thresold", "p2ce explain --help"]),
    "word for a number": ({"threshold": "half"}, ["--threshold", "number", "p2ce explain --help"]),
    "no model": ({"model": None}, ["--model", "p2ce explain --help"]),
    "weights of a file": ({"weights": "people.csv"}, ["--weights", "my_module:make_network"]),
    "no such module": ({"model": "nets:make"}, ["module 'nets'"]),
    "table for a model": ({"model": "people.csv"}, ["no model file", "LightGBM text"]),
    "drop of nothing": ({"drop": "Repayed"}, ["--drop 'Repayed'", "Did you mean 'Repaid'?"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_line_says_what_to_do(folder: Path, capsys: Capture, mistake: str) -> None:
    changed, message = MISTAKES[mistake]
    before = set(os.listdir())
    ran = run(capsys, *words(**changed))
    assert ran.code == 2
    assert ran.out == ""
    assert all(part in ran.line for part in message), ran.line
    assert set(os.listdir()) == before


def drop_column(name: str) -> Callable[[], None]:
    return lambda: edit(name, lambda frame: frame.rename(columns={"Income": "income "}))


def thousands() -> None:
    edit("people.csv", lambda frame: frame.assign(Income=["1,234"] * len(frame)))


def text_for_numbers() -> None:
    edit("people.csv", lambda frame: frame.assign(Income=["much"] * len(frame)))


def text_in_the_reference() -> None:
    edit("train.csv", lambda frame: frame.assign(Income=["much", *frame["Income"][1:]]))


def twice() -> None:
    text = Path("people.csv").read_text(encoding="utf-8")
    Path("people.csv").write_text(text.replace("Age,", "Rate,", 1), encoding="utf-8")


def latin() -> None:
    text = Path("people.csv").read_text(encoding="utf-8").replace("rent", "miété")
    Path("people.csv").write_bytes(text.encode("latin-1"))


def ragged() -> None:
    with Path("people.csv").open("a", encoding="utf-8") as file:
        file.write("1,2,3,4,5,6,7,8,9\n")


def infinite() -> None:
    edit("train.csv", lambda frame: frame.assign(Income=["inf", *frame["Income"][1:]]))


def zip_of_version(version: int) -> bytes:
    """Write a zip file with an empty schema, which needs a version of zip to be unpacked."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        part = zipfile.ZipInfo("schéma.json" if version == 20 else "schema.json")
        archive.writestr(part, "{}")
    found = content.getvalue()
    at = found.index(b"PK\x01\x02") + 6
    return found[:at] + version.to_bytes(2, "little") + found[at + 2 :]


def long_listing() -> bytes:
    """Say at the end of a zip file that its list of names has gigabytes."""
    found = zip_of_version(20)
    at = found.index(b"PK\x05\x06") + 12
    return found[:at] + (2**31).to_bytes(4, "little") + found[at + 4 :]


DAMAGES: dict[str, tuple[Callable[[], object], Words, list[str]]] = {
    "data lacks a column": (
        drop_column("people.csv"),
        {},
        ["--data 'people.csv' has no column 'Income'", "income"],
    ),
    "reference lacks a column": (
        drop_column("train.csv"),
        {},
        ["--reference 'train.csv' has no column 'Income'"],
    ),
    "empty data": (lambda: Path("people.csv").write_text(""), {}, ["'people.csv' is empty"]),
    "blank data": (lambda: Path("people.csv").write_text("\n\n"), {}, ["'people.csv' is empty"]),
    "only a header": (lambda: Path("people.csv").write_text("Age,Income\n"), {}, ["no rows"]),
    "thousands": (thousands, {}, ["'Income' of people.csv", "'1,234'", "without separators"]),
    "text for numbers": (text_for_numbers, {}, ["'Income' of people.csv holds 'much'"]),
    "text in the reference": (text_in_the_reference, {}, ["'Income' of train.csv holds 'much' in row 0"]),
    "two columns of a name": (twice, {}, ["more than one column called 'Rate'"]),
    "not UTF-8": (latin, {}, ["not text in UTF-8", "iconv"]),
    "UTF-16": (
        lambda: Path("people.csv").write_text("Age,Income\n1,2\n", encoding="utf-16"),
        {},
        ["'people.csv' is text in UTF-16. Save it as UTF-8: iconv -f utf-16"],
    ),
    "yes and no for bools": (
        lambda: edit("people.csv", lambda frame: frame.assign(**{"Has guarantor": "yes"})),
        {},
        ["holds 'yes', where the reference has True and False"],
    ),
    "a policy for a table": (
        lambda: Path("p.yaml").write_text("version: 1\n"),
        {"data": "p.yaml"},
        ["'p.yaml' is called like a policy"],
    ),
    "text called Parquet": (
        lambda: Path("p.parquet").write_text("Age\n1\n"),
        {"data": "p.parquet"},
        ["called like a Parquet file"],
    ),
    "ragged rows": (ragged, {}, ["no table", "line"]),
    "infinite values": (infinite, {}, ["infinite", "'Income'"]),
    "Excel": (lambda: Path("people.csv").write_bytes(b"PK\x03\x04abc"), {}, ["Excel", "Save it as CSV"]),
    "binary data": (lambda: Path("people.csv").write_bytes(b"\x00\x01\x02" * 50), {}, ["binary file"]),
    "damaged gz": (
        lambda: Path("people.csv").write_bytes(gzip.compress(b"Age,Income\n1,2\n")[:-9]),
        {},
        ["damaged"],
    ),
    "damaged parquet": (lambda: Path("people.csv").write_bytes(b"PAR1xxxxPAR1"), {}, ["damaged"]),
    "empty model": (lambda: Path("model.txt").write_bytes(b""), {}, ["'model.txt' is empty"]),
    "truncated model": (
        lambda: Path("model.txt").write_bytes(Path("model.txt").read_bytes()[:2000]),
        {},
        ["breaks off"],
    ),
    "corrupt model": (
        lambda: Path("model.txt").write_bytes(b"tree\nversion=v4\nnonsense\nend of trees\n"),
        {},
        ["cannot be loaded as LightGBM", "damaged"],
    ),
    "text for a model": (lambda: Path("model.txt").write_text("hello"), {}, ["called like a LightGBM model"]),
    "broken JSON": (lambda: Path("m.json").write_text('{"learner": {'), {"model": "m.json"}, ["XGBoost"]),
    "other JSON": (lambda: Path("m.json").write_text('{"a": 1}'), {"model": "m.json"}, ["no model file"]),
    "LightGBM dump": (
        lambda: Path("m.json").write_text('{"tree_info": []}'),
        {"model": "m.json"},
        ["save_model"],
    ),
    "broken cbm": (
        lambda: Path("m.cbm").write_bytes(b"CBM1" + b"\x00" * 40),
        {"model": "m.cbm"},
        ["CatBoost"],
    ),
    "broken skops": (lambda: Path("m.skops").write_bytes(b"PK\x03\x04"), {"model": "m.skops"}, ["damaged"]),
    "skops of another zip": (
        lambda: Path("m.skops").write_bytes(zip_of_version(99)),
        {"model": "m.skops"},
        ["damaged"],
    ),
    "a name that is no text": (
        lambda: Path("m.skops").write_bytes(zip_of_version(20).replace("é".encode(), b"\xff\xff")),
        {"model": "m.skops"},
        ["damaged"],
    ),
    "a list of names without end": (
        lambda: Path("m.skops").write_bytes(long_listing()),
        {"model": "m.skops"},
        ["damaged"],
    ),
    "a pipe for a model": (lambda: os.mkfifo("m.txt"), {"model": "m.txt"}, ["is a pipe or a device"]),
    "a pipe for people": (lambda: os.mkfifo("p.csv"), {"data": "p.csv"}, ["is a pipe or a device"]),
    "code in a policy": (
        lambda: Path("p.yaml").write_text(
            "version: 1\nfeatures:\n  Age: {kind: whole, seen: [1, 9], step: 1}\n"
            'rules:\n  - {rule: predicate, function: "this:s"}\n'
        ),
        {"policy": "p.yaml"},
        ["predicate 'this:s'", "--trust-predicates"],
    ),
    "broken onnx": (lambda: Path("m.onnx").write_bytes(b"\x08\x07\x12abc"), {"model": "m.onnx"}, ["ONNX"]),
    "a pickle": (
        lambda: Path("m.pkl").write_bytes(b"\x80\x04N."),
        {"model": "m.pkl"},
        ["runs whatever code", "--trust-pickle", "skops"],
    ),
    "a pickle of nothing": (
        lambda: Path("m.pkl").write_bytes(b"\x80\x04N."),
        {"model": "m.pkl", "trust_pickle": True},
        ["holds a NoneType, which is no model"],
    ),
    "a broken pickle": (
        lambda: Path("m.pkl").write_bytes(b"\x80\x04"),
        {"model": "m.pkl", "trust_pickle": True},
        ["is a pickle that cannot be loaded"],
    ),
    "a wrong line in the policy": (
        lambda: Path("p.yaml").write_text("version: 1\nfeatures:\n  Age: {kind: whol}\n"),
        {"policy": "p.yaml"},
        ["p.yaml:3:", "whole"],
    ),
    "a policy without a column": (
        lambda: Path("p.yaml").write_text(
            "version: 1\nfeatures:\n  Age: {kind: whole, seen: [1, 9], step: 1}\n"
        ),
        {"policy": "p.yaml"},
        ["--policy 'p.yaml' does not say what 'Income' may do"],
    ),
    "a module that raises": (
        lambda: Path("raises_here.py").write_text("def make():\n    raise KeyError('weights')\n"),
        {"model": "raises_here:make"},
        ["raises_here:make raised KeyError"],
    ),
    "a module without it": (
        lambda: Path("lacks_it.py").write_text("def make_net():\n    return None\n"),
        {"model": "lacks_it:make_nt"},
        ["no 'make_nt'", "'make_net'"],
    ),
    "a factory of nothing": (
        lambda: Path("gives_none.py").write_text("def make():\n    pass\n"),
        {"model": "gives_none:make"},
        ["returned None"],
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_files_that_do_not_fit_are_written(folder: Path, capsys: Capture, damage: str) -> None:
    spoil, changed, message = DAMAGES[damage]
    spoil()
    ran = run(capsys, *words(**changed))
    assert ran.code == 2
    assert ran.out == ""
    assert all(part in ran.line for part in message), ran.line


def test_a_file_is_not_overwritten(folder: Path, capsys: Capture) -> None:
    Path("out.json").write_text("mine", encoding="utf-8")
    assert "--force" in run(capsys, *words(out="out.json")).line
    assert Path("out.json").read_text(encoding="utf-8") == "mine"
    assert run(capsys, *words(out="out.json"), "--force").code == 0


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0,
    reason="not as root, who may do all",
)
def test_no_permission(folder: Path, capsys: Capture) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    assert "no permission" in run(capsys, *words(out=closed / "out.json")).line
    Path("people.csv").chmod(0)
    assert "Permission denied" in run(capsys, *words()).line


def test_no_permission_as_the_system_says(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for root, to whom nothing is forbidden."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    ran = run(capsys, *words(out="out.json"))
    assert ran.code == 2
    assert "cannot be written: no permission for the folder '.'. Choose another place." in ran.line


def test_semicolons_and_decimal_commas_are_read(folder: Path, capsys: Capture) -> None:
    expected = run(capsys, *words())
    frame = pd.read_csv("people.csv")
    frame.to_csv("people.csv", index=False, sep=";", decimal=",")
    ran = run(capsys, *words())
    assert (ran.code, ran.out) == (0, expected.out)
    assert "separated by ';'" in ran.err


@pytest.mark.parametrize("form", ["tsv", "csv.gz", "parquet"])
def test_other_tables_give_the_same(folder: Path, capsys: Capture, form: str) -> None:
    expected = run(capsys, *words())
    for name in ("people", "train"):
        frame = pd.read_csv(f"{name}.csv")
        if form == "parquet":
            frame.to_parquet(f"{name}.parquet")
        else:
            frame.to_csv(f"{name}.{form}", index=False, sep="\t" if form == "tsv" else ",")
    ran = run(capsys, *words(data=f"people.{form}", reference=f"train.{form}"))
    assert (ran.code, ran.out) == (0, expected.out)


def test_without_pyarrow(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    pd.read_csv("people.csv").to_parquet("people.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'p2ce[parquet]'" in run(capsys, *words(out="out.parquet")).line


@pytest.mark.parametrize("library", ["lightgbm", "onnxruntime"])
def test_without_the_library_of_the_model(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    Path("m.onnx").write_bytes(b"\x08\x07\x12abc")
    ran = run(capsys, *words(model="model.txt" if library == "lightgbm" else "m.onnx"))
    extra = "lightgbm" if library == "lightgbm" else "onnx"
    assert (ran.code, f"pip install 'p2ce[{extra}]'" in ran.line) == (2, True)


def test_a_bug_is_one_line_too(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("p2ce.apps.explain_command.run_explain", broken)
    ran = run(capsys, *words())
    assert ran.code == 1
    assert "division by zero" in ran.line
    assert "P2CE_DEBUG=1" in ran.line
    monkeypatch.setenv("P2CE_DEBUG", "1")
    from p2ce.apps import cli

    with pytest.raises(ZeroDivisionError):
        cli.main(words())
