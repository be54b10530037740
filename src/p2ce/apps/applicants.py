"""Make loan applicants who do not exist, always the same ones for the same seed."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

APPLICANTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicants:
    """Loan applicants and whether each repaid."""

    people: pd.DataFrame  # one row per applicant
    repaid: pd.Series  # 1 repaid, 0 did not; same index


def make_applicants(*, seed: int = 0, count: int = APPLICANTS) -> Applicants:
    """Draw applicants whose features hang together as people's do.

    Older people have longer jobs, income follows age and job, savings follow income, larger loans
    run longer. Repayment depends on the monthly payment relative to the income, on late
    payments, savings, job and guarantor, plus luck.

    >>> make_applicants(seed=0, count=3).people["Age"].between(18, 75).all()
    np.True_
    """
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(9.0, 4.5, count), 18, 75).round()
    job_years = np.floor(rng.beta(1.2, 3.0, count) * (age - 17)).clip(0, 40)
    skill = rng.normal(size=count)
    income = 14_000 + 350 * (age - 18) + 450 * job_years + 9_000 * np.exp(0.5 * skill)
    savings = income * rng.gamma(0.7, 0.35, count)
    amount = np.clip(rng.lognormal(8.7, 0.6, count), 500, 40_000)
    months = np.clip(np.round((8 + amount / 450 + rng.normal(0, 8, count)) / 6) * 6, 6, 72)
    late = rng.poisson(np.exp(-0.2 - 0.45 * skill), count).clip(0, 8)
    owns_home = rng.random(count) < 1 / (1 + np.exp(-(age - 42) / 9 - 0.4 * skill))
    guarantor = rng.random(count) < 0.25

    burden = (amount / months) / (income / 12)
    trust = (
        1.2
        - 9.0 * burden
        - 0.55 * late
        - 0.012 * (months - 24)
        + 0.5 * np.log1p(savings / 2_000)
        + 0.04 * job_years
        + 1.8 * guarantor
        + 0.4 * owns_home
    )
    repaid = rng.random(count) < 1 / (1 + np.exp(-trust * 1.5))
    people = pd.DataFrame(
        {
            "Age": age.astype(np.int64),
            "Income": (np.round(income / 100) * 100).astype(np.int64),
            "LoanAmount": (np.round(amount / 100) * 100).astype(np.int64),
            "LoanMonths": months.astype(np.int64),
            "YearsAtCurrentJob": job_years.astype(np.int64),
            "SavingsBalance": (np.round(savings / 50) * 50).astype(np.int64),
            "LatePayments": late.astype(np.int64),
            "HasGuarantor": guarantor,
            "OwnsHome": owns_home,
        }
    )
    return Applicants(people=people, repaid=pd.Series(repaid.astype(np.int64), name="Repaid"))
