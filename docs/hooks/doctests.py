"""Adapt docstrings to the site: fence examples, and show the arguments of a Struct as attributes."""

from typing import Any

import griffe

STRUCTS = {"msgspec.Struct", "Struct"}


class FencedExamples(griffe.Extension):
    """Put a fence around every example, from its first >>> to the next empty line."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of whatever was just read; called by griffe."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Rename the arguments of a msgspec Struct; called by griffe, which sees no constructor there."""
        is_struct = any(str(base) in STRUCTS for base in cls.bases)
        if is_struct and cls.docstring is not None:
            cls.docstring.value = cls.docstring.value.replace("Args:\n", "Attributes:\n", 1)


def fenced(text: str) -> str:
    """Fence the examples of a text."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if not inside and line.lstrip().startswith(">>> "):
            indent = line[: len(line) - len(line.lstrip())]
            lines += ["", f"{indent}```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append(f"{indent}```")
            inside = False
        lines.append(line)
    if inside:
        lines.append(f"{indent}```")
    return "\n".join(lines)
