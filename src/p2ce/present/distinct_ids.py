"""Write ids so that different ids look different."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from p2ce.base.visible import abridged, as_text, visible_line


def distinct_ids(ids: Sequence[Any], most: int | None = None) -> list[str]:
    """Write ids with at most so many characters. Different ids that look alike get a number.

    >>> distinct_ids(["a very long id 1", "a very long id 2", "a very new id 2", 7], most=9)
    ['a ve…id 1', 'a ve…id 2 (1)', 'a ve…id 2 (2)', '7']
    >>> distinct_ids([7, "7", 7])
    ['7 (1)', '7 (2)', '7 (1)']
    """
    texts = [as_text(one) for one in ids]
    shown = [visible_line(text) if most is None else abridged(text, most) for text in texts]
    alike: dict[str, dict[tuple[str, str], str]] = {}  # look → the different ids with it → their texts
    keys = [(type(one).__name__, text) for one, text in zip(ids, texts, strict=True)]
    for key, text in zip(keys, shown, strict=True):
        alike.setdefault(_look(text), {}).setdefault(key, text)
    for same in [same for same in alike.values() if len(same) > 1]:
        number = 0
        for key, text in same.items():
            number += 1
            while _look(f"{text} ({number})") in alike:
                number += 1
            same[key] = f"{text} ({number})"
            alike[_look(same[key])] = {}
    return [alike[_look(text)][key] for key, text in zip(keys, shown, strict=True)]


def _look(text: str) -> str:
    """Keep what readers can distinguish: no spaces, characters without a width, or variants of a letter."""
    plain = unicodedata.normalize("NFKC", text)
    return " ".join("".join(sign for sign in plain if unicodedata.category(sign) != "Cf").split())
