"""Put the page together: one file with everything inside, for a screen, a phone and paper."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from benchmarks.paper.report import facts, words
from benchmarks.paper.report.example import choose_example, example_table, paper_example
from benchmarks.paper.report.figure_files import FIGURES, FigureFile
from benchmarks.paper.report.html import Content, Html, details, join, paragraph, picture, section, table, tag
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
from benchmarks.paper.report.tables import further_table, main_table
from benchmarks.paper.report.verdict import SIGNS, Verdict

SECTIONS = {
    "claims": "What the paper says, and what this run says to it",
    "checks": "What this project says of itself",
    "reading": "How to read the tables",
    "methods": "How each method was set",
    "inlierness": "Table 1: inlierness, one objective, logistic regression",
    "one": "Figure 2: one objective, LightGBM and MLP",
    "three": "Table 2: three objectives, LightGBM and MLP",
    "example": "Table 3: the answers one person got",
    "toy": "Figure 1: a toy problem",
    "forests": "Random forests, beside OCEAN",
    "models": "Models and their accuracy",
    "broken": "Broken answers, by kind",
    "differences": "Where paper and code differ",
    "missing": "What could not be run",
    "again": "Run it again",
    "files": "Files",
}


def page(
    results: Results, summary: pd.DataFrame, of_the_paper: Sequence[Verdict], of_ours: Sequence[Verdict]
) -> str:
    """The whole page as text; figures are read from the folder's figures/ if they were drawn."""
    contents = {
        "claims": join(table(overview(of_the_paper)), _verdicts(of_the_paper)),
        "checks": _verdicts(of_ours),
        "reading": _how_to_read(),
        "methods": table(settings_table(results)),
        "inlierness": _experiment(results, summary, "inlierness"),
        "one": _one(results, summary),
        "three": _three(results, summary),
        "example": _example(results),
        "toy": _toy(results.folder),
        "forests": _experiment(results, summary, "forests"),
        "models": table(models_table(results)),
        "broken": table(broken_table(results)),
        "differences": table(differences_table(results)),
        "missing": _missing(results),
        "again": _again(results),
        "files": _files(results.folder),
    }
    shown = {name: content for name, content in contents.items() if content.markup}
    links = (tag("li", tag("a", SECTIONS[name], href=f"#{name}")) for name in shown)
    body = join(
        tag("header", tag("h1", facts.TITLE), *_introduction(results), tag("nav", tag("ul", *links))),
        tag("main", *(section(name, SECTIONS[name], content) for name, content in shown.items())),
    )
    css = (Path(__file__).parent / "page.css").read_text("utf-8")
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{facts.TITLE}</title>\n<style>\n{css}</style>"
    )
    body_markup = f"<body>\n{body.markup}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n{body_markup}\n</html>\n'


def _introduction(results: Results) -> list[Html]:
    listed = [
        part
        for name, value in facts.facts(results).items()
        for part in (tag("dt", name), tag("dd", tag("code", value) if name == "Command" else value))
    ]
    notice = tag(
        "p",
        "This was a quick run: few people, few rows, few trials. It shows that everything works; its figures "
        "prove nothing.",
        class_="notice",
    )
    return [
        *([notice] if facts.is_quick(results) else []),
        paragraph(facts.ABOUT),
        tag("dl", *listed, class_="facts"),
    ]


def _verdicts(judged: Sequence[Verdict]) -> Html:
    return tag("ol", *(_verdict(verdict) for verdict in judged), class_="verdicts")


def _verdict(verdict: Verdict) -> Html:
    evidence = details("Case by case", table(verdict.evidence))
    return tag(
        "li",
        tag("div", SIGNS[verdict.state], class_="sign", aria_hidden="true"),
        tag(
            "div",
            tag("h3", verdict.name, tag("span", f": {verdict.state_in_words}", class_="state")),
            tag("p", f"{verdict.where}: {verdict.claim}", class_="claim"),
            tag("p", verdict.says),
            *([tag("p", f"Why: {verdict.cause}")] if verdict.cause else []),
            evidence,
        ),
        class_=verdict.state,
    )


