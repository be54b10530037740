"""Do the names of columns say what no advice may touch, and nothing else?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.policy.inference.name_hints import HISTORY, PROTECTED, TIME, UNITS, Topic, hint_of, likely_protected

# The columns of tables that everyone in the field knows, by what they are about.
PROTECTED_NAMES = """
    Age applicantAge is_male SEX marital.status MaritalStatus native-country idade_do_cliente Género
    estadoCivil raça Single age_cat race relationship is_married MARRIAGE ForeignWorker foreign_worker
    personal_status num_dependents NumberOfDependents NumberOfLiableIndividuals CNT_CHILDREN
    NAME_FAMILY_STATUS DAYS_BIRTH hijos Religion disability_status sex_Male country_of_origin
    head_of_house_age
"""
HISTORY_NAMES = """
    MissedPayments TotalOverdueCounts TotalMonthsOverdue HistoryOfOverduePayments credit_history PAY_0
    PAY_6 NumberOfTime30-59DaysPastDueNotWorse NumberOfTimes90DaysLate NumTrades60Ever2DerogPubRec
    MaxDelqEver DEROG DELINQ priors_count juv_fel_count delinq_2yrs pub_rec pub_rec_bankruptcies
    chargeoff_within_12_mths tax_liens default LatePayments late_90d dias_atraso PercentTradesNeverDelq
    past_loans
"""
TIME_NAMES = """
    YearsAtCurrentHome YearsAtCurrentJob_geq_4 YearsAtCurrentJob_lt_1 residence_since
    MSinceOldestTradeOpen MSinceMostRecentDelq AverageMInFile YOJ CLAGE mths_since_last_delinq emp_length
    DAYS_EMPLOYED Years Months months_at_address account_age OWN_CAR_AGE age_of_oldest_trade
    tempo_de_emprego anos_emprego antigüedad employment_duration TimeAtJob tenure
"""
OTHER_NAMES = """
    LoanDuration LoanAmount LoanMonths loan_term_years prazo_meses duration term MonthlyIncome
    IncomePerMonth MaxBillAmountOverLast6Months MonthsWithLowSpendingOverLast6Months
    MostRecentPaymentAmount hours_per_week acc_open_past_24mths inq_last_6mths avg_balance_6_months
    NumInqLast6M NumSatisfactoryTrades MORTDUE DEBTINC SinglePayment Decor Mortgage percentage racecar
    Agent latest_balance PAY_AMT1 BILL_AMT1 PayRate month day capital-gain HasGuarantor NoCurrentLoan
    Passing collections_12_mths_ex_med
"""


@pytest.mark.parametrize(
    ("names", "topic"),
    [
        (PROTECTED_NAMES, Topic.PROTECTED),
        (HISTORY_NAMES, Topic.HISTORY),
        (TIME_NAMES, Topic.TIME),
        (OTHER_NAMES, None),
    ],
    ids=["protected", "history", "time", "others"],
)
def test_columns_of_well_known_tables(names: str, topic: Topic | None) -> None:
    hints = {name: hint_of(name) for name in names.split()}
    assert {name: None if hint is None else hint.topic for name, hint in hints.items()} == dict.fromkeys(
        hints, topic
    )


def test_what_is_below_some_years_falls_and_never_leaves_no_direction() -> None:
    hints = [hint_of(name) for name in ("YearsAtJob_lt_1", "YearsAtJob_geq_4", "never_late")]
    assert [(hint.falls, hint.unclear) for hint in hints if hint is not None] == [
        (True, False),
        (False, False),
        (False, True),
    ]


@given(
    st.sampled_from(sorted(PROTECTED | HISTORY | TIME | UNITS)),
    st.sampled_from(["{}", "{}_x", "x_{}", "x {}", "x.{}"]),
)
def test_every_word_counts_in_any_way_of_writing(word: str, form: str) -> None:
    name = form.format(word)
    hint = hint_of(name)
    assert hint is not None
    assert hint == hint_of(name.upper())
    if form == "x_{}":
        assert hint == hint_of("x" + word.capitalize())
        assert hint_of("x" + word) is None or ("x" + word) in PROTECTED | HISTORY | TIME


@given(st.text(max_size=30))
def test_any_name_is_read(name: str) -> None:
    hint = hint_of(name)
    assert (likely_protected(name) is not None) == (hint is not None and hint.topic is Topic.PROTECTED)
