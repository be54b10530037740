"""Read and write YAML without guessing types, and with the line of every entry.

Only an unambiguous part of YAML 1.1 is supported: ``no``, ``on``, ``12:30`` and ``2024-01-01`` are text,
``1e5`` is a number, keys are text and unique, and there are neither aliases nor tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import Any, TypeAlias

import yaml
from yaml.composer import Composer

from p2ce.base.limits import DEFAULT, Limits, require_within
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy

Path: TypeAlias = tuple[str | int, ...]  # the keys and positions that lead to an entry

NULL = "tag:yaml.org,2002:null"
BOOL = "tag:yaml.org,2002:bool"
INT = "tag:yaml.org,2002:int"
FLOAT = "tag:yaml.org,2002:float"
TEXT = "tag:yaml.org,2002:str"
# Patterns that are parsed as something other than text, with their first characters. Numbers with leading
# zeros stay text: they are codes, not counts.
PATTERNS = (
    (NULL, r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    (BOOL, r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    (INT, r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    (FLOAT, r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+0123456789.")),
    (FLOAT, r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", list("-+.")),
)
# The depth of an entry of a list in the file. The only such lists are those of rules.
RULE_DEPTH = 3
SHORT_KEYS = frozenset({"from", "to", "changes"})  # of a range or a transition, written on one line
WIDTH = 100
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
LARGEST_INT = 10**100  # Python limits how many digits it writes
LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a file, and the line of each entry."""

    content: Any
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Return the line of an entry, or of the entry that contains it, counted from 1."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


