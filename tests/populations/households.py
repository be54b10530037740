"""Make one small population with text, a category and missing values, and pipelines for it."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import p2ce

ROWS = 80


@cache
def _people() -> pd.DataFrame:
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 30, ROWS),
            "debt": draw.integers(0, 8, ROWS) / 4,
            "job": pd.Series(draw.choice(["clerk", "cook", "boss"], ROWS), dtype=object),
            "home": pd.Categorical(draw.choice(["own", "rent"], ROWS)),
        }
    )


def people() -> pd.DataFrame:
    """Return a fresh copy: whole numbers, numbers, text and a category."""
    return _people().copy()


def numbers(*, gaps: bool = False) -> pd.DataFrame:
    """Return the two columns of numbers, with some values missing if wanted."""
    frame = people()[["age", "debt"]]
    return frame.mask(np.arange(ROWS)[:, None] % 7 == [0, 3]) if gaps else frame


def person(**changed: Any) -> dict[str, Any]:
    """Return a rejected applicant, except for what is named."""
    return {"age": 24, "debt": 1.75, "job": "clerk", "home": "rent", **changed}


@cache
def pipeline(unknown: str = "ignore") -> Any:
    """Fit an encoder that accepts unseen labels, or one that raises, and a model that rejects NaN."""
    frame = people()
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown=unknown), ["job", "home"]), remainder="passthrough"
    )
    label = ((frame["job"] == "boss") & (frame["debt"] < 1.5)).astype(int)
    return make_pipeline(encoder, LogisticRegression(max_iter=500)).fit(frame, label)


@cache
def explainer(unknown: str = "ignore") -> p2ce.Explainer:
    """Return the one explainer of such a pipeline, which all tests share."""
    policy = p2ce.Policy.infer(people(), protect=None)
    return p2ce.Explainer(pipeline(unknown), people(), policy=policy, target=1, plausibility=None)
