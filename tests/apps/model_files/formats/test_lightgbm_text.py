"""A LightGBM file that was damaged or edited is rejected in one line, before LightGBM hangs or crashes."""

import re
from pathlib import Path

import numpy as np
import pytest

from p2ce.apps.model_files.formats.lightgbm_text import checked_text
from p2ce.apps.model_files.load_model import load_model
from p2ce.errors import InvalidModel
from tests.hostile.mutate import resized
from tests.optional import needs


def edited(pattern: str, by: str, text: str) -> str:
    changed = re.sub(pattern, by, text, count=1)
    assert changed != text
    return changed


EDITS = {
    "a node that leads to itself": (
        r"left_child=\S+",
        "left_child=0",
        "more than one way, or from itself",
    ),
    "a node beyond the end": (r"left_child=\S+", "left_child=99", "not in its tree"),
    "a leaf beyond the end": (r"right_child=\S+", "right_child=-99", "not in its tree"),
    "a feature beyond the end": (r"split_feature=\d+", "split_feature=999", "feature that does not exist"),
    "too many leaves": (r"num_leaves=\d+", "num_leaves=70000", "does not fit them"),
    "no leaves": (r"num_leaves=\d+", "num_leaves=-1", "does not fit them"),
    "a word for a number": (r"decision_type=\S+", "decision_type=two", "structure that its library"),
    "a setting without a value": (r"\[num_leaves: \d+\]", "[num_leaves]", "among its parameters"),
    "a setting of another kind": (r"\[num_leaves: \d+\]", "num_leaves=4", "among its parameters"),
    "labels beyond the end": (r"cat_boundaries=.*", "cat_boundaries=0 9", "missing set of labels"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_edits_are_written(folder: Path, edit: str) -> None:
    pattern, by, message = EDITS[edit]
    text = Path("model.txt").read_text(encoding="utf-8")
    with pytest.raises(InvalidModel, match=message):
        checked_text(resized(edited(pattern, by, text)).encode())


def test_sizes_have_to_fit(folder: Path) -> None:
    text = Path("model.txt").read_text(encoding="utf-8")
    with pytest.raises(InvalidModel, match="Tree 1 of the LightGBM file does not begin where the sizes say"):
        checked_text(edited("shrinkage=1\n", "shrinkage=1.0\n", text).encode())
    with pytest.raises(InvalidModel, match=r"does not begin|does not end"):
        checked_text((text[:3000] + "\nend of trees\n").encode())


def test_line_ends_of_windows_are_read(folder: Path) -> None:
    content = Path("model.txt").read_bytes()
    whole = load_model("model.txt").model
    Path("model.txt").write_bytes(content.replace(b"\n", b"\r\n"))
    again = load_model("model.txt").model
    assert again.model_to_string() == whole.model_to_string()
    assert again.pandas_categorical == whole.pandas_categorical == [["free", "own", "rent"]]


def test_trees_of_one_leaf_are_sound(tmp_path: Path) -> None:
    lightgbm = needs("lightgbm")
    data = lightgbm.Dataset(np.arange(40.0).reshape(-1, 1), np.arange(40.0))
    booster = lightgbm.train({"min_data_in_leaf": 100, "verbosity": -1, "num_threads": 1}, data, 2)
    booster.save_model(tmp_path / "model.txt")
    assert "num_leaves=1" in (tmp_path / "model.txt").read_text(encoding="utf-8")
    assert load_model(str(tmp_path / "model.txt")).model.predict(np.ones((1, 1))) == booster.predict(
        np.ones((1, 1))
    )
