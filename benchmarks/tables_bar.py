"""Brute force through a user's own pipeline: every row as a frame of the user's own types, batch after batch.

It looks at the very cells that p2ce looks at, so rows are codes as in p2ce: numbers, ranks of labels, and
−inf where a value is missing. Frames are made from them as quickly as pandas allows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest

from benchmarks.brute_force import BruteForce
from benchmarks.cases import CONTAMINATION, MAX_CHANGES, SEED, THRESHOLD
from benchmarks.tables_cases import TableCase, table_actions
from p2ce.arrays import BoolArray, FloatArray
from p2ce.detectors.imputed_values import known_codes
from p2ce.tables.codebook import MISSING, Codebook, codebook_of

# Rows per call: the quickest of 5,000 to 200,000. What a pipeline makes of fewer rows stays in the cache.
BATCH = {"a": 50_000, "b": 20_000, "c": 20_000, "d": 50_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameMaker:
    """Turns codes into frames of a table's own types, without looking at a label."""

    table: pd.DataFrame  # an empty one
    places: tuple[Any, ...]  # per column: rank of a label → its place in the dtype; None for numbers

    @classmethod
    def like(cls, table: pd.DataFrame, codebook: Codebook) -> "FrameMaker":
        def places(name: str) -> Any:
            labels = codebook[name].labels
            if labels is None:
                return None
            # Behind the last rank lies what index −1 finds: a missing label, which pandas calls −1.
            return np.append(table[name].cat.categories.get_indexer(list(labels)), -1).astype(np.int8)

        return cls(table=table.iloc[:0], places=tuple(places(name) for name in table.columns))

    def frame(self, rows: FloatArray) -> pd.DataFrame:
        gaps = rows == MISSING
        any_gap = gaps.any(axis=0)
        columns: dict[str, Any] = {}
        for column, (name, dtype) in enumerate(self.table.dtypes.items()):
            values, places = rows[:, column], self.places[column]
            if places is not None:
                ranks = np.where(gaps[:, column], -1, values) if any_gap[column] else values
                columns[name] = pd.Categorical.from_codes(
                    places[ranks.astype(np.int64)], dtype=dtype, validate=False
                )
            else:
                held = np.where(gaps[:, column], np.nan, values) if any_gap[column] else values
                columns[name] = held.astype(dtype)
        return pd.DataFrame(columns, copy=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """scikit-learn's own forest, fitted exactly as p2ce fits its detector: a missing value is one number."""

    forest: IsolationForest
    stand_ins: FloatArray  # (columns,) what stands for a missing value

    @classmethod
    def of(cls, codes: FloatArray, codebook: Codebook) -> "Twin":
        known = known_codes(codes, codebook)
        stand_ins = np.where(codes == MISSING, known, np.inf).min(axis=0)
        forest = IsolationForest(n_estimators=100, contamination=CONTAMINATION, random_state=SEED)
        return cls(forest=forest.fit(known), stand_ins=stand_ins)

    def is_plausible(self, rows: FloatArray) -> BoolArray:
        return self.forest.decision_function(np.where(rows == MISSING, self.stand_ins, rows)) >= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBar:
    """Brute force for the people of a case."""

    codebook: Codebook
    bar: BruteForce
    twin: Twin

    def codes(self, people: pd.DataFrame) -> FloatArray:
        return self.codebook.encode(people)


def table_bar(case: TableCase) -> TableBar:
    """Put brute force together, over the very candidates that p2ce uses."""
    train = case.data.train
    codebook = codebook_of(train)
    codes = codebook.encode(train)
    maker, twin = FrameMaker.like(train, codebook), Twin.of(codes, codebook)
    size = BATCH[case.kind]

    def accepts(rows: FloatArray) -> BoolArray:
        batches = (rows[first : first + size] for first in range(0, len(rows), size))
        return np.concatenate([case.scores(maker.frame(batch)) >= THRESHOLD for batch in batches])

    free = [feature for feature in table_actions(case.data).features if not feature.fixed]
    columns = np.array([train.columns.get_loc(feature.name) for feature in free])
    known = np.where(codes == MISSING, np.nan, codes)
    deviation = np.nanstd(known, axis=0)[columns]
    bar = BruteForce(
        columns=columns,
        candidates=tuple(feature.codes(codebook[feature.name]) for feature in free),
        deviation=np.where(deviation == 0, 1.0, deviation),
        column_count=int((~codebook.is_category).sum()),
        max_changes=MAX_CHANGES,
        accepts=accepts,
        is_plausible=twin.is_plausible,
        is_category=codebook.is_category[columns],
    )
    return TableBar(codebook=codebook, bar=bar, twin=twin)
