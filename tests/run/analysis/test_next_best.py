"""What comes next is the front of what is left: compared with every row, and never twice the same."""

from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import Near, Status, rules
from p2ce.errors import InvalidArgument
from p2ce.result import Counterfactual
from p2ce.result.rule_data import rule_data
from tests.oracle import Accepts, StatedRule, assert_is_front, brute_force_front, rows_of, unit_of
from tests.populations import loans
from tests.properties.amount import examples

NAMES = ("Income", "Debt", "Owns", "Rate", "Years")
ANN = {"Income": 42, "Debt": 3.0, "Owns": False, "Rate": 0.5, "Years": 2}  # has several options


def policy() -> p2ce.Policy:
    """Name few values, so that every row can be evaluated."""
    return p2ce.Policy.infer(loans.people(), protect=None).candidates(
        Income=[15, 20, 30, 45], Debt=[-2.0, 0.0, 1.0], Rate=[0.0, 0.5, 1.0], Years=[0, 2, 6, 11]
    )


@cache
def explainer(max_changes: int | None = 3) -> p2ce.Explainer:
    return loans.explainer(policy=policy(), plausibility=None, max_changes=max_changes)


def accepts() -> Accepts:
    model = loans.forest()
    return lambda frame: model.predict_proba(frame)[:, 1] >= 0.5


def stated(thing: Any) -> StatedRule:
    """State what is left out a second time, in pandas. The library's own rule is not looked at."""

    def keeps(person: Any, rows: pd.DataFrame) -> Any:
        if isinstance(thing, Near):
            near = pd.Series(True, index=rows.index)
            for name in NAMES:
                apart = thing.within * unit_of(loans.people()[name].to_numpy(dtype=float))
                if name == "Owns":
                    near &= rows[name] == thing.option.values[name]
                else:
                    near &= (rows[name].astype(float) - float(thing.option.values[name] or 0)).abs() <= apart
            return ~near
        if isinstance(thing, Counterfactual):
            return ~pd.concat([rows[name] == thing.values[name] for name in NAMES], axis=1).all(axis=1)
        names = [thing] if isinstance(thing, str) else sorted(thing)
        return ~pd.concat([rows[name] != person[name] for name in names], axis=1).all(axis=1)

    return StatedRule(rule=rules.change_at_most_one("Income", "Debt"), keeps=keeps)


@st.composite
def left_out(draw: st.DrawFn, options: int) -> list[Any]:
    """Draw what is left out, options by their place."""
    places = st.integers(0, options - 1)
    features = st.sampled_from(NAMES)
    one = st.one_of(
        places,
        features,
        st.frozensets(features, min_size=1, max_size=3),
        st.tuples(places, st.sampled_from([0.1, 0.6, 1.5])),
    )
    return draw(st.lists(one, min_size=1, max_size=4))


@examples(12)
@given(data=st.data(), max_changes=st.sampled_from([2, 3, None]))
def test_what_comes_next_is_the_front_of_what_is_left(data: st.DataObject, max_changes: int | None) -> None:
    ours = explainer(max_changes)
    first = ours.explain(loans.PERSON)
    things: list[Any] = []
    for one in data.draw(left_out(len(first))):
        option = first[one if isinstance(one, int) else one[0]] if isinstance(one, int | tuple) else None
        things.append(
            one if option is None else Near(option, within=one[1]) if isinstance(one, tuple) else option
        )
    found = ours.more(first, exclude=things)
    truth = brute_force_front(
        loans.PERSON,
        policy=policy(),
        reference=loans.people(),
        accepts=accepts(),
        stated=[stated(one) for one in things],
        max_changes=max_changes,
        objectives=ours.describe().objectives,
    )
    assert_is_front(found, truth)


def test_it_never_repeats_and_goes_on_until_nothing_is_left() -> None:
    ours, shown = explainer(), list[tuple[Any, ...]]()
    explanation = ours.explain(loans.PERSON)
    for _ in range(4):
        assert explanation.status is Status.OPTIMAL
        rows = rows_of(explanation, NAMES)
        assert not set(rows) & set(shown)
        shown += rows
        explanation = ours.more(explanation)
    nothing = ours.more(explanation, exclude=list(NAMES))
    assert nothing.status is Status.NO_RECOURSE
    assert nothing.certificate is not None
    assert nothing.certificate.none_because is None
    assert "no further option" in nothing.to_text()
    assert "No further option" in nothing.to_text(audience="officer")
    restrictions = [one.rule for one in ours.relaxations(nothing).considered]
    assert not any(rule and rule["rule"] == "leave_out" for rule in restrictions)


