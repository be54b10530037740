"""CatBoost's JSON is checked before CatBoost reads it: counts that disagree and indices beyond their ends."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.apps.model_files.formats import catboost_model
from p2ce.apps.model_files.load_model import load_model
from p2ce.errors import InvalidModel, UnsupportedModel
from tests.optional import needs

catboost = needs("catboost")


@cache
def written(form: str, classes: int = 2, grow_policy: str = "SymmetricTree") -> bytes:
    import tempfile

    rows = np.random.default_rng(0).normal(size=(80, 3))
    model = catboost.CatBoostClassifier(
        iterations=3, depth=3, verbose=0, allow_writing_files=False, thread_count=1, grow_policy=grow_policy
    ).fit(rows, np.arange(80) % classes)
    with tempfile.TemporaryDirectory() as folder:
        model.save_model(f"{folder}/model", format=form)
        return Path(folder, "model").read_bytes()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("grow_policy", ["SymmetricTree", "Depthwise"])
def test_sound_models_pass_and_predict_as_they_did(classes: int, grow_policy: str) -> None:
    content = written("cbm", classes, grow_policy)
    rows = np.random.default_rng(1).normal(size=(20, 3))
    before = catboost.CatBoostClassifier().load_model(blob=content)
    after = catboost_model.load_parsed(catboost_model.parse_file(content))
    assert np.array_equal(before.predict_proba(rows), after.predict_proba(rows))
    catboost_model.check_catboost_json(written("json", classes, grow_policy), numbers_only=True)


def of_tree(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda model: change(model["oblivious_trees"][0])


def of_split(**new: Any) -> Callable[[dict[str, Any]], Any]:
    return of_tree(lambda tree: tree["splits"][0].update(new))


def of_feature(**new: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda model: model["features_info"]["float_features"][0].update(new)


EDITS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a split beyond the end": (of_split(split_index=10**6), "splits by number 1,000,000"),
    "a feature of a split beyond the end": (of_split(float_feature_index=10**8), "splits by feature"),
    "a border that is not a number": (of_split(border=float("nan")), "not finite"),
    "another kind of split": (of_split(split_type="OnlineCtr"), "a feature that is not a number"),
    "a feature in a far place": (of_feature(flat_feature_index=10**8), "position that does not exist"),
    "two features in one place": (of_feature(flat_feature_index=1), "position that does not exist"),
    "borders that fall": (of_feature(borders=[1.0, 0.0]), "do not increase"),
    "one leaf": (of_tree(lambda tree: tree.update(leaf_values=[1.0])), "3 splits and 1 leaf values"),
    "too many splits": (of_tree(lambda tree: tree.update(splits=tree["splits"] * 20)), "60 splits"),
    "weights of other leaves": (of_tree(lambda tree: tree.update(leaf_weights=[1.0])), "one weight per leaf"),
    "no bias": (lambda model: model.update(scale_and_bias=[1, []]), "no class"),
    "no trees at all": (lambda model: model.pop("oblivious_trees"), "structure that its library"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_edits_are_written(edit: str) -> None:
    change, message = EDITS[edit]
    model = json.loads(written("json"))
    change(model)
    with pytest.raises(InvalidModel, match=message):
        catboost_model.check_catboost_json(json.dumps(model).encode(), numbers_only=True)


def test_leaves_of_nested_trees_are_counted() -> None:
    model = json.loads(written("json", 3, "Depthwise"))
    node = model["trees"][0]
    while "left" in node:
        node = node["left"]
    node["value"] = [1.0]
    with pytest.raises(InvalidModel, match="1 values for 3 outputs"):
        catboost_model.check_catboost_json(json.dumps(model).encode())


@pytest.mark.parametrize("kind", ["text_features", "embedding_features"])
def test_features_that_cannot_be_checked_are_named(tmp_path: Path, kind: str) -> None:
    random = np.random.default_rng(0)
    cells: list[Any] = [list(row) for row in random.normal(size=(40, 3))]
    if kind == "text_features":
        cells = [" ".join(random.choice(["good", "bad", "house"], 4)) for _ in cells]
    model = catboost.CatBoostClassifier(iterations=2, verbose=0, allow_writing_files=False)
    model.fit(pd.DataFrame({"column": cells}), np.arange(40) % 2, **{kind: ["column"]})
    model.save_model(str(tmp_path / "model.cbm"))
    with pytest.raises(UnsupportedModel, match=r"text or embedding features.*my_module:my_factory"):
        load_model(str(tmp_path / "model.cbm"))
