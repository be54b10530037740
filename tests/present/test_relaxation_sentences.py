"""The relaxations that give a person an option are written as they were found."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from p2ce.errors import InvalidArgument
from p2ce.present import to_text
from p2ce.present.report import to_html, to_markdown
from p2ce.result import Explanations, Status, WhyNone
from tests.present.cases import QUESTION, WHY, answer

NONE = answer(status=Status.NO_RECOURSE, counterfactuals=())
COMPLETE = replace(WHY, relaxations=WHY.relaxations[:1], undecided=(), complete=True)


def written(why: WhyNone, audience: str = "person", language: str = "en") -> str:
    return to_text(NONE, why=why, audience=audience, language=language)


def test_restrictions_are_quoted_in_the_readers_words_except_for_auditors() -> None:
    assert '- Without the direction "loan amount only decreases" and the requirement that' in written(WHY)
    assert '- Without the direction "LoanAmount only decreases" and the requirement' in written(
        WHY, "auditor"
    )
    assert "Sem a direção “valor do empréstimo só diminui” e" in written(WHY, language="pt")
    rule = "YearsInTown moves as much as Age does"
    ruled = replace(WHY.relaxations[0], restrictions=(rule, "odd"), kinds=("rule", "other"))
    relaxed = replace(WHY, relaxations=(ruled,))
    assert 'Without the rule "time in town moves as much as age does" and "odd": lower' in written(relaxed)
    assert "Sin la regla «tiempo en la ciudad cambia tanto como edad» y «odd» (en inglés" in written(
        relaxed, language="es"
    )


def test_only_a_complete_list_is_called_so() -> None:
    assert "This list may not be complete." in written(WHY)
    assert "a smaller relaxation gives no option among the values that were tried." in written(COMPLETE)
    assert "(a smaller set or a cheaper option may exist)" in written(WHY)
    assert "may exist" not in written(COMPLETE)


def test_undecided_relaxations_are_for_officers_and_auditors() -> None:
    assert "Time limit reached before a result" not in written(WHY)
    assert 'Time limit reached before a result: without "YearsInTown moves as much as Age does".' in written(
        WHY, "auditor"
    )
    assert "Time limit reached before a result" in written(WHY, "officer")


def test_no_relaxation_at_all() -> None:
    shut = replace(COMPLETE, relaxations=())
    assert (
        "Even without all restrictions that were tried (4), there is no option among the values that "
        "were tried."
    ) in written(shut)
    assert "No option was found by relaxing restrictions (tried: 4)." in written(
        replace(shut, complete=False)
    )


def test_the_why_of_another_person_is_rejected() -> None:
    other = replace(WHY, person={**WHY.person, "Age": 42})
    for write in (to_text, to_html, to_markdown):
        with pytest.raises(InvalidArgument, match="found for another person"):
            write(NONE, why=other)
    people = Explanations([NONE, answer()], labels=["ann", "bob"])
    for why, match in (
        ({"ann": other}, "found for another person"),
        ({"bob": WHY}, "this explanation is OPTIMAL"),
        ({"ann": "no idea"}, "got str"),
        ({"eve": WHY}, "'eve', which is no label"),
    ):
        with pytest.raises(InvalidArgument, match=match):
            to_html(people, why=why)
    assert "An option exists if restrictions are relaxed" in to_markdown(people, why={"ann": WHY})


@pytest.mark.parametrize("write", [to_text, to_html, to_markdown])
def test_no_way_may_name_what_is_protected(write: Callable[..., str]) -> None:
    features = {
        **QUESTION.features,
        "LoanAmount": replace(QUESTION.features["LoanAmount"], moves="protected"),
    }
    shut = replace(NONE, question=replace(QUESTION, features=features))
    with pytest.raises(InvalidArgument, match="no advice may name it"):
        write(shut, why=WHY)
    with pytest.raises(InvalidArgument, match="no advice may name it"):
        to_html(Explanations([shut], labels=["ann"]), why={"ann": WHY})
