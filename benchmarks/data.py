"""Load the benchmark data sets, split them, and choose the people to explain."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.paper import splits
from p2ce import P2CEError, datasets
from p2ce.datasets.facts import FACTS

NAMES = tuple(FACTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """One data set, split as the authors' code splits it: 45 % train, 5 % validation, 50 % test."""

    name: str
    train: pd.DataFrame
    outcome: pd.Series  # of the training rows
    test: pd.DataFrame
    immutable: tuple[str, ...]


def require(names: Iterable[str]) -> None:
    """End the program with advice, before anything is trained, if a data set cannot be had."""
    for name in names:
        try:
            datasets.load(name)
        except P2CEError as error:
            raise SystemExit(str(error)) from error


def load(name: str) -> DataSet:
    """Load a data set without its categories, and split it."""
    loaded = datasets.load(name)
    return split(name, loaded.features, loaded.outcome, immutable=loaded.immutable)


def split(
    name: str, features: pd.DataFrame, outcome: "pd.Series[int]", *, immutable: tuple[str, ...]
) -> DataSet:
    """Split the rows as the authors' code does."""
    parts = splits.split(features, outcome, kind="code", seed=0)
    return DataSet(
        name=name, train=parts.train, outcome=parts.train_outcome, test=parts.test, immutable=immutable
    )


def choose(rows: pd.DataFrame, *, count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Choose ``count`` of the rows, each at most once (all, in random order, if there are not that many)."""
    return rows.iloc[rng.choice(len(rows), size=min(count, len(rows)), replace=False)]
