"""Hostile strings stay text: in every error message, and in every output of an explanation."""

import ast
import csv
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt

import p2ce
from p2ce import Explainer, Explanation, Explanations, Policy, rules
from p2ce.base.visible import UNSEEN
from tests.apps.command_line import run
from tests.bad_inputs import PLACES
from tests.hostile.plain_data import ESCAPES, HUGE_TEXT, nested, tame
from tests.optional import needs

SOURCES = Path(__file__).parent.parent / "src" / "p2ce"
VALUES: dict[str, Any] = {
    "long": HUGE_TEXT,
    "escapes": ESCAPES,
    "long escapes": ESCAPES * 10**4,
    "words": "no such thing " * 10**4,
    "a list": [HUGE_TEXT] * 50,
    "many numbers": list(range(10**5)),
    "nested": nested(10**5),
    "a dict": {HUGE_TEXT: HUGE_TEXT},
    "a number": 10**5000,
    "less than a number": -(10**5000),
    "a float": float("nan"),
    "bytes": b"\x1b" * 10**5,
}
# The same places with another model, and those whose values this table makes itself, show nothing more.
SKIPPED = ("rules", "household", "strict household")


@pytest.mark.parametrize("place", [one for one in PLACES if " of " not in one and one not in SKIPPED])
def test_no_error_repeats_what_is_hostile(place: str) -> None:
    raw = []
    for kind, bad in VALUES.items():
        try:
            PLACES[place](bad)
        except p2ce.P2CEError as error:
            if not tame(str(error)):
                raw.append(f"{kind}: {len(str(error))} characters, {str(error)[:200]!r}")
        except Exception as error:
            raw.append(f"{kind}: {type(error).__name__} {str(error)[:200]!r}")
    assert not raw


STRINGS = {
    "a tag": "<hostile onclick=alert(1)>own",
    "an attribute": "\" onmouseover=\"alert(1)' onfocus='alert(1)",
    "the end of all": "--></title></style></script></svg>]]><hostile>own",
    "markdown": "[own](javascript:alert(1)) ![x](y) `z` | **b** <hostile>",
    "a fake line": "own\n2. fake\r\n# fake\n",
    "a formula": '=HYPERLINK("own")',
    "mathematics": r"$\frac{own}$ \begin",
    "escapes": ESCAPES,
    "braces": "{{ own }} {% own %} {0} %s",
}


@cache
def hostile(text: str) -> Explanations:
    """Explain people with a column and a label of this name, one of each status."""
    frame = pd.DataFrame(
        {text: range(40), "job": pd.Series([text, "cook", "clerk", "boss"] * 10, dtype=object)}
    )

    def score(rows: pd.DataFrame) -> np.ndarray:
        return np.asarray(rows[text].astype(float) + 4.0 * (rows["job"] == text))

    policy = Policy.infer(frame).with_rules(rules.change_at_most_one(text, "job"))
    policy = policy.display({text: {"name": text, "unit": text}})
    explainer = Explainer(score, frame, target=1, policy=policy, at_least=30, plausibility=None)
    stuck = explainer.explain(frame.iloc[3], policy=Policy.infer(frame).fix(text))
    many = [*explainer.explain_many(frame.iloc[[5, 39]]), stuck]
    assert [one.status.name for one in many] == ["OPTIMAL", "ACCEPTED", "NO_RECOURSE"]
    return Explanations(many, ids=[text, f"{text}!", "job"])


AUDIENCES = ("applicant", "officer", "auditor")
TEXTS: dict[str, Callable[[Any], str]] = {
    "str": str,
    "repr": repr,
    **{f"to_text {who}": lambda one, who=who: p2ce.to_text(one, audience=who) for who in AUDIENCES},
}
PAGES: dict[str, Callable[[Any], str]] = {
    "notebook": lambda one: one._repr_html_(),
    **{f"to_html {who}": lambda one, who=who: p2ce.to_html(one, audience=who) for who in AUDIENCES},
}


