"""Write the page of a run and the text of docs/results.md, by one template each."""

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from reproduction.publish import is_committed
from reproduction.report import numbers, tables
from reproduction.report.claims import claims, overview
from reproduction.report.figures import FIGURES, draw_figures
from reproduction.report.numbers import text
from reproduction.report.results import Results, read_results
from reproduction.store import CHANGED

BREAK = "\u200b"  # a line may break here; nothing is seen
SPECIAL = str.maketrans(
    {name: f"\\{name}" for name in "\\|*[]`"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "\n": " ", "\r": " "}
)
EXPERIMENTS = ("inlierness", "one", "three", "forests")


def write_report(folder: Path) -> Path:
    """Load ``folder``/results, write figures/, results/summary.* and index.html; returns the page."""
    results = read_results(folder)
    results.summary.to_csv(folder / "results" / "summary.csv", index=False)
    written = folder / "results" / "summary.json"
    results.summary.to_json(written, orient="records", indent=1, force_ascii=False)
    draw_figures(results)
    page = folder / "index.html"
    page.write_text(_render("page.html.jinja", results), encoding="utf-8")
    return page


def results_markdown(folder: Path) -> str:
    """The same tables as Markdown, with the date, the machine and the commit of the run."""
    made = _render("results.md.jinja", read_results(folder))
    return re.sub(r"\n{3,}", "\n\n", made).strip() + "\n"


def markdown(content: Any) -> str:
    """Text as Markdown that shows it; only what a template made stays as it is."""
    return content if isinstance(content, Markup) else str(content).translate(SPECIAL)


def pipes(made: tables.Table, *, titled: bool = True) -> Markup:
    """A table as Markdown, under its caption; a column that groups stands first, for lack of groups."""
    if made.frame.empty:
        return Markup(f"*{markdown(made.caption)}: nothing to show in this run.*")
    names = list(made.frame)
    left = {names[0], made.columns[0], *made.words}
    lines = [
        [markdown(name) for name in names],
        [":--" if name in left else "--:" for name in names],
        *([_cell(cell) for cell in row] for row in made.frame.to_numpy(object)),
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return Markup(f"**{markdown(made.caption)}**\n\n{table}" if titled else table)


def _cell(cell: str) -> str:
    shown = f"**{markdown(cell)}**" if getattr(cell, "kind", "") == "strong" else markdown(cell)
    beside = getattr(cell, "beside", "")
    return f"{shown} ({markdown(beside)})" if beside else shown


def _render(template: str, results: Results) -> str:
    page = template.startswith("page")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=page,
        finalize=None if page else markdown,  # escapes whatever a template inserts
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.ChainableUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {"breakable": breakable, "pipes": pipes}
    return environment.get_template(template).render(_content(results))


def _content(results: Results) -> dict[str, Any]:
    """Everything that a template shows, as data."""
    run, folder = results.run, results.folder
    judged = claims(results)
    return {
        "text": text(),
        "run": run,
        "command": command_of(run),
        "facts": facts_of(run),
        "in_short": _in_short(run),
        "uncommitted": not all(map(is_committed, commits_of(run))),
        "overview": overview(judged),
        "claims": judged,
        "checks": claims(results, "checks"),
        "experiments": {name: tables.experiment_tables(results, name) for name in EXPERIMENTS},
        "names": {name: numbers.name_of(name) for name in EXPERIMENTS},
        "figures": [
            (experiment, kind, picture)
            for kind, experiment in FIGURES
            if (picture := _picture(folder / "figures" / f"{kind}-{experiment}"))
        ],
        "methods": tables.methods_table(results),
        "example": tables.example_table(results),
        "paper_example": tables.paper_example(),
        "toy": _picture(folder / "figures" / "toy"),
        "toy_caption": results.json("toy.json").get("caption"),
        "models": tables.models_table(results),
        "broken": tables.broken_table(results),
        "differences": tables.differences_table(results),
        "missing": tables.missing_table(results),
        "failures": tables.failures_table(results),
        "reference_point": run.get("reference_point") or "The run did not say which reference point it took.",
        "left_out": [f"Left out: {left}." for left in run.get("left_out") or ()],
        "files": [
            path.relative_to(folder).as_posix()
            for part in ("results", "figures")
            for path in sorted((folder / part).glob("*"))
            if path.suffix in (".csv", ".json", ".png", ".svg") and not path.stem.endswith("-narrow")
        ],
    }


def facts_of(run: Mapping[str, Any]) -> dict[str, str]:
    """The run's facts for readers; what it did not say is left out."""
    settings, effort = run.get("settings") or {}, run.get("effort") or {}
    authors = run.get("authors")
    known: dict[str, Any] = {name.capitalize(): run.get(name) for name in ("date", "commit", "machine")}
    if effort:
        limits = effort["limits"]

        def and_later(first: int, name: str) -> str:
            later = f" with the first seed, {min(first, effort[name])} with each later one"
            return f"{first}{later if effort['seeds'] > 1 else ''}"

        known |= {
            "Seeds": f"{effort['seeds']}",
            "People": f"{and_later(settings['people'], 'later_people')}, denied, per data set and model",
            "Slow methods": f"MAPOCAM on the MLP: {and_later(limits['slow_people'], 'later_slow_people')}; "
            f"the authors' code: {limits['authors_people']}, first seed only; random forests, which the "
            f"paper has not: first seed only; at most {limits['seconds']:g} s per person",
            "Tuning": f"Optuna, trials per model: {and_later(settings['trials'], 'later_trials')}",
        }
    known |= {
        "Rows": f"the first {settings['rows']:,} of each data set" if settings.get("rows") else None,
        "Authors' code": f"github.com/hiaac-finance/p2ce at {authors}" if authors else None,
        "Command": command_of(run),
        "Versions": ", ".join(f"{name} {version}" for name, version in (run.get("versions") or {}).items()),
    }
    return {name: str(value) for name, value in known.items() if value not in (None, "")}


def _in_short(run: Mapping[str, Any]) -> str:
    """Date, seeds and commits, for one line."""
    seeds = (run.get("effort") or {}).get("seeds")
    commits = dict.fromkeys(one.removesuffix(CHANGED) for one in commits_of(run))
    known = (run.get("date"), f"{seeds} seed{'s' if seeds != 1 else ''}" if seeds else "", *commits)
    return ", ".join(str(part) for part in known if part)


def commits_of(run: Mapping[str, Any]) -> list[str]:
    """The commits of the code that gave the answers."""
    return [one for one in str(run.get("commit") or "").split(", ") if one]


def command_of(run: Mapping[str, Any]) -> str:
    """The command that gave this run; of one that did not say, as far as its settings show."""
    if run.get("command"):
        return str(run["command"])
    settings = run.get("settings") or {}
    others = [each["other"] for each in text()["differences"] if tables.is_other(each, settings)]
    return " ".join(["python -m reproduction", *(["--quick"] if run.get("quick") else []), *others])


def breakable(name: str) -> str:
    """Allow long names of features to break after _ and between words written together."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=_)", BREAK, name) if len(name) > 12 else name


def _picture(path: Path) -> dict[str, str]:
    """A drawn figure to put inside the page: ``path``.svg, and its tall form on phones; empty if none."""
    found = next((path.with_suffix(end) for end in (".svg", ".png") if path.with_suffix(end).exists()), None)
    narrow = path.with_name(f"{path.name}-narrow.svg")
    files = {"wide": found, "narrow": narrow if narrow.exists() else None}
    return {name: _inlined(file) for name, file in files.items() if found and file}


def _inlined(path: Path) -> str:
    kind = "image/png" if path.suffix == ".png" else "image/svg+xml"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