# The parser in C is ten times as fast. It is available if PyYAML was built with it.
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(Composer, _Parser):  # type: ignore[misc]
    """Builds a document from the parser's events, and stops at the first exceeded limit."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's way)

    def __init__(self, text: str, limits: Limits, what: str) -> None:
        _Parser.__init__(self, text)
        Composer.__init__(self)
        self.limits, self.what, self.depth, self.values = limits, what, 0, 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            # Nested aliases can expand a small file to gigabytes.
            line = self.peek_event().start_mark.line + 1
            raise InvalidPolicy("A policy cannot contain an alias. Write it out.", line=line)
        self.values += 1
        require_within(self.limits, "policy_values", self.values, f"{self.what} holds too many values")
        self.depth += 1
        require_within(self.limits, "policy_depth", self.depth, f"{self.what} is nested too deeply")
        if self.depth == RULE_DEPTH and isinstance(index, int):
            require_within(self.limits, "policy_rules", index + 1, f"{self.what} has too many rules")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Quotes text that this loader or another reader of YAML 1.1 would not parse as text."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)  # lists are indented below their key


for _tag, _pattern, _firsts in PATTERNS:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_tag, re.compile(f"^(?:{_pattern})$"), _firsts)


def _write_list(dumper: yaml.SafeDumper, items: list[Any]) -> Any:
    short = all(not isinstance(item, list | dict) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=short)


def _write_mapping(dumper: yaml.SafeDumper, entries: dict[str, Any]) -> Any:
    short = SHORT_KEYS.issuperset(entries)
    return dumper.represent_mapping("tag:yaml.org,2002:map", entries.items(), flow_style=short)


def _write_text(dumper: yaml.SafeDumper, text: str) -> Any:
    # In single quotes, PyYAML folds Unicode line ends and reads them back as a space.
    style = '"' if len(text.splitlines()) > 1 or text[-1:].splitlines() == [""] else None
    return dumper.represent_scalar(TEXT, text, style=style)


_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(list, _write_list)
_Dumper.add_representer(dict, _write_mapping)


def write_document(content: Any) -> str:
    """Write plain data as YAML: mappings on separate lines, lists of plain values in brackets."""
    return "".join(_lines(content, 0)) if _is_block(content) else _by_pyyaml(content)


def _by_pyyaml(content: Any) -> str:
    text: str = yaml.dump(
        content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=WIDTH
    )
    return text


def _is_block(content: Any) -> bool:
    return isinstance(content, dict) and bool(content) and SHORT_KEYS.isdisjoint(content)


def _lines(entries: dict[str, Any], depth: int) -> Iterator[str]:
    """Write words and numbers as PyYAML does, but much faster. PyYAML writes the rest."""
    indent = "  " * depth
    for key, value in entries.items():
        begin = f"{indent}{key}:"
        if not _is_word(key):
            written = None
        elif _is_block(value):
            yield f"{begin}\n"
            yield from _lines(value, depth + 1)
            continue
        elif type(value) is list and any(type(item) is list for item in value):
            items = [_on_one_line(item, len(indent) + 4) for item in value]
            written = None if None in items else "".join(f"\n{indent}  - {item}" for item in items)
        else:
            written = _on_one_line(value, len(begin) + 1)
            written = None if written is None else f" {written}"
        yield _nested(key, value, depth) if written is None else f"{begin}{written}\n"


def _nested(key: str, value: Any, depth: int) -> str:
    """Let PyYAML write one entry at its depth inside other mappings."""
    content: dict[str, Any] = {key: value}
    for _ in range(depth):
        content = {"in": content}
    return _by_pyyaml(content).split("\n", depth)[depth]


def _on_one_line(value: Any, column: int) -> str | None:
    """Write a word, a number or a list of these. Return None if it may need quotes or several lines."""
    if type(value) is list:
        items = [_plainly(item) for item in value]
        text = None if None in items else f"[{', '.join(items)}]"  # type: ignore[arg-type]
    else:
        text = _plainly(value)
    return None if text is None or column + len(text) > WIDTH else text


def _plainly(value: Any) -> str | None:
    kind = type(value)
    if kind is float and isfinite(value):
        text = repr(value)
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    if kind is int:
        return str(value) if abs(value) < LARGEST_INT else None
    if kind is bool:
        return "true" if value else "false"
    return value if kind is str and _is_word(value) else None


@lru_cache(maxsize=1 << 14)
def _is_word(text: str) -> bool:
    """Return whether a text needs no quotes: a short word that every reader parses as text."""
    return WORD.fullmatch(text) is not None and not any(
        pattern.match(text) for _, pattern in _Dumper.yaml_implicit_resolvers.get(text[0], ())
    )


def read_document(text: str, *, limits: Limits = DEFAULT, what: str = "The policy") -> Document:
    """Parse YAML into plain data, or raise with the line of the error.

    ``what`` begins the message if a limit is exceeded.
    """
    require_within(limits, "policy_bytes", len(text), f"{what} is too long")
    loader = None
    try:
        loader = _Loader(text, limits, what)
        node = loader.get_single_node()
        document = Document(None)
        return Document(_plain(node, (), document.lines), document.lines)
    except RecursionError:
        raise InvalidPolicy("The file is nested too deeply for a policy.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if mark and "\t" in _indentation(text, mark.line):
            line = mark.line + 1
            text = f"Line {line} is indented with a tab. YAML needs spaces."
            raise InvalidPolicy(text, line=line) from error
        raise InvalidPolicy(
            f"This is not YAML: {error.problem or error.context}. Check the indentation and the quotes.",
            line=mark.line + 1 if mark else None,
        ) from error
    except yaml.YAMLError as error:
        raise InvalidPolicy(f"This is not YAML: {' '.join(str(error).split())}.") from error
    finally:
        if loader is not None:
            loader.dispose()


def _indentation(text: str, line: int) -> str:
    """Return the spaces and tabs at the start of a line, counted from 0."""
    lines = LINE_END.split(text)
    content = lines[line] if line < len(lines) else ""
    return content[: len(content) - len(content.lstrip(" \t"))]


def _plain(node: Any, path: Path, lines: dict[Path, int]) -> Any:
    if node is None:
        return None
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        _check_tag(node, "map")
        return _mapping(node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        _check_tag(node, "seq")
        return [_plain(item, (*path, place), lines) for place, item in enumerate(node.value)]
    return _scalar(node)


def _mapping(node: Any, path: Path, lines: dict[Path, int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise _not_plain(key_node, "a key that is not text")
        key, line = str(key_node.value), key_node.start_mark.line + 1
        if key in found:
            first = lines[(*path, key)]
            raise InvalidPolicy(
                f"{echoed(key)} appears a second time, after line {first}. Remove one.", line=line
            )
        lines[(*path, key)] = line
        found[key] = _plain(value_node, (*path, key), lines)
    return found


def _scalar(node: Any) -> Any:
    text, tag = str(node.value), node.tag
    if tag == TEXT or (tag == FLOAT and LEADING_ZERO.fullmatch(text)):
        return text
    if tag == NULL:
        return None
    if tag == BOOL:
        return text.lower() == "true"
    try:
        if tag == INT and len(text) < 400:
            return int(text)
        if tag in (INT, FLOAT):
            return float(re.sub(r"(?i)\.(inf|nan)", r"\1", text))
    except ValueError:  # text that is not a number, with the tag of a number
        raise _not_plain(node, f"the number {echoed(text)}") from None
    raise _not_plain(node, f"the tag {echoed(tag)}")


def _check_tag(node: Any, kind: str) -> None:
    if node.tag != f"tag:yaml.org,2002:{kind}":
        raise _not_plain(node, f"the tag {echoed(node.tag)}")


def _not_plain(node: Any, what: str) -> InvalidPolicy:
    return InvalidPolicy(f"A policy cannot contain {what}. Write it out.", line=node.start_mark.line + 1)
