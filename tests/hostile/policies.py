"""Mutate a policy: as a tree of values, and as the lines of YAML that people edit."""

import json
from random import Random

import yaml

from tests.hostile.json_tree import mutate_json_text
from tests.hostile.mutation import EDGES, WORDS, damaged, edits

SCALARS = (
    *map(str, EDGES),
    *(word for word in WORDS if word.isprintable()),
    *(
        ".nan",
        ".inf",
        "-.inf",
        "~",
        "yes",
        "[]",
        "{}",
        "[[]]",
        "{a: 1}",
        "2020-02-30",
        "2020-01-01",
        "12:30:45",
    ),
    *(
        "!!python/object/apply:os.system [x]",
        "!!binary AA==",
        "!!set {a}",
        "!!timestamp x",
        "!!int x",
        "!x y",
    ),
    *(
        "&a [*a]",
        "*a",
        "&a x",
        "<<: *a",
        "? [a, b]",
        "1_000",
        "0o17",
        "0b2",
        "| \n  x",
        "'",
        '"\\x',
        "@",
        "%",
        "`",
    ),
    *("[" * 5000, "{a: " * 2000, "- " * 3000, "9" * 5000, "1e" + "9" * 400),
)
BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + k)}: &{chr(98 + k)} [*{chr(97 + k)}, *{chr(97 + k)}]\n" for k in range(24)
)


def mutate_policy(content: bytes, rng: Random) -> bytes:
    """Change a few values or lines, rarely the bytes."""
    kind = rng.random()
    if kind < 0.05:
        return damaged(content, rng)
    if kind < 0.5:  # JSON is YAML
        return mutate_json_text(json.dumps(yaml.safe_load(content)), rng).encode("utf-8", "surrogatepass")
    lines = content.decode("utf-8").split("\n")
    for _ in range(edits(rng)):
        _edit(lines, rng)
    return "\n".join(lines).encode("utf-8")


def _edit(lines: list[str], rng: Random) -> None:
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if not filled:
        return
    place = rng.choice(filled)
    line = lines[place]
    match rng.randrange(10):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, line)
        case 2:
            lines[place] = " " * rng.randrange(9) + line.lstrip()
        case 3:
            other = rng.choice(filled)
            lines[place], lines[other] = lines[other], line
        case 4:
            lines.insert(
                place, BOMB if rng.random() < 0.2 else rng.choice(("---", "...", "\t", "#", "%YAML 9.9"))
            )
        case 5:
            key, colon, value = line.partition(":")
            indent = key[: len(key) - len(key.lstrip())]
            lines[place] = indent + rng.choice(SCALARS) + colon + value
        case _:
            key, _, _ = line.partition(":")
            lines[place] = f"{key}: {rng.choice(SCALARS)}"
