"""Make one small population with columns of every kind, and a model for it, for tests of the whole."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.ensemble import RandomForestClassifier

import p2ce
from p2ce.policy.inference.infer_features import GridChoice

PERSON = {"Income": 15, "Debt": 1.0, "Owns": False, "Rate": 0.5, "Years": 2}  # whom the forest rejects


@cache
def _people() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    rows = 240
    return pd.DataFrame(
        {
            "Income": rng.integers(10, 60, rows),
            "Debt": rng.normal(0.0, 2.0, rows).round(1),
            "Owns": rng.random(rows) < 0.4,
            "Rate": (rng.integers(0, 9, rows) / 8.0).astype(np.float32),
            "Years": rng.integers(0, 12, rows).astype(np.int8),
        },
        index=[f"p{i}" for i in range(rows)],
    )


def people() -> pd.DataFrame:
    """Return a fresh copy: integers, a bool, single and double precision."""
    return _people().copy()


def label() -> np.ndarray:
    frame = _people()
    margin = frame["Income"] / 12 - frame["Debt"] + frame["Owns"] * 1.5 - frame["Rate"] + frame["Years"] / 6
    return np.asarray(margin > 4.0).astype(int)


@cache
def forest() -> RandomForestClassifier:
    return RandomForestClassifier(12, max_depth=5, random_state=0).fit(_people(), label())


@cache
def detector() -> SklearnForest:
    return SklearnForest(n_estimators=20, contamination=0.1, random_state=0).fit(_people())


def explainer(**changed: Any) -> p2ce.Explainer:
    """Make the usual explainer, except for the arguments that are named."""
    share = None if "contamination" in changed else 0.1
    arguments = {"plausibility": p2ce.PlausibilityForest(n_estimators=20, contamination=share), **changed}
    reference = arguments.pop("reference", people())
    if arguments.get("policy") is None:  # "Years" may fall as well: these tests are not about names
        grid: GridChoice = "data" if arguments.get("method", "exact") == "exact" else "paper"
        arguments["policy"] = p2ce.Policy.infer(reference, grid=grid, protect=None)
    return p2ce.Explainer(arguments.pop("model", forest()), reference, **{"target": 1, **arguments})


def rejected() -> pd.DataFrame:
    """Return the people whom the forest rejects."""
    return _people()[forest().predict(_people()) == 0].copy()


def rejected_by(score: Callable[[pd.DataFrame], np.ndarray], threshold: float = 0.5) -> pd.DataFrame:
    """Return the people whose score is below a threshold."""
    return _people()[score(people()) < threshold].copy()


def few() -> p2ce.Policy:
    """Let numbers move to a few values only: evaluating every cell stays possible."""
    return p2ce.Policy.infer(_people(), protect=None).candidates(
        Income=[12, 24, 36, 48], Debt=[-3.0, -1.0, 1.0, 3.0], Rate=[0.0, 0.5, 1.0], Years=[0, 5, 10]
    )
