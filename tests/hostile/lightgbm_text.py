"""Mutate the text of a LightGBM model field by field, and keep its sizes right so that it is read on."""

import re
from random import Random

from tests.hostile.mutation import WORDS, edge, edits

# What a tree or the header may hold besides what the seeds have.
FIELDS = (
    "is_linear",
    "num_cat",
    "leaf_features",
    "num_features",
    "leaf_coeff",
    "leaf_const",
    "cat_boundaries",
)
FIELDS += (
    "cat_threshold",
    "leaf_count",
    "num_leaves",
    "num_class",
    "num_tree_per_iteration",
    "max_feature_idx",
)
BETWEEN = re.compile(r"([ :\[\]]+)")
# All of these end a line for Python, or a text for C.
ODD = ("\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\r", "\x00", "\t")


def resized(text: str) -> str:
    """Say the right sizes of trees that were edited."""
    if "Tree=0\n" not in text or "end of trees" not in text:
        return text
    body = text[text.index("Tree=0\n") : text.index("end of trees")]
    sizes = [str(len(tree.encode())) for tree in re.split(r"(?=^Tree=)", body, flags=re.M) if tree]
    return re.sub(r"tree_sizes=.*", f"tree_sizes={' '.join(sizes)}", text, count=1)


def mutate_lightgbm(content: bytes, rng: Random) -> bytes:
    """Change a few fields."""
    return mutate_text(content.decode("utf-8"), rng).encode("utf-8")


def mutate_text(text: str, rng: Random) -> str:
    """Change a few fields of a model's text."""
    lines = text.split("\n")
    for _ in range(edits(rng)):
        _edit(lines, rng)
    changed = "\n".join(lines)
    return resized(changed) if rng.random() < 0.9 else changed


def _edit(lines: list[str], rng: Random) -> None:
    places: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        if "=" in line:
            places.setdefault(line.partition("=")[0], []).append(place)
    if not places:
        return
    # By name first, or the many trees would hide the header.
    name = rng.choice(list(places))
    place = rng.choice(places[name])
    value = lines[place].partition("=")[2]
    match rng.randrange(16):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[place])
        case 2:
            other = rng.choice(places[rng.choice(list(places))])
            lines[place] = f"{name}={lines[other].partition('=')[2]}"
        case 3:
            lines[place] = f"{name}={rng.choice(WORDS)}"
        case 4:
            lines.insert(place, f"{rng.choice(FIELDS)}={_written(edge(rng))}")
        case 5:
            at = rng.randrange(len(lines[place]) + 1)
            lines[place] = lines[place][:at] + rng.choice(ODD) + lines[place][at:]
        case 6:  # a line that only one of two parsers sees
            hidden = f"{name}={_with_another_number(value, rng)}"
            lines[place] += rng.choice(ODD) + hidden
        case 7:
            _repeat_or_drop_tree(lines, rng)
        case 8:
            lines[place] = f"{name}={' '.join([value] * rng.choice((2, 3, 1000)))}"
        case 9:
            words = value.split(" ")
            rng.shuffle(words)
            lines[place] = f"{name}={' '.join(words)}"
        case 10:
            lines[place] = f"{name}={' '.join(value.split(' ')[:-1])}"
        case _:
            lines[place] = f"{name}={_with_another_number(value, rng)}"


def _with_another_number(value: str, rng: Random) -> str:
    parts = BETWEEN.split(value)
    numbers = [place for place, part in enumerate(parts) if re.fullmatch(r"-?\d[\d.e+-]*", part)]
    if not numbers:
        return f"{value} {_written(edge(rng))}"
    place = rng.choice(numbers)
    near = float(parts[place]) if re.fullmatch(r"-?\d+(\.\d+)?", parts[place]) else None
    if rng.random() < 0.2:  # children that change places make loops
        other = rng.choice(numbers)
        parts[place], parts[other] = parts[other], parts[place]
    else:
        parts[place] = _written(edge(rng, near))
    return "".join(parts)


def _written(number: int | float) -> str:
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e20 else str(number)


def _repeat_or_drop_tree(lines: list[str], rng: Random) -> None:
    starts = [place for place, line in enumerate(lines) if line.startswith("Tree=")]
    if not starts:
        return
    chosen = rng.randrange(len(starts))
    after = [*starts[1:], next((p for p, line in enumerate(lines) if line == "end of trees"), len(lines))]
    block = lines[starts[chosen] : after[chosen]]
    if rng.random() < 0.5:
        del lines[starts[chosen] : after[chosen]]
    else:
        lines[after[chosen] : after[chosen]] = [f"Tree={len(starts)}", *block[1:]]
