"""Does a first try on messy data give sensible options, or one clear sentence about what to say first?"""

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.errors import UnnamedTarget
from tests.optional import LazyLibrary

lightgbm = LazyLibrary("lightgbm")

CODES = (-9.0, -8.0)


def loans(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Write and read a CSV of loans: codes for "no record", heavy tails, and 1 where the loan went bad."""
    rng = np.random.default_rng(11)
    count = 4_000
    income = np.round(rng.lognormal(7.6, 0.6, count), 2)
    debt = np.where(rng.random(count) < 0.02, rng.pareto(0.7, count) * 3_000, rng.gamma(2, 0.15, count))
    months = np.where(rng.random(count) < 0.2, rng.choice(CODES, count), rng.integers(0, 120, count))
    amount = rng.integers(5, 400, count) * 50.0
    risk = 1.5 * np.minimum(debt, 2) + amount / income / 4 - (months > 24) - 0.3 * np.log(income / 2_000)
    frame = pd.DataFrame(
        {"Income": income, "DebtRatio": debt, "MonthsSinceLate": months.astype(int), "LoanAmount": amount}
    )
    frame["default"] = (risk + rng.logistic(0, 0.6, count) > 2.2).astype(int)
    frame.to_csv(path / "loans.csv", index=False)
    read = pd.read_csv(path / "loans.csv")
    return read.drop(columns="default"), read["default"]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[lightgbm.LGBMClassifier, pd.DataFrame]:
    X, y = loans(tmp_path_factory.mktemp("loans"))
    return lightgbm.LGBMClassifier(n_estimators=40, verbose=-1, random_state=0, n_jobs=1).fit(X, y), X


def test_without_a_word_the_log_says_what_to_say_first(
    first: tuple[lightgbm.LGBMClassifier, pd.DataFrame], caplog: pytest.LogCaptureFixture
) -> None:
    model, X = first
    with pytest.raises(UnnamedTarget, match=r"target=1 .* or target=0 "):
        p2ce.Explainer(model, X)
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        p2ce.Explainer(model, X, target=0)
    names, codes = (record.getMessage() for record in caplog.records)
    assert "never fall: 'MonthsSinceLate'" in names
    assert "-9, -8 in 'MonthsSinceLate'" in codes


def test_once_that_is_said_options_are_sensible(
    first: tuple[lightgbm.LGBMClassifier, pd.DataFrame], caplog: pytest.LogCaptureFixture
) -> None:
    model, X = first
    policy = p2ce.Policy.infer(X)
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        explainer = p2ce.Explainer(model, X, policy=policy, target=0)
    assert not caplog.records
    rejected = X[model.predict(X) == 1][:120]
    options = 0
    for (_, row), found in zip(rejected.iterrows(), explainer.explain_many(rejected), strict=True):
        assert found.status in (p2ce.Status.OPTIMAL, p2ce.Status.NO_RECOURSE)
        for option in found:
            options += 1
            assert model.predict(pd.DataFrame([option.values])[X.columns])[0] == 0
            # No one leaves a code or takes one, and no change is free.
            assert "MonthsSinceLate" not in option.changes or row["MonthsSinceLate"] >= 0
            assert option.values["MonthsSinceLate"] not in CODES or row["MonthsSinceLate"] in CODES
            assert option.costs["max_distance"] > 0
            for name in ("Income", "DebtRatio", "LoanAmount"):
                if name in option.changes:
                    low, high = np.percentile(X[name], (1, 99))
                    assert low <= option.values[name] <= high or found.certificate.grid == "finest"  # type: ignore[union-attr]
    assert options > 100


def test_heavy_tails_do_not_make_changes_free(first: tuple[lightgbm.LGBMClassifier, pd.DataFrame]) -> None:
    """In standard deviations that a few outliers make, no one's debt is worth anything."""
    model, X = first
    plain = X["DebtRatio"].std(ddof=0)
    people = X[(model.predict(X) == 1) & (X["DebtRatio"].between(0.3, 2))][:40]
    policy = p2ce.Policy.infer(X).fix("Income", "MonthsSinceLate", "LoanAmount")
    found = p2ce.Explainer(model, X, policy=policy, target=0, plausibility=None).explain_many(people)
    options = [option for one in found for option in one]
    assert len(options) > 5
    for option in options:
        before, after = option.changes["DebtRatio"]
        assert option.costs["max_distance"] > 5 * abs(after - before) / plain
