"""The made-up applicants repeat, and hang together as people do."""

import pandas as pd
from pandas.testing import assert_frame_equal, assert_series_equal

from p2ce.datasets import make_applicants


def test_the_same_seed_gives_the_same_people() -> None:
    one, again, other = (
        make_applicants(random_state=3),
        make_applicants(random_state=3),
        make_applicants(random_state=4),
    )
    assert_frame_equal(one.data, again.data)
    assert_series_equal(one.target, again.target)
    assert not one.data.equals(other.data)


def test_people_are_possible() -> None:
    people = make_applicants().data
    assert len(people) == 2_000
    assert people["Age"].between(18, 75).all()
    assert (people["YearsAtCurrentJob"] <= people["Age"] - 17).all()
    assert (people.select_dtypes("number") >= 0).all().all()
    assert not people.isna().any().any()


def test_some_repay_and_some_do_not() -> None:
    assert 0.6 < make_applicants().target.mean() < 0.9


def test_repayment_hangs_on_what_it_should() -> None:
    made = make_applicants()
    with_outcome: pd.DataFrame = made.data.assign(Repaid=made.target).astype(float)
    link = with_outcome.corr()["Repaid"]
    assert link["LatePayments"] < -0.1
    assert link["SavingsBalance"] > 0.1
    assert link["HasGuarantor"] > 0.02
    assert link["LoanAmount"] < -0.05
