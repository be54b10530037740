"""Make a table with categories, codes, gaps and zeros for the libraries of boosted trees."""

from typing import Any

import numpy as np
import pandas as pd

from p2ce.models.decisions.adapter import Adapter
from p2ce.tables.codebook import Codebook
from tests.models.laws import assert_conforms, certified

JOBS = ["cook", "clerk", "pilot", "nurse", "smith", "baker", "judge"]
ODD = np.array(
    [-2.0, -1.0, -0.5, 0.5, 2.5, 31.0, 32.0, 39.999, 40.0, 64.0, 1e6, 2.0**24, 2.0**31, 1e10, 1e30]
)


def table(rows: int = 500, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Make people with categories, an ordered one, codes, gaps and zeros, and a wealth to be learned."""
    rng = np.random.default_rng(seed)
    gaps = rng.random((rows, 4)) < 0.15
    job = rng.choice(JOBS, rows, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05])
    known = job.astype(object)
    known[gaps[:, 0]] = None
    grade = rng.integers(0, 4, rows)
    code = rng.integers(0, 40, rows).astype(float)
    income = rng.lognormal(0.0, 0.7, rows)
    balance = np.where(rng.random(rows) < 0.4, 0.0, rng.normal(0.0, 1.0, rows).round(1))
    children = pd.array(rng.integers(0, 5, rows), dtype="Int64")
    children[gaps[:, 3]] = pd.NA
    frame = pd.DataFrame(
        {
            "job": pd.Categorical(known, categories=sorted(JOBS, reverse=True)),
            "grade": pd.Categorical.from_codes(
                np.where(gaps[:, 1], -1, grade), pd.Index(["low", "fair", "good", "best"]), ordered=True
            ),
            "code": code,
            "income": np.where(gaps[:, 2], np.nan, income),
            "balance": balance,
            "children": children,
            "age": rng.integers(18, 80, rows),
            "owner": rng.random(rows) < 0.5,
        }
    )
    wealth = (
        np.isin(job, ["cook", "nurse", "judge"])
        + 0.6 * (code % 3 == 0)
        + 0.3 * grade
        + np.where(gaps[:, 2], 0.9, 0.5 * income)
        + 0.7 * (balance == 0.0)
        - 0.2 * gaps[:, 0]
        + 0.3 * gaps[:, 3]
        + rng.normal(0.0, 0.2, rows)
    )
    return frame, pd.Series(wealth)


def conforms(model: Any, reference: pd.DataFrame, **wanted: Any) -> Adapter:
    """Check the laws; give the parsed model."""
    return assert_conforms(model, reference, **wanted)[0]


def certainties(found: Adapter, rows: pd.DataFrame, book: Codebook) -> tuple[np.ndarray, np.ndarray]:
    """State which rows are certified to be accepted, and which to be rejected."""
    proven = certified(found, book.of(found.columns).encode(rows))
    return proven.accepted & found.decides, proven.rejected
