"""Whatever a file holds, loading it ends in one line of what is wrong, and nothing is run."""

import io
import json
import os
import pickle
import stat
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import p2ce
from p2ce.archive.read_archive import read_saved
from p2ce.archive.stored_arrays import read_array, write_array
from p2ce.archive.zipped import zipped
from p2ce.errors import InvalidArgument, LimitExceeded
from tests.populations import loans

FIRST = loans.forest()
Parts = dict[str, bytes]


@cache
def whole() -> bytes:
    """Give the bytes of a file that is as it should be."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        loans.explainer(plausibility=p2ce.IsolationForest(n_estimators=3)).save(path)
        return path.read_bytes()


def parts() -> Parts:
    with zipfile.ZipFile(io.BytesIO(whole())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rejection(content: bytes, folder: Path) -> str:
    """Load a file and give the complaint."""
    path = folder / "credit.p2ce"
    path.write_bytes(content)
    with pytest.raises((InvalidArgument, LimitExceeded)) as caught:
        p2ce.load(path, FIRST)
    message = str(caught.value)
    assert "\n" not in message
    assert "credit.p2ce" in message
    return message


def with_head(change: Callable[[Any], Any]) -> bytes:
    held = parts()
    head = json.loads(held["p2ce.json"])
    change(head)
    return zipped({**held, "p2ce.json": json.dumps(head).encode()})


def with_part(name: str, content: bytes) -> bytes:
    return zipped({**parts(), name: content})


def test_the_file_as_written_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(zipped(parts()))
    assert zipped(parts()) == whole()
    assert repr(p2ce.load(tmp_path / "a", FIRST)).startswith("<Explainer")


def test_paths_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"There is no file '.*none.p2ce'"):
        p2ce.load(tmp_path / "none.p2ce", FIRST)
    with pytest.raises(InvalidArgument, match=r"Cannot read '.*': Is a directory"):
        p2ce.load(tmp_path, FIRST)
    with pytest.raises(InvalidArgument, match=r"cannot be written to '.*': the folder does not exist"):
        loans.explainer().save(tmp_path / "none" / "a.p2ce")


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InvalidArgument, match="No space left"):
        loans.explainer().save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_saved_file_has_the_usual_rights_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "usual").touch()
    loans.explainer().save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    rights = [stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("real", "usual")]
    assert rights[0] == rights[1]


@pytest.mark.parametrize(
    "content", [b"", b"P", b"hello", pickle.dumps({"a": 1}), b"\x93NUMPY\x01\x00", b"PAR1" * 40]
)
def test_what_is_no_file_of_ours(tmp_path: Path, content: bytes) -> None:
    assert "is not a p2ce file" in rejection(content, tmp_path)


def test_another_zip_file(tmp_path: Path) -> None:
    assert "is not a p2ce file: it is a zip archive without" in rejection(zipped({"a.txt": b"a"}), tmp_path)
    other = zipped({"p2ce.json": b'{"format": "somebody.else/1"}'})
    assert "is not a p2ce file: its format" in rejection(other, tmp_path)


def test_versions(tmp_path: Path) -> None:
    newer = with_head(lambda head: head.update(format="p2ce.explainer/2", versions={"p2ce": "9.1"}))
    assert "was written by a newer version (p2ce 9.1)" in rejection(newer, tmp_path)
    # Whatever else has changed then.
    newest = zipped({"p2ce.json": b'{"format": "p2ce.explainer/7"}', "new/part": b""})
    assert "was written by a newer version. Type: pip install" in rejection(newest, tmp_path)
    older = with_head(lambda head: head.update(format="p2ce.explainer/0"))
    assert "was written by an older version (p2ce" in rejection(older, tmp_path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(tmp_path: Path, share: float) -> None:
    assert "is damaged" in rejection(whole()[: int(len(whole()) * share)], tmp_path)


def test_a_bomb_is_not_unfolded(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts().items():
            archive.writestr(name, b"[" + b" " * 50_000_000 if name == "reference.json" else content)
    assert "not packed as p2ce packs" in rejection(stream.getvalue(), tmp_path)


def test_a_claim_of_a_huge_array_reserves_nothing(tmp_path: Path) -> None:
    array = bytearray(write_array(np.zeros(3)))
    at = array.index(b"(3,), }")
    array[at : at + 17] = b"(99999999999,), }"
    assert "another length" in rejection(with_part("scores.npy", bytes(array)), tmp_path)


def test_a_pickle_inside_an_array_is_not_opened(tmp_path: Path) -> None:
    class Run:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "ran"),)

    stream = io.BytesIO()
    held = np.empty(1, dtype=object)
    held[0] = Run()
    np.save(stream, held, allow_pickle=True)
    for name in ("scores.npy", "reference/0.values.npy", "forest/root.npy"):
        assert "is damaged: an array holds object" in rejection(with_part(name, stream.getvalue()), tmp_path)
    assert not (tmp_path / "ran").exists()


def test_parts_that_nobody_knows(tmp_path: Path) -> None:
    for name in ("../../evil", "reference/99.values.npy", "extra.py"):
        assert "has a part" in rejection(with_part(name, b"x"), tmp_path)


def test_a_part_that_is_missing_or_there_twice(tmp_path: Path) -> None:
    for name in parts():
        if name != "p2ce.json":
            left = {other: content for other, content in parts().items() if other != name}
            assert f"it lacks the part {name!r}" in rejection(zipped(left), tmp_path)
    stream = io.BytesIO(whole())
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("policy.yaml", b"")
    assert "there twice" in rejection(stream.getvalue(), tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda head: head.pop("settings"),
        lambda head: head.update(settings=[]),
        lambda head: head.update(forest=None),
        lambda head: head.update(format=1),
        lambda head: head["settings"].update(method="quickest"),
        lambda head: head["settings"].update(method=None),
        lambda head: head["settings"].update(method={"type": "ShapEstimate"}),
        lambda head: head["settings"].update(method={"type": "P2CE", "order": "index"}),
        lambda head: head["settings"].update(
            method={"type": "Mapocam", **asdict(p2ce.paper.Mapocam()), "order": ["index"]}
        ),
        lambda head: head["settings"].update(target={"float": "1e400"}),
        lambda head: head["settings"].update(target={"pickle": "gASV"}),
        lambda head: head["settings"].update(objectives=[{"type": "eval", "name": "x"}]),
        lambda head: head["settings"].update(objectives=[{"type": "MeanDistance", "category": []}]),
        lambda head: head["settings"].update(objectives="changes"),
        lambda head: head["settings"]["plausibility"].update(n_estimators="100"),
        lambda head: head["settings"].update(bound={"type": "IsolationForest"}),
        lambda head: head["settings"].update(models=2),
        lambda head: head["model"].update(scores=0),
        lambda head: head["model"].update(scores=True),
        lambda head: head["forest"].update(accept_from={"float": "nan"}),
        lambda head: head["forest"].update(columns=["Income"]),
        lambda head: head["forest"].update(columns=[1, 2, 3, 4, 5]),
    ],
)
def test_settings_of_another_type(tmp_path: Path, change: Callable[[Any], Any]) -> None:
    rejection_of_any_kind(with_head(change), tmp_path)


def rejection_of_any_kind(content: bytes, folder: Path) -> None:
    path = folder / "credit.p2ce"
    path.write_bytes(content)
    with pytest.raises(p2ce.P2CEError) as caught:
        p2ce.load(path, FIRST)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p2ce.json", b"{"),
        ("p2ce.json", b"\xff\xfe"),
        ("p2ce.json", b"[" * 100_000),
        ("p2ce.json", b'{"format": ' + b"9" * 5000 + b"}"),
        ("reference.json", b"null"),
        ("reference.json", b"{}"),
        ("policy.yaml", b"\xff"),
        ("policy.yaml", b"version: 1\nfeatures: {Age: {kind: whole, ragne: [1, 2]}}\n"),
        ("policy.yaml", b"!!python/object/apply:os.system ['true']"),
        ("policy.yaml", b"[" * 20_000),
        ("scores.npy", b""),
        ("scores.npy", write_array(np.zeros(3))),
        ("scores.npy", write_array(np.zeros(64, dtype=np.int64))),
        ("reference/0.values.npy", write_array(np.zeros(3))),
        ("reference/labels.codes.npy", write_array(np.full(5, 99, dtype=np.int8))),
        ("reference/labels.codes.npy", write_array(np.full(5, -2, dtype=np.int8))),
    ],
)
def test_parts_with_other_contents(tmp_path: Path, name: str, content: bytes) -> None:
    assert "is damaged" in rejection(with_part(name, content), tmp_path)


FOREST = {name: f"forest/{name}.npy" for name in ("root", "feature", "threshold", "right", "value")}


def changed(name: str, at: int, value: float) -> bytes:
    array = read_array(parts()[FOREST[name]])
    array[at] = value
    return with_part(FOREST[name], write_array(array))


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("root", 0, 1),
        ("root", 1, 0),
        ("root", 1, 10**9),
        ("feature", 0, 5),
        ("feature", 0, -2),
        ("feature", 0, 2**31 - 1),
        ("feature", 0, -1),
        ("right", 0, 10**9),
        ("right", 0, -5),
        ("right", 0, 0),
        ("threshold", 0, np.nan),
        ("value", 3, np.inf),
    ],
)
def test_a_forest_that_leads_astray(tmp_path: Path, name: str, at: int, value: float) -> None:
    assert "is damaged: the forest" in rejection(changed(name, at, value), tmp_path)


def test_a_forest_whose_nodes_lead_one_too_far(tmp_path: Path) -> None:
    right = read_array(parts()[FOREST["right"]])
    for at in np.flatnonzero(right >= 0)[:40].tolist():
        assert "is damaged: the forest" in rejection(changed("right", at, right[at] + 1), tmp_path)


@settings(max_examples=150)
@given(st.data())
def test_flipped_bytes_never_do_more_than_complain(tmp_path_factory: Any, data: st.DataObject) -> None:
    content = bytearray(whole())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "flipped.p2ce"
    path.write_bytes(bytes(content))
    with suppress(InvalidArgument):
        read_saved(path)


@settings(max_examples=150)
@given(st.data())
def test_changed_arrays_never_do_more_than_complain(tmp_path_factory: Any, data: st.DataObject) -> None:
    held = {name: bytearray(content) for name, content in parts().items()}
    name = data.draw(st.sampled_from(sorted(held)))
    for _ in range(data.draw(st.integers(1, 3))):
        held[name][data.draw(st.integers(0, len(held[name]) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "changed.p2ce"
    path.write_bytes(zipped({name: bytes(content) for name, content in held.items()}))
    with suppress(InvalidArgument):
        read_saved(path)


def test_columns_that_hardly_vary_are_stored_as_they_are() -> None:
    content = zipped({"a": bytes(1_000_000), "b": bytes(1_000)})
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert [part.compress_type for part in archive.infolist()] == [
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ]
