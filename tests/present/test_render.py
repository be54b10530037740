"""Reports say everything, load nothing, show hostile text as text, and number options alike everywhere."""

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from p2ce import to_html, to_markdown, to_text
from p2ce.errors import InvalidArgument
from p2ce.policy.features.display import Display
from p2ce.present.charts.front_data import front_data
from p2ce.present.highlights import letter
from p2ce.present.languages import LANGUAGES
from p2ce.present.render import AUDIENCES, markdown_escaped
from p2ce.present.views.view import view
from p2ce.present.wording import wording_of
from p2ce.result import (
    Candidates,
    Counterfactual,
    Distribution,
    Explanation,
    Explanations,
    Feature,
    ProblemRecord,
    Status,
)
from tests.present.cases import CASES, CERTIFICATE, WHY, an_explanation, front, many
from tests.present.html_checker import checked
from tests.properties.amount import examples
from tests.result import examples as plain

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
WRITERS: list[Callable[..., str]] = [to_text, to_html, to_markdown]
NASTY = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "</title></style></script></svg><iframe src=//evil.example>",
    "a & b &lt; c &amp;",
    "\u202egnp.exe\u2066",
    "nul\x00bell\x07esc\x1b[31m",
    "two\nlines\r\nand\ttabs",
    "<!-- --><![CDATA[ <?php",
    "half \ud800 pair",
    "{0} {name} %s {{ 7 * 7 }} {% raw %}",
    "x" * 5000,
    "https://evil.example/a?b=<c>",
    "| `a` | *b* |\n|---|",
    "   ",
]


def checked_markdown(text: str) -> str:
    """Parse Markdown as GitHub would, fail on markup that came from users' text, and give the words."""
    tokens, words, cells = READER.parse(text), [], []
    for block in tokens:
        assert block.type != "html_block" or re.fullmatch(r'<a id="person-\d+"></a>\n?', block.content)
        for token in block.children or []:
            assert token.type != "html_inline" or re.fullmatch(r'<a id="person-\d+">|</a>', token.content)
            assert token.type not in ("image", "code_inline") or token.content.replace("…", "").isalnum()
            assert token.type != "link_open" or re.fullmatch(r"#person-\d+", str(token.attrGet("href")))
            words.append(token.content)
        if block.type == "table_open":
            cells = []
        elif block.type == "tr_open":
            cells.append(0)
        elif block.type in ("th_open", "td_open"):
            cells[-1] += 1
        elif block.type == "table_close":
            assert len(set(cells)) == 1
            assert len(cells) > 1
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    return " ".join(words)


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("name", CASES)
def test_pages_of_every_kind_are_sound(name: str, audience: str) -> None:
    explanation, why = CASES[name]
    for language in LANGUAGES:
        page = checked(to_html(explanation, audience=audience, language=language, relaxations=why))
        assert page.language == {"pt": "pt-BR"}.get(language, language)
        assert "None" not in page.text.replace("None of", "")
        assert "nan" not in page.text.split()
    checked_markdown(to_markdown(explanation, audience=audience, relaxations=why))


@pytest.mark.parametrize("count", [1, 3, 5, 6, 60])
def test_an_option_has_the_same_name_everywhere(count: int) -> None:
    """It is a number, and on what applicants read a letter."""
    explanation = front(count)
    amounts = {one.number: f"€{one.changes['LoanAmount'][1]:,.0f}" for one in explanation}
    assert list(amounts) == list(range(1, count + 1))
    assert explanation.to_frame()["option"].tolist() == list(amounts)
    assert [one["number"] for one in explanation.to_dict()["counterfactuals"]] == list(amounts)
    assert [point.number for point in front_data(explanation, wording_of(explanation)).points] == list(
        amounts
    )
    shown = {one.number for one in explanation.pick(count if count <= 5 else 3)}
    for audience in AUDIENCES:
        seen = view(explanation, audience=audience)
        assert {one.number for one in seen.picks} == shown
        named = {option.mark: amounts[option.number] for option in seen.options}
        assert list(named) == (
            [letter(place) for place in range(count)] if audience == "applicant" else list(map(str, amounts))
        )
        picks = {option.mark: amounts[option.number] for option in seen.picks}
        text = to_text(explanation, audience=audience)
        listed = dict(re.findall(r"^(\d+|[A-Z]+)\. (.*)$", text, re.M))
        assert set(listed) == (set(picks) if audience == "applicant" else set(named))
        if audience != "auditor":  # who reads 7,350 and not €7,350
            assert all(named[mark] in line for mark, line in listed.items())
        page = to_html(explanation, audience=audience)
        cards = re.findall(r"<span>Option (\w+)</span>.*?to (€[\d,]+)\.</p>", page, re.S)
        assert dict(cards) == picks
        rows = re.findall(
            r'<th scope="row" class="strong">(\w+)</th><td class="words">.*?to (€[\d,]+)</td>', page
        )
        assert dict(rows) == {mark: amount for mark, amount in named.items() if mark not in picks}
    assert re.findall(r"^ *(\d+)  ", str(explanation), re.M) == [str(number) for number in amounts]


