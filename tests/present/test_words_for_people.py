"""What people read is true and humane: no word claims more than holds, in any language, on any medium."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from p2ce import to_html, to_markdown, to_text
from p2ce.present.languages import LANGUAGES, LanguageWords, load_words
from p2ce.present.render import AUDIENCES
from p2ce.present.views.view import view
from p2ce.result import Explanation, Explanations, Status
from tests.present.cases import CASES, OPTIONS, an_explanation, front
from tests.present.html_checker import checked

GOLDEN = Path(__file__).parent / "golden"
WRITERS: list[Callable[..., str]] = [to_text, to_html, to_markdown]
MESSAGE = "Column 'Income' holds 'abc'."
# Claims that do not hold, or not as people understand them: a distance is not an effort, a detector knows no
# reality, and in a loan letter what is cheap costs little money.
NOT_FOR_APPLICANTS = {
    "en": r"\bproven?\b|\bproof|\beas(y|ier|iest)\b|effort|realistic|cheap|reject|wanted decision|plausib",
    "pt": r"comprovad|\bprova\b|fácil|fáceis|esforço|realista|\bbarat|rejeit|decisão desejada|plausív",
    "es": r"demostrad|\bprueba\b|fácil|esfuerzo|realista|\bbarat|rechaz|decisión deseada|plausib",
}
NOT_FOR_ANYBODY = {
    "en": r"cheap|\beas(y|ier|iest)\b|effort|realistic|smallest single change|no large step|beyond chance",
    "pt": r"\bbarat|fácil|fáceis|esforço|realista|parcela|sem valor|\bausente|menor mudança individual"
    r"|sem nenhuma mudança grande|a menos de|relaxa|acaso no nível",
    "es": r"\bbarat|fácil|esfuerzo|realista|sin valor|\bausente|\bunas\b|menor cambio individual"
    r"|sin ningún cambio grande|relaja|azar al nivel",
}
# What only those who run a search know.
NO_JARGON_FOR_APPLICANTS = {
    "en": r"\bgrid|\bbox(es)?\b|pareto|threshold|certificate|\bfeature|objective|misprint|recourse|infeasib",
    "pt": r"\bgrade|regi(ão|ões)|pareto|limiar|certificado|atributo|objetivo|erros de impressão",
    "es": r"cuadrícula|regi(ón|ones)|pareto|umbral|certificado|característica|objetivo|erratas",
}
# Words of one country or another, and people who are all men.
NOT_FOR_ALL_COUNTRIES = {
    "pt": r"\b(o|os|ao|aos|do|dos|este|estes) solicitantes?\b|ficheiro|ecrã|utilizador|registad|facto\b",
    "es": r"\b(el|los|al|del|este|estos) solicitantes?\b|\bcostes?\b|fichero|ordenador|computadora|qué tan",
}
LONGEST_SENTENCE = 25  # words, in what applicants read: what follows a colon or a semicolon counts anew
PREPOSITIONS = (
    "by|of|to|from|in|on|with|without|de|do|da|em|no|na|a|ao|à|por|para|com|sem|sobre|con|en|al|del|sin"
)
TWICE = re.compile(r"\b([^\W\d_]+) \1\b")
FOR_APPLICANTS = re.compile("^(you|your|because|best|one_that_leads|more|no_promise|draft)(_|$)|_applicant$")
# Counted texts that are never about none, since that has its own sentence.
NEVER_NONE = {
    "you_can": "you_cannot",
    "your_options_work": "your_unproven_none",
    "optimal": "proven_none",
    "optimal_plausible": "proven_none",
    "optimal_rules": "proven_none",
    "optimal_plausible_rules": "proven_none",
    "admitted_as_today": "today_counts",
    "fixed_not_tried": "tried",
}


def texts(words: LanguageWords) -> Iterator[tuple[str, str]]:
    for key, entry in words.texts.items():
        yield from ((key, text) for text in (entry.values() if isinstance(entry, dict) else [entry]))


def without_own_words(page: str) -> str:
    """Leave out what users wrote or only programs read: the policy as a file."""
    return re.sub(r"(?s)<pre.*?</pre>|```yaml.*?```", "", page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_for_applicants_hold_no_word_that_claims_too_much(language: str) -> None:
    wrong = re.compile(f"(?i){NOT_FOR_APPLICANTS[language]}")
    theirs = {key: text for key, text in texts(load_words(language)) if FOR_APPLICANTS.search(key)}
    assert len(theirs) > 50
    assert not [key for key, text in theirs.items() if wrong.search(text)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("write", WRITERS)
def test_applicants_read_no_word_that_claims_too_much(write: Callable[..., str], language: str) -> None:
    wrong = re.compile(f"(?i){NOT_FOR_APPLICANTS[language]}")
    for name, (explanation, why) in CASES.items():
        page = without_own_words(write(explanation, language=language, relaxations=why))
        assert not wrong.search(page), name
    everybody = Explanations([one for one, _ in CASES.values()])
    assert not wrong.search(without_own_words(write(everybody, language=language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_reads_that_a_change_is_easy_or_cheap(language: str) -> None:
    wrong = re.compile(f"(?i){NOT_FOR_ANYBODY[language]}")
    assert not [key for key, text in texts(load_words(language)) if wrong.search(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_for_applicants_are_plain(language: str) -> None:
    jargon = re.compile(f"(?i){NO_JARGON_FOR_APPLICANTS[language]}")
    theirs = [(key, text) for key, text in texts(load_words(language)) if FOR_APPLICANTS.search(key)]
    assert not [key for key, text in theirs if jargon.search(re.sub(r"\{\w+\}", "", text))]
    sentences = [(key, sentence) for key, text in theirs for sentence in re.split(r"[.:;] ", text)]
    assert not [key for key, sentence in sentences if len(sentence.split()) > LONGEST_SENTENCE]


@pytest.mark.parametrize("language", NOT_FOR_ALL_COUNTRIES)
def test_texts_are_for_all_countries_and_genders(language: str) -> None:
    wrong = re.compile(f"(?i){NOT_FOR_ALL_COUNTRIES[language]}")
    assert not [key for key, text in texts(load_words(language)) if wrong.search(text)]
    assert not [key for key, text in texts(load_words(language)) if '"' in text]  # they have their own quotes


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_preposition_stands_before_a_name(language: str) -> None:
    """Names begin with an article or have none: "de el" is wrong Spanish, "of loan amount" wrong English."""
    before = re.compile(rf"(?i)\b({PREPOSITIONS}) \{{names?\}}")
    headings = {"audit_by"}
    assert not [
        key for key, text in texts(load_words(language)) if key not in headings and before.search(text)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_counted_text_holds_its_count(language: str) -> None:
    for key, forms in load_words(language).texts.items():
        if isinstance(forms, dict) and key not in NEVER_NONE:
            assert all("{count}" in form for form in forms.values()), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_has_a_word_twice(language: str) -> None:
    assert not [key for key, text in texts(load_words(language)) if TWICE.search(text)]


@pytest.mark.parametrize("file", sorted(file.name for file in GOLDEN.iterdir()))
def test_no_word_stands_twice(file: str) -> None:
    text = re.sub("<[^>]*>", " ", (GOLDEN / file).read_text(encoding="utf-8"))
    assert not TWICE.findall(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_none_is_not_counted_as_one(language: str) -> None:
    """In Portuguese, 0 takes the form of 1."""
    words = load_words(language)
    for key, forms in words.texts.items():
        if not isinstance(forms, dict) or key in NEVER_NONE:
            continue
        fields = re.findall(r"\{(\w+)\}", "".join(forms.values()))
        text = words.counted(key, 0, **{name: "·" for name in fields if name != "count"})
        assert "{count}" in forms.get(words.numbers.plural(0), forms["other"]), key
        assert not re.search(r"(?i)\b(1|únic[oa]|outr[oa]|otr[oa]|the only)\b", text), key
    assert all(isinstance(words.texts[key], dict) for key in NEVER_NONE)
    assert all(other in words.texts for other in NEVER_NONE.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_complete_list_says_for_what_it_is_complete(language: str) -> None:
    words, (two, _) = load_words(language), CASES["two options"]
    assert two.certificate is not None
    equals = words.say("your_equals")
    tried = {"en": "values tried", "pt": "valores testados", "es": "valores probados"}[language]
    assert tried in words.say("status_OPTIMAL")
    for write in WRITERS:
        page = write(two, language=language)
        assert equals in page
        assert page.count(tried) >= 1 + (write is not to_text)
        with_ties = replace(two, certificate=replace(two.certificate, ties=True))
        assert equals not in write(with_ties, language=language)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_only_officers_read_the_message_of_an_error(write: Callable[..., str], language: str) -> None:
    failed = replace(CASES["failed"][0], message=MESSAGE)
    kind = "Income" if write is not to_text else MESSAGE
    for subject in (failed, Explanations([failed, an_explanation()])):
        for audience in AUDIENCES:
            text = write(subject, audience=audience, language=language)
            assert (kind in text) == (audience != "applicant")
            if audience == "applicant":
                assert load_words(language).say("your_failed") in text


@pytest.mark.parametrize("write", [to_html, to_markdown])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_search_that_was_stopped_does_not_say_that_there_is_no_option(
    write: Callable[..., str], language: str
) -> None:
    words = load_words(language)
    for name in (
        "stopped early without an option",
        "no option on the grid of the data, the finest one left open",
    ):
        page = write(CASES[name][0], language=language)
        assert words.say("title_stopped") in page
        assert not [
            key for key in ("you_cannot", "title_none_applicant", "found_none") if words.say(key) in page
        ]
    assert words.say("your_stopped") in to_text(
        CASES["stopped early without an option"][0], language=language
    )


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_option_says_what_may_change_and_is_not_the_last_word(
    write: Callable[..., str], language: str
) -> None:
    words = load_words(language)
    page = write(CASES["no option"][0], language=language)
    assert words.say("your_none_is_not_final") in page
    assert words.say("your_may_change", names="·").split("·")[0] in page
    for name in ("two options", "stopped early without an option", "no option by an estimate"):
        assert words.say("your_none_is_not_final") not in write(CASES[name][0], language=language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["no option", "the only combination breaks a rule"])
def test_what_all_fails_together_is_not_denied_one_by_one(name: str, language: str) -> None:
    """None leads there *while* being plausible: each of the two alone may well be."""
    together = {"en": "while also being", "pt": "e, ao mesmo tempo, ", "es": "y, a la vez, "}[language]
    for audience in AUDIENCES:
        assert together in to_text(CASES[name][0], audience=audience, language=language)


def letters(page: str) -> list[str]:
    return re.findall(r"^([A-Z]+)\. ", page, re.M)


@pytest.mark.parametrize("count", [1, 2, 4, 5, 6, 30])
def test_up_to_five_options_are_all_shown_to_the_applicant(count: int) -> None:
    explanation = front(count)
    shown = count if count <= 5 else 3
    text = to_text(explanation)
    assert letters(text) == list("ABCDE")[:shown]
    assert ("ask us" in text) == (shown < count)
    assert len(re.findall('<article class="card">', to_html(explanation))) == shown
    assert len(view(explanation, audience="officer").picks) == shown


def shaped(*shapes: tuple[float, float, int]) -> Explanation:
    """An explanation whose options have these overall changes, largest steps and numbers of changes."""
    names = ("mean_distance", "max_distance", "changes")
    return an_explanation(
        objectives=names,
        counterfactuals=tuple(
            replace(OPTIONS[0], costs=dict(zip(names, map(float, shape), strict=True))) for shape in shapes
        ),
    )


def test_the_fewest_changes_are_shown_first_and_the_balanced_option_is_dropped_before() -> None:
    explanation = shaped(
        (0.1, 0.9, 4), (0.2, 0.3, 3), (0.3, 0.2, 3), (0.5, 0.1, 3), (0.6, 0.5, 2), (0.9, 0.9, 1)
    )
    seen = view(explanation)
    assert [(one.mark, one.number) for one in seen.picks] == [("A", 6), ("B", 4), ("C", 1)]
    assert [(one.mark, one.number) for one in seen.others] == [("D", 5), ("E", 2), ("F", 3)]
    assert [one.mark for one in view(explanation, audience="officer").picks] == ["1", "4", "6"]
    assert "smallest of the largest steps" in seen.picks[1].stands_out


@pytest.mark.parametrize("count", [2, 5, 12])
def test_charts_and_pages_agree_on_letters(count: int) -> None:
    explanation = front(count)
    amounts = {one.number: f"€{one.changes['LoanAmount'][1]:,.0f}" for one in explanation}
    seen = view(explanation)
    page = to_html(explanation)
    for option in seen.picks:
        card = re.search(
            rf'option-{option.look}" aria-hidden="true">{option.mark}</span><span>Option {option.mark}</span>'
            rf".*?to {re.escape(amounts[option.number])}\.</p>",
            page,
            re.S,
        )
        assert card
        assert f"option {option.mark}: {amounts[option.number]}" in page  # what a drawing says
        assert re.search(rf'<span class="number option-{option.look}">{option.mark}</span>', page)
    drawn = re.findall(r'class="badge">(\w+)</text>', page)
    assert set(drawn) == {option.mark for option in seen.picks}
    assert not re.search(r"(?i)\boption [0-9]", checked(page).text)


def test_markdown_for_applicants_has_no_policy_file_and_no_counts_of_the_search() -> None:
    explanation = CASES["two options"][0]
    assert explanation.problem is not None
    assert explanation.problem.policy.strip().splitlines()[-1] in to_markdown(explanation, audience="auditor")
    text = to_markdown(explanation)
    assert "```" not in text
    assert not re.search(r"(?i)boxes|pruned|dominated", text)


def test_every_look_has_a_colour() -> None:
    style = re.search("(?s)<style>(.*?)</style>", to_html(front(5)))
    assert style
    looks = {option.look for option in view(front(5)).picks}
    assert looks == set(range(5))
    for look in looks:
        for selector in ("--option-{}: #", ".number.option-{} ", "rect.option-{} ", "circle.option-{} "):
            assert selector.format(look) in style[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_option_alone_has_no_badge(language: str) -> None:
    page = to_html(front(1), language=language)
    assert 'class="card"' in page
    assert '<p class="badge"' not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_findings_are_counted_after_the_colon(language: str) -> None:
    """No form of a verb could fit both numbers of "1 of 10 comparisons"."""
    words = load_words(language)
    parts: dict[str, Any] = {"found": "1", "count": "10", "level": "5%"}
    assert re.search(r": 1 \w+ 10\.$", words.say("audit_findings", **parts))


def test_accepted_already_is_no_approval() -> None:
    accepted = CASES["accepted already"][0]
    assert accepted.status is Status.ACCEPTED
    for write in WRITERS:
        assert "This alone is not a decision" in write(accepted)
