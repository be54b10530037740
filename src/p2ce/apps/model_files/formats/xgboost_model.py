"""Parse XGBoost's JSON and its binary form UBJ. XGBoost trusts JSON, so it is checked first."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from p2ce.apps.model_files.formats import MOST_FEATURES
from p2ce.engine.scores.trees.tree_nodes import TreeNodes, join_trees, parsing
from p2ce.errors import InvalidModel

UNNEEDED = ("sklearn", "pandas", "dask", "pyarrow", "matplotlib", "graphviz", "polars")
MOST_CATEGORIES = 1 << 24  # XGBoost's own limit
NO_PARENT = 2**31 - 1
NEEDED = ("left_children", "right_children", "parents", "split_indices", "split_conditions", "default_left")
PER_NODE = (*NEEDED, "split_type", "base_weights", "loss_changes", "sum_hessian")


def prepare(_: bytes) -> None:
    """Import XGBoost."""
    import xgboost  # noqa: F401


def parse_file(content: bytes) -> bytes:
    """Load JSON or UBJ, try it on a row, and return XGBoost's own JSON."""
    import xgboost

    if _is_json(content):
        check_xgboost_json(content)
    booster = xgboost.Booster()
    booster.load_model(bytearray(content))
    written = bytes(booster.save_raw("json"))
    check_xgboost_json(written)
    row = np.zeros((1, booster.num_features()), dtype=np.float32)
    labelled = xgboost.DMatrix(row, feature_types=booster.feature_types, enable_categorical=True)
    booster.predict(labelled, validate_features=False)
    return written


def load_parsed(content: bytes) -> Any:
    """Build the classifier or regressor that saved it, else a Booster.

    An estimator predicts up to its best iteration. A Booster does not.
    """
    import xgboost

    check_xgboost_json(content)
    booster = xgboost.Booster()
    booster.load_model(bytearray(content))
    saved = booster.attr("scikit_learn")
    kind = json.loads(saved).get("_estimator_type") if saved else None
    if kind not in ("classifier", "regressor"):
        return booster
    estimator = xgboost.XGBClassifier() if kind == "classifier" else xgboost.XGBRegressor()
    estimator.load_model(bytearray(content))
    return estimator


def _is_json(content: bytes) -> bool:
    """Return whether this is JSON; in UBJ, the length of a key follows the bracket."""
    return content[1:].lstrip()[:1] in (b'"', b"}")


@parsing("The XGBoost file")
def check_xgboost_json(content: bytes) -> None:
    """Check that counts agree and indices are in their ranges."""
    learner = json.loads(content)["learner"]
    settings = learner["learner_model_param"]
    features, classes, targets = (
        int(settings.get(name, "0")) for name in ("num_feature", "num_class", "num_target")
    )
    if not 0 <= features <= MOST_FEATURES or not 0 <= classes <= MOST_FEATURES or not 0 <= targets <= 1:
        raise InvalidModel(
            f"The XGBoost file has {features:,} features, {classes:,} classes and {targets:,} targets. "
            "Only one target is supported."
        )
    for name in ("feature_names", "feature_types"):
        if len(learner.get(name) or ()) not in (0, features):
            raise InvalidModel(f"The XGBoost file has {features} features, but not as many {name}.")
    groups = max(1, classes)
    booster = learner["gradient_booster"]
    if booster["name"] == "gblinear":
        if len(booster["model"]["weights"]) != (features + 1) * groups:
            raise InvalidModel("The XGBoost file does not have one weight per feature.")
        return
    model = booster["gbtree"]["model"] if booster["name"] == "dart" else booster["model"]
    _check_rounds(booster, model, groups)
    best = (learner.get("attributes") or {}).get("best_iteration")
    starts = model.get("iteration_indptr")  # older versions do not write it
    if best is not None and starts is not None and not 0 <= int(best) < len(starts) - 1:
        raise InvalidModel(
            f"The XGBoost file has {len(starts) - 1:,} rounds, but its best_iteration is {int(best):,}."
        )
    _check_labels(model.get("cats") or {}, features)
    trees = [_tree(number, tree, features) for number, tree in enumerate(model["trees"])]
    if trees:
        join_trees(trees, columns=features)


