"""Invent a few people in the form of OpenML's raw tables, and state by hand what they become."""

import numpy as np
import pandas as pd

GERMAN_RAW = pd.DataFrame(
    {
        "checking_status": ["<0", "0<=X<200", ">=200", "no checking"],
        "duration": [6, 48, 12, 24],
        "credit_history": [
            "all paid",
            "delayed previously",
            "critical/other existing credit",
            "existing paid",
        ],
        "purpose": ["radio/tv", "new car", "domestic appliance", "other"],
        "credit_amount": [1000, 5951, 2096, 804],
        "savings_status": ["no known savings", "100<=X<500", ">=1000", "<100"],
        "employment": [">=7", "<1", "unemployed", "1<=X<4"],
        "installment_commitment": [4, 2, 1, 3],
        "personal_status": ["male single", "female div/dep/mar", "male div/sep", "male mar/wid"],
        "other_parties": ["none", "co applicant", "guarantor", "none"],
        "residence_since": [4, 2, 3, 1],
        "property_magnitude": ["real estate", "car", "life insurance", "no known property"],
        "age": [67, 22, 49, 35],
        "other_payment_plans": ["none", "bank", "stores", "none"],
        "housing": ["own", "rent", "for free", "own"],
        "existing_credits": [2, 1, 1, 4],
        "job": ["skilled", "unskilled resident", "high qualif/self emp/mgmt", "unemp/unskilled non res"],
        "num_dependents": [1, 1, 2, 1],
        "own_telephone": ["yes", "none", "none", "yes"],
        "foreign_worker": ["yes", "no", "yes", "yes"],
        "class": ["good", "bad", "good", "bad"],
    }
)
GERMAN = {
    "GoodCustomer": [1, 0, 1, 0],
    "ForeignWorker": [0, 1, 0, 0],  # turned round, as published
    "Single": [1, 0, 0, 0],
    "Age": [67, 22, 49, 35],
    "LoanDuration": [6, 48, 12, 24],
    "PurposeOfLoan": ["Electronics", "NewCar", "HomeAppliances", "Other"],
    "LoanAmount": [1000, 5951, 2096, 804],
    "LoanRateAsPercentOfIncome": [4, 2, 1, 3],
    "YearsAtCurrentHome": [4, 2, 3, 1],
    "NumberOfOtherLoansAtBank": [2, 1, 1, 4],
    "NumberOfLiableIndividuals": [1, 1, 2, 1],
    "HasTelephone": [1, 0, 0, 1],
    "CheckingAccountBalance_geq_0": [0, 1, 1, 0],
    "CheckingAccountBalance_geq_200": [0, 0, 1, 0],
    "SavingsAccountBalance_geq_100": [0, 1, 1, 0],
    "SavingsAccountBalance_geq_500": [0, 0, 1, 0],
    "MissedPayments": [1, 0, 1, 1],  # turned round, as published
    "NoCurrentLoan": [1, 0, 0, 0],
    "CriticalAccountOrLoansElsewhere": [0, 0, 1, 0],
    "OtherLoansAtBank": [0, 1, 0, 0],
    "HasCoapplicant": [0, 1, 0, 0],
    "HasGuarantor": [0, 0, 1, 0],
    "OwnsHouse": [1, 0, 0, 1],
    "RentsHouse": [0, 1, 0, 0],
    "Unemployed": [0, 0, 1, 0],
    "YearsAtCurrentJob_lt_1": [0, 1, 0, 0],
    "YearsAtCurrentJob_geq_4": [1, 0, 0, 0],
    "JobClassIsSkilled": [1, 0, 1, 0],
    "is_male": [1, 0, 1, 1],
}

