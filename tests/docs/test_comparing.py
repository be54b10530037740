"""Outputs are compared to the letter, but for what three dots stand for."""

import pytest

from tests.docs.blocks import Block
from tests.docs.comparing import is_as_shown, shown_by
from tests.docs.running import commands


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a  \nb\n\n", True),
        ("a\nb", "a\nc", False),
        ("took ... ms", "took 3.1 ms", True),
        ("first\n...\nlast", "first\n1\n2\nlast", True),
        ("first\n...\nlast", "first\n1\n2\nother", False),
        ("a ... b ... c", "a 1 b 2 c", True),
        ("a ... b ... c", "a 1 c", False),
        ("aa...aa", "aaa", False),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(shown: str, printed: str, same: bool) -> None:
    assert is_as_shown(shown, printed) is same


def test_a_command_may_go_over_several_lines() -> None:
    block = Block(
        language="console", code="$ p2ce demo \\\n    --random-state 3\nhello\n$ echo $?\n0\n", line=1
    )
    assert commands(block) == ["p2ce demo --random-state 3", "echo $?"]
    assert shown_by(block) == "$ p2ce demo --random-state 3\nhello\n$ echo $?\n0"
