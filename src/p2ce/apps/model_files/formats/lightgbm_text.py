"""Parse LightGBM's model text. LightGBM trusts it, so every size and index is checked first.

A cycle of nodes makes LightGBM run forever, and a wrong size or index crashes it.
"""

import re
from typing import Any

import numpy as np

from p2ce.apps.model_files.formats import MOST_FEATURES
from p2ce.base.visible import echoed
from p2ce.engine.scores.trees.tree_nodes import TreeNodes, join_trees, parsing
from p2ce.errors import InvalidModel

UNNEEDED = ("sklearn", "pandas", "dask", "pyarrow", "cffi", "matplotlib", "graphviz")
END = b"end of trees"
SETTINGS, END_OF_SETTINGS = "parameters:", "end of parameters"
SETTING = re.compile(r"\[\w+: .*\]")
CATEGORICAL = 1  # the bit of decision_type that says so
PER_LEAF = ("leaf_value", "leaf_weight", "leaf_count")
PER_SPLIT = (
    *("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child"),
    *("internal_value", "internal_weight", "internal_count"),
)
PER_LINEAR_LEAF = ("leaf_const", "num_features")


def prepare(_: bytes) -> None:
    """Import LightGBM."""
    import lightgbm  # noqa: F401


def parse_file(content: bytes) -> bytes:
    """Load a text, try it on a row, and return the text that LightGBM writes."""
    import lightgbm

    booster = lightgbm.Booster(model_str=checked_text(content))
    booster.predict(np.zeros((1, booster.num_feature())))
    text: str = booster.model_to_string()
    return text.encode()


def load_parsed(content: bytes) -> Any:
    """Build the Booster."""
    import lightgbm

    return lightgbm.Booster(model_str=checked_text(content))


@parsing("The LightGBM file")
def checked_text(content: bytes) -> str:
    """Check the text of a model file, and return it with LightGBM's line ends."""
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    if END not in content:
        raise InvalidModel("The LightGBM file is incomplete. Save or copy it again.")
    text = content.decode("utf-8")
    # Characters that end a line only for Python would hide lines from this check or from LightGBM.
    strange = next((letter for letter in text if letter < " " and letter not in "\n\t"), None)
    if strange is not None:
        raise InvalidModel(
            f"The LightGBM file contains the control character {echoed(strange)}. Save it again."
        )
    _check_settings(text)
    header = _fields(content.partition(b"\n\n")[0])
    features = _check_header(header)
    blocks = _blocks(content, header)
    if len(blocks) % int(header["num_tree_per_iteration"]):
        raise InvalidModel(
            f"The LightGBM file has {len(blocks)} trees, which is not a whole number of rounds."
        )
    trees = [_tree(number, _fields(block), features) for number, block in enumerate(blocks)]
    if trees:
        join_trees(trees, columns=features)
    return text


