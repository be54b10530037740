"""Build the report's tables as data frames of text, ready for a template."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import pandas as pd

from reproduction.experiments import PLAN
from reproduction.names import AUTHORS, METHODS, OURS
from reproduction.report import numbers
from reproduction.report.numbers import NOTHING, cell_name, name_of, text
from reproduction.report.results import KEY, Results, in_order, json_object
from reproduction.report.summary import broken_by_kind, seconds_of_a_call

NOT_RUN = "not run"
LONGEST_ERROR = 300  # characters of a peer's message; people.csv has all of it
ANSWERS_IN_THE_PAPER = 3  # counterfactuals of P²CE in the paper's example
Row = Mapping[str, Any]  # a row of the summary


class Text(str):
    """A text of a table, and a small grey remark after it, such as the paper's value."""

    __slots__ = ("beside", "kind")
    beside: str
    kind: str

    def __new__(cls, content: str, beside: str = "", kind: str = "") -> "Text":
        made = super().__new__(cls, content)
        made.beside, made.kind = beside, kind  # kind: "strong", "code", "good" or "bad"
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A data frame for readers; its first column names the rows."""

    caption: str
    frame: pd.DataFrame  # of texts
    words: tuple[str, ...] = ()  # columns that hold sentences, not figures
    groups: str = ""  # a column, the first one, that groups rows

    @property
    def columns(self) -> list[str]:
        """All columns but the one that groups."""
        return [str(name) for name in self.frame if name != self.groups]

    @property
    def grouped(self) -> list[tuple[str, list[list[str]]]]:
        """Title → rows, or one untitled group."""
        if not self.groups:
            return [("", self.frame.to_numpy(object).tolist())]
        rows = self.frame.groupby(self.groups, sort=False)
        return [(str(title), found[self.columns].to_numpy(object).tolist()) for title, found in rows]


def table(
    caption: str, rows: list[dict[str, str]], *words: str, groups: str = "", columns: tuple[str, ...] = ()
) -> Table:
    """Build a table; ``columns`` are needed only where there may be no row."""
    frame = pd.DataFrame(rows, columns=list(columns) or None, dtype=object)
    return Table(caption=caption, frame=frame, words=words, groups=groups)


def systems_table(results: Results) -> Table:
    """Return one row for every system, those that did not run included, over all experiments."""
    cells = ["experiment", "data", "model", "person"]
    people = results.people.assign(call=seconds_of_a_call(results.people)).set_index(cells)
    proven = people.loc[people["method"] == "proven", ["call", "best_cost"]].add_suffix("_of_p2ce")
    names = ("People", "Time / p2ce's", "Cost / p2ce's", "Usable", "True fronts")
    rows = []
    for method in METHODS:
        mine = people[people["method"] == method].join(proven)
        given = results.answers[results.answers["method"] == method]
        usable = (given[["valid", "allowed", "plausible"]] == 1).all(axis=1)
        time = mine[["call", "call_of_p2ce"]].dropna().median()
        cost = mine[["best_cost", "best_cost_of_p2ce"]].dropna().mean()
        shown = [
            numbers.of(mine["best_cost"].notna().sum(), len(mine)),
            _compared(method, *map(numbers.seconds, time)),
            _compared(method, *map(numbers.number, cost)),
            NOTHING if given.empty else f"{100 * int(usable.sum()) // len(given)} %",  # 100 only if all are
            numbers.of(mine["front_is_true"].sum(), mine["front_is_true"].notna().sum()),
        ]
        if mine.empty:
            shown = [NOT_RUN, *[NOTHING] * (len(names) - 1)]
        name = Text(name_of(method), kind="strong" if method == "proven" else "")
        rows.append({"System": name} | dict(zip(names, shown, strict=True)))
    return table("All systems, over all experiments", rows)


def _compared(method: str, own: str, of_p2ce: str) -> str:
    return own if method == "proven" or own == NOTHING else f"{own} / {of_p2ce}"


def experiment_tables(results: Results, experiment: str) -> list[Table]:
    """Return the figures of the paper's table, and a second table with everything else."""
    three = experiment == "three"
    main = {
        "People with a result": _answered,
        **(
            {"Hypervolume": _mean("hypervolume", 2), "By the grid": _mean("hypervolume_grid")}
            if three
            else {"Cost c₁": _mean("cost", 3)}
        ),
        "Outliers, % [95 %]": lambda row: Text(
            numbers.share_within(row["outliers"], row["outliers_low"], row["outliers_high"]),
            "" if isnan(row["published_outliers"]) else f"paper {100 * row['published_outliers']:.0f}",
        ),
        "Time": lambda row: numbers.seconds(row["seconds_median"]),
        "Time, mean": lambda row: Text(
            numbers.seconds_within(row["seconds_mean"], row["seconds_low"], row["seconds_high"]),
            ""
            if isnan(row["published_seconds"])
            else f"paper {row['published_seconds']} ± {row['published_seconds_sd']} s",
        ),
        "Model calls": lambda row: numbers.count(row["calls"]),
        "Cells evaluated": lambda row: numbers.count(row["cells"]),
        "SHAP explanations": lambda row: numbers.count(row["explanations"]),
        "True fronts [95 %]": lambda row: (
            numbers.of(row["fronts_true"], row["fronts_checked"])
            + (
                f" [{100 * row['fronts_low']:.0f}–{100 * row['fronts_high']:.0f}]"
                if row["fronts_checked"]
                else ""
            )
        ),
    }
    further = {
        **({"Least cost c₁": _mean("cost", 3)} if three else {}),
        "In a batch": lambda row: numbers.seconds(row["seconds_in_batch"]),
        "Nodes": lambda row: numbers.count(row["nodes"]),
        "Proven, same people": lambda row: numbers.number(row["cost_of_proven"]),
        "Counterfactuals per person": lambda row: numbers.number(row["answers_per_person"], digits=1),
        "True and plausible": lambda row: numbers.of(
            row["plausible_fronts_true"], row["plausible_fronts_checked"]
        ),
        "Outliers, axis-parallel, %": lambda row: numbers.per_cent(row["outliers_axis_parallel"]),
        "Invalid": _wrong("invalid"),
        "Not allowed": _wrong("not_allowed"),
        "Implausible": _wrong("implausible"),
        "Off the grid": _wrong("off_grid"),
        "Status of the calls": lambda row: row["statuses"] or NOTHING,
    }
    captions = (
        "Results and times of the methods",
        "More figures, and wrong counterfactuals",
    )
    return [
        _by_method(results, experiment, captions[0], main),
        _by_method(results, experiment, captions[1], further, "Status of the calls"),
    ]


