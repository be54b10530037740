"""Bring any text into a form that can be shown: nothing unseen, nothing that turns the line around."""

import re

REPLACED = "\ufffd"  # the sign for a character that cannot be shown
SPACES = re.compile(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]+")
# Controls, halves of surrogate pairs (which no file can hold), marks that reverse the writing direction of
# whatever follows them, and code points that are no characters.
UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]"
)
LONGEST_WORD = 200  # letters without a space; the longest hash has 128
KEPT = 120
LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
UNSEEN_IN_CODE = re.compile("[\x0b\x0c\x85\u2028\u2029]")


def visible(content: object) -> str:
    """Write anything as one line of text; words that would fill a page are cut, and end with an ellipsis.

    >>> visible("loan\\n amount"), visible("a\\x00b"), visible(41), len(visible("x" * 5000))
    ('loan  amount', 'a\ufffdb', '41', 121)
    """
    shown = UNSEEN.sub(REPLACED, SPACES.sub(" ", str(content)))
    if len(shown) <= LONGEST_WORD:
        return shown
    return LONG_WORD.sub(lambda word: word.group()[:KEPT] + "…", shown)


def visible_code(content: object) -> str:
    """Write anything as text that keeps its lines.

    >>> visible_code("a:\\r\\n  b: 1\\x00")
    'a:\\n  b: 1\ufffd'
    """
    text = str(content).replace("\r\n", "\n").replace("\r", "\n")
    return UNSEEN.sub(REPLACED, UNSEEN_IN_CODE.sub(REPLACED, text))


def shortened(content: object, most: int) -> str:
    """Cut what is longer than so many characters, and show that it was cut.

    >>> shortened("loan amount", 6), shortened("loan", 6)
    ('loan …', 'loan')
    """
    text = visible(content)
    return text if len(text) <= most else text[: most - 1] + "…"
