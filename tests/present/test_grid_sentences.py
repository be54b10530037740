"""A text that says there is no option also says on which grid, in every language."""

import re
from dataclasses import replace

import pytest

from p2ce.present import to_text
from p2ce.present.grid_sentences import grid_sentences, plain_grid_sentence, steps_in_words
from p2ce.present.languages import AUDIENCES, LANGUAGES
from p2ce.present.plain_proof_sentences import plain_proof
from p2ce.present.proof_sentences import proof_sentence
from p2ce.present.report import to_html, to_markdown
from p2ce.present.speaker import speaker_of
from p2ce.problem.display import Display
from p2ce.result import Feature, Question, Status
from tests.present.cases import CERTIFICATE, QUESTION, UNPROVEN, WHY, answer, none_on

GRIDS = ("given", "inferred", "finest")
ENGLISH_STEPS = (
    "loan amount in steps of 10 to 500 EUR, interest rate in steps of 0.25 % and savings in steps of $100"
)
ON_THIS_GRID = {
    "en": "Proven: on this grid, none of",
    "pt": "Comprovado: nesta grade, nenhuma de",
    "es": "Demostrado: en esta cuadrícula, ninguna de",
}
TRIED = {"en": "values that were tried", "pt": "valores que foram testados", "es": "valores que se probaron"}
STEPS = {
    "en": ENGLISH_STEPS,
    "pt": (
        "valor do empréstimo em passos de 10 a 500 EUR, taxa de juros em passos de 0,25% e poupança em "
        "passos de $ 100"
    ),
    "es": (
        "importe del préstamo en pasos de 10 a 500 EUR, tipo de interés en pasos del 0,25 % y ahorros en "
        "pasos de $100"
    ),
}

CLAIM = re.compile(
    r"(proven|comprovado|demostrado)\b.*\b(none of|no option|nenhuma d|sem opção|ninguna de|sin opción)", re.I
)
NAMED = {
    "person": {"en": "values", "pt": "valores", "es": "valores"},
    "others": {"en": "on this grid", "pt": "nesta grade", "es": "en esta cuadrícula"},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("grid", GRIDS)
def test_no_option_is_written_with_its_grid_and_steps(grid: str, language: str) -> None:
    none = none_on(grid)
    officer, person = proof_sentence(none, language), plain_proof(none, language)
    assert officer.startswith(ON_THIS_GRID[language])
    assert STEPS[language] in officer
    assert TRIED[language] in person
    assert (STEPS[language] in person) == (grid != "finest")  # which has no steps of its own


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_grids_are_distinguished(language: str) -> None:
    written = {proof_sentence(none_on(grid), language) for grid in GRIDS}
    written.add(proof_sentence(none_on("inferred", finest_open=True), language))
    assert len(written) == 4
    plain = {plain_proof(none_on(grid), language) for grid in ("inferred", "finest")}
    plain.add(plain_proof(none_on("inferred", finest_open=True), language))
    assert len(plain) == 3


def test_the_sentences_of_every_grid() -> None:
    english = speaker_of(answer())
    assert grid_sentences(none_on("given"), english) == [
        f"The grid is the one that was given: {ENGLISH_STEPS}."
    ]
    assert grid_sentences(none_on("inferred", finest_open=True), english) == [
        f"The grid was inferred from the data ({ENGLISH_STEPS}), with values beside the model's thresholds "
        "where these are known.",
        "The finest grid that the data support was searched as well, but not to its end: an option may exist "
        "there.",
    ]
    (finest,) = grid_sentences(none_on("finest"), english)
    assert finest.startswith(f"The usual grid ({ENGLISH_STEPS}) held no option, so this is about the finest")
    assert plain_grid_sentence(none_on("given"), english) == [
        f"This holds for the values that were tried: {ENGLISH_STEPS}."
    ]


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.TIME_LIMIT, Status.HEURISTIC])
def test_options_of_the_finest_grid_are_written_to_be_of_it(status: Status) -> None:
    certificate = CERTIFICATE if status is Status.OPTIMAL else UNPROVEN
    usual = answer(status=status, certificate=certificate)
    finest = answer(status=status, certificate=replace(certificate, grid="finest"))
    assert "so this is about the finest grid that the data support" in proof_sentence(finest)
    assert "Values closer together than usual were tried" in plain_proof(finest)
    assert "grid" not in proof_sentence(usual)
    assert "tried" not in plain_proof(usual)


def test_what_is_not_proven_is_not_said_to_hold_on_a_grid() -> None:
    nothing = answer(status=Status.TIME_LIMIT, counterfactuals=(), certificate=UNPROVEN)
    assert grid_sentences(nothing, speaker_of(nothing)) == []
    assert plain_grid_sentence(nothing, speaker_of(nothing)) == []
    accepted = answer(status=Status.ALREADY_FAVOURABLE, counterfactuals=(), certificate=None)
    assert "grid" not in proof_sentence(accepted)


