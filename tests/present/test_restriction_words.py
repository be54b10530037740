"""What stands between a person and an option is told as it was found."""

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


def told(why: WhyNone, audience: str = "person", language: str = "en") -> str:
    return to_text(NONE, why=why, audience=audience, language=language)


def test_restrictions_are_quoted_in_the_readers_words_except_for_auditors() -> None:
    assert '- Without the direction "loan amount only decreases" and the demand that' in told(WHY)
    assert '- Without the direction "LoanAmount only decreases" and the demand' in told(WHY, "auditor")
    assert "Sem a direção “valor do empréstimo só diminui” e" in told(WHY, language="pt")
    rule = "YearsInTown moves as much as Age does"
    ruled = replace(WHY.relaxations[0], restrictions=(rule, "odd"), kinds=("rule", "other"))
    ways = replace(WHY, relaxations=(ruled,))
    assert 'Without the rule "time in town moves as much as age does" and "odd": lower' in told(ways)
    assert "Sin la regla «tiempo en la ciudad cambia tanto como edad» y «odd» (en inglés" in told(
        ways, language="es"
    )


def test_only_a_complete_list_is_called_so() -> None:
    assert "This list may not be complete." in told(WHY)
    assert "lifting less than that opens no way among the values that were tried." in told(COMPLETE)
    assert "(a smaller set or a cheaper way may exist)" in told(WHY)
    assert "may exist" not in told(COMPLETE)


def test_what_was_not_settled_is_for_those_who_can_ask_again() -> None:
    assert "Not settled in time" not in told(WHY)
    assert 'Not settled in time: without "YearsInTown moves as much as Age does".' in told(WHY, "auditor")
    assert "Not settled in time" in told(WHY, "officer")


def test_no_way_at_all() -> None:
    shut = replace(COMPLETE, relaxations=())
    assert (
        "Even without all restrictions that were tried (4), there would be no option among the values that "
        "were tried."
    ) in told(shut)
    assert "No way was found by lifting restrictions (tried: 4)." in told(replace(shut, complete=False))


def test_the_why_of_somebody_else_is_refused() -> None:
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
    assert "A way would open" in to_markdown(people, why={"ann": WHY})


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