# Limit, sex, education, marriage, age; then six months each of status, bill and payment; default.
TAIWAN_PEOPLE = [
    [1000, 1, 2, 1, 24, *(2, 2, -1, -1, 1, -2), *(900, 800, 100, 0, -50, 199), *(0, 700, 100, 1, 0, 0), 1],
    [1000, 2, 1, 2, 31, *(-2, -1, 0, 0, -1, -2), *(-5, -4, -3, -2, -1, -6), *(0, 0, 0, 0, 0, 0), 0],
    [500, 2, 6, 0, 60, *(0, 3, 0, 2, 0, 8), *(100, 400, 401, 99, 101, 500), *(50, 0, 9, 8, 7, 600), 0],
]
LABELS = (2, 3, 4, 6, 7, 8, 9, 10, 11)  # the columns that are labels there, and the target
TAIWAN_RAW = pd.DataFrame(TAIWAN_PEOPLE, columns=[*(f"x{number}" for number in range(1, 24)), "y"])
TAIWAN_RAW = TAIWAN_RAW.astype(dict.fromkeys([*(f"x{number}" for number in LABELS), "y"], str))
TAIWAN = {
    "NoDefaultNextMonth": [0.0, 1.0, 1.0],
    "Age": [24.0, 31.0, 60.0],
    "MaxBillAmountOverLast6Months": [900.0, 0.0, 500.0],
    "MaxPaymentAmountOverLast6Months": [700.0, 0.0, 600.0],
    "MonthsWithZeroBalanceOverLast6Months": [2.0, 6.0, 1.0],
    "MonthsWithLowSpendingOverLast6Months": [4.0, 6.0, 1.0],  # 100 of 500 is not below a fifth
    "MonthsWithHighSpendingOverLast6Months": [1.0, 0.0, 2.0],  # nor is 400 above four fifths
    "MostRecentBillAmount": [900.0, 0.0, 100.0],
    "MostRecentPaymentAmount": [0.0, 0.0, 50.0],
    "TotalOverdueCounts": [2.0, 0.0, 3.0],
    "TotalMonthsOverdue": [5.0, 0.0, 13.0],
    "HistoryOfOverduePayments": [1.0, 0.0, 1.0],
    "EDUCATION": [2.0, 1.0, 6.0],
    "MARRIAGE": [1.0, 2.0, 0.0],
}

ADULT_RAW = pd.DataFrame(
    {
        "age": [25, 38, 28, 61],
        "workclass": ["Private", "Local-gov", np.nan, "Federal-gov"],
        "fnlwgt": [226802, 89814, 336951, 1],
        "education": ["11th", "Masters", "Prof-school", "Doctorate"],
        "education-num": [7, 14, 15, 16],
        "marital-status": ["Never-married", "Married-AF-spouse", "Divorced", "Married-spouse-absent"],
        "occupation": ["Machine-op-inspct", "Exec-managerial", np.nan, "Sales"],
        "relationship": ["Own-child", "Wife", "Unmarried", "Husband"],
        "race": ["Black", "White", "Other", "Asian-Pac-Islander"],
        "sex": ["Male", "Female", "Female", "Male"],
        "capital-gain": [0, 7688, 0, 99999],
        "capital-loss": [0, 0, 1902, 0],
        "hours-per-week": [40, 50, 1, 99],
        "native-country": ["United-States", np.nan, "Cuba", "South"],
        "class": ["<=50K", ">50K", "<=50K", ">50K"],
    }
)
ADULT = {
    "age": [25, 38, 28, 61],
    "occupation": ["Machine-op-inspct", "Exec-managerial", "?", "Sales"],
    "relationship": ["Own-child", "Wife", "Unmarried", "Husband"],
    "race": ["Black", "White", "Other", "Asian-Pac-Islander"],
    "capital_gain": [0, 7688, 0, 99999],
    "capital_loss": [0, 0, 1902, 0],
    "hours_per_week": [40, 50, 1, 99],
    "income": [0, 1, 0, 1],
    "is_male": [1, 0, 0, 1],
    "has_degree": [0, 1, 0, 1],
    "is_married": [0, 1, 0, 1],
    "gov_job": [0, 1, 0, 1],
}

RAW = {"german": GERMAN_RAW, "taiwan": TAIWAN_RAW, "adult": ADULT_RAW}
PREPARED = {"german": GERMAN, "taiwan": TAIWAN, "adult": ADULT}
TARGETS = {"german": "class", "taiwan": "y", "adult": "class"}  # of the raw tables