def _fields(block: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in block.decode("utf-8").split("\n"):
        name, equals, value = line.partition("=")
        if name in found and equals:
            raise InvalidModel(f"The LightGBM file states {echoed(name[:40])} twice in one block.")
        if equals:
            found[name] = value
    return found


def _check_settings(text: str) -> None:
    """Check the training parameters: LightGBM reads past a colon that a line may lack."""
    lines = iter(text.split("\n"))
    for line in lines:
        if line == SETTINGS:
            break
    for line in lines:
        if line == END_OF_SETTINGS:
            break
        if line and not SETTING.fullmatch(line):
            raise InvalidModel(f"The LightGBM file has the line {echoed(line[:40])} among its parameters.")


def _check_header(header: dict[str, str]) -> int:
    """Check that the counts of the header agree, and return the number of features."""
    features, classes = int(header["max_feature_idx"]) + 1, int(header["num_class"])
    if not 1 <= features <= MOST_FEATURES:
        raise InvalidModel(f"The LightGBM file has max_feature_idx={features - 1}.")
    for name in ("feature_names", "feature_infos"):
        if len(header[name].split(" ")) != features:
            raise InvalidModel(f"The LightGBM file has {features} features, but not as many {name}.")
    if classes < 1 or int(header["num_tree_per_iteration"]) != classes:
        raise InvalidModel(f"The LightGBM file has {classes} classes, but not as many trees per round.")
    _, *settings = header.get("objective", "").split(" ")
    said = [setting.partition(":")[2] for setting in settings if setting.startswith("num_class:")]
    if any(int(number) != classes for number in said):
        raise InvalidModel(
            f"The LightGBM file has {classes} classes, but its objective has num_class:{said[0][:20]}."
        )
    return features


def _blocks(content: bytes, header: dict[str, str]) -> list[bytes]:
    """Split the file by the sizes that it states, as LightGBM does."""
    at = content.find(b"Tree=0\n")
    found = []
    for number, size in enumerate(map(int, header["tree_sizes"].split())):
        if at < 0 or size < 1 or not content.startswith(b"Tree=%d\n" % number, at):
            raise InvalidModel(f"Tree {number} of the LightGBM file does not begin where the sizes say.")
        found.append(content[at : at + size])
        at += size
    if found and not content.startswith(END, at):
        raise InvalidModel("The last tree of the LightGBM file does not end where its size says.")
    return found


def _tree(number: int, fields: dict[str, str], features: int) -> TreeNodes:
    """Check the lengths of all parts of a tree, and return it as arrays, splits before leaves."""
    leaves = int(fields["num_leaves"])
    linear = int(fields.get("is_linear", "0"))
    wanted = dict.fromkeys(PER_LEAF + (PER_LINEAR_LEAF if linear else ()), leaves)
    wanted |= dict.fromkeys(PER_SPLIT, leaves - 1)
    needed = {"leaf_value", *(PER_LINEAR_LEAF if linear else ())}
    if leaves > 1:
        needed |= {"split_feature", "threshold", "decision_type", "left_child", "right_child"}
    for name, count in wanted.items():
        spare = {0} if leaves == 1 and name not in needed else set()  # in a tree of one leaf
        if (name in fields or name in needed) and len(fields[name].split()) not in {count, *spare}:
            raise InvalidModel(
                f"Tree {number} of the LightGBM file has {leaves:,} leaves, but {name} does not fit them."
            )
    float(fields["shrinkage"])
    decision = _whole(fields, "decision_type")
    threshold = _numbers(fields, "threshold")
    by_category = (decision & CATEGORICAL) > 0
    _check_categories(number, fields, threshold[by_category])
    if linear:
        _check_linear(number, fields, features)
    blank = np.full(leaves, -1)
    return TreeNodes(
        left=np.concatenate([_children(fields, "left_child", leaves), blank]),
        right=np.concatenate([_children(fields, "right_child", leaves), blank]),
        feature=np.concatenate([_whole(fields, "split_feature"), blank]),
        threshold=np.concatenate([np.where(by_category, 0.0, threshold), np.zeros(leaves)]),
        value=np.concatenate([np.zeros(leaves - 1), _numbers(fields, "leaf_value")]),
    )


def _numbers(fields: dict[str, str], name: str) -> np.ndarray:
    return np.array(fields.get(name, "").split(), dtype=np.float64)


def _whole(fields: dict[str, str], name: str) -> np.ndarray:
    return np.array(list(map(int, fields.get(name, "").split())), dtype=np.int64)


def _children(fields: dict[str, str], name: str, leaves: int) -> np.ndarray:
    """Number leaf i, which LightGBM writes as -1 - i, after the splits. Invalid numbers stay invalid."""
    child = _whole(fields, name)
    return np.where(child >= 0, np.where(child < leaves - 1, child, 2 * leaves), leaves - 2 - child)


def _check_categories(number: int, fields: dict[str, str], sets: np.ndarray) -> None:
    count = int(fields.get("num_cat", "0"))
    if not count and not len(sets):
        return
    bounds = _whole(fields, "cat_boundaries")
    words = _whole(fields, "cat_threshold")
    sound = (
        len(bounds) == count + 1
        and bounds[0] == 0
        and bounds[-1] == len(words)
        and bool((np.diff(bounds) >= 0).all())
        and bool(((words >= 0) & (words < 2**32)).all())
        and bool(((sets >= 0) & (sets < count) & (sets == np.trunc(sets))).all())
    )
    if not sound:
        raise InvalidModel(f"Tree {number} of the LightGBM file splits by a missing set of labels.")


def _check_linear(number: int, fields: dict[str, str], features: int) -> None:
    """Check the linear models in the leaves: the number of terms, and that their features exist."""
    counts, terms = _whole(fields, "num_features"), _whole(fields, "leaf_features")
    sound = (
        bool((counts >= 0).all())
        and counts.sum() == len(terms) == len(_numbers(fields, "leaf_coeff"))
        and bool(((terms >= 0) & (terms < features)).all())
    )
    if not sound:
        raise InvalidModel(f"Tree {number} of the LightGBM file has linear leaves with unknown features.")