def _by_method(
    results: Results, experiment: str, caption: str, columns: dict[str, Callable[[Row], str]], *words: str
) -> Table:
    """Return one row per method of the experiment, run or not, grouped by data set and model."""
    measured = results.summary[results.summary["experiment"] == experiment]
    missing = results.missing[results.missing["experiment"] == experiment]
    cells = pd.concat([measured, missing])[["experiment", "data", "model"]].drop_duplicates()
    planned = cells.merge(pd.DataFrame({"method": PLAN[experiment][2]}), how="cross")
    listed = pd.concat([measured, missing[KEY], planned]).drop_duplicates(KEY)
    rows = []
    for row in in_order(listed, ["model", "data", "method"]).to_dict("records"):
        name = Text(name_of(row["method"]), kind="strong" if row["method"] == "proven" else "")
        shown = {"Study": cell_name(row["data"], row["model"]), "Method": name}
        if pd.isna(row["people"]):
            made = dict.fromkeys(columns, NOTHING) | {next(iter(columns)): NOT_RUN}
        else:
            made = {column: make(row) for column, make in columns.items()}
        rows.append(shown | made)
    return table(caption, rows, *words, groups="Study", columns=("Study", "Method", *columns))


def _answered(row: Row) -> Text:
    late = row["people"] - row["finished"]
    return Text(numbers.of(row["answered"], row["people"]), f"{late:.0f} not finished" if late else "")


def _mean(name: str, digits: int = 0) -> Callable[[Row], Text]:
    """Return how to write a mean and its interval; with ``digits``, the paper's mean follows."""

    def made(row: Row) -> Text:
        paper = row[f"published_{name}"] if digits else float("nan")
        beside = (
            "" if isnan(paper) else f"paper {paper:.{digits}f} ± {row[f'published_{name}_sd']:.{digits}f}"
        )
        return Text(numbers.within(row[f"{name}_mean"], row[f"{name}_low"], row[f"{name}_high"]), beside)

    return made


