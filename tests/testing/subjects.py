"""Fit what the checks are tried on, small and quick."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from p2ce.models.decisions.adapter import Adapter
from p2ce.models.parse_model import parse_model
from tests.models.laws import people

FRAME, LABEL = people(rows=300)
# Enough to find what is broken on purpose.
QUICK: dict[str, Any] = {"rows": 300, "boxes": 40, "cells": 300, "people": 1}


def tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=4, random_state=0).fit(FRAME, LABEL)


def logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(FRAME, LABEL)


def network() -> Any:
    layers = MLPClassifier((8, 8), solver="lbfgs", alpha=1.0, max_iter=300, tol=1e-2, random_state=0)
    return make_pipeline(StandardScaler(), layers).fit(FRAME, LABEL)


def formula(frame: pd.DataFrame) -> np.ndarray:
    """Score rows without any library."""
    margin = (frame["income"] - 3000.0) / 1500.0 + frame["balance"] - 0.02 * (frame["age"] - 40)
    return 1.0 / (1.0 + np.exp(-margin.to_numpy()))


def adapter_of(model: Any) -> Adapter:
    return parse_model(model, reference=FRAME)