def unseen(text: str) -> "list[str]":
    return UNSEEN.findall(text.replace("\n", ""))


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
@pytest.mark.parametrize("output", TEXTS)
def test_text_holds_nothing_that_is_not_seen_and_no_line_of_a_string(output: str, text: str) -> None:
    many = hostile(text)
    for one in (many, *many) if output in ("str", "repr") else many:
        written = TEXTS[output](one)
        assert unseen(written) == []
        assert not any(line.lstrip().startswith(("2. fake", "# fake")) for line in written.splitlines())


class Page(HTMLParser):
    """What a browser makes of a page: which elements, which attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {str(value) for name, value in attrs if name in ("href", "src")}


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
@pytest.mark.parametrize("output", PAGES)
def test_pages_hold_no_element_of_a_string(output: str, text: str) -> None:
    many = hostile(text)
    for one in (many, *many):
        written = PAGES[output](one)
        page = Page(written)
        assert "hostile" not in page.elements
        assert not [name for name in page.attributes if name.startswith("on")]
        assert not [link for link in page.links if "javascript" in link]
        assert unseen(written) == []


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
def test_markdown_holds_no_mark_of_a_string(text: str) -> None:
    many = hostile(text)
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    for one in (many, *many):
        written = p2ce.to_markdown(one)
        for block in reader.parse(written):
            for token in (block, *(block.children or [])):
                assert "fake" not in token.content or token.type not in ("heading_open", "list_item_open")
                assert token.type != "image"
                assert "hostile" not in token.content or not token.type.startswith("html")
                assert "javascript" not in str(token.attrGet("href"))
        assert unseen(written) == []


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
@pytest.mark.parametrize("plot", [p2ce.plot_front, p2ce.plot_changes], ids=["front", "changes"])
def test_charts_hold_strings_as_they_are(plot: Callable[[Explanation], Any], text: str) -> None:
    text_artist = needs("matplotlib.text").Text
    drawn = plot(hostile(text)[0])
    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    figure.canvas.draw()  # would fail on mathematics that is none
    for artist in figure.findobj(text_artist):
        assert unseen(artist.get_text()) == []
        assert "$" not in artist.get_text() or not artist.get_parse_math()


def test_cells_of_a_table_are_no_formulas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Through the command line, with a model that knows nothing of it."""
    frame = pd.DataFrame({"pay": range(40), "job": ["=1+1", "@sum", "+x", "-y"] * 10})
    frame.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "paid.py").write_text(
        "def model():\n    return lambda rows: rows['pay'] / 40\n", encoding="utf-8"
    )
    words = ("explain", "--data", tmp_path / "people.csv", "--reference", tmp_path / "people.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        ran = run(capsys, *words, "--model", "paid:model", "--id", 3, "--no-plausibility", "--out", "out.csv")
    assert ran.code == 0, ran.err
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'-y" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "@", "+x", "-y"))]


def test_the_command_line_repeats_nothing_hostile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b[31mred\u202e"
    frame = pd.DataFrame({name: [f"a{name}", "b", "c"] * 9, "x": range(27)})
    table, out = tmp_path / "people.csv", tmp_path / f"{name}.yaml"
    frame.to_csv(table, index=False)
    for words in (
        ("policy", "infer", table, "--out", out),
        ("policy", "check", out, table),
        ("policy", "check", tmp_path / f"{name}none", table),
        ("explain", "--model", name, "--data", table),
        ("explain", "--model", "x", "--data", "y", "--at-least", name + "x" * 10**5),
        ("explain", "--jobs", name + "x" * 10**5),
        ("x" * 10**5 + name,),
        ("policy", "infer", table, "--drop", name, "--out", tmp_path / "q.yaml"),
        ("policy", "infer", table, "--drop", name + "y" * 10**5),
    ):
        ran = run(capsys, *words)
        assert unseen(ran.out + ran.err) == [], words
        assert len(ran.out + ran.err) < 3000, words


def test_messages_echo_values_by_one_function() -> None:
    """A value in a message is written by `echoed`, which cuts it, and not by Python's own repr."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise):
                found += [
                    f"{path.name}:{part.lineno}"
                    for part in ast.walk(node)
                    if isinstance(part, ast.FormattedValue) and part.conversion == ord("r")
                ]
    allowed = {"lazy_names.py"}  # a name that Python looks up
    assert [one for one in found if one.split(":")[0] not in allowed] == []
