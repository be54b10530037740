"""Write the report's tables as Markdown, for docs/results.md."""

from collections.abc import Iterable, Sequence

import pandas as pd

from benchmarks.paper.report import facts, words
from benchmarks.paper.report.example import choose_example, example_table
from benchmarks.paper.report.method_settings import settings_table
from benchmarks.paper.report.other_tables import (
    broken_table,
    differences_table,
    failures_table,
    missing_table,
    models_table,
)
from benchmarks.paper.report.overview import overview
from benchmarks.paper.report.published import ONE_OBJECTIVE_TEXT
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.table import Cell, Group, Table
from benchmarks.paper.report.tables import further_table, main_table
from benchmarks.paper.report.verdict import SIGNS, Verdict

SPECIAL = str.maketrans(
    {
        "\\": "\\\\",
        "|": "\\|",
        "<": "&lt;",
        ">": "&gt;",
        "&": "&amp;",
        "*": "\\*",
        "[": "\\[",
        "]": "\\]",
        "`": "\\`",
        "\n": " ",
        "\r": " ",
    }
)


def markdown(
    results: Results, summary: pd.DataFrame, of_the_paper: Sequence[Verdict], of_ours: Sequence[Verdict]
) -> str:
    """The text of docs/results.md: the page without its figures."""
    parts = ["# Results"]
    if facts.is_quick(results):
        parts.append("**This was a quick run: it shows that everything works; its figures prove nothing.**")
    parts += [
        f"What this run ({_text(facts.in_short(results))}) says to each claim of the paper; the evidence "
        "is below. Written by `python -m benchmarks.paper`; do not edit by hand.",
        markdown_table(overview(of_the_paper)),
        "## The run",
        _text(facts.ABOUT.replace("Small grey figures are those that the paper published.", "")).rstrip()
        + " What the paper published stands in brackets.",
        _list(f"{_text(name)}: {_text(value)}" for name, value in facts.facts(results).items()),
    ]
    for title, judged in (
        ("What the paper says", of_the_paper),
        ("What this project says of itself", of_ours),
    ):
        parts.append(f"## {title}")
        for verdict in judged:
            parts += [
                f"### {SIGNS[verdict.state]} {_text(verdict.name)}: {_text(verdict.state_in_words)}",
                _text(f"{verdict.where}: {verdict.claim}"),
                _text(verdict.says),
                _text(f"Why: {verdict.cause}") if verdict.cause else "",
                *_titled(verdict.evidence),
            ]
    parts.append("## How to read the tables")
    parts.append(_list(f"**{_text(name)}**: {_text(meaning)}" for name, meaning in facts.MEANINGS.items()))
    parts += ["## How each method was set", *_titled(settings_table(results))]
    for experiment in ("inlierness", "one", "three", "forests"):
        parts.append(f"## {_text(words.name_of(experiment))}")
        if experiment == "one":
            parts.append(f"The paper's text says: {_text('; '.join(ONE_OBJECTIVE_TEXT))}.")
        if experiment == "three":
            parts.append(_text(f"Hypervolume, reference point: {facts.reference_point(results)}"))
        parts += _titled(main_table(results, summary, experiment))
        parts += _titled(further_table(results, summary, experiment))
    example = choose_example(results)
    if example is not None:
        parts += [
            "## Table 3: the answers one person got",
            "u(x) is 1 for an outlier to P²CE's own detector, as in the paper; “judge” is 1 for one to the "
            "extended judge, which no method saw.",
            *_titled(example_table(example)),
        ]
    parts += ["## Models and their accuracy", *_titled(models_table(results))]
    parts += ["## Broken answers, by kind", *_titled(broken_table(results))]
    parts += ["## Where paper and code differ", *_titled(differences_table(results))]
    parts += [
        "## What could not be run",
        _list(_text(left) for left in facts.left_out(results)),
        *_titled(missing_table(results)),
        *_titled(failures_table(results)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(table: Table) -> str:
    """One table of pipes; the titles of groups become a column, since Markdown has no groups."""
    groups = [group for group in table.groups if group.rows]
    titled = any(group.title for group in groups)
    columns = (*((table.titles,) if titled else ()), *table.columns)
    shift = 1 if titled else 0
    left = {0, shift, *(place + shift for place in table.words)}
    lines = [
        _line(_text(name) for name in columns),
        _line(":--" if place in left else "--:" for place in range(len(columns))),
    ]
    lines += [_line(_cells(group, row, titled=titled)) for group in groups for row in group.rows]
    return "\n".join(lines)


def _titled(table: Table) -> list[str]:
    if not any(group.rows for group in table.groups):
        return [f"*{_text(table.caption)}: nothing to show in this run.*"]
    return [f"**{_text(table.caption)}**", _text(table.note), markdown_table(table)]


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _cells(group: Group, row: tuple[Cell, ...], *, titled: bool) -> list[str]:
    return [*([_text(group.title)] if titled else []), *(_cell(cell) for cell in row)]


def _cell(cell: Cell) -> str:
    text = _text(cell.text)
    if cell.kind == "strong":
        text = f"**{text}**"
    return f"{text} ({_text(cell.beside)})" if cell.beside else text


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _text(text: str) -> str:
    return text.translate(SPECIAL)
