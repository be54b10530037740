"""Hostile model files that are known by name: each once made a library crash, run for ever or lie."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.hostile.mutate import resized
from tests.hostile.seeds import Seed, seeds_of

Change = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A sound file by its format and name, and what is changed in it."""

    format_name: str
    seed_name: str
    change: Change

    @property
    def seed(self) -> Seed:
        """The sound file."""
        return next(one for one in seeds_of(self.format_name) if one.name == self.seed_name)

    @property
    def content(self) -> bytes:
        """The hostile file."""
        made = self.change(self.seed.content)
        assert made != self.seed.content
        return made


def text(pattern: str, by: str) -> Change:
    """Edit the text of a LightGBM model, and say the right sizes."""

    def change(content: bytes) -> bytes:
        return resized(re.sub(pattern, by, content.decode(), count=1, flags=re.M)).encode()

    return change


def hidden_from_one_parser(content: bytes) -> bytes:
    """Let trees lead back for LightGBM, and not for a parser that ends a line at a form feed."""
    sound = re.search(r"^left_child=.*$", content.decode(), flags=re.M)
    assert sound is not None
    back = content.decode().replace(sound[0], re.sub(r"=-?\d+", "=0", sound[0], count=1), 1)
    return resized(back.replace("is_linear=0", f"is_linear=0\x0c{sound[0]}", 1)).encode()


def xgboost(change: Callable[[Any], Any]) -> Change:
    """Edit the JSON of an XGBoost model."""

    def changed(content: bytes) -> bytes:
        model = json.loads(content)
        change(model["learner"]["gradient_booster"]["model"])
        return json.dumps(model).encode()

    return changed


def far_segments(model: Any) -> None:
    """Let the sets of labels begin beyond their array."""
    tree = next(one for one in model["trees"] if one["categories_segments"])
    tree["categories_segments"][0] = 10**9


def nested(content: bytes) -> bytes:
    """Write lists in lists, deeper than any stack."""
    deep = b"[" * 3_000_000 + b"]" * 3_000_000
    return content.replace(b'"tree_info":', b'"deep":' + deep + b',"tree_info":', 1)


def catboost(change: Callable[[Any], Any]) -> Change:
    """Edit the JSON of a CatBoost model."""

    def changed(content: bytes) -> bytes:
        model = json.loads(content)
        change(model)
        return json.dumps(model).encode()

    return changed


def one_leaf_value(model: Any) -> None:
    """Return a tree of two splits a single leaf."""
    tree = model["oblivious_trees"][0]
    tree["leaf_values"], tree["leaf_weights"] = tree["leaf_values"][:1], tree["leaf_weights"][:1]


FILES = {
    "LightGBM: eight classes under a header of one": KnownFile(
        "lightgbm", "numbers", text("^objective=.*", "objective=multiclass num_class:8")
    ),
    "LightGBM: 10^6 classes under a header of one": KnownFile(
        "lightgbm", "numbers", text("^objective=.*", "objective=multiclass num_class:1000000")
    ),
    "LightGBM: feature 10^8 in a linear leaf": KnownFile(
        "lightgbm",
        "linear trees",
        text(
            "^num_features=.*\nleaf_features=.*\nleaf_coeff=.*",
            "num_features=1 0 0 0\nleaf_features=100000000    \nleaf_coeff=1    ",
        ),
    ),
    "LightGBM: no tree per iteration": KnownFile(
        "lightgbm", "numbers", text("^num_tree_per_iteration=1", "num_tree_per_iteration=0")
    ),
    "LightGBM: an empty leaf_count": KnownFile("lightgbm", "numbers", text("^leaf_count=.*", "leaf_count=")),
    "LightGBM: 10^9 sets of labels": KnownFile(
        "lightgbm", "numbers", text("^num_cat=.*", "num_cat=1000000000")
    ),
    "LightGBM: a setting without a value": KnownFile(
        "lightgbm", "numbers", text(r"^\[linear_lambda: 0\]", "[linear_lambda=0]")
    ),
    "LightGBM: a tree that leads back": KnownFile(
        "lightgbm", "numbers", text(r"^left_child=-?\d+", "left_child=0")
    ),
    "LightGBM: a tree that leads back, hidden by a form feed": KnownFile(
        "lightgbm", "numbers", hidden_from_one_parser
    ),
    "XGBoost: a tree of class 10^8": KnownFile(
        "xgboost", "JSON", xgboost(lambda model: model["tree_info"].__setitem__(0, 10**8))
    ),
    "XGBoost: labels that begin at 10^9": KnownFile("xgboost", "JSON", xgboost(far_segments)),
    "XGBoost: a tree that leads back": KnownFile(
        "xgboost", "JSON", xgboost(lambda model: model["trees"][0]["left_children"].__setitem__(0, 0))
    ),
    "XGBoost: three million lists in lists": KnownFile("xgboost", "JSON", nested),
    "CatBoost JSON: a border that there is not": KnownFile(
        "catboost",
        "JSON",
        catboost(lambda model: model["oblivious_trees"][0]["splits"][0].update(split_index=10**6)),
    ),
    "CatBoost JSON: too many splits": KnownFile(
        "catboost",
        "JSON",
        catboost(
            lambda model: model["oblivious_trees"][0].update(
                splits=model["oblivious_trees"][0]["splits"] * 15
            )
        ),
    ),
    "CatBoost JSON: one leaf value for two splits": KnownFile("catboost", "JSON", catboost(one_leaf_value)),
    "CatBoost JSON: column 10^8": KnownFile(
        "catboost",
        "JSON",
        catboost(lambda model: model["features_info"]["float_features"][1].update(flat_feature_index=10**8)),
    ),
    "CatBoost JSON: feature 10^8": KnownFile(
        "catboost",
        "JSON",
        catboost(lambda model: model["features_info"]["float_features"][1].update(feature_index=10**8)),
    ),
    "CatBoost JSON: a split by feature 10^8": KnownFile(
        "catboost",
        "JSON",
        catboost(lambda model: model["oblivious_trees"][0]["splits"][0].update(float_feature_index=10**8)),
    ),
    "CatBoost cbm: 2^32 - 1 bytes": KnownFile(
        "catboost", "one-hot", lambda content: content[:4] + b"\xff\xff\xff\xff" + content[8:]
    ),
}
