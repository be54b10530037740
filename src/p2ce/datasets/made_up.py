"""Generate loan applicants, the same ones for the same seed."""

import numpy as np
import pandas as pd

from p2ce.datasets.dataset import Dataset

IMMUTABLE = ("Age", "LatePayments", "OwnsHome")  # history, or not reasonable advice for a loan


def make_applicants(n_samples: int = 2_000, *, random_state: int = 0) -> Dataset:
    """Generate fictitious loan applicants, with realistic dependencies between features.

    Older people have been in their jobs longer. Income depends on age and job, and savings on income. Larger
    loans run longer. The outcome is 1 if the loan is repaid. It depends on the monthly payment relative to
    the income, on late payments, savings, job and guarantor, and on chance.

    Args:
        n_samples: The number of applicants. The default is 2000.
        random_state: The seed. The default is 0.

    >>> applicants = make_applicants(3, random_state=0)
    >>> applicants.data["Age"].tolist(), applicants.target.tolist()
    ([41, 48, 32], [1, 1, 1])
    """
    rng = np.random.default_rng(random_state)
    age = np.clip(rng.gamma(9.0, 4.5, n_samples), 18, 75).round()
    job_years = np.floor(rng.beta(1.2, 3.0, n_samples) * (age - 17)).clip(0, 40)
    skill = rng.normal(size=n_samples)
    income = 14_000 + 350 * (age - 18) + 450 * job_years + 9_000 * np.exp(0.5 * skill)
    savings = income * rng.gamma(0.7, 0.35, n_samples)
    amount = np.clip(rng.lognormal(8.7, 0.6, n_samples), 500, 40_000)
    months = np.clip(np.round((8 + amount / 450 + rng.normal(0, 8, n_samples)) / 6) * 6, 6, 72)
    late = rng.poisson(np.exp(-0.2 - 0.45 * skill), n_samples).clip(0, 8)
    owns_home = rng.random(n_samples) < 1 / (1 + np.exp(-(age - 42) / 9 - 0.4 * skill))
    guarantor = rng.random(n_samples) < 0.25

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
    repaid = rng.random(n_samples) < 1 / (1 + np.exp(-trust * 1.5))
    data = pd.DataFrame(
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
    return Dataset(
        name="applicants",
        data=data,
        target=pd.Series(repaid.astype(np.int64), name="Repaid"),
        immutable=IMMUTABLE,
        categories=(),
    )