def test_only_our_own_style_and_script_count() -> None:
    for one in (an_explanation(), many(5)):
        page = checked(to_html(one))
        assert page.policy.startswith("default-src 'none'; ")
        for name in ("style", "script"):
            digest = hashlib.sha256(page.inline[name].encode()).digest()
            assert f"{name}-src 'sha256-{base64.b64encode(digest).decode()}'" in page.policy
        assert "unsafe" not in page.policy


@pytest.mark.parametrize("write", WRITERS)
def test_the_same_result_gives_the_same_bytes(write: Callable[..., str]) -> None:
    again = Explanation.from_dict(json.loads(json.dumps(an_explanation().to_dict(), sort_keys=True)))
    for audience in AUDIENCES:
        assert write(an_explanation(), audience=audience) == write(again, audience=audience)


def test_a_person_reads_no_jargon_above_the_folds() -> None:
    page = checked(to_html(an_explanation()))
    folds = [attributes for name, attributes in page.tags if name == "details"]
    assert folds
    assert all("open" not in attributes for attributes in folds)
    assert "The numbers behind it" not in page.text
    top = page.text.split("Feature by feature")[0]
    assert not [word for word in ("Pareto", "OPTIMAL", "boxes", "0.021", "LoanAmount") if word in top]


def test_an_auditor_finds_everything_open() -> None:
    page = checked(to_html(an_explanation(), audience="auditor"))
    assert all("open" in attributes for name, attributes in page.tags if name == "details")
    for piece in ("OPTIMAL", "ab12", "tree leaves", "1,234,567", "Sex: {protected: true}"):
        assert piece in page.text


def test_no_page_calls_one_of_equal_options_the_only_one() -> None:
    alone = front(1)
    stopped = replace(alone, status=Status.TIME_LIMIT, certificate=None)
    for one in (alone, stopped):
        assert not re.search(
            "(?i)all options found|only option|only way|option found", checked(to_html(one)).text
        )
    rounded = replace(alone, counterfactuals=(replace(alone[0], rounded={"LoanAmount": 7000.0}),))
    assert "We compared the exact values." in to_text(rounded)


def hostile(text: str) -> Explanation:
    """An explanation in which every text that users give is this one."""
    number, label, flag = f"{text}1", f"{text}2", f"{text}3"
    amounts = Distribution(edges=(0.0, 1.0, 2.0), shares=(0.5, 0.5), missing=0.1)
    labels = Distribution(labels=("a", text, "b"), shares=(0.5, 0.3, 0.1), other=0.1)
    features = {
        number: Feature(name=number, display=Display(name=text, unit=text), distribution=amounts),
        label: Feature(
            name=label,
            kind="category",
            candidates=Candidates(count=2, values=("a", text)),
            display=Display(values={"a": text}),
            distribution=labels,
        ),
        flag: Feature(name=flag, kind="binary", moves="protected", display=Display(name=text)),
    }
    rules = ({"rule": text, "text": text}, {"rule": "linked", "driver": number, "follower": label})
    problem = ProblemRecord(
        features=features,
        rules=rules,
        policy=text,
        people=3,
        versions={text: text},
        hashes={text: text, "model": text},
        settings={text: text},
    )
    changes: list[dict[str, Any]] = [
        {number: (2.0, 1.0)},
        {label: ("a", text)},
        {number: (2.0, 0.0), label: ("a", "b")},
    ]
    options = tuple(
        Counterfactual(
            values={}, changes=change, costs={text: float(place), "changes": 3.0 - place}, score=0.6
        )
        for place, change in enumerate(changes)
    )
    return an_explanation(
        problem=problem,
        counterfactuals=options,
        objectives=(text, "changes"),
        dtypes={number: "float64", label: "object", flag: "bool"},
        person={number: 2.0, label: "a", flag: True},
        target=text,
        message=text,
        certificate=replace(
            CERTIFICATE, method=text, model_family=text, bound=text, pruned={text: 1}, rules=rules
        ),
    )