def _wrong(name: str) -> Callable[[Row], str]:
    return lambda row: numbers.of(row[name], row["given"]) if row[name] else "0"


def models_table(results: Results) -> Table:
    """Return the models, their training data and their accuracy."""
    rows = [
        {
            "Study": cell_name(study["data"], study["model"]),
            "Seed": numbers.number(study["seed"], digits=0),
            "Rows": numbers.number(study["rows"], digits=0),
            "Features": numbers.number(study["features"], digits=0),
            "May change": numbers.number(study["mutable"], digits=0),
            "Balanced accuracy, validation": numbers.number(study["balanced_accuracy_validation"]),
            "Balanced accuracy, test": numbers.number(study["balanced_accuracy_test"]),
            "Rejected": numbers.number(study["denied"], digits=0),
            "Requested": numbers.number(study["people"], digits=0),
            "Training": numbers.seconds(study["seconds_training"]),
            "Parameters": ", ".join(
                f"{name} {numbers.value(value)}" for name, value in json_object(study["parameters"]).items()
            )
            or study["parameters"].replace("{}", "")
            or NOTHING,
        }
        for study in in_order(results.studies, ["model", "data", "seed"]).to_dict("records")
    ]
    return table("The models, their training data and their accuracy", rows, "Parameters")


def broken_table(results: Results) -> Table:
    """Return how many counterfactuals of each method are wrong, and which constraints they break."""
    kinds = text()["broken"]
    counts = in_order(broken_by_kind(results.answers, list(kinds)), ["method"])
    found = [str(name) for name in counts if str(name).startswith("kind: ")]
    columns = {"given": "Counterfactuals", "invalid": "Invalid", "not_allowed": "Not allowed"}
    columns |= {name: f"of these: {kinds.get(name[6:], name[6:])}" for name in found}
    columns |= {"implausible": "Implausible", "off_grid": "Off the grid"}
    rows = [
        {"Method": name_of(row["method"])} | {title: f"{row[name]:,}" for name, title in columns.items()}
        for row in counts.to_dict("records")
    ]
    return table("All counterfactuals; one that breaks several constraints counts in several columns", rows)


def methods_table(results: Results) -> Table:
    """Return the settings of each method."""
    there = set(results.people["method"])
    rows = [
        {"Method": Text(name_of(method), "" if method in there else NOT_RUN), "Settings": said}
        for method, said in text()["methods"].items()
    ]
    return table("Settings of each method", rows, "Settings")


def differences_table(results: Results) -> Table:
    """Return where the paper and the authors' code differ, and which of the two this run follows."""
    settings, rows = results.run.get("settings") or {}, []
    for each in text()["differences"]:
        followed = f"{each['followed'][0].upper()}{each['followed'][1:]}. {each['why']}"
        if is_other(each, settings):
            followed = f"This run follows the other, because of {each['other']}. By default: {followed}"
        rows.append(
            {
                "Topic": each["topic"],
                "The paper": each["paper"],
                "The authors' code": each["code"],
                "Followed here, and why": followed,
                "The other": Text(each["other"], kind="code" if each["other"].startswith("--") else ""),
            }
        )
    return table("Which variant was followed, and how to select the other", rows, *list(rows[0])[1:])


