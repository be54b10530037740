"""The HTML report says everything, loads nothing, and shows hostile text as text."""

import base64
import hashlib
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.report import to_html
from p2ce.problem.display import Display
from p2ce.result import Counterfactual, Distribution, Explanation, Explanations, Feature, Question, Status
from tests.present.cases import housed
from tests.present.report.checker import checked
from tests.present.report.examples import WHY, answer, every_status, many, no_recourse, three_objectives
from tests.result import examples as plain

KINDS = every_status()
AUDIENCES = ("person", "officer", "auditor")
NASTY = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "]]><img src=x onerror=alert(1)>",
    "</title></style></script></svg><iframe src=//evil.example>",
    "a & b &lt; c &amp;",
    "\u202egnp.exe\u2066",
    "nul\x00bell\x07esc\x1b[31m",
    "two\nlines\r\nand\ttabs",
    "<!-- --><![CDATA[ <?php",
    "half \ud800 pair",
    "{0} {name} %s {{}}",
    "x" * 5000,
    "javascript:alert(1)",
    "https://evil.example/a?b=<c>",
    "",
    "   ",
]


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_every_kind_is_sound(kind: str, audience: str) -> None:
    page = checked(to_html(KINDS[kind], audience=audience))
    assert page.language == "en"
    assert "None" not in page.text.replace("None of", "")
    assert "nan" not in page.text.split()


@pytest.mark.parametrize(("language", "written"), [("en", "en"), ("pt", "pt-BR"), ("es", "es")])
def test_every_language_is_named(language: str, written: str) -> None:
    for kind in KINDS.values():
        assert checked(to_html(kind, language=language)).language == written


@pytest.mark.parametrize("count", [1, 2, 3, 4, 64])
@pytest.mark.parametrize("audience", AUDIENCES)
def test_every_option_of_the_front_is_on_the_page(count: int, audience: str) -> None:
    explanation = three_objectives(count)
    page = checked(to_html(explanation, audience=audience))
    for option in explanation:
        assert f"to {option.changes['LoanAmount'][1]:,} EUR" in page.text


def test_names_and_units_are_those_of_displays() -> None:
    page = checked(to_html(answer(), audience="officer"))
    assert "loan amount" in page.text
    assert "own home" in page.text
    assert "34 %" in page.text
    body = page.text.split("Policy")[0].split("The policy as a file")[0]
    assert "LoanAmount" not in body
    assert "HasGuarantor" not in body


def test_protected_and_fixed_features_are_named_as_never_advised() -> None:
    page = checked(to_html(answer()))
    assert "Never advised, since protected: sex." in page.text
    assert "SavedExplainer as they are: age." in page.text


def test_versions_hashes_policy_and_certificate_are_there() -> None:
    page = checked(to_html(answer()))
    for piece in (
        "lightgbm 4.6.0",
        "3f" * 32,
        "LoanAmount <= 250 * LoanDuration",
        "1,234,567",
        "tree leaves",
    ):
        assert piece in page.text


def test_a_person_reads_no_jargon_above_the_folds() -> None:
    text = to_html(answer())
    page = checked(text)
    opened = [attributes for name, attributes in page.tags if name == "details"]
    assert opened
    assert all("open" not in attributes for attributes in opened)
    top = page.text.split("The numbers behind it")[0]
    for word in ("Pareto", "OPTIMAL", "boxes", "0.021"):
        assert word not in top


def test_an_auditor_finds_everything_open() -> None:
    page = checked(to_html(answer(), audience="auditor"))
    opened = [attributes for name, attributes in page.tags if name == "details"]
    assert opened
    assert all("open" in attributes for attributes in opened)
    assert "OPTIMAL" in page.text


def test_why_there_is_no_option_is_written() -> None:
    page = checked(to_html(no_recourse(), why=WHY))
    assert "Which restrictions leave no option" in page.text
    assert "2,400 EUR" in page.text


def test_the_message_of_an_error_is_shown_as_text() -> None:
    page = checked(to_html(KINDS["error"]))
    assert "Age is 'x' & more" in page.text


def test_only_our_own_style_and_script_count() -> None:
    for one in (answer(), many(5)):
        page = checked(to_html(one))
        assert page.policy.startswith("default-src 'none'; ")
        for name in ("style", "script"):
            digest = hashlib.sha256(page.inline[name].encode()).digest()
            assert f"{name}-src 'sha256-{base64.b64encode(digest).decode()}'" in page.policy
        assert "unsafe" not in page.policy


def test_the_same_answer_gives_the_same_bytes() -> None:
    assert to_html(answer()) == to_html(answer())
    again = Explanation.from_dict(json.loads(json.dumps(answer().to_dict())))
    assert to_html(again) == to_html(answer())


def test_rounded_values_are_said_where_they_were_verified() -> None:
    option = Counterfactual(
        values={}, changes={"LoanAmount": (7500, 5197.123)}, costs={"mean_distance": 0.1, "changes": 1.0},
        score=0.6, rounded={"LoanAmount": 5200},
    )  # fmt: skip
    page = checked(to_html(answer(counterfactuals=(option,))))
    assert "5,200 EUR" in page.text
    assert "5,197" not in page.text