def check_hostile(text: str, audience: str) -> None:
    one = hostile(text)
    error = replace(one, status=Status.ERROR, counterfactuals=(), person_score=None)
    people = Explanations([one, error], ids=[text, f"{text}!"])
    for subject in (one, error, people):
        checked(to_html(subject, audience=audience, title=text or None))
        checked_markdown(to_markdown(subject, audience=audience, title=text or None))
        for written in (to_text(subject, audience=audience), str(subject), subject._repr_html_()):
            assert not re.search(
                "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", written
            )
        assert "<script" not in subject._repr_html_()
        assert "<iframe" not in subject._repr_html_()


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
@pytest.mark.parametrize("audience", AUDIENCES)
def test_hostile_text_stays_text(text: str, audience: str) -> None:
    check_hostile(text, audience)


TEXTS = st.text(
    st.sampled_from("<>&\"'/=!-[]?;: \n\x00\u202eaAé{}%`|*_#()+~\\1.$w") | st.characters(codec=None),
    max_size=30,
)


@examples(40)
@given(text=TEXTS)
def test_no_text_at_all_becomes_markup(text: str) -> None:
    check_hostile(text, "auditor")


@examples(100)
@given(text=st.text(st.sampled_from("|`*_#<>[]()!-+=~\\ 1a.&;$"), max_size=20))
def test_escaped_markdown_is_read_as_it_was(text: str) -> None:
    tokens = READER.parse(markdown_escaped(text))
    inline = [child for token in tokens for child in token.children or []]
    assert "".join(child.content for child in inline) == text.strip()
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}


def with_changes_allowed(explanation: Explanation) -> Explanation:
    """Return it without protected and fixed features, which no report may advise to change."""
    if explanation.problem is None:
        return explanation
    features = {
        name: one if one.may_change else replace(one, moves="either")
        for name, one in explanation.problem.features.items()
    }
    return replace(explanation, problem=replace(explanation.problem, features=features))


@examples(30)
@given(
    explanation=plain.explanations().map(with_changes_allowed),
    audience=st.sampled_from(AUDIENCES),
    language=st.sampled_from(LANGUAGES),
)
def test_any_explanation_at_all_can_be_written(
    explanation: Explanation, audience: str, language: str
) -> None:
    assert to_text(explanation, audience=audience, language=language)
    assert str(explanation).startswith(explanation.status.value)
    checked(to_html(explanation, audience=audience, language=language))
    checked_markdown(to_markdown(explanation, audience=audience, language=language))


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"audience": "aplicant"}, "Did you mean 'applicant'?"),
        ({"language": "de"}, "Known are 'en'"),
        ({"title": 3}, "title must be text"),
        ({"relaxations": {}}, "relaxations= must be"),
        ({"relaxations": WHY}, "OPTIMAL"),
        ({"path": 3}, "path must be"),
        ({"explanation": [an_explanation()]}, "() needs an Explanation, Explanations or an Audit; got list"),
        ({"explanation": many(3), "relaxations": WHY}, "dict from ids"),
        ({"explanation": many(3), "relaxations": {"x": WHY}}, "'x', which is not the id"),
    ],
)
def test_wrong_arguments_are_rejected_in_words(
    write: Callable[..., str], arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(words)):
        write(**{"explanation": an_explanation(), **arguments})


@pytest.mark.parametrize("write", WRITERS)
def test_a_why_of_another_person_is_rejected(write: Callable[..., str]) -> None:
    none, _ = CASES["no option"]
    with pytest.raises(InvalidArgument, match="another person"):
        write(none, relaxations=replace(WHY, person={**WHY.person, "Age": 42}))
    people = Explanations([none, an_explanation()], ids=["ann", "bob"])
    assert "if some of our limits did not apply" in write(people, relaxations={"ann": WHY})
    assert "if some of our limits did not apply" not in write(people)


@pytest.mark.parametrize("write", WRITERS)
def test_protected_features_are_never_advised(write: Callable[..., str]) -> None:
    forbidden = replace(an_explanation()[0], changes={"Sex": ("f", "m")})
    with pytest.raises(InvalidArgument, match="'Sex', which is protected"):
        write(an_explanation(counterfactuals=(forbidden,)))