def is_other(difference: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Return whether a run with these settings follows the variant that is not the default."""
    name, value = difference.get("setting", (None, None))
    return name is not None and settings.get(name) == value


def missing_table(results: Results) -> Table:
    """Return the rows that could not run, and why."""
    rows = [
        {
            "Method": name_of(row["method"]),
            "Experiment": name_of(row["experiment"]),
            "Study": cell_name(row["data"], row["model"]),
            "Why": numbers.without_folders(row["reason"]) or NOTHING,
        }
        for row in in_order(results.missing, KEY).to_dict("records")
    ]
    return table("Reasons of the rows that could not run", rows, "Experiment", "Study", "Why")


def failures_table(results: Results) -> Table:
    """Return the messages of peers without a result."""
    people = results.people
    said = people[(people["error"] != "") & ~people["method"].isin(OURS)]
    counts = in_order(said.groupby(["method", "error"], as_index=False).size(), ["method"])
    rows = [
        {
            "Method": name_of(row["method"]),
            "Message": numbers.cut(numbers.without_folders(row["error"]), LONGEST_ERROR),
            "Searches": f"{row['size']:,}",
        }
        for row in counts.to_dict("records")
    ]
    return table(
        "Messages of peers without a result; a search is for one person in one cell", rows, "Message"
    )


def example_table(results: Results) -> Table | None:
    """Return one person and the counterfactuals of all methods, with the features that any of them changes.

    It is the first person with results from the most methods, if possible with three counterfactuals of P²CE,
    in the paper's cell or else in another one. The authors' code does not count, since it runs on few people.
    """
    answers = results.answers[(results.answers["experiment"] == "three") & (results.answers["seed"] == 0)]
    if answers.empty:
        return None
    cells = in_order(answers[["data", "model"]].drop_duplicates(), ["model", "data"])
    like = (cells["data"] == "adult") & (cells["model"] == "mlp")  # the paper's example
    data, model = (cells[like] if like.any() else cells).iloc[0]
    here = answers[(answers["data"] == data) & (answers["model"] == model)]
    methods = here[~here["method"].isin(AUTHORS)].groupby("person")["method"].nunique()
    ours = here[here["method"] == "p2ce"].groupby("person").size().reindex(methods.index, fill_value=0)
    share = ours.clip(upper=ANSWERS_IN_THE_PAPER) / (ANSWERS_IN_THE_PAPER + 1)  # decides among equals
    number = (methods + share).idxmax()
    people = results.people
    mine = people[
        (people[["experiment", "data", "model"]] == ["three", data, model]).all(axis=1)
        & (people["person"] == number)
    ]
    person = next((own for written in mine["values"] if (own := json_object(written))), {})
    given = in_order(here[here["person"] == number], ["method"])
    given = given.assign(values=given["values"].map(json_object))
    features = _changed(person, [values for values in given["values"] if values])
    label = next(iter(mine["row"]), "") or NOTHING
    title = f"One person of {cell_name(data, model)} (row {label})"
    shown = [numbers.value(person.get(name, NOTHING)) for name in features]
    score = float(mine["score"].max()) if len(mine) else float("nan")
    rows = [("The person", [NOTHING, *shown, NOTHING, numbers.number(score, digits=2), NOTHING])]
    for method, shown_rows in given.groupby("method", sort=False):
        for place, (_, answer) in enumerate(shown_rows.iterrows(), start=1):
            wrong = {"invalid": answer["valid"] == 0, "not allowed": answer["allowed"] == 0}
            outlier, judged = (
                NOTHING if pd.isna(says) else f"{says:.0f}"
                for says in (1 - answer["plausible"], answer["outlier"])
            )
            values = [
                Text(
                    numbers.value(value := answer["values"].get(name, NOTHING)),
                    kind="strong" if person and value != person.get(name) else "",
                )
                for name in features
            ]
            remark = ", ".join(name for name, is_so in wrong.items() if is_so)
            said = [outlier, numbers.number(answer["score"], digits=2), judged]
            rows.append((name_of(str(method)), [Text(str(place), remark), *values, *said]))
    return _example(title, [*features, "u(x)", "f(x)", "Judge"], rows)


def paper_example() -> Table:
    """Return the paper's own example, of another person and another model."""
    paper = text()["example"]
    rows = [("The person", [NOTHING, *paper["person"]])]
    for method, answers in paper["methods"].items():
        rows += [(method, [str(place), *answer]) for place, answer in enumerate(answers, start=1)]
    return _example("The paper's table", paper["columns"], rows)


def _example(caption: str, columns: list[str], rows: list[tuple[str, list[str]]]) -> Table:
    names = ["Counterfactual", *columns]
    made = [{"Method": method} | dict(zip(names, cells, strict=True)) for method, cells in rows]
    return table(caption, made, groups="Method")


def _changed(person: dict[str, Any], given: list[dict[str, Any]]) -> list[str]:
    """Return the features that any counterfactual changes, in the order of the data."""
    names = list(dict.fromkeys(name for values in given for name in values))
    if person:
        return [name for name in names if any(values.get(name) != person.get(name) for values in given)]
    # Without the person's own row, only differences between counterfactuals are visible.
    return [name for name in names if len({numbers.value(values.get(name)) for values in given}) > 1]
