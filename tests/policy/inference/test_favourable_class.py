"""Check which names are evidence that a class is the favourable outcome, and that nothing else is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.policy.inference.favourable_class import AFFIRMATIVE, NEGATIVE, favourable_class, polarity

TELLING: list[tuple[list[Any], str | None, Any]] = [
    (["bad", "good"], None, "good"),
    (["good", "bad"], None, "good"),
    (["approved", "rejected"], None, "approved"),
    (["default", "paid"], None, "paid"),
    (["no default", "default"], None, "no default"),
    (["Charged Off", "Fully Paid"], None, "Fully Paid"),
    (["legitimate", "fraud"], None, "legitimate"),
    (["not approved", "approved"], None, "approved"),
    ([0, 1], "approved", 1),
    ([0, 1], "default.payment.next.month", 0),
    ([0, 1], "SeriousDlqin2yrs", 0),
    ([0, 1], "not.fully.paid", 0),
    ([0, 1], "NoDefaultNextMonth", 1),
    ([False, True], "repaid", True),
    (["no", "yes"], "churned", "no"),
    ([-1, 1], "is_fraud", -1),
    (["N", "Y"], "Loan_Approved", "Y"),
    (["bad", "good"], "default", "good"),
]
SILENT: list[tuple[list[Any], str | None]] = [
    ([0, 1], None),
    ([False, True], None),
    (["no", "yes"], None),
    ([0, 1], "target"),
    ([0, 1], "credit_risk"),  # 1 is a good risk in the South German Credit table
    ([1, 2], "default"),
    (["a", "b"], "default"),
    (["<=50K", ">50K"], "income"),
    ([0, 1], "approved_after_default"),
    (["good", "very good"], None),
    (["bad", "good", "unknown"], None),
]


@pytest.mark.parametrize(("classes", "label", "favourable"), TELLING)
def test_names_tell_the_favourable_class(classes: list[Any], label: str | None, favourable: Any) -> None:
    evidence = favourable_class(classes, label)
    assert evidence is not None
    assert evidence.favourable == favourable
    assert type(evidence.favourable) is type(favourable)


@pytest.mark.parametrize(("classes", "label"), SILENT)
def test_numbers_and_other_names_are_no_evidence(classes: list[Any], label: str | None) -> None:
    assert favourable_class(classes, label) is None


@given(st.sampled_from(TELLING))
def test_the_order_of_the_classes_is_irrelevant(case: tuple[list[Any], str | None, Any]) -> None:
    classes, label, favourable = case
    evidence = favourable_class(classes[::-1], label)
    assert evidence is not None
    assert evidence.favourable == favourable


@given(st.sampled_from(["approved", "default", "paid", "fraud"]), st.sampled_from(["no", "not", "Never"]))
def test_a_negation_turns_a_name_around(name: str, negation: str) -> None:
    assert polarity(f"{negation}_{name}") == -polarity(name)


def test_what_affirms_does_not_deny() -> None:
    assert not AFFIRMATIVE & NEGATIVE
