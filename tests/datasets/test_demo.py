"""The demo repeats, comes with its policy stated, and advises nothing that an applicant cannot do."""

from pandas.testing import assert_frame_equal

from p2ce.datasets import load_demo
from p2ce.datasets.demo import DISPLAYS
from p2ce.policy.features.display import Display
from p2ce.result import Status

COUNT = 25


def test_the_same_seed_gives_the_same_demo() -> None:
    one, again, other = load_demo(), load_demo(), load_demo(random_state=1)
    assert_frame_equal(one.rows, again.rows)
    assert one.explainer.explain(one.rows.iloc[0]) == again.explainer.explain(again.rows.iloc[0])
    assert not one.rows.equals(other.rows)


def test_rows_are_the_rejected_ones() -> None:
    model, rows, explainer = load_demo()
    assert set(model.predict(rows)) == {"not repaid"}
    assert set(model.predict(explainer.reference.drop(rows.index))) == {"repaid"}
    assert 200 < len(rows) < 1_000


def test_its_policy_is_stated_so_no_text_is_a_draft() -> None:
    assert load_demo().explainer.problem.basis == "stated"


def test_no_option_is_indecent() -> None:
    _, rows, explainer = load_demo()
    many = explainer.explain_many(rows.head(COUNT))
    assert {one.status for one in many} == {Status.OPTIMAL}
    for option in (option for one in many for option in one):
        assert not {"Age", "LatePayments", "OwnsHome"} & set(option.changes)
        for name, (today, advised) in option.changes.items():
            if name == "LoanAmount":
                assert advised < today
            elif name != "LoanMonths":
                assert advised > today


def test_the_first_row_has_options_to_choose_from() -> None:
    _, rows, explainer = load_demo()
    assert len(explainer.explain(rows.iloc[0])) >= 3


def test_every_feature_has_its_name_in_three_languages() -> None:
    explainer = load_demo().explainer
    assert set(DISPLAYS) == set(explainer.reference.columns)
    for entry in DISPLAYS.values():
        assert set(Display(**entry).name) == {"en", "pt", "es"}