def hostile(text: str) -> Explanation:
    """An answer in which every text that users give is this one."""
    number, label, flag = f"{text}1", f"{text}2", f"{text}3"
    features = {
        number: Feature(
            name=number, candidates=text, display=Display(name=text, unit=text),
            distribution=Distribution(edges=(0.0, 1.0, 2.0), shares=(0.5, 0.5), missing=0.1),
        ),
        label: Feature(
            name=label, kind="category", candidates=text, display=Display(values={"a": text}),
            distribution=Distribution(labels=("a", text, "b"), shares=(0.5, 0.3, 0.1), other=0.1),
        ),
        flag: Feature(name=flag, kind="binary", moves="protected", display=Display(name=text)),
    }  # fmt: skip
    question = Question(
        features=features, rules=(text,), policy=text, people=3, versions={text: text},
        hashes={text: text, "model": text}, settings={text: text},
    )  # fmt: skip
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
    return answer(
        question=question,
        counterfactuals=options,
        objectives=(text, "changes"),
        dtypes={number: "float64", label: "object", flag: "bool"},
        person={number: 2.0, label: "a", flag: True},
        target=text,
        message=text,
        certificate=replace(
            plain.CERTIFICATE, method=text, model_family=text, bound=text, pruned={text: 1}, rules=(text,)
        ),
    )


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
@pytest.mark.parametrize("audience", AUDIENCES)
def test_hostile_text_stays_text(text: str, audience: str, tmp_path: Path) -> None:
    one = hostile(text)
    page = to_html(one, tmp_path / "report.html", audience=audience, title=text or None)
    checked(page)
    for name in ("\x00", "\x1b", "\u202e", "\u2066", "\r"):
        assert name not in page
    error = replace(one, status=Status.ERROR, counterfactuals=(), person_score=None)
    checked(
        to_html(Explanations([one, error], labels=[text, f"{text}!"]), audience=audience, title=text or None)
    )


TEXTS = st.text(
    st.sampled_from("<>&\"'/=!-[]?;: \n\x00\u202eaAé{}%`|") | st.characters(codec=None), max_size=30
)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_no_text_at_all_becomes_markup(text: str) -> None:
    checked(to_html(hostile(text), audience="auditor", title=text))


@settings(max_examples=100, deadline=None)
@given(
    explanation=plain.explanations(),
    audience=st.sampled_from(AUDIENCES),
    language=st.sampled_from(["en", "pt", "es"]),
)
def test_any_answer_at_all_gives_a_sound_page(explanation: Explanation, audience: str, language: str) -> None:
    checked(to_html(explanation, audience=audience, language=language))


def test_missing_values_are_called_so() -> None:
    option = Counterfactual(
        values={}, changes={"Savings": (800.0, math.nan), "Housing": (None, "own")},
        costs={"mean_distance": 0.1, "changes": 2.0}, score=0.6,
    )  # fmt: skip
    page = checked(to_html(answer(counterfactuals=(option,))))
    assert "missing" in page.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"audience": "persn"}, "Did you mean 'person'?"),
        ({"language": "de"}, "Known are 'en'"),
        ({"title": 3}, "title expects text"),
        ({"why": {}}, "why expects"),
        ({"why": WHY}, "OPTIMAL"),
        ({"path": 3}, "path must be"),
    ],
)
def test_wrong_arguments_are_rejected_in_words(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words.replace("?", r"\?")):
        to_html(answer(), **arguments)


def test_what_is_no_explanation_is_rejected() -> None:
    with pytest.raises(InvalidArgument, match=r"to_html\(\) takes an Explanation or Explanations, got list"):
        to_html([answer()])  # type: ignore[arg-type]


def test_protected_features_are_never_advised() -> None:
    option = Counterfactual(
        values={},
        changes={"Sex": ("female", "male")},
        costs={"mean_distance": 0.1, "changes": 1.0},
        score=0.6,
    )
    with pytest.raises(InvalidArgument, match="'Sex', which is protected"):
        to_html(answer(counterfactuals=(option,)))


def test_no_page_calls_an_option_the_only_one() -> None:
    alone = three_objectives(1)
    page = checked(to_html(alone))
    assert "Proven: nothing is easier" in page.text
    assert "Nothing is easier" in page.text
    assert not re.search("(?i)all options found|only option|only way", page.text)
    stopped = replace(alone, status=Status.TIME_LIMIT, certificate=None)
    assert "The option found" in checked(to_html(stopped)).text
    assert "easier" not in checked(to_html(stopped)).text
    rounded = replace(alone[0], rounded={"LoanAmount": 1})
    written = checked(to_html(replace(alone, counterfactuals=(rounded,)))).text
    assert "The option found" in written
    assert "The proof is about the exact values." in written


def test_a_category_of_several_columns_is_one_row() -> None:
    page = checked(to_html(housed(), audience="officer"))
    assert "Change Home from rented to free." in page.text
    assert "Home_rent" not in page.text
    assert "buy a home" in page.text


def test_costs_that_count_as_equal_are_all_the_least() -> None:
    first, second = answer().counterfactuals[:2]
    near = replace(second, costs={name: cost + 1e-12 for name, cost in first.costs.items()})
    written = checked(to_html(answer(counterfactuals=(first, near)))).text
    assert "times the least" not in written
