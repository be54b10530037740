"""Convert OpenML's raw tables into those of the paper, column by column."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

PURPOSES = {
    "business": "Business",
    "domestic appliance": "HomeAppliances",
    "education": "Education",
    "furniture/equipment": "Furniture",
    "new car": "NewCar",
    "other": "Other",
    "radio/tv": "Electronics",
    "repairs": "Repairs",
    "retraining": "Retraining",
    "used car": "UsedCar",
}
MONTHS = 6  # of Taiwan's bills and payments, the latest first


def prepare_table(name: str, raw: pd.DataFrame) -> pd.DataFrame:
    """Prepare the raw table of the data set ``name``. A missing column raises KeyError."""
    return PREPARATIONS[name](raw)


def as_csv(table: pd.DataFrame) -> bytes:
    """Write the table in the form of the published file, with the same bytes on every system."""
    return table.to_csv(index=False, lineterminator="\n").encode()


def prepare_german(raw: pd.DataFrame) -> pd.DataFrame:
    """Name the columns as Ustun et al. do (Actionable Recourse in Linear Classification).

    Some of their columns mean the opposite of their names. They are kept as published, since models and
    results depend on them: ForeignWorker is 1 for people who are not foreign workers, MissedPayments is 0 for
    people who paid late, and NumberOfOtherLoansAtBank includes this loan.
    """
    has = partial(_has, raw)
    return _frame(
        GoodCustomer=has("class", "good"),
        ForeignWorker=has("foreign_worker", "no"),
        Single=has("personal_status", "male single"),  # no woman is recorded as single
        Age=_whole(raw["age"]),
        LoanDuration=_whole(raw["duration"]),
        PurposeOfLoan=raw["purpose"].astype(object).map(PURPOSES),
        LoanAmount=_whole(raw["credit_amount"]),
        LoanRateAsPercentOfIncome=_whole(raw["installment_commitment"]),
        YearsAtCurrentHome=_whole(raw["residence_since"]),
        NumberOfOtherLoansAtBank=_whole(raw["existing_credits"]),
        NumberOfLiableIndividuals=_whole(raw["num_dependents"]),
        HasTelephone=has("own_telephone", "yes"),
        CheckingAccountBalance_geq_0=has("checking_status", "0<=X<200", ">=200"),
        CheckingAccountBalance_geq_200=has("checking_status", ">=200"),
        SavingsAccountBalance_geq_100=has("savings_status", "100<=X<500", "500<=X<1000", ">=1000"),
        SavingsAccountBalance_geq_500=has("savings_status", "500<=X<1000", ">=1000"),
        MissedPayments=1 - has("credit_history", "delayed previously"),
        NoCurrentLoan=has("credit_history", "all paid"),
        CriticalAccountOrLoansElsewhere=has("credit_history", "critical/other existing credit"),
        OtherLoansAtBank=has("other_payment_plans", "bank"),
        HasCoapplicant=has("other_parties", "co applicant"),
        HasGuarantor=has("other_parties", "guarantor"),
        OwnsHouse=has("housing", "own"),
        RentsHouse=has("housing", "rent"),
        Unemployed=has("employment", "unemployed"),
        YearsAtCurrentJob_lt_1=has("employment", "<1"),
        YearsAtCurrentJob_geq_4=has("employment", "4<=X<7", ">=7"),
        JobClassIsSkilled=has("job", "skilled", "high qualif/self emp/mgmt"),
        is_male=has("personal_status", "male single", "male div/sep", "male mar/wid"),
    )


def prepare_taiwan(raw: pd.DataFrame) -> pd.DataFrame:
    """Aggregate six months, as Ustun et al. do. Amounts are in Taiwan dollars."""
    # OpenML's x1 to x23 are LIMIT_BAL, SEX, EDUCATION, MARRIAGE, AGE, then six months each of status, bill
    # and payment. Labels are text there, and converting through text parses both labels and numbers.
    x = {number: raw[f"x{number}"].astype(str).astype(float) for number in (1, *range(3, 24))}
    status, bills, payments = (
        np.column_stack([x[first + month] for month in range(MONTHS)]) for first in (6, 12, 18)
    )
    used = bills / x[1].to_numpy()[:, None]  # share of the limit
    overdue = status.clip(min=0)  # months late; the negative codes say how it was paid
    late = overdue > 0
    table = _frame(
        NoDefaultNextMonth=1 - raw["y"].astype(str).astype(float),
        Age=x[5],
        MaxBillAmountOverLast6Months=bills.max(axis=1).clip(min=0),
        MaxPaymentAmountOverLast6Months=payments.max(axis=1).clip(min=0),
        MonthsWithZeroBalanceOverLast6Months=(payments > bills).sum(axis=1),
        MonthsWithLowSpendingOverLast6Months=(used < 0.2).sum(axis=1),
        MonthsWithHighSpendingOverLast6Months=(used > 0.8).sum(axis=1),
        MostRecentBillAmount=bills[:, 0].clip(min=0),
        MostRecentPaymentAmount=payments[:, 0].clip(min=0),
        # A run of late months begins where the next month in the table is not late.
        TotalOverdueCounts=late[:, 0] + (late[:, 1:] & ~late[:, :-1]).sum(axis=1),
        TotalMonthsOverdue=overdue.sum(axis=1),
        HistoryOfOverduePayments=late.any(axis=1),
        EDUCATION=x[3],
        MARRIAGE=x[4],
    )
    return table.astype(float)


def prepare_adult(raw: pd.DataFrame) -> pd.DataFrame:
    """Keep the numbers, and derive four yes-or-no columns from sex, education, marriage and work."""
    has = partial(_has, raw)
    return _frame(
        age=_whole(raw["age"]),
        occupation=raw["occupation"].astype(object).where(raw["occupation"].notna(), "?"),
        relationship=raw["relationship"].astype(object),
        race=raw["race"].astype(object),
        capital_gain=_whole(raw["capital-gain"]),
        capital_loss=_whole(raw["capital-loss"]),
        hours_per_week=_whole(raw["hours-per-week"]),
        income=has("class", ">50K"),
        is_male=has("sex", "Male"),
        has_degree=has("education", "Bachelors", "Masters", "Doctorate"),
        is_married=has("marital-status", "Married-civ-spouse", "Married-spouse-absent", "Married-AF-spouse"),
        gov_job=has("workclass", "State-gov", "Federal-gov", "Local-gov"),
    )


PREPARATIONS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "german": prepare_german,
    "taiwan": prepare_taiwan,
    "adult": prepare_adult,
}


def _has(raw: pd.DataFrame, column: str, *labels: str) -> "pd.Series[int]":
    """Return 1 for rows that have one of the labels, and 0 for the others and for missing labels."""
    return raw[column].astype(object).isin(labels).astype("int64")


def _whole(column: "pd.Series[Any]") -> "pd.Series[int]":
    return column.astype("int64")


def _frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)
