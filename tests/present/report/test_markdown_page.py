"""The Markdown report has the content of the page, sound tables, and shows hostile text as text."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from p2ce.errors import InvalidArgument
from p2ce.present.report import to_markdown
from p2ce.present.report.markdown_parts import escaped
from p2ce.result import Explanation, Explanations
from tests.present.report.examples import WHY, answer, every_status, many, no_recourse, three_objectives
from tests.present.report.test_html_page import AUDIENCES, KINDS, NASTY, TEXTS, hostile
from tests.result import examples as plain

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ANCHOR = re.compile(r'<a id="person-\d+">|</a>')


def read(text: str) -> list[Token]:
    """Read Markdown as GitHub would, and fail on anything that came from users' text."""
    tokens = READER.parse(text)
    for block in tokens:
        assert block.type != "html_block" or re.fullmatch(r'<a id="person-\d+"></a>\n?', block.content)
        for token in block.children or []:
            assert token.type != "html_inline" or ANCHOR.fullmatch(token.content), token.content
            assert token.type not in ("image", "code_inline") or token.content.isalnum(), token.content
            if token.type == "link_open":
                assert re.fullmatch(r"#person-\d+", str(token.attrGet("href")))
    return tokens


def tables(text: str) -> list[list[int]]:
    """How many cells each row of each table has."""
    found, row = [], 0
    for token in read(text):
        if token.type == "table_open":
            found.append([])
        elif token.type in ("th_open", "td_open"):
            row += 1
        elif token.type == "tr_close":
            found[-1].append(row)
            row = 0
    return found


def words(text: str) -> str:
    """What is read, without the marks."""
    return " ".join(
        child.content
        for block in read(text)
        for child in [block, *(block.children or [])]
        if child.type in ("text", "fence", "code_inline")
    )


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_sound_tables(kind: str, audience: str) -> None:
    text = to_markdown(every_status()[kind], audience=audience)
    for rows in tables(text):
        assert len(set(rows)) == 1
        assert len(rows) > 1
    assert text.startswith("# ")
    levels = [int(token.tag[1]) for token in read(text) if token.type == "heading_open"]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_it_has_the_content_of_the_page() -> None:
    read_text = words(to_markdown(answer(), audience="officer", language="en"))
    for piece in (
        "loan amount",
        "2,400 EUR",
        "Never advised, since protected: sex.",
        "3f" * 32,
        "No promise.",
    ):
        assert piece in read_text


def test_every_option_is_there() -> None:
    explanation = three_objectives(64)
    shown = words(to_markdown(explanation))
    for option in explanation:
        assert f"to {option.changes['LoanAmount'][1]:,} EUR" in shown


def test_why_there_is_no_option_is_written() -> None:
    assert "Which restrictions leave no option" in words(to_markdown(no_recourse(), why=WHY))


def test_many_people_have_a_row_each() -> None:
    text = to_markdown(many(300))
    assert [len(rows) for rows in tables(text) if len(rows) > 200] == [300 + 1]


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_hostile_text_stays_text(text: str) -> None:
    one = hostile(text)
    for written in (
        to_markdown(one, audience="auditor", title=text),
        to_markdown(Explanations([one, one], labels=[text, "b"]), title=text),
    ):
        for rows in tables(written):
            assert len(set(rows)) == 1
        assert "\x00" not in written
        assert "\u202e" not in written


@settings(max_examples=60, deadline=None)
@given(text=TEXTS | st.text(st.sampled_from("|`*_#<>[]()!-+=~\\ 1.\n$:w/"), max_size=20))
def test_no_text_at_all_becomes_markup(text: str) -> None:
    for rows in tables(to_markdown(hostile(text), audience="auditor", title=text)):
        assert len(set(rows)) == 1


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from("|`*_#<>[]()!-+=~\\ 1a.&;$"), max_size=20))
def test_escaped_text_is_read_as_it_was(text: str) -> None:
    tokens = READER.parse(f"{escaped(text)}")
    inline = [child for token in tokens for child in token.children or []]
    assert "".join(child.content for child in inline) == text.strip()
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}


@settings(max_examples=50, deadline=None)
@given(explanation=plain.explanations(), audience=st.sampled_from(AUDIENCES))
def test_any_answer_at_all_can_be_written(explanation: Explanation, audience: str) -> None:
    tables(to_markdown(explanation, audience=audience))


def test_it_is_written_to_a_file(tmp_path: Path) -> None:
    text = to_markdown(answer(), tmp_path / "report.md", language="pt")
    assert (tmp_path / "report.md").read_bytes() == text.encode("utf-8")


def test_what_is_no_explanation_is_rejected() -> None:
    with pytest.raises(
        InvalidArgument, match=r"to_markdown\(\) takes an Explanation or Explanations, got dict"
    ):
        to_markdown({})  # type: ignore[arg-type]


def test_numbers_are_left_as_they_are() -> None:
    assert [escaped(text) for text in ("0.531", "-0.5", "7,500")] == ["0.531", "-0.5", "7,500"]


def test_what_can_only_be_drawn_leaves_no_heading() -> None:
    text = to_markdown(answer())
    assert "How the options compare" not in text
    assert "How sure is this" in text
