"""Read and write XGBoost's UBJ, so its mutants are believable: numbers keep their kinds."""

import struct
from typing import Any

NUMBERS = {"i": "b", "U": "B", "I": "h", "l": "i", "L": "q", "d": "f", "D": "d"}
CONSTANTS = {"T": True, "F": False, "Z": None}
ANY_NUMBER = ("L", "D")  # for whole numbers and others, where nothing is known
Kinds = dict[str, str]  # of numbers, by the names that lead to them; behind a $ those of a whole array


def read(content: bytes) -> tuple[Any, Kinds]:
    """Return the tree, and of which kind the numbers in each place are."""
    kinds: Kinds = {}
    return _Reader(content, kinds).value(""), kinds


def write(value: Any, kinds: Kinds, shape: str = "") -> bytes:
    """Write a tree; a number that its kind does not hold is written as another kind."""
    if value is None or isinstance(value, bool):
        return next(name for name, one in CONSTANTS.items() if one is value).encode()
    if isinstance(value, int | float):
        return _number(value, (kinds.get(shape, ""), *ANY_NUMBER))
    if isinstance(value, str):
        return b"S" + _text(value)
    if isinstance(value, dict):
        parts = [_text(str(key)) + write(one, kinds, f"{shape}.{key}") for key, one in value.items()]
        return b"{" + b"".join(parts) + b"}"
    kind = kinds.get(f"{shape}$", "")
    if kind and all(isinstance(one, int | float) for one in value):
        try:
            packed = b"".join(struct.pack(f">{NUMBERS[kind]}", one) for one in value)
        except (struct.error, OverflowError):
            pass
        else:
            return b"[$" + kind.encode() + b"#L" + struct.pack(">q", len(value)) + packed
    entries = b"".join(write(one, kinds, f"{shape}[]") for one in value)
    return b"[#L" + struct.pack(">q", len(value)) + entries


def _number(value: float, kinds: tuple[str, ...]) -> bytes:
    for kind in kinds:
        try:
            return kind.encode() + struct.pack(f">{NUMBERS[kind]}", value)
        except (KeyError, struct.error, OverflowError):
            continue
    return b"Z"


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return b"L" + struct.pack(">q", len(data)) + data


class _Reader:
    def __init__(self, content: bytes, kinds: Kinds) -> None:
        self._content, self._at, self._kinds = content, 0, kinds

    def value(self, shape: str) -> Any:
        kind = self._take(1).decode()
        if kind in CONSTANTS:
            return CONSTANTS[kind]
        if kind in NUMBERS:
            self._kinds[shape] = kind
            return self._numbers(kind, 1)[0]
        if kind == "S":
            return self._text()
        if kind == "{":
            return self._object(shape)
        if kind == "[":
            return self._array(shape)
        raise ValueError(f"no value begins with {kind!r}")

    def _object(self, shape: str) -> dict[str, Any]:
        found = {}
        while not self._meets(b"}"):
            name = self._text()
            found[name] = self.value(f"{shape}.{name}")
        return found

    def _array(self, shape: str) -> list[Any]:
        if self._meets(b"$"):
            kind = self._take(1).decode()
            self._take(1)
            self._kinds[f"{shape}$"] = kind
            return self._numbers(kind, self._numbers(self._take(1).decode(), 1)[0])
        if self._meets(b"#"):
            count = self._numbers(self._take(1).decode(), 1)[0]
            return [self.value(f"{shape}[]") for _ in range(count)]
        found = []
        while not self._meets(b"]"):
            found.append(self.value(f"{shape}[]"))
        return found

    def _text(self) -> str:
        return self._take(self._numbers(self._take(1).decode(), 1)[0]).decode()

    def _numbers(self, kind: str, count: int) -> list[Any]:
        layout = f">{count}{NUMBERS[kind]}"
        return list(struct.unpack(layout, self._take(struct.calcsize(layout))))

    def _meets(self, letter: bytes) -> bool:
        found = self._content[self._at : self._at + 1] == letter
        self._at += found
        return found

    def _take(self, count: int) -> bytes:
        data = self._content[self._at : self._at + count]
        if len(data) < count:
            raise ValueError("it breaks off")
        self._at += count
        return data
