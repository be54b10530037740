"""Make small random tables of applicants with columns of every kind."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

ROWS = 60
GROUP = ("in_town", "in_village", "at_sea")  # 0/1 columns that are one category
COMPLETE = ("age", "owed", "owns", "rate", "term", "wealth")  # numbers that are never missing
NUMBERS = ("age", "debt", "owns", "rate", "years", "flag", *GROUP)
CATEGORIES = ("home", "grade")
TEXTS = ("job", "city")

Draw = Callable[[np.random.Generator], Any]


def _some(draw: np.random.Generator, values: Any) -> Any:
    """Leave about one value of eight out."""
    return values.mask(draw.random(ROWS) < 0.12)


COLUMNS: dict[str, Draw] = {
    "age": lambda draw: pd.Series(draw.integers(20, 25, ROWS)),
    "owed": lambda draw: pd.Series(draw.integers(0, 9, ROWS) / 4.0),
    "debt": lambda draw: _some(draw, pd.Series(draw.integers(0, 7, ROWS) / 4.0)),
    "owns": lambda draw: pd.Series(draw.random(ROWS) < 0.4),
    "rate": lambda draw: pd.Series((draw.integers(0, 6, ROWS) / 10.0).astype(np.float32)),
    "years": lambda draw: _some(draw, pd.Series(draw.integers(0, 5, ROWS), dtype="Int64")),
    "term": lambda draw: pd.Series(draw.integers(-2, 4, ROWS).astype(np.int16)),
    "wealth": lambda draw: pd.Series(draw.normal(0.0, 2.0, ROWS).round(1)),
    "flag": lambda draw: _some(draw, pd.Series(draw.random(ROWS) < 0.5, dtype="boolean")),
    "home": lambda draw: _some(
        draw,
        pd.Series(
            pd.Categorical(draw.choice(["own", "rent", "free"], ROWS), ["boat", "rent", "own", "free"])
        ),
    ),
    "grade": lambda draw: pd.Series(
        pd.Categorical(draw.choice(list("abcd"), ROWS), list("abcd"), ordered=True)
    ),
    "job": lambda draw: pd.Series(draw.choice(["clerk", "cook", "boss"], ROWS).astype(object), dtype=object),
    "city": lambda draw: pd.Series(draw.choice(["Bonn", "Kiel", "Ulm"], ROWS), dtype="string"),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Applicants, and the outcome of each."""

    frame: pd.DataFrame
    label: np.ndarray


def random_table(
    seed: int, *, columns: int, kinds: Collection[str], must: Collection[str] = (), group: bool = False
) -> Table:
    """Make applicants with so many of these columns, in random order; ``group`` adds three more.

    Columns that it ``must`` have come first, whatever their number.
    """
    draw = np.random.default_rng(seed)
    possible = [name for name in COLUMNS if name in kinds]
    shuffled = [possible[i] for i in draw.permutation(len(possible))]
    chosen = sorted(shuffled, key=lambda name: name not in must)[: max(columns, len(must))]
    made = {name: COLUMNS[name](draw) for name in chosen}
    if group:
        level = draw.integers(0, 4 if draw.random() < 0.5 else 3, ROWS)
        made |= {name: pd.Series((level == i).astype(np.int8)) for i, name in enumerate(GROUP)}
    frame = pd.DataFrame({str(name): made[name] for name in draw.permutation(list(made))})
    parts = np.column_stack([pd.factorize(frame[name], sort=False)[0] for name in frame]).astype(float)
    parts = (parts - parts.mean(axis=0)) / np.maximum(parts.std(axis=0), 1e-9)
    margin = parts @ draw.normal(size=frame.shape[1]) + draw.normal(0.0, 0.4, ROWS)
    return Table(frame=frame, label=(margin > np.quantile(margin, draw.uniform(0.5, 0.8))).astype(int))