@examples(8)
@given(data=st.data(), n=st.integers(1, 3))
def test_listed_and_unlisted_options_are_together_the_front(data: st.DataObject, n: int) -> None:
    ours = explainer()
    first = ours.explain(ANN)
    things = [first[place] for place in data.draw(st.sets(st.integers(0, len(first) - 1), min_size=1))]
    found, whole = ours.more(first, exclude=things, n=n), ours.more(first, exclude=things)
    truth = brute_force_front(
        ANN,
        policy=policy(),
        reference=loans.people(),
        accepts=accepts(),
        stated=[stated(one) for one in things],
        objectives=ours.describe().objectives,
    )
    assert_is_front(whole, truth)
    assert len(found) == min(n, len(whole))
    assert len(found) + found.unlisted == len(whole)
    assert (found.status, found.certificate) == (whole.status, whole.certificate)
    # `pick` chooses options of the whole front, and they stay in its order.
    shown, rows = rows_of(found, NAMES), rows_of(whole, NAMES)
    assert list(shown) == [one for one in rows if one in set(shown)]
    assert [option.number for option in found] == list(range(1, len(found) + 1))
    fewest = min(len(option.changes) for option in whole)
    assert any(len(option.changes) == fewest for option in found)
    again = ours.more(found)  # leaves out what was listed, and only that
    assert not set(rows_of(again, NAMES)) & set(shown)
    assert {one for one in rows if one not in set(shown)} <= set(rows_of(again, NAMES))


def test_every_text_counts_what_is_not_listed() -> None:
    ours = explainer()
    first = ours.explain(ANN)
    whole, found = ours.more(first), ours.more(first, n=1)
    assert found.unlisted == len(whole) - 1 > 1
    told = {
        "en": "{} further options are not listed here.",
        "pt": "Mais {} opções encontradas não são mostradas aqui.",
        "es": "{} opciones más que se encontraron no figuran aquí.",
    }
    for language, sentence in told.items():
        for audience in ("applicant", "officer", "auditor"):
            for write in (found.to_text, found.to_html, found.to_markdown):
                assert sentence.format(found.unlisted) in write(language=language, audience=audience)
    officer = found.to_text(audience="officer")
    assert f"the {len(whole)} options found" in officer
    assert "only Pareto-optimal" not in officer
    assert "Complete list" not in found.to_html()
    assert "smallest change overall" not in officer  # a cheaper option may be unlisted
    assert f"{sentence.format(found.unlisted)}" not in whole.to_text(language="es")
    assert repr(found) == f"<Explanation OPTIMAL: 1 counterfactual, {found.unlisted} unlisted>"
    again = p2ce.Explanation.from_json(found.to_json())
    assert again == found
    assert again != replace(found, unlisted=1)
    old = found.to_dict()
    del old["unlisted"]  # as written before the field
    assert p2ce.Explanation.from_dict(old).unlisted == 0


def test_what_needs_all_options_is_refused_or_says_nothing() -> None:
    ours = explainer()
    first = ours.explain(ANN)
    whole, found = ours.more(first), ours.more(first, n=1)
    assert ours.evaluate(ANN, whole[-1], explanation=found).better is None
    assert ours.evaluate(ANN, whole[-1], explanation=whole).better == ()
    with pytest.raises(InvalidArgument, match=r"evidence.save\(\) needs every option.*without n="):
        p2ce.evidence.save(found, "never.zip", explainer=ours)
    with pytest.raises(InvalidArgument, match="unlisted"):
        p2ce.Explanations([found])
    with pytest.raises(InvalidArgument, match="must list others"):
        replace(found, counterfactuals=())


