"""Is YAML read without guesses, and is what is written read back the same?"""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.limits import DEFAULT
from p2ce.errors import InvalidPolicy, LimitExceeded
from p2ce.policy.file.policy_document import _by_pyyaml, _Loader, read_document, write_document

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.sampled_from(
        ["no", "ON", "y", "1e5", "1_0", "0x1f", "0o7", "08", "12:30", "2024-01-01", ".5", "+1", "-", "? a"]
    ),
)
CONTENT = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(CONTENT)
def test_what_is_written_is_read_back(content: Any) -> None:
    document = read_document(write_document(content))
    assert document.content == content
    assert repr(document.content) == repr(content)  # 1 and 1.0 and True are distinct


WORDS = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,70}", fullmatch=True) | st.sampled_from(
    ["kind", "from", "to", "no", "Yes", "null", "NULL", "true", "off", "y", "in", "candidates", "e5", "inf"]
)
PLAIN = (
    SCALARS | WORDS | st.sampled_from([1e20, -1e-7, 1.5e300, -0.0, 10**120, float("inf"), "a b", " a", "a:"])
)
LISTS = st.lists(PLAIN, max_size=30) | st.lists(
    st.floats() | st.lists(st.floats() | st.integers(), max_size=12), max_size=8
)
KEYS = WORDS | st.text(max_size=8)
ENTRIES = st.dictionaries(
    KEYS, st.recursive(PLAIN | LISTS, lambda inner: st.dictionaries(KEYS, inner, max_size=4), max_leaves=8)
)


@given(ENTRIES | CONTENT)
def test_what_is_written_quickly_is_what_pyyaml_writes(content: Any) -> None:
    assert write_document(content) == _by_pyyaml(content)


@given(st.lists(st.text() | st.sampled_from(["no", "on", "12:30", "0x1f", "2024-01-01"])))
def test_other_readers_of_yaml_see_the_same_text(texts: list[str]) -> None:
    assert yaml.safe_load(write_document({"texts": texts})) == {"texts": texts}


def test_only_what_is_plain_is_more_than_text() -> None:
    texts = "no, on, y, 12:30, 2024-01-01, 007, 08, 1_000, 0x1f"
    others = "true, null, ~, 1, -2, +3, 1e5, .5, 1., -.inf, '1'"
    assert read_document(f"[{texts}, {others}]").content == [
        *("no", "on", "y", "12:30", "2024-01-01", "007", "08", "1_000", "0x1f", True, None, None),
        *(1, -2, 3, 1e5, 0.5, 1.0, -float("inf"), "1"),
    ]


def test_keys_are_text_whatever_they_look_like() -> None:
    assert read_document("no: 1\n12: 2\ntrue: 3\n1.50: 4\n").content == {
        "no": 1,
        "12": 2,
        "true": 3,
        "1.50": 4,
    }


def test_every_entry_knows_its_line() -> None:
    document = read_document("# first\na:\n  b: 1\n  c:\n    - x\n    - y: 2\n")
    assert document.line(("a", "b")) == 3
    assert document.line(("a", "c", 1, "y")) == 6
    assert document.line(("a", "zzz")) == 2  # what it would lie in


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "'a' appears a second time, after line 1"),
        ("a:\n  x: 1\n  x: 2\n", 3, "'x' appears a second time"),
        ("1: a\n'1': b\n", 2, "'1' appears a second time"),
        ("a: &x 1\nb: *x\n", 2, "alias"),
        ("a: &x [*x]\n", 1, "alias"),
        ("a: !!binary aGk=\n", 1, "tag"),
        ("a: !mine {b: 1}\n", 1, "tag"),
        ("? [a]\n: 1\n", 1, "key that is not text"),
        ("a: b: c\n", 1, "not YAML"),
        ("--- 1\n--- 2\n", 2, "not YAML"),
        ("a: [1,\n", 2, "not YAML"),
        ("a: \x00", None, "not YAML"),
    ],
)
def test_what_is_rejected(text: str, line: int | None, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message) as caught:
        read_document(text)
    assert caught.value.line == line


def test_too_many_rules_are_rejected_before_the_others_are_read() -> None:
    text = "version: 1\nrules:\n" + "- {rule: change_at_most_one, columns: [a, b]}\n" * 100_000
    loader = _Loader(text, DEFAULT, "The policy")
    with pytest.raises(LimitExceeded, match="too many rules: the limit policy_rules is 1,000"):
        loader.get_single_node()
    assert loader.values <= 10 * DEFAULT.policy_rules  # each rule is seven values, and there are 100,000
    loader.dispose()