def _check_rounds(booster: dict[str, Any], model: dict[str, Any], groups: int) -> None:
    trees = len(model["trees"])
    owners = _whole(model["tree_info"])
    starts = _whole(model.get("iteration_indptr", [0, trees]))
    dropout = booster.get("weight_drop") or booster.get("model", {}).get("weight_drop")
    sound = (
        int(model["gbtree_model_param"]["num_trees"]) == trees == len(owners)
        and int(model["gbtree_model_param"].get("num_parallel_tree", "1")) >= 1
        and bool(((owners >= 0) & (owners < groups)).all())
        and len(starts) >= 1
        and bool((np.diff(starts) >= 0).all())
        and starts[0] == 0
        and starts[-1] == trees
        and (dropout is None or len(_numbers(dropout)) == trees)
    )
    if not sound:
        raise InvalidModel(f"The XGBoost file has {trees} trees, which do not fit its rounds or classes.")


def _check_labels(kept: dict[str, Any], features: int) -> None:
    """Check the labels of categories, which XGBoost keeps since 3.1."""
    encoded = kept.get("enc") or []
    if not encoded:
        return
    counts = []
    for one in encoded:
        offsets = _whole(one.get("offsets", []))
        if "offsets" in one and len(offsets):
            ends = offsets[0] == 0 and (np.diff(offsets) >= 0).all() and offsets[-1] == len(one["values"])
            if not ends:
                raise InvalidModel("The XGBoost file splits the labels of a feature at a wrong position.")
        counts.append(max(0, len(offsets) - 1) if "offsets" in one else len(one["values"]))
    starts, order = _whole(kept["feature_segments"]), _whole(kept["sorted_idx"])
    expected = np.concatenate([[0], np.cumsum(counts)])
    sound = (
        len(encoded) == features
        and np.array_equal(starts, expected)
        and len(order) == expected[-1]
        and all(
            np.array_equal(np.sort(order[first:last]), np.arange(last - first))
            for first, last in pairwise(expected.tolist())
        )
    )
    if not sound:
        raise InvalidModel("The XGBoost file has labels of categories for other features.")


def _tree(number: int, tree: dict[str, Any], features: int) -> TreeNodes:
    settings = tree["tree_param"]
    count = int(settings["num_nodes"])
    if int(settings.get("size_leaf_vector", "1")) > 1:
        raise InvalidModel(
            "The XGBoost file has trees with a leaf value for each class, which are not supported in files. "
            "Fit with multi_strategy='one_output_per_tree'."
        )
    held = {*NEEDED, *tree}.intersection(PER_NODE)  # some versions omit some of them
    if int(settings["num_feature"]) != features or any(len(tree[name]) != count for name in held):
        raise InvalidModel(
            f"Tree {number} of the XGBoost file has {count:,} nodes, but parts of another length."
        )
    parents = _whole(tree["parents"])
    if not (((parents >= 0) & (parents < count)) | (parents == NO_PARENT)).all():
        raise InvalidModel(f"Tree {number} of the XGBoost file has a parent that does not exist.")
    _check_categories(number, tree, count)
    values = _numbers(tree["split_conditions"])
    return TreeNodes(
        left=_whole(tree["left_children"]),
        right=_whole(tree["right_children"]),
        feature=_whole(tree["split_indices"]),
        threshold=values,
        value=values,
    )


def _check_categories(number: int, tree: dict[str, Any], count: int) -> None:
    nodes, starts, sizes, held = (
        _whole(tree.get(name, []))
        for name in ("categories_nodes", "categories_segments", "categories_sizes", "categories")
    )
    split = np.flatnonzero(_whole(tree.get("split_type", [])))
    sound = (
        len(nodes) == len(starts) == len(sizes)
        and np.array_equal(np.sort(nodes), split)
        and bool(((starts >= 0) & (sizes >= 0) & (starts <= len(held)) & (sizes <= len(held))).all())
        and bool((starts + sizes <= len(held)).all())
        and bool(((held >= 0) & (held < MOST_CATEGORIES)).all())
        and (not len(nodes) or bool(((nodes >= 0) & (nodes < count)).all()))
    )
    if not sound:
        raise InvalidModel(f"Tree {number} of the XGBoost file splits by missing categories.")


def _whole(values: Sequence[Any]) -> np.ndarray:
    if not all(type(value) in (int, bool) for value in values):
        raise InvalidModel("The XGBoost file has an index that is not a whole number.")
    return np.array(values, dtype=np.int64)


def _numbers(values: Sequence[Any]) -> np.ndarray:
    if not all(type(value) in (int, float) for value in values):
        raise InvalidModel("The XGBoost file has a value that is not a number.")
    return np.array(values, dtype=np.float64)
