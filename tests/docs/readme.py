"""Return the README's blocks what they take for granted: people, models, files and a service."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import p2ce

COUNT = 300


def prelude(folder: Path) -> dict[str, Any]:
    """Return `X_train`, `row`, `model`, `pipeline` (whose classes have names) and `my_service`.

    The folder gets model.txt, train.csv, people.csv and policy.yaml, for the command line.
    """
    rng = np.random.default_rng(0)
    job = rng.integers(0, 3, COUNT)
    late = rng.poisson(1.0, COUNT)
    employed = rng.random(COUNT) < 0.8
    years = rng.integers(0, 15, COUNT)
    people = pd.DataFrame(
        {
            "Age": rng.integers(20, 70, COUNT),
            "Gender": rng.choice(["f", "m"], COUNT),
            "Employed": employed,
            "Income": np.where(employed, rng.integers(12, 60, COUNT) * 100, rng.integers(0, 13, COUNT) * 100),
            "LoanAmount": rng.integers(5, 100, COUNT) * 100,
            "Housing": rng.choice(["own", "rent", "free"], COUNT),
            "BureauScore": rng.integers(300, 800, COUNT),
            "late_30d": late,
            "late_90d": rng.binomial(late, 0.4),
            "job_clerk": (job == 1).astype(int),
            "job_cook": (job == 2).astype(int),
            "YearsAtAddress": years,
            "YearsInTown": years + rng.integers(0, 20, COUNT),
        }
    )
    worth = (
        people["Income"] / 1000 - people["LoanAmount"] / 2000 - people["late_30d"] + rng.normal(size=COUNT)
    )
    accept = (worth > 0).to_numpy()
    row = people[~accept].iloc[0]
    _write_files(folder, people.select_dtypes(["number", "bool"]), accept)
    return {
        "X_train": people,
        "row": row,
        "model": _pipeline().fit(people, accept.astype(int)),
        "pipeline": _pipeline().fit(people, np.where(accept, "accept", "reject")),
        "my_service": SimpleNamespace(predict=_served(_pipeline().fit(people, accept))),
    }


def _write_files(folder: Path, people: pd.DataFrame, accept: Any) -> None:
    booster = lightgbm.LGBMClassifier(n_estimators=10, num_leaves=7, verbose=-1).fit(people, accept).booster_
    booster.save_model(folder / "model.txt")
    people.to_csv(folder / "train.csv", index=False)
    people.head(20).to_csv(folder / "people.csv", index=False)
    p2ce.Policy.infer(people).protect("Age").save(folder / "policy.yaml")


def _pipeline() -> Any:
    labels = OneHotEncoder(handle_unknown="ignore")
    prepare = make_column_transformer((labels, ["Gender", "Housing"]), remainder=StandardScaler())
    return make_pipeline(prepare, LogisticRegression())


def _served(model: Any) -> Any:
    return lambda frame: model.predict_proba(frame)[:, 1]
