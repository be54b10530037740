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
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce.base.zip_parts import zipped
from p2ce.compile.archive.read_archive import read_saved
from p2ce.compile.archive.stored_arrays import read_array, write_array
from p2ce.errors import InvalidArgument
from tests.populations import loans
from tests.properties.amount import examples

FIRST = loans.forest()
Parts = dict[str, bytes]


@cache
def whole() -> bytes:
    """Return the bytes of a file that is as it should be."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        loans.explainer(plausibility=p2ce.PlausibilityForest(n_estimators=3)).save(path)
        return path.read_bytes()


def parts() -> Parts:
    with zipfile.ZipFile(io.BytesIO(whole())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rejection(content: bytes, folder: Path) -> str:
    """Load a file and give the complaint."""
    path = folder / "credit.p2ce"
    path.write_bytes(content)
    with pytest.raises(p2ce.P2CEError) as caught:
        p2ce.Explainer.load(path, FIRST)
    assert "\n" not in str(caught.value)
    return str(caught.value)


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
    assert repr(p2ce.Explainer.load(tmp_path / "a", FIRST)).startswith("<Explainer")


def test_paths_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"The file '.*none.p2ce' does not exist"):
        p2ce.Explainer.load(tmp_path / "none.p2ce", FIRST)
    with pytest.raises(InvalidArgument, match=r"Cannot read '.*': Is a directory"):
        p2ce.Explainer.load(tmp_path, FIRST)
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


def test_a_saved_file_is_its_owners_alone_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    loans.explainer().save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE(os.stat(tmp_path / "real").st_mode) == 0o600  # it holds the reference population


def huge_claim() -> bytes:
    array = bytearray(write_array(np.zeros(3)))
    at = array.index(b"(3,), }")
    array[at : at + 17] = b"(99999999999,), }"
    return with_part("scores.npy", bytes(array))


def twice() -> bytes:
    stream = io.BytesIO(whole())
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("policy.yaml", b"")
    return stream.getvalue()


def head(**entries: Any) -> Callable[[], bytes]:
    return lambda: with_head(lambda held: held.update(entries))


def setting(**entries: Any) -> Callable[[], bytes]:
    return lambda: with_head(lambda held: held["settings"].update(entries))


def inside(name: str, **entries: Any) -> Callable[[], bytes]:
    return lambda: with_head(lambda held: held[name].update(entries))


def part(name: str, content: bytes) -> Callable[[], bytes]:
    return lambda: with_part(name, content)


def changed(name: str, at: int, value: float) -> Callable[[], bytes]:
    def make() -> bytes:
        array = read_array(parts()[f"forest/{name}.npy"])
        array[at] = value
        return with_part(f"forest/{name}.npy", write_array(array))

    return make


NO_ZIP = (b"", b"P", b"hello", pickle.dumps({"a": 1}), b"\x93NUMPY\x01\x00", b"PAR1" * 40)
NEWER = "was written by a newer version"
FOREST = "is damaged: the forest"
MAPOCAM = {"type": "Mapocam", **asdict(p2ce.paper.Mapocam()), "order": ["index"]}
BAD: list[tuple[Callable[[], bytes], str]] = [
    *((lambda content=content: content, "is not a p2ce file") for content in NO_ZIP),
    (lambda: zipped({"a.txt": b"a"}), "is not a p2ce file: it is a zip archive without"),
    (lambda: zipped({"p2ce.json": b'{"format": "somebody.else/1"}'}), "is not a p2ce file: its format"),
    (head(format="p2ce.explainer/2", versions={"p2ce": "9.1"}), f"{NEWER} (p2ce 9.1)"),
    # Whatever else has changed then.
    (
        lambda: zipped({"p2ce.json": b'{"format": "p2ce.explainer/7"}', "new/part": b""}),
        f"{NEWER}. Install that version",
    ),
    (head(format="p2ce.explainer/0"), "was written by an older version (p2ce"),
    *(
        (lambda share=share: whole()[: int(len(whole()) * share)], "is damaged")
        for share in (0.1, 0.5, 0.9, 0.999)
    ),
    (huge_claim, "its stated length"),
    (twice, "a part twice"),
    *((part(name, b"x"), "has a part") for name in ("../../evil", "reference/99.values.npy", "extra.py")),
    (lambda: with_head(lambda held: held.pop("settings")), "is damaged"),
    *((head(**entries), "is damaged") for entries in ({"settings": []}, {"forest": None}, {"format": 1})),
    *((setting(method=given), "") for given in ("quickest", "p2ce", None, {"type": "ShapEstimate"}, MAPOCAM)),
    (setting(method={"type": "P2CE", "order": "index"}), "is damaged"),
    *((setting(target=given), "is damaged") for given in ({"float": "1e400"}, {"pickle": "gASV"})),
    (setting(objectives=[{"type": "eval", "name": "x"}]), "'eval' stands for objectives"),
    (setting(objectives=[{"type": "MeanDistance", "category": []}]), "is damaged"),
    (setting(objectives="changes"), "is damaged"),
    (lambda: with_head(lambda held: held["settings"]["plausibility"].update(n_estimators="1")), "is damaged"),
    (setting(bound={"type": "PlausibilityForest"}), "'PlausibilityForest' stands for bound"),
    (setting(models=2), "is damaged"),
    *((inside("model", scores=given), "is damaged") for given in (0, True)),
    (inside("forest", accept_from={"float": "nan"}), FOREST),
    *((inside("forest", columns=given), "") for given in (["Income"], [1, 2, 3, 4, 5])),
    *((part("p2ce.json", text), "is damaged") for text in (b"{", b"\xff\xfe", b"[" * 100_000)),
    (part("p2ce.json", b'{"format": ' + b"9" * 5000 + b"}"), "is damaged"),
    *((part("reference.json", text), "is damaged") for text in (b"null", b"{}")),
    *((part("policy.yaml", text), "is damaged") for text in (b"\xff", b"[" * 20_000)),
    (
        part("policy.yaml", b"version: 1\nfeatures: {Age: {kind: whole, ragne: [1]}}\n"),
        "line 2 of its policy",
    ),
    (part("policy.yaml", b"!!python/object/apply:os.system ['true']"), "cannot contain the tag"),
    *((part("scores.npy", one), "is damaged") for one in (b"", write_array(np.zeros(3)))),
    (part("scores.npy", write_array(np.zeros(64, dtype=np.int64))), "is damaged"),
    (part("reference/0.values.npy", write_array(np.zeros(3))), "is damaged"),
    *(
        (part("reference/labels.codes.npy", write_array(np.full(5, code, dtype=np.int8))), "is damaged")
        for code in (99, -2)
    ),
    *((changed("root", at, value), FOREST) for at, value in ((0, 1), (1, 0), (1, 10**9))),
    *((changed("feature", 0, value), FOREST) for value in (5, -2, 2**31 - 1, -1)),
    *((changed("right", 0, value), FOREST) for value in (10**9, -5, 0)),
    (changed("threshold", 0, np.nan), FOREST),
    (changed("value", 3, np.inf), FOREST),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_a_bad_file_is_rejected_in_one_line(tmp_path: Path, number: int) -> None:
    make, message = BAD[number]
    assert message in rejection(make(), tmp_path)


def test_a_bomb_is_not_unfolded(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts().items():
            archive.writestr(name, b"[" + b" " * 50_000_000 if name == "reference.json" else content)
    assert "not packed as p2ce packs parts" in rejection(stream.getvalue(), tmp_path)


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


def test_a_part_that_is_missing(tmp_path: Path) -> None:
    for name in parts():
        if name != "p2ce.json":
            left = {other: content for other, content in parts().items() if other != name}
            assert f"it lacks the part {name!r}" in rejection(zipped(left), tmp_path)


def test_a_forest_whose_nodes_lead_one_too_far(tmp_path: Path) -> None:
    right = read_array(parts()["forest/right.npy"])
    for at in np.flatnonzero(right >= 0)[:40].tolist():
        assert FOREST in rejection(changed("right", at, right[at] + 1)(), tmp_path)


@examples(150)
@given(st.data())
def test_flipped_bytes_never_do_more_than_complain(tmp_path_factory: Any, data: st.DataObject) -> None:
    content = bytearray(whole())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "flipped.p2ce"
    path.write_bytes(bytes(content))
    with suppress(InvalidArgument):
        read_saved(path)


@examples(150)
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
