"""Make the small model, people and files that tests of portfolios share."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from p2ce import Explainer, Policy
from p2ce.datasets import make_applicants
from p2ce.portfolio.runs.shard import RowSource
from p2ce.portfolio.runs.sources import open_source
from tests.optional import LazyLibrary

lightgbm = LazyLibrary("lightgbm")
pa = LazyLibrary("pyarrow")
pq = LazyLibrary("pyarrow.parquet")


@cache
def booster() -> Any:
    """Return a small model."""
    applicants = make_applicants(300)
    model = lightgbm.LGBMClassifier(n_estimators=12, num_leaves=6, random_state=0, verbose=-1, n_jobs=1)
    return model.fit(applicants.data, applicants.target).booster_


def explainer(**given: Any) -> Explainer:
    """Make an explainer of it, in which Age is fixed."""
    reference = make_applicants(300).data
    given.setdefault("policy", Policy.infer(reference, protect=None).fix("Age"))
    return Explainer(booster(), reference, **{"target": 1, **given})


def people(count: int) -> pd.DataFrame:
    """Draw applicants with an id and a group that the model does not see."""
    frame = make_applicants(count, random_state=7).data
    frame.insert(0, "id", [f"p{place:04d}" for place in range(count)])
    return frame.assign(sex=np.where(np.arange(count) % 3 == 0, "f", "m"))


def write_people(path: Path, count: int, *, group: int) -> Path:
    """Write people to a Parquet file with row groups of so many people."""
    pq.write_table(pa.Table.from_pandas(people(count), preserve_index=False), path, row_group_size=group)
    return path


def source_of(path: Path, explained_by: Explainer, *, group: int, **given: Any) -> RowSource:
    """Open a file of people in shards of so many."""
    return open_source(
        path,
        list(explained_by.problem.features),
        reference=explained_by.reference,
        most_rows=group,
        **given,
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Read all files of a run that have to be the same each time."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "timings.json"
    }
