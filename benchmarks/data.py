"""Load the benchmark data sets and choose the people who are asked about."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

VARIABLE = "P2CE_DATA"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What has to be known about a data file."""

    target: str  # 1 is the favourable outcome
    categorical: tuple[str, ...]  # left out, as in the paper's experiments
    immutable: tuple[str, ...]
    immutable_categories: tuple[str, ...] = ()  # of those left out


SOURCES = {
    "german": Source(
        target="GoodCustomer",
        categorical=("PurposeOfLoan",),
        # The authors' list misspells is_male, which left gender mutable in their experiments.
        immutable=(
            "Age",
            "OwnsHouse",
            "is_male",
            "JobClassIsSkilled",
            "Single",
            "ForeignWorker",
            "RentsHouse",
        ),
    ),
    "taiwan": Source(
        target="NoDefaultNextMonth",
        categorical=("EDUCATION", "MARRIAGE"),
        immutable=("Age",),
        immutable_categories=("MARRIAGE",),
    ),
    "adult": Source(
        target="income",
        categorical=("occupation", "relationship", "race"),
        immutable=("is_male", "age"),
        immutable_categories=("race",),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """One data set, split as the authors' code splits it: 45 % train, 5 % validation, 50 % test."""

    name: str
    train: pd.DataFrame
    outcome: pd.Series  # of the training rows
    test: pd.DataFrame
    immutable: tuple[str, ...]


def folder() -> Path:
    """The folder that holds the CSV files; ends the program with advice if it is not known."""
    named = os.environ.get(VARIABLE)
    if named is None:
        raise SystemExit(
            f"The benchmark data were not found: {VARIABLE} is not set. "
            f"Name the folder that holds {', '.join(f'{name}.csv' for name in SOURCES)}, "
            f"for example: {VARIABLE}=data python -m benchmarks.speed"
        )
    return Path(named)


def load(name: str) -> DataSet:
    """Read ``<name>.csv`` from the data folder without its categories, and split it."""
    features, outcome = read(name)
    source = SOURCES[name]
    return split(name, features.drop(columns=list(source.categorical)), outcome, immutable=source.immutable)


def read(name: str) -> tuple[pd.DataFrame, "pd.Series[int]"]:
    """Read all features of ``<name>.csv`` from the data folder, and the outcome."""
    source, path = SOURCES[name], folder() / f"{name}.csv"
    if not path.is_file():
        raise SystemExit(f"{VARIABLE} names {path.parent}, but there is no {path.name} in it.")
    frame = pd.read_csv(path)
    return frame.drop(columns=source.target), frame[source.target].astype(int)


def split(
    name: str, features: pd.DataFrame, outcome: "pd.Series[int]", *, immutable: tuple[str, ...]
) -> DataSet:
    """Split the rows as the authors' code does."""
    first, test, first_outcome, _ = train_test_split(
        features, outcome, test_size=0.5, random_state=0, shuffle=True
    )
    train, _, train_outcome, _ = train_test_split(first, first_outcome, test_size=0.1, random_state=0)
    return DataSet(name=name, train=train, outcome=train_outcome, test=test, immutable=immutable)


def choose(rows: pd.DataFrame, *, count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Choose ``count`` of the rows, each at most once (all, in random order, if there are not that many)."""
    return rows.iloc[rng.choice(len(rows), size=min(count, len(rows)), replace=False)]