@pytest.mark.parametrize("n", [0, -1, True, 2.0, "3"])
def test_it_lists_a_whole_number_of_options(n: Any) -> None:
    ours = explainer()
    with pytest.raises(InvalidArgument, match="n= as a whole number"):
        ours.more(ours.explain(ANN), n=n)


def test_it_is_an_explanation_with_the_policy_of_its_record() -> None:
    ours = explainer()
    first = ours.explain(loans.PERSON)
    found = ours.more(first, exclude=[first[0], {"Income", "Years"}])
    again = p2ce.Explanation.from_json(found.to_json())
    assert again == found
    assert ours.more(again) == ours.more(found)  # the record alone says what was left out
    assert found.problem is not None
    assert found.problem.is_draft == first.problem.is_draft  # type: ignore[union-attr]
    assert "Next best" in str(found)
    assert "left out here on purpose" in found.to_text()


def test_options_are_left_out_exactly_and_text_says_what_differs_from_today() -> None:
    ours = explainer()
    first = ours.explain(loans.PERSON)
    found = ours.more(first, exclude=first[0])
    assert found.certificate is not None
    (rule,) = found.certificate.rules
    assert rule["where"].keys() == set(NAMES)
    told = found.to_text(audience="officer")
    unchanged = [name for name in NAMES if name not in first[0].changes]
    begin = told.index("without these")
    assert not any(name in told[begin : told.index("Proven")] for name in unchanged)


def test_text_says_all_that_is_near() -> None:
    """Of a feature that the option changes, the range is written even if today's value is in it."""
    ours = explainer()
    first = ours.explain(loans.PERSON)
    found = ours.more(first, exclude=Near(first[0], within=1.5))
    assert first[0].changes.keys() == {"Income", "Debt"}
    assert found.certificate is not None
    (rule,) = found.certificate.rules
    assert rule["where"]["Income"]["from"] < loans.PERSON["Income"] < rule["where"]["Income"]["to"]
    told = found.to_text(audience="officer")
    left = told[told.index("without these") : told.index("Proven")]
    near = "Income: from 8.29 to 51.71 and Debt: from -4.754 to 0.754, with everything else close to today's"
    assert near in left


@pytest.mark.parametrize(
    ("exclude", "message"),
    [
        ([0], r"explanation\[0\]"),
        ([], "a list of options"),
        (["Incme"], "'Incme', which is not a column. Did you mean 'Income'"),
        ([{}], "a set of features"),
        ({"Income": 3}, "a list of options"),
        ([("Income", 3)], "a set of features"),
    ],
)
def test_anything_else_is_rejected(exclude: Any, message: str) -> None:
    ours = explainer()
    with pytest.raises(InvalidArgument, match=message):
        ours.more(ours.explain(loans.PERSON), exclude=exclude)


def test_an_option_of_another_person_is_rejected() -> None:
    ours = explainer()
    other = ours.explain({**loans.PERSON, "Debt": 2.0})
    with pytest.raises(InvalidArgument, match="another person"):
        ours.more(ours.explain(loans.PERSON), exclude=[other[0]])


def test_who_has_no_option_or_needs_none_is_told_so() -> None:
    ours = explainer()
    nothing = ours.explain(loans.PERSON, policy=policy().fix(*NAMES))
    with pytest.raises(InvalidArgument, match="relaxations"):
        ours.more(nothing)
    with pytest.raises(InvalidArgument, match="needs no change"):
        ours.more(ours.explain({**loans.PERSON, "Income": 59, "Debt": -5.0, "Years": 11}))


@pytest.mark.parametrize("within", [0, -1, float("nan"), True, "near"])
def test_near_needs_an_option_and_a_distance(within: Any) -> None:
    option = explainer().explain(loans.PERSON)[0]
    with pytest.raises(InvalidArgument, match="above 0"):
        Near(option, within=within)
    with pytest.raises(InvalidArgument, match="an option of an explanation"):
        Near({"Income": 3}, within=0.5)  # type: ignore[arg-type]


def test_rules_are_data() -> None:
    from p2ce.policy.rules import leave_out, rule_from_plain

    rule = leave_out({"Income": (10, 20), "Owns": [True], "Years": rules.CHANGES})
    assert rule_from_plain(rule.to_plain()) == rule
    assert rule_data(rule)["rule"] == "leave_out"
