"""Which answers did one person get? The paper's example table, for one person of this run."""

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchmarks.paper.names import AUTHORS
from benchmarks.paper.report import words
from benchmarks.paper.report.published import EXAMPLE, EXAMPLE_COLUMNS, EXAMPLE_PERSON
from benchmarks.paper.report.results import Results, sorted_by_names
from benchmarks.paper.report.table import Cell, Group, Table

ANSWERS_IN_THE_PAPER = 3  # answers of P²CE's in the paper's example
LIKE_THE_PAPER = {"data": "adult", "model": "mlp"}  # the cell of the paper's example


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One person and every answer that any method gave."""

    data: str
    model: str
    row: str  # the person's label in the data
    person: dict[str, Any]  # their own values; empty if the run did not write them
    score: float
    answers: pd.DataFrame  # with a dict in `values`

    @property
    def changed(self) -> tuple[str, ...]:
        """The features that some answer changes, in the data's order."""
        given = [values for values in self.answers["values"] if values]
        names = list(dict.fromkeys(name for values in given for name in values))
        if self.person:
            return tuple(name for name in names if any(v.get(name) != self.person.get(name) for v in given))
        # Without the person's own row, what differs between answers is all that can be seen.
        return tuple(name for name in names if len({words.value(values.get(name)) for values in given}) > 1)


def choose_example(results: Results) -> Example | None:
    """The first person that the most methods answered, if possible with three answers of P²CE's.

    In the paper's cell if it was run, else in another. The authors' code, run on few people, does not count.
    """
    answers = results.answers[(results.answers["experiment"] == "three") & (results.answers["seed"] == 0)]
    if answers.empty:
        return None
    cells = sorted_by_names(answers[["data", "model"]].drop_duplicates(), ["model", "data"])
    like = (cells["data"] == LIKE_THE_PAPER["data"]) & (cells["model"] == LIKE_THE_PAPER["model"])
    cell = (cells[like] if like.any() else cells).iloc[0]
    here = answers[(answers["data"] == cell["data"]) & (answers["model"] == cell["model"])]
    methods = here[~here["method"].isin(AUTHORS)].groupby("person")["method"].nunique()
    ours = here[here["method"] == "p2ce"].groupby("person").size().reindex(methods.index, fill_value=0)
    share = ours.clip(upper=ANSWERS_IN_THE_PAPER) / (ANSWERS_IN_THE_PAPER + 1)  # decides among equals
    person = (methods + share).idxmax()
    mine = sorted_by_names(here[here["person"] == person], ["method"])
    people = results.people[
        (results.people["experiment"] == "three")
        & (results.people["data"] == cell["data"])
        & (results.people["model"] == cell["model"])
        & (results.people["person"] == person)
    ]
    shown = people[people["values"] != ""]
    return Example(
        data=cell["data"],
        model=cell["model"],
        row=people["row"].iloc[0] if len(people) else "",
        person=_values(shown["values"].iloc[0]) if len(shown) else {},
        score=float(people["score"].max()) if len(people) else float("nan"),
        answers=mine.assign(values=mine["values"].map(_values)),
    )


def example_table(example: Example) -> Table:
    """Only features that some answer changes; u(x) is P²CE's own detector, f(x) the model's score."""
    features = example.changed
    shown = [
        words.NOTHING,
        *(words.value(example.person.get(name, words.NOTHING)) for name in features),
        words.NOTHING,
        words.number(example.score, digits=2),
        words.NOTHING,
    ]
    groups = [Group(title="The person", rows=(tuple(Cell(text=text) for text in shown),))]
    for method, answers in example.answers.groupby("method", sort=False):
        rows = tuple(
            _answer(example, answer, features, number)
            for number, (_, answer) in enumerate(answers.iterrows(), start=1)
        )
        groups.append(Group(title=words.name_of(method), rows=rows))
    return Table(
        caption=f"One person of {words.cell_name(example.data, example.model)} (row {example.row or '–'})",
        columns=("Answer", *features, "u(x)", "f(x)", "Judge"),
        groups=tuple(groups),
        titles="Method",
    )


def paper_example() -> Table:
    """The paper's own example, of another person and another model."""

    def cells(number: str, row: tuple[str, ...]) -> tuple[Cell, ...]:
        return tuple(Cell(text=text) for text in (number, *row))

    groups = [Group(title="The person", rows=(cells(words.NOTHING, EXAMPLE_PERSON),))]
    for title, rows in EXAMPLE.items():
        numbered = tuple(cells(str(number), row) for number, row in enumerate(rows, start=1))
        groups.append(Group(title=title, rows=numbered))
    return Table(
        caption="Table of the paper, by its methods",
        columns=("Answer", *EXAMPLE_COLUMNS),
        groups=tuple(groups),
        titles="Method",
    )


def _answer(example: Example, answer: pd.Series, features: tuple[str, ...], number: int) -> tuple[Cell, ...]:
    def cell(name: str) -> Cell:
        value = answer["values"].get(name, words.NOTHING)
        moved = bool(example.person) and value != example.person.get(name)
        return Cell(text=words.value(value), kind="strong" if moved else "")

    wrong = {"invalid": answer["valid"] == 0, "not allowed": answer["allowed"] == 0}
    outlier, judged = (
        words.NOTHING if pd.isna(says) else f"{says:.0f}"
        for says in (1 - answer["plausible"], answer["outlier"])
    )
    return (
        Cell(text=str(number), beside=", ".join(name for name, is_so in wrong.items() if is_so)),
        *(cell(name) for name in features),
        Cell(text=outlier),
        Cell(text=words.number(answer["score"], digits=2)),
        Cell(text=judged),
    )


def _values(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