def test_without_steps_the_grid_is_still_named() -> None:
    unknown = replace(none_on("inferred"), question=None)
    assert proof_sentence(unknown).endswith(
        "The grid was inferred from the data, with values beside the "
        "model's thresholds where these are known."
    )
    assert plain_proof(unknown).endswith("This holds for the values that were tried.")
    labels_only = {"Housing": QUESTION.features["Housing"]}
    given = replace(none_on("given"), question=replace(QUESTION, features=labels_only))
    assert proof_sentence(given).endswith("The grid is the one that was given.")


def test_a_person_who_may_change_nothing_reads_of_no_values() -> None:
    fixed = {"Age": QUESTION.features["Age"]}
    nothing = none_on("given")
    assert nothing.certificate is not None
    stuck = replace(
        nothing,
        question=replace(QUESTION, features=fixed),
        certificate=replace(nothing.certificate, cells=0, axes=0),
    )
    assert plain_proof(stuck).endswith("there is nothing that you can be advised to change.")


def test_six_features_are_named_and_the_others_counted() -> None:
    def steps(count: int, language: str = "en") -> str:
        features = {f"F{i}": Feature(name=f"F{i}", steps=(0.5, 0.5)) for i in range(count)}
        # None of these is a step that a person can take.
        features |= {
            "Yes": Feature(name="Yes", kind="binary", steps=(1.0, 1.0)),
            "Follows": Feature(name="Follows", moves="along", steps=(1.0, 1.0)),
            "Fixed": Feature(name="Fixed", moves="fixed", steps=(1.0, 1.0)),
        }
        question = replace(none_on("given"), question=Question(features=features))
        return steps_in_words(question, speaker_of(question, language))

    assert steps(6).endswith("F4 in steps of 0.5 and F5 in steps of 0.5")
    assert steps(7).endswith("F5 in steps of 0.5 and 1 more feature")
    assert steps(1_007, "pt").endswith("F5 em passos de 0,5 e mais 1.001 atributos")
    assert steps(8, "es").endswith("F5 en pasos de 0,5 y 2 características más")
    assert steps(0) == ""


def test_a_step_is_no_value_and_has_no_name() -> None:
    coded = Display(values={1: "very good"}, unit="point|points")
    steep = Display(name="the debt ratio")
    features = {
        "Grade": Feature(name="Grade", kind="whole", steps=(1.0, 1.0), display=coded),
        "Debt": Feature(name="Debt", steps=(0.0032145678901, 1_234_567.0), display=steep),
    }
    question = replace(none_on("given"), question=Question(features=features))
    assert steps_in_words(question, speaker_of(question)) == (
        "Grade in steps of 1 point and debt ratio in steps of 0.003215 to 1,234,567"
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("grid", GRIDS)
def test_no_page_claims_a_proof_of_nothing_without_its_grid(grid: str, audience: str, language: str) -> None:
    none = none_on(grid)
    said = NAMED["person" if audience == "person" else "others"][language]
    for page in (
        to_text(none, audience=audience, language=language),
        to_html(none, audience=audience, language=language),
        to_markdown(none, audience=audience, language=language),
    ):
        lines = re.sub(r"<[^>]*>", "\n", page).splitlines()
        claims = [line for line in lines if CLAIM.search(line)]
        assert claims
        assert all(said in line for line in claims), claims


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_auditor_finds_grid_and_what_was_left_open_among_the_facts(language: str) -> None:
    open_end = none_on("inferred", finest_open=True)
    label = {
        "en": "Finest grid searched as well, but not to its end",
        "pt": "Grade mais fina também examinada, mas não até o fim",
        "es": "Cuadrícula más fina examinada también, pero no hasta el final",
    }[language]
    yes, no = {"en": ("yes", "no"), "pt": ("sim", "não"), "es": ("sí", "no")}[language]
    name = {"en": "Grid: inferred", "pt": "Grade: inferida", "es": "Cuadrícula: deducida"}[language]
    written = to_text(open_end, audience="auditor", language=language)
    assert f"{label}: {yes}" in written
    assert name in written
    assert f"{label}: {no}" in to_text(none_on("finest"), audience="auditor", language=language)
    page = to_markdown(open_end, audience="auditor", language=language)
    assert label in page


def test_a_complete_list_of_ways_speaks_of_the_values_that_were_tried() -> None:
    whole = replace(WHY, relaxations=(), undecided=(), complete=True)
    for audience in AUDIENCES:
        for language in LANGUAGES:
            written = to_text(none_on("given"), audience=audience, language=language, why=whole)
            assert TRIED[language] in written
