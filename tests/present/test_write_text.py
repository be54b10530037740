"""The sentences are true to the answer and read well."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present import to_text
from p2ce.present.languages import AUDIENCES, LANGUAGES
from p2ce.present.speaker import speaker_of
from p2ce.present.write_text import current_outcome, option_sentences, what_to_do
from p2ce.result import Explanation, Status
from tests.present.cases import OPTIONS, QUESTION, UNPROVEN, WHY, answer, large_front
from tests.result.examples import explanation, explanations, option

# A claim of proof, unless "not" comes before it.
CLAIMS = {
    "en": (r"\bproven\b", r"\bnot proven\b"),
    "pt": (r"\bcomprovado\b", r"\bnão (está )?comprovado\b"),
    "es": (r"\bdemostrado\b", r"\bno (está )?demostrado\b"),
}


def officer(written: Explanation) -> str:
    return to_text(written, audience="officer")


def test_the_whole_text_for_an_officer() -> None:
    assert officer(explanation()).splitlines() == [
        "The probability of 1 is 0.310 and must reach 0.5. 2 options were found that achieve this:",
        "1. Lower LoanAmount from 7,500 to 6,000 and change HasGuarantor from no to yes. "
        "This gives 0.530 (smallest change overall).",
        "2. Lower LoanAmount from 7,500 to 2,500. This gives 0.530 (fewest changes).",
        "Proven: these are all the Pareto-optimal plausible options among 1,234,567 possible combinations, "
        "up to options of equal cost; 431 boxes examined, 2 points confirmed by the model itself.",
    ]


def test_a_person_reads_no_jargon() -> None:
    for language in LANGUAGES:
        for written in (answer(), large_front(), explanation(), answer(status=Status.NO_RECOURSE)):
            text = to_text(written, language=language)
            assert not re.search(r"pareto|σ|box|regi[oó]|0[.,]31|0[.,]53|e40", text, re.IGNORECASE)


def test_own_phrases_are_used() -> None:
    phrases = {("HasGuarantor", True): "get a guarantor"}
    for audience in ("person", "officer"):
        text = to_text(explanation(), audience=audience, phrases=phrases)
        assert "1. Lower LoanAmount from 7,500 to 6,000 and get a guarantor" in text
    assert what_to_do(explanation()[0], explanation(), phrases=phrases).endswith("and get a guarantor")


def claims_proof(text: str, language: str) -> bool:
    claim, denial = CLAIMS[language]
    return bool(re.search(claim, re.sub(denial, "", text, flags=re.IGNORECASE), re.IGNORECASE))


@pytest.mark.parametrize("audience", AUDIENCES)
@given(answer=explanations())
def test_every_answer_can_be_written(audience: str, answer: Explanation) -> None:
    proven = answer.certificate is not None and answer.certificate.proven
    own = repr(answer.to_dict()).replace("'proven':", "")
    for language in LANGUAGES:
        assume(not claims_proof(own, language))  # in names of the user's own
        text = to_text(answer, audience=audience, language=language)
        assert text
        assert claims_proof(text, language) <= proven


def test_proof_is_claimed_where_there_is_one() -> None:
    for language in LANGUAGES:
        for audience in AUDIENCES:
            assert claims_proof(to_text(answer(), audience=audience, language=language), language)
            unproven = answer(certificate=UNPROVEN)
            assert not claims_proof(to_text(unproven, audience=audience, language=language), language)


@given(
    st.dictionaries(
        st.sampled_from(["LoanAmount", "Rate", "Savings", "YearsInTown"]),
        st.tuples(*[st.floats(0, 1e9), st.floats(0, 1e9), st.none() | st.integers(0, 10**6)]),
        min_size=1,
    ),
    st.sampled_from(LANGUAGES),
)
def test_new_values_are_written_as_they_are_or_as_verified(
    values: dict[str, tuple[float, float, int | None]], language: str
) -> None:
    changes = {name: (old, new) for name, (old, new, _) in values.items()}
    rounded = {name: said for name, (_, _, said) in values.items() if said is not None}
    found = replace(OPTIONS[0], changes=changes, rounded=rounded)
    speaker = speaker_of(answer(), language)
    text = what_to_do(found, answer(), language=language)
    for name, (old, new, said) in values.items():
        shown = new if said is None or said == old else said
        assert re.search(rf"{re.escape(speaker.value(name, shown))}(?![\d.,]*\d)", text)


def test_few_options_of_many_for_a_person() -> None:
    front = large_front()
    assert len(option_sentences(front)) == 3
    assert len(option_sentences(front, audience="officer")) == len(front) == 5
    text = to_text(front)
    assert "2 more options were found." in text
    assert "as one of the 5 options" in text
    assert "more option" not in to_text(answer())


def test_a_person_already_accepted_is_shown_so() -> None:
    accepted = explanation(status=Status.ALREADY_FAVOURABLE, counterfactuals=(), person_score=0.5)
    assert officer(accepted).startswith("The probability of 1 is 0.500, and 0.5 is enough.")
    assert to_text(accepted).startswith(
        "The model already accepts your application.\nYou do not have to change"
    )


def test_a_rejected_person_just_below_is_not_shown_at_the_threshold() -> None:
    assert "is 0.49999 and must reach 0.5" in officer(explanation(person_score=0.49999))


def test_a_decision_function_is_not_called_a_probability() -> None:
    assert "decision score for 1 is -2.000 and must reach 0." in officer(
        explanation(scale="decision", person_score=-2.0, threshold=0.0)
    )


def test_nothing_is_said_of_an_unknown_standing() -> None:
    assert current_outcome(explanation(person_score=None)) == []
    assert current_outcome(explanation(status=Status.ERROR)) == []


def test_strengths_shared_by_all_are_left_out() -> None:
    same = (option(mean_distance=0.1, Age=42), option(mean_distance=0.1, Age=43))
    first, second = option_sentences(explanation(counterfactuals=same), audience="officer")
    # Of equal cost: none is balanced or unlike the others.
    assert first == "Raise Age from 41 to 42. This gives 0.530."
    assert second == "Raise Age from 41 to 43. This gives 0.530."
    assert option_sentences(explanation(counterfactuals=same[:1])) == ["Raise Age from 41 to 42."]


def test_an_own_objective_is_called_by_its_name() -> None:
    options = tuple(
        replace(found, costs={"effort": cost}) for found, cost in zip(explanation(), (1.0, 2.0), strict=True)
    )
    written = explanation(counterfactuals=options, objectives=("effort",))
    assert option_sentences(written)[0].endswith(" – lowest effort.")


@pytest.mark.parametrize("moves", ["fixed", "protected"])
def test_what_may_not_be_advised_is_never_written(moves: str) -> None:
    features = {**QUESTION.features, "LoanAmount": replace(QUESTION.features["LoanAmount"], moves=moves)}
    wrong = answer(question=replace(QUESTION, features=features))
    for audience in AUDIENCES:
        with pytest.raises(InvalidArgument, match=f"'LoanAmount', which is {moves}"):
            to_text(wrong, audience=audience)
    with pytest.raises(InvalidArgument, match="no advice may name it"):
        option_sentences(wrong)
    with pytest.raises(InvalidArgument, match="no advice may name it"):
        what_to_do(wrong[0], wrong)
    none = replace(wrong, status=Status.NO_RECOURSE, counterfactuals=())
    with pytest.raises(InvalidArgument, match="no advice may name it"):
        to_text(none, why=WHY)


def test_what_moves_along_is_no_advice() -> None:
    change = {"Housing": ("rent", "own"), "YearsInTown": (3, 0), "Rate": (0.1, 0.2)}
    features = {**QUESTION.features, "Rate": replace(QUESTION.features["Rate"], moves="along")}
    written = answer(question=replace(QUESTION, features=features))
    moved = replace(OPTIONS[0], changes=change)
    assert what_to_do(moved, written) == (
        "Change the housing from rented to owned (which takes the time in town from 3 to 0 years and the "
        "interest rate from 10 % to 20 %)"
    )
    assert what_to_do(moved, written, language="es").endswith("el tipo de interés del 10 % al 20 %)")
    # Alone, it moves by itself: the rule that ties it was lifted.
    alone = replace(moved, changes={"YearsInTown": (3, 5)})
    assert what_to_do(alone, written) == "Raise the time in town from 3 to 5 years"
    assert what_to_do(replace(moved, changes={}), written) == "Change nothing"


def test_wrong_arguments_say_what_to_do() -> None:
    with pytest.raises(InvalidArgument, match="takes one Explanation, got list"):
        to_text([explanation()])  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="Known are 'person', 'officer', 'auditor'"):
        to_text(explanation(), audience="me")
    with pytest.raises(InvalidArgument, match="got str"):
        to_text(explanation(), why="no idea")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="this explanation is OPTIMAL"):
        to_text(explanation(), why=WHY)
