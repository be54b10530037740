"""Look a LightGBM file over before LightGBM reads it, which takes every number in it on trust.

A node that leads back makes LightGBM run for ever, and a size or an index that does not fit ends it.
"""

from p2ce.errors import InvalidOption

END = b"end of trees"
CATEGORICAL = 1  # the bit of decision_type that says so


class _Unfit(Exception):
    """What is wrong, and in which tree."""


def checked_text(content: bytes, path: str) -> str:
    """Give the text of a model file, with the line ends that LightGBM writes, if its trees are sound."""
    content = content.replace(b"\r\n", b"\n")
    if END not in content:
        raise InvalidOption(
            f"--model {path!r} is a LightGBM file that breaks off before its end. Save or copy it again."
        )
    head, _, _ = content.partition(b"\n\n")
    try:
        facts = _facts(head)
        trees = _trees(content, facts)
        for number, tree in enumerate(trees):
            _check_tree(number, _facts(tree), features=int(facts["max_feature_idx"]) + 1)
        return content.decode("utf-8")
    except (_Unfit, KeyError, ValueError) as error:
        why = str(error) if isinstance(error, _Unfit) else "its numbers cannot be read"
        raise InvalidOption(
            f"--model {path!r} is a LightGBM file that is damaged or was edited: {why}. "
            'Save it again: booster.save_model("model.txt")'
        ) from error


def _facts(block: bytes) -> dict[str, str]:
    pairs = (line.partition("=") for line in block.decode("utf-8").splitlines())
    return {name: value for name, equals, value in pairs if equals}


def _trees(content: bytes, facts: dict[str, str]) -> list[bytes]:
    """Cut the file where its own sizes say, as LightGBM does."""
    at = content.find(b"Tree=0\n")
    found = []
    for number, size in enumerate(map(int, facts["tree_sizes"].split())):
        if at < 0 or size < 1 or not content.startswith(b"Tree=%d\n" % number, at):
            raise _Unfit(f"tree {number} does not begin where its sizes say")
        found.append(content[at : at + size])
        at += size
    if found and not content.startswith(END, at):
        raise _Unfit("its last tree does not end where its size says")
    return found


def _check_tree(number: int, facts: dict[str, str], *, features: int) -> None:
    leaves = int(facts["num_leaves"])
    columns = [int(one) for one in facts.get("split_feature", "").split()]
    left, right = (
        [int(one) for one in facts.get(side, "").split()] for side in ("left_child", "right_child")
    )
    kinds = [int(one) for one in facts.get("decision_type", "").split()]
    thresholds = facts.get("threshold", "").split()
    lengths = {len(columns), len(left), len(right), len(kinds), len(thresholds)}
    if leaves < 1 or lengths != {leaves - 1} or len(facts["leaf_value"].split()) != leaves:
        raise _Unfit(f"tree {number} has not as many nodes as it says")
    if any(not 0 <= column < features for column in columns):
        raise _Unfit(f"tree {number} asks for a feature that there is not")
    _check_categories(
        number, facts, [float(t) for t, kind in zip(thresholds, kinds, strict=True) if kind & CATEGORICAL]
    )
    # Below zero are leaves. From the root, each node and each leaf is reached once.
    seen: set[int] = set()
    ahead = [0] if leaves > 1 else []
    while ahead:
        node = ahead.pop()
        if node in seen or not -leaves <= node < leaves - 1:
            raise _Unfit(f"tree {number} has a node that leads back or nowhere")
        seen.add(node)
        if node >= 0:
            ahead += (left[node], right[node])


def _check_categories(number: int, facts: dict[str, str], sets: list[float]) -> None:
    if not sets:
        return
    bounds = [int(one) for one in facts["cat_boundaries"].split()]
    fits = bounds == sorted(bounds) and bounds[0] == 0 and bounds[-1] == len(facts["cat_threshold"].split())
    if not fits or any(not 0 <= one < len(bounds) - 1 for one in sets):
        raise _Unfit(f"tree {number} asks for a set of labels that there is not")
