"""What stands between a person and an option is told as it was found."""

from dataclasses import replace

from p2ce.present import to_text
from p2ce.result import Status, WhyNone
from tests.present.cases import WHY, answer

NONE = answer(status=Status.NO_RECOURSE, counterfactuals=())
COMPLETE = replace(WHY, openings=WHY.openings[:1], undecided=(), complete=True)


def told(why: WhyNone, audience: str = "person", language: str = "en") -> str:
    return to_text(NONE, why=why, audience=audience, language=language)


def test_restrictions_are_quoted_with_display_names_except_for_auditors() -> None:
    assert '- Without the direction "loan amount only decreases" and the demand that' in told(WHY)
    assert '- Without the direction "LoanAmount only decreases" and the demand' in told(WHY, "auditor")
    assert "Sem a direção “valor do empréstimo only decreases” e" in told(WHY, language="pt")
    ruled = replace(
        WHY.openings[0], restrictions=("YearsInTown moves with Age", "odd"), kinds=("rule", "other")
    )
    assert 'Without the rule "time in town moves with age" and "odd": lower' in told(
        replace(WHY, openings=(ruled,))
    )


def test_only_a_complete_list_is_called_so() -> None:
    assert "This list may not be complete." in told(WHY)
    assert "This list is complete: lifting less than that opens no way." in told(COMPLETE)
    assert "(a smaller set or a cheaper way may exist)" in told(WHY)
    assert "may exist" not in told(COMPLETE)


def test_what_was_not_settled_is_for_those_who_can_ask_again() -> None:
    assert "Not settled in time" not in told(WHY)
    assert 'Not settled in time: without "YearsInTown moves with Age".' in told(WHY, "officer")


def test_no_way_at_all() -> None:
    shut = replace(COMPLETE, openings=())
    assert "Even without all restrictions that were tried (4), there would be no option." in told(shut)
    assert "No way was found by lifting restrictions (tried: 4)." in told(replace(shut, complete=False))
