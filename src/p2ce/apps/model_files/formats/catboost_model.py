"""Parse CatBoost's binary cbm and its JSON. CatBoost trusts JSON, so it is checked first."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from p2ce.apps.model_files.formats import MOST_FEATURES
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import InvalidModel, UnsupportedModel

UNNEEDED = ("matplotlib", "graphviz", "plotly", "sklearn", "polars", "pyarrow")  # pandas is needed
BINARY = b"CBM1"
DEEPEST_SYMMETRIC = 16  # CatBoost's own limit
NUMERIC = "FloatFeature"
FILES = 3  # that the child process may have open: CatBoost reads and writes JSON only in files


def prepare(_: bytes) -> None:
    """Import CatBoost."""
    import catboost  # noqa: F401


def parse_file(content: bytes) -> bytes:
    """Load cbm or JSON, try it on a row, and return CatBoost's own cbm."""
    import catboost

    binary = content.startswith(BINARY)
    if not binary:
        check_catboost_json(content, numbers_only=True)
    model = catboost.CatBoost()
    if binary:
        model.load_model(blob=content)
    else:
        os.lseek(0, 0, os.SEEK_SET)
        model.load_model("/dev/stdin", format="json")  # from a blob it reads only cbm
    if len(model.get_text_feature_indices()) + len(model.get_embedding_feature_indices()):
        raise UnsupportedModel(
            "The CatBoost file has text or embedding features, which CatBoost cannot write in a form that "
            "can be checked. Build the model in Python code: --model my_module:my_factory"
        )
    labels = set(model.get_cat_feature_indices())
    row = ["a" if place in labels else 0.0 for place in range(len(model.feature_names_))]
    model.predict([row], thread_count=1)
    written: bytes = model._serialize_model()
    load_parsed(written)
    return written


def load_parsed(content: bytes) -> Any:
    """Build a classifier if there are classes, else a regressor."""
    import catboost

    any_kind = catboost.CatBoost().load_model(blob=content)
    check_exported(any_kind)
    # Only a classifier has classes, and p2ce parses the object by its class.
    classes = any_kind.classes_
    classifies = classes is not None and len(classes) > 0
    made = catboost.CatBoostClassifier() if classifies else catboost.CatBoostRegressor()
    return made.load_model(blob=content)


def check_exported(model: Any) -> None:
    """Check a model by its JSON, which CatBoost writes only to files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        check_catboost_json(path.read_bytes(), columns=len(model.feature_names_))


@parsing("The CatBoost file")
def check_catboost_json(content: bytes, *, columns: int = MOST_FEATURES, numbers_only: bool = False) -> None:
    """Check that counts agree and indices are in their ranges."""
    model = json.loads(content)
    info = model["features_info"]
    kinds = ("float_features", "categorical_features", "text_features", "embedding_features")
    features = [one for kind in kinds for one in info.get(kind) or []]
    places = sorted(int(one["flat_feature_index"]) for one in features)
    # CatBoost leaves out features that it does not use, so positions may have gaps.
    if len(set(places)) != len(places) or (places and not 0 <= places[0] <= places[-1] < columns):
        raise InvalidModel("The CatBoost file has a feature at a position that does not exist.")
    numeric = info.get("float_features") or []
    if numbers_only and (len(features) > len(numeric) or places != list(range(len(places)))):
        raise InvalidModel(
            "The CatBoost file is JSON with features that are not numbers, which CatBoost itself cannot "
            'load. Save it again: model.save_model("model.cbm")'
        )
    borders = [_finite(one.get("borders") or []) for one in numeric]
    if any((np.diff(each) <= 0).any() for each in borders):
        raise InvalidModel("The CatBoost file has borders of a feature that do not increase.")
    factor, biases = model["scale_and_bias"]
    _finite([factor, *biases])
    if not biases:
        raise InvalidModel("The CatBoost file has no class and no prediction.")
    splits = sum(map(len, borders)) if numbers_only else None
    if "oblivious_trees" in model:
        for number, tree in enumerate(model["oblivious_trees"]):
            _check_symmetric(number, tree, numeric, len(biases), splits)
    else:
        for tree in model["trees"]:
            _check_nested(tree, numeric, len(biases), splits)


def _finite(values: Any) -> np.ndarray:
    found = np.array(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise InvalidModel("The CatBoost file has a number that is not finite.")
    return found


def _check_split(split: Mapping[str, Any], numeric: list[Any], count: int | None) -> None:
    number = int(split["split_index"])
    if number < 0 or (count is not None and number >= count):
        raise InvalidModel(f"The CatBoost file splits by number {number:,} of {count or 0:,} borders.")
    if split["split_type"] == NUMERIC:
        place = int(split["float_feature_index"])
        if not 0 <= place < len(numeric):
            raise InvalidModel(f"The CatBoost file splits by feature {place:,} of {len(numeric):,}.")
        _finite([split["border"]])
    elif count is not None:
        raise InvalidModel("The CatBoost file splits by a feature that is not a number.")


def _check_symmetric(
    number: int, tree: Mapping[str, Any], numeric: list[Any], outputs: int, count: int | None
) -> None:
    """Check an oblivious tree. It has no children to follow: its depth gives the number of leaves."""
    splits = tree.get("splits") or []
    values = _finite(tree["leaf_values"])
    leaves = 2 ** min(len(splits), DEEPEST_SYMMETRIC + 1)
    weights = tree.get("leaf_weights")
    if len(splits) > DEEPEST_SYMMETRIC or len(values) != leaves * outputs:
        raise InvalidModel(
            f"Tree {number} of the CatBoost file has {len(splits):,} splits and {len(values):,} leaf values."
        )
    if weights is not None and len(weights) not in (0, leaves):
        raise InvalidModel(f"Tree {number} of the CatBoost file does not have one weight per leaf.")
    for split in splits:
        _check_split(split, numeric, count)


def _check_nested(tree: Mapping[str, Any], numeric: list[Any], outputs: int, count: int | None) -> None:
    """Check a tree of nested objects, which cannot have cycles."""
    ahead = [tree]
    while ahead:
        node = ahead.pop()
        split = node.get("split")
        if split is not None:
            _check_split(split, numeric, count)
            ahead += [node["left"], node["right"]]
            continue
        held = node["value"]
        held = held if isinstance(held, list) else [held]
        if len(held) != outputs:
            raise InvalidModel(f"A leaf of the CatBoost file has {len(held)} values for {outputs} outputs.")
        _finite(held)
