"""Load the tables of a run, check their columns, and select the cells of an experiment."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import yaml

from reproduction.experiments import PLAN
from reproduction.names import DATA_SETS, EXPERIMENTS, METHODS, MODELS
from reproduction.report import numbers
from reproduction.report.summary import over_seeds, seconds_of_a_call, summarise, volumes

KEY = ["experiment", "data", "model", "method"]
ORDER = {"experiment": EXPERIMENTS, "data": DATA_SETS, "model": MODELS, "method": METHODS}
TRUTHS = {"true": 1.0, "1": 1.0, "1.0": 1.0, "false": 0.0, "0": 0.0, "0.0": 0.0}
# Table → its columns, by kind; truths are 1.0, 0.0 or NaN.
COLUMNS: dict[str, dict[str, list[str]]] = yaml.safe_load("""
people:
  texts: [experiment, data, model, method, row, status, error, values, pruned]
  numbers: [seed, person, seconds, seconds_alone, answers, hypervolume, hypervolume_grid, best_cost, score,
            calls, cells, explanations, nodes]
  truths: [front_is_true, front_is_plausible_truth]
answers:
  texts: [experiment, data, model, method, broken, values]
  numbers: [seed, person, answer, mean_distance, max_distance, changes, score]
  truths: [valid, plausible, outlier, outlier_axis_parallel, allowed, on_grid]
studies:
  texts: [data, model, parameters]
  numbers: [seed, rows, features, mutable, balanced_accuracy_validation, balanced_accuracy_test, denied,
            people, seconds_training]
missing:
  texts: [experiment, data, model, method, reason]
  numbers: [seed]
""")


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """The tables of a run, with all columns, and their summary."""

    folder: Path  # holds results/ and figures/
    people: pd.DataFrame
    answers: pd.DataFrame
    studies: pd.DataFrame
    missing: pd.DataFrame
    run: Mapping[str, Any]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The summary: one row per experiment, data set, model and method."""
        made = summarise(self.people, self.answers, self.studies)
        return in_order(made, KEY)

    @cached_property
    def _by_method(self) -> dict[str, dict[Any, pd.DataFrame]]:
        """Table → experiment, data set, model and method → rows, since comparing every row takes long."""
        tables = {"people": self.people, "answers": self.answers, "summary": self.summary}
        return {name: dict(iter(frame.groupby(KEY, sort=False))) for name, frame in tables.items()}

    def rows_of(
        self, table: Literal["people", "answers", "summary"], *cell_and_method: str
    ) -> pd.DataFrame:  # experiment, data set, model, method
        """Return the rows of a method in one cell."""
        frame: pd.DataFrame = getattr(self, table)
        return self._by_method[table].get(cell_and_method, frame[:0])

    def cells(self, *experiments: str) -> Iterator["Cell"]:
        """Yield the cells of experiments of the paper, run or not."""
        for experiment in experiments:
            for model in PLAN[experiment][0]:
                for data in DATA_SETS:
                    yield Cell(results=self, experiment=experiment, data=data, model=model)

    def json(self, name: str) -> dict[str, Any]:
        """Load a JSON object of the run; empty if there is none."""
        return json_object(self.folder / "results" / name)


def read_results(folder: Path) -> Results:
    """Load ``folder``/results. A missing file counts as empty, and a missing column is an error."""
    results = folder / "results"
    if not results.is_dir():
        raise FileNotFoundError(
            f"Expected the results of a run in {results}, found no such folder. "
            "Run `python -m reproduction --quick` first."
        )
    frames = {name: _frame(results / f"{name}.csv", **columns) for name, columns in COLUMNS.items()}
    return Results(folder=folder, run=json_object(results / "run.json"), **frames)


