"""XGBoost's JSON is checked before XGBoost reads it: counts that disagree and indices beyond their ends."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.apps.model_files.formats import xgboost_model
from p2ce.apps.model_files.load_model import load_model
from p2ce.errors import InvalidModel
from tests.optional import needs

xgboost = needs("xgboost")

# Newer releases say that gblinear will go; its files are checked while there are any.
pytestmark = pytest.mark.filterwarnings("ignore:.*gblinear")


@cache
def sound(booster: str = "gbtree", classes: int = 2) -> bytes:
    """Return the JSON of a small model with categories."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"number": random.normal(size=80), "other": random.normal(size=80)})
    if booster != "gblinear":
        frame["label"] = pd.Categorical(random.choice(["a", "b", "c"], 80))
    outcome = np.arange(80) % classes
    model = xgboost.XGBClassifier(
        n_estimators=3,
        max_depth=3,
        booster=booster,
        enable_categorical=True,
        n_jobs=1,
        max_cat_to_onehot=1,
        verbosity=0,
    ).fit(frame, outcome)
    return bytes(model.get_booster().save_raw("json"))


@pytest.mark.parametrize("booster", ["gbtree", "dart", "gblinear"])
@pytest.mark.parametrize("classes", [2, 3])
def test_sound_models_pass_and_come_back_as_they_were(booster: str, classes: int) -> None:
    content = sound(booster, classes)
    xgboost_model.check_xgboost_json(content)
    again = xgboost_model.load_parsed(xgboost_model.parse_file(content))
    assert bytes(again.save_raw("json")) == content


def of_model(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda learner: change(learner["gradient_booster"]["model"])


def of_tree(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    return of_model(lambda model: change(next(tree for tree in model["trees"] if tree["categories_nodes"])))


def put(name: str, at: int, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda part: part[name].__setitem__(at, value)


def said(name: str, value: str) -> Callable[[dict[str, Any]], Any]:
    return lambda learner: learner["learner_model_param"].update({name: value})


def tree_said(name: str, value: str) -> Callable[[dict[str, Any]], Any]:
    return of_tree(lambda tree: tree["tree_param"].update({name: value}))


def best_round(number: str) -> Callable[[dict[str, Any]], Any]:
    return lambda learner: learner["attributes"].update(best_iteration=number)


def all_infinite(tree: dict[str, Any]) -> None:
    tree["split_conditions"] = [float("inf")] * len(tree["parents"])


def far_labels(model: dict[str, Any]) -> None:
    model["cats"]["feature_segments"][-1] = 10**9


EDITS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a tree of no class": (of_model(put("tree_info", 0, 10**8)), "rounds or classes"),
    "a tree too many": (of_model(lambda model: model["trees"].append(model["trees"][0])), "rounds"),
    "rounds beyond the end": (of_model(put("iteration_indptr", -1, 10**8)), "rounds"),
    "categories beyond the end": (
        of_tree(put("categories_segments", 0, 10**9)),
        "splits by missing categories",
    ),
    "many categories": (of_tree(put("categories_sizes", 0, 10**9)), "splits by missing categories"),
    "a huge category": (of_tree(put("categories", 0, 2**31 - 1)), "splits by missing categories"),
    "no set for a split": (
        of_tree(lambda tree: tree["categories_nodes"].clear()),
        "splits by missing categories",
    ),
    "labels of other columns": (of_model(far_labels), "labels"),
    "a child beyond the end": (of_tree(put("left_children", 0, 10**8)), "not in its tree"),
    "a node that leads to itself": (of_tree(put("right_children", 0, 0)), "more than one way"),
    "a feature beyond the end": (of_tree(put("split_indices", 0, 10**8)), "feature that does not exist"),
    "a parent beyond the end": (of_tree(put("parents", 1, 10**8)), "parent that does not exist"),
    "a value that is not a number": (of_tree(put("split_conditions", 0, "1")), "not a number"),
    "an index that is not a whole number": (of_tree(put("left_children", 0, 0.5)), "not a whole number"),
    "an infinite leaf": (of_tree(all_infinite), "not a number"),
    "another number of nodes": (tree_said("num_nodes", "10000000"), "parts of another length"),
    "leaves of many values": (tree_said("size_leaf_vector", "99"), "one_output_per_tree"),
    "a best round beyond the end": (best_round("99999999"), "3 rounds, but its best_iteration is 99,999,999"),
    "a best round before the first": (best_round("-2"), "3 rounds, but its best_iteration is -2"),
    "a best round that is not a number": (best_round("last"), "structure that its library"),
    "many classes": (said("num_class", "1000000000"), "classes"),
    "many features": (said("num_feature", "100000000"), "features"),
    "no trees at all": (lambda learner: learner.pop("gradient_booster"), "structure that its library"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_edits_are_written(edit: str) -> None:
    change, message = EDITS[edit]
    model = json.loads(sound())
    change(model["learner"])
    with pytest.raises(InvalidModel, match=message):
        xgboost_model.check_xgboost_json(json.dumps(model).encode())


def test_weights_of_a_linear_booster_are_counted() -> None:
    model = json.loads(sound("gblinear"))
    model["learner"]["gradient_booster"]["model"]["weights"].pop()
    with pytest.raises(InvalidModel, match="one weight per feature"):
        xgboost_model.check_xgboost_json(json.dumps(model).encode())


def test_brackets_without_end_are_no_recursion() -> None:
    with pytest.raises(InvalidModel, match="RecursionError"):
        xgboost_model.check_xgboost_json(b'{"learner":' + b"[" * 3_000_000)


def test_a_model_that_fails_on_the_trial_row_is_rejected_with_the_reason(tmp_path: Path) -> None:
    model = json.loads(sound())
    model["learner"]["feature_types"][0] = "strange"
    (tmp_path / "model.json").write_text(json.dumps(model), encoding="utf-8")
    with pytest.raises(InvalidModel, match=r"cannot be loaded as XGBoost: All feature_types must be one of"):
        load_model(str(tmp_path / "model.json"))