@pytest.mark.parametrize("write", WRITERS)
def test_a_report_is_written_to_a_file_as_a_whole(write: Callable[..., str], tmp_path: Path) -> None:
    text = write(an_explanation(), tmp_path / "report", language="pt")
    assert (tmp_path / "report").read_bytes() == text.encode("utf-8")
    with pytest.raises(InvalidArgument, match="folder does not exist"):
        write(an_explanation(), tmp_path / "nowhere" / "report")


@pytest.mark.parametrize("audience", AUDIENCES)
def test_everybody_has_a_row_and_a_section(audience: str) -> None:
    ids = [f"A-{place:04}" for place in range(25)]
    people = many(25, ids=ids)
    page = checked(to_html(people, audience=audience))
    assert all(page.text.count(one) == 2 for one in ids)
    assert len(page.links) == len([one for one in page.ids if one.startswith("person-")]) == 25
    checked_markdown(to_markdown(people, audience=audience))
    assert all(one in to_text(people, audience=audience).splitlines() for one in ids)


def test_ten_thousand_people_take_megabytes_and_fifty_sections() -> None:
    text = to_html(many(10_000), audience="officer")
    assert len(text) < 4_000_000
    page = checked(text)
    assert "only the first 50 of 10,000 people have a full section" in page.text
    assert len(page.links) == 50
    assert sum(name == "tr" for name, _ in page.tags) > 10_000


@pytest.mark.parametrize("ids", [['"><b>', "a b", "a b"], [["a"], 3, None]])
def test_any_id_will_do_and_none_becomes_one_of_the_page(ids: list[Any]) -> None:
    assert checked(to_html(many(3, ids=ids))).ids == ["person-1", "person-2", "person-3"]


def test_people_without_any_cost_have_no_charts() -> None:
    error = replace(
        an_explanation(), status=Status.ERROR, counterfactuals=(), objectives=(), person_score=None
    )
    page = checked(to_html(Explanations([error] * 3)))
    assert "svg" not in [name for name, _ in page.tags]
    assert "There are no people in this report." in checked(to_html(Explanations([]))).text


def test_people_of_two_explainers_share_no_policy() -> None:
    one = an_explanation()
    assert one.problem is not None
    other = replace(one, problem=replace(one.problem, hashes={"model": "bb" * 32}))
    page = checked(to_html(Explanations([one, other])))
    assert "ab12" in page.text
    assert "bb" * 32 in page.text
    assert "What was allowed to change" not in page.text


def test_candidates_of_narrow_columns_are_the_same_on_both_pages() -> None:
    explanation, _ = CASES["two options"]
    assert explanation.problem is not None
    wide = float(np.float32(0.1))
    rate = replace(explanation.problem.features["Rate"], candidates=Candidates(count=2, values=(wide, 1.5)))
    problem = replace(explanation.problem, features={**explanation.problem.features, "Rate": rate})
    narrow = replace(explanation, problem=problem, dtypes={**explanation.dtypes, "Rate": "float32"})
    for shown in (narrow, Explanations([narrow])):
        assert "2: 10%, 150%" in to_markdown(shown, audience="officer")


@pytest.mark.parametrize(
    ("language", "title"),
    [("en", "Options for 1 person"), ("pt", "Opções para 1 pessoa"), ("es", "Opciones para 1 persona")],
)
def test_a_page_of_many_may_hold_one_person(language: str, title: str) -> None:
    one = Explanations([CASES["two options"][0]])
    assert to_markdown(one, language=language).startswith(f"# {title}\n")


def test_a_notebook_shows_one_person_and_nobody() -> None:
    one = Explanations([CASES["two options"][0]])
    assert "<strong>Options for 1 person</strong>: 1 " in one._repr_html_()
    assert "<strong>Options for 0 people</strong></p>" in Explanations([])._repr_html_()


def test_no_restriction_is_not_said_to_have_been_tried() -> None:
    explanation, _ = CASES["no option"]
    why = replace(WHY, relaxations=(), considered=(), undecided=(), complete=True)
    assert "There is no limit that could be lifted." in to_text(explanation, relaxations=why)
    assert "(0)" not in to_text(explanation, relaxations=why)
    assert "tried: 0" in to_text(explanation, relaxations=replace(why, complete=False))


@pytest.mark.parametrize("audience", AUDIENCES)
def test_sorted_json_says_the_same(audience: str) -> None:
    explanation, _ = CASES["stopped early"]
    back = Explanation.from_json(json.dumps(explanation.to_dict(), sort_keys=True))
    assert to_text(back, audience=audience) == to_text(explanation, audience=audience)
