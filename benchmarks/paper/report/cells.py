"""Select one cell of a run: the people, answers and summary of a method, and two methods on the same "
"people."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from benchmarks.paper.experiments import PLAN
from benchmarks.paper.names import DATA_SETS
from benchmarks.paper.report import words
from benchmarks.paper.report.intervals import over_seeds
from benchmarks.paper.report.results import CELL, Results
from benchmarks.paper.report.summaries import mean_over_people, seconds_of_a_call, volumes


@dataclass(frozen=True, slots=True, kw_only=True)
class CellOf:
    """One experiment on one data set with one model."""

    results: Results
    summary: pd.DataFrame
    experiment: str
    data: str
    model: str

    @property
    def name(self) -> str:
        return words.cell_name(self.data, self.model)

    def has(self, *methods: str) -> bool:
        return all(len(self.people(method)) for method in methods)

    def row(self, method: str) -> "pd.Series | None":
        """The summary of a method, or None where it was not run."""
        found = self._of(self.summary, method)
        return None if found.empty else found.iloc[0]

    def people(self, method: str) -> pd.DataFrame:
        """Its people, by number, with what a call took, costs, volumes and whether the front is true."""
        mine = self._of(self.results.people, method)
        return mine.assign(
            call=seconds_of_a_call(mine), volume=volumes(mine, "hypervolume"), cost=mine["best_cost"]
        ).set_index("person")

    def answers(self, method: str) -> pd.DataFrame:
        """Its valid answers."""
        mine = self._of(self.results.answers, method)
        return mine[mine["valid"] == 1]

    def same_people(self, first: str, second: str, column: str) -> tuple[float, float, int]:
        """The means of two methods over the people for whom both have a value, seed by seed, and how many."""
        both = self.people(first)[["seed", column]].join(
            self.people(second)[column].rename("other"), how="inner"
        )
        both = both.dropna()
        return (
            over_seeds(both[column], both["seed"])[0],
            over_seeds(both["other"], both["seed"])[0],
            len(both),
        )

    def outliers(self, first: str, second: str) -> tuple[float, float, int]:
        """The shares of outliers of two methods, over the people that both answered, and how many."""
        one, two = self.answers(first), self.answers(second)
        both = set(one["person"]) & set(two["person"])
        shares = (mean_over_people(found[found["person"].isin(both)], "outlier") for found in (one, two))
        return *shares, len(both)

    def cheapest(self, method: str) -> pd.DataFrame:
        """The cheapest valid answer of each person."""
        mine = self.answers(method).sort_values("mean_distance", kind="stable")
        return mine.drop_duplicates("person").set_index("person")

    def _of(self, frame: pd.DataFrame, method: str) -> pd.DataFrame:
        if frame.empty:
            return frame
        here = (frame[CELL] == [self.experiment, self.data, self.model]).all(axis=1)
        return frame[here & (frame["method"] == method)]


def cells(results: Results, summary: pd.DataFrame, experiment: str) -> Iterator[CellOf]:
    """The cells of an experiment of the paper, whether they were run or not."""
    for model in PLAN[experiment][0]:
        for data in DATA_SETS:
            yield CellOf(results=results, summary=summary, experiment=experiment, data=data, model=model)