def _how_to_read() -> Html:
    listed = [
        part for name, meaning in facts.MEANINGS.items() for part in (tag("dt", name), tag("dd", meaning))
    ]
    return tag("dl", *listed, class_="meanings")


def _experiment(results: Results, summary: pd.DataFrame, experiment: str, *notes: Content) -> Html:
    figures = [_figure(results.folder, figure) for figure in FIGURES if figure.experiment == experiment]
    further = table(further_table(results, summary, experiment))
    return join(
        *notes,
        table(main_table(results, summary, experiment)),
        *(figure for figure in figures if figure.markup),
        details("Further figures: the other judge, invalid and broken answers", further),
    )


def _one(results: Results, summary: pd.DataFrame) -> Html:
    said = "; ".join(ONE_OBJECTIVE_TEXT)
    note = f"The paper shows this in a figure, whose values its source does not give. Its text says: {said}."
    return _experiment(results, summary, "one", paragraph(note))


def _three(results: Results, summary: pd.DataFrame) -> Html:
    note = f"Hypervolume, reference point: {facts.reference_point(results)}"
    return _experiment(results, summary, "three", paragraph(note))


def _example(results: Results) -> Html:
    example = choose_example(results)
    if example is None:
        return paragraph("No experiment with three objectives was run.")
    note = (
        "The first person that the most methods answered, if possible with three answers of P²CE's as in "
        "the paper, and only features that some answer changes. u(x) is 1 for an outlier to P²CE's own "
        "detector, as in the paper; “judge” is 1 for one to the extended judge, which no method saw. f(x) "
        "is the model's score; changed values are bold."
    )
    return join(
        paragraph(note),
        table(example_table(example)),
        details("The paper's example, of another person with another model", table(paper_example())),
    )


def _toy(folder: Path) -> Html:
    caption = "MAPOCAM's answer is an outlier; P²CE's is the nearest one that is none."
    try:
        meaning = json.loads((folder / "results" / "toy.json").read_text("utf-8"))
        caption = str(meaning["caption"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # the file is optional
    return picture(folder / "figures" / "toy", alt="A toy problem in two dimensions", caption=caption)


def _missing(results: Results) -> Html:
    left_out, missing, failures = facts.left_out(results), missing_table(results), failures_table(results)
    parts = [tag("ul", *(tag("li", left) for left in left_out))] if left_out else []
    if results.missing.empty and not left_out:
        parts.append(paragraph("Every row was run."))
    parts += [table(each) for each in (missing, failures) if each.groups[0].rows]
    return join(*parts)


def _again(results: Results) -> Html:
    commands = {
        "python -m benchmarks.paper": "everything; goes on where it was interrupted",
        "python -m benchmarks.paper --quick": "minutes: few people, to see that all works",
        "python -m benchmarks.paper --table 1 --figure 2": "only these of the paper's tables and figures",
    }
    this = facts.command(results.run)
    commands[this] = f"{commands[this]} (this run)" if this in commands else "this run"
    listed = (tag("li", tag("code", command), f": {what}.") for command, what in commands.items())
    data = (
        "The environment variable P2CE_DATA names a folder with german.csv, taiwan.csv and adult.csv; "
        "without it the data come from OpenML. The options under “Where paper and code differ” can be added."
    )
    return join(tag("ul", *listed), paragraph(data))


def _files(folder: Path) -> Html:
    names = [
        path.relative_to(folder).as_posix()
        for part in ("results", "figures")
        for path in sorted((folder / part).glob("*"))
        if path.suffix in (".csv", ".json", ".png", ".svg") and not path.stem.endswith("-narrow")
    ]
    return tag("ul", *(tag("li", tag("a", name, href=name)) for name in names), class_="files")


def _figure(folder: Path, figure: FigureFile) -> Html:
    alt = f"{words.name_of(figure.experiment)}: {figure.alt}"
    return picture(folder / "figures" / figure.name, alt=alt, caption=figure.caption)