def in_order(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Sort in the order of names.py, with unknown names last."""

    def places(names: pd.Series) -> pd.Series:
        known = {name: f"{place:03}" for place, name in enumerate(ORDER.get(str(names.name), ()))}
        return names.map(lambda name: known.get(name, f"999 {name}"))

    return frame.sort_values(columns, key=places, kind="stable", ignore_index=True)


def json_object(source: Path | str) -> dict[str, Any]:
    """Parse the JSON object of a file or a text; empty if there is none."""
    try:
        content = json.loads(source.read_text("utf-8") if isinstance(source, Path) else source)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _frame(
    path: Path, texts: list[str], numbers: list[str], truths: list[str] | tuple[()] = ()
) -> pd.DataFrame:
    """Load a table as text first, so the type of a column does not depend on its values."""
    named = [*texts, *numbers, *truths]
    try:
        read = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (FileNotFoundError, pd.errors.EmptyDataError):
        read = pd.DataFrame(columns=named, dtype=str)
    # If a renamed column counted as empty, no counterfactual would be wrong.
    missing = [name for name in named if name not in read]
    if missing:
        raise ValueError(
            f"Expected the column {missing[0]!r} in {path.name}, found only: {', '.join(read.columns)}. "
            "Run `python -m reproduction` again. It keeps finished results."
        )
    made = {name: pd.to_numeric(read[name], errors="coerce") for name in numbers}
    made |= {name: read[name].str.strip().str.lower().map(TRUTHS).astype(float) for name in truths}
    return read[named].assign(**made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One experiment on one data set with one model, and comparisons of two methods on the same people."""

    results: Results
    experiment: str
    data: str
    model: str

    @property
    def name(self) -> str:
        return numbers.cell_name(self.data, self.model)

    @property
    def long_name(self) -> str:
        return f"{numbers.name_of(self.experiment).partition(':')[0]}, {self.name}"

    def has(self, *methods: str) -> bool:
        return all(len(self.people(method)) for method in methods)

    def row(self, method: str) -> "pd.Series | None":
        """Return the summary of a method, or None if it was not run."""
        found = self._rows("summary", method)
        return None if found.empty else found.iloc[0]

    def figure(self, method: str, column: str) -> float:
        """Return one figure of the summary, or NaN if the method was not run."""
        row = self.row(method)
        return float("nan") if row is None else float(row[column])

    def people(self, method: str) -> pd.DataFrame:
        """Return the people of a method by number, with times, costs, volumes and whether fronts are true."""
        mine = self._rows("people", method)
        return mine.assign(
            call=seconds_of_a_call(mine), volume=volumes(mine, "hypervolume"), cost=mine["best_cost"]
        ).set_index("person")

    def answers(self, method: str) -> pd.DataFrame:
        """Return the valid counterfactuals of a method."""
        mine = self._rows("answers", method)
        return mine[mine["valid"] == 1]

    def cheapest(self, method: str) -> pd.DataFrame:
        """Return the cheapest valid counterfactual of each person."""
        mine = self.answers(method).sort_values("mean_distance", kind="stable")
        return mine.drop_duplicates("person").set_index("person")

    def same_people(self, first: str, second: str, column: str) -> tuple[float, float, int]:
        """Return the means of two methods over the people with both values, by seed, and their number."""
        other = self.people(second)[column].rename("other")
        both = self.people(first)[["seed", column]].join(other, how="inner").dropna()
        mine, theirs = (over_seeds(both[name], both["seed"])[0] for name in (column, "other"))
        return mine, theirs, len(both)

    def pair(self, first: str, second: str, column: str) -> str:
        """Write both means of ``same_people``: 1.20 ms / 3.40 ms."""
        one, two, people = self.same_people(first, second, column)
        if not people:
            return numbers.NOTHING
        if column == "call":
            return f"{numbers.seconds(one)} / {numbers.seconds(two)}"
        return f"{one:,.0f} / {two:,.0f}" if column in ("cells", "nodes") else f"{one:.3f} / {two:.3f}"

    def _rows(self, table: Literal["people", "answers", "summary"], method: str) -> pd.DataFrame:
        return self.results.rows_of(table, self.experiment, self.data, self.model, method)
