"""Render the page of a run and docs/results.md, from one template each."""

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from reproduction.publish import is_committed
from reproduction.report import numbers, tables
from reproduction.report.claims import claims, overview, tally
from reproduction.report.figures import FIGURES, draw_figures
from reproduction.report.numbers import text
from reproduction.report.results import Results, read_results
from reproduction.store import CHANGED

BREAK = "\u200b"  # invisible, and a line may break here
AUTHORS_PATH = re.compile(r"(--authors[ =])('[^']*'|\S+)")
SPECIAL = str.maketrans(
    {name: f"\\{name}" for name in "\\|*[]`"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "\n": " ", "\r": " "}
)
EXPERIMENTS = ("inlierness", "one", "three", "forests")


def write_report(folder: Path) -> Path:
    """Load ``folder``/results, write figures/, results/summary.* and index.html, and return the page."""
    results = read_results(folder)
    results.summary.to_csv(folder / "results" / "summary.csv", index=False)
    written = folder / "results" / "summary.json"
    results.summary.to_json(written, orient="records", indent=1, force_ascii=False)
    draw_figures(results)
    page = folder / "index.html"
    page.write_text(render("page.html.jinja", results), encoding="utf-8")
    return page


def results_markdown(folder: Path) -> str:
    """Return the same tables as Markdown: a summary of one screen, then the details."""
    made = render("results.md.jinja", read_results(folder))
    return re.sub(r"\n{3,}", "\n\n", made).strip() + "\n"


def markdown(content: Any) -> str:
    """Escape text for Markdown, unless a template made it."""
    return content if isinstance(content, Markup) else str(content).translate(SPECIAL)


def pipes(made: tables.Table, *, titled: bool = True) -> Markup:
    """Return a table as Markdown under its caption, with the grouping column first."""
    if made.frame.empty:
        return Markup(f"*{markdown(made.caption)}: this run has none.*")
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


def render(template: str, results: Results) -> str:
    """Fill a template of this folder with the results of a run."""
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
    """Return everything that a template shows, as data."""
    run, folder = results.run, results.folder
    judged, checks = claims(results), claims(results, "checks")
    return {
        "text": text(),
        "run": run,
        "command": command_of(run),
        "facts": facts_of(run),
        "in_short": _in_short(run),
        "uncommitted": not all(map(is_committed, commits_of(run))),
        "tally": tally(judged),
        "overview": overview(judged),
        "overview_of_checks": overview(checks, "p2ce's own claims"),
        "systems": tables.systems_table(results),
        "claims": judged,
        "checks": checks,
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
        "reference_point": run.get("reference_point") or "The run did not record its reference point.",
        "left_out": [f"Left out: {left}." for left in run.get("left_out") or ()],
        "files": [
            path.relative_to(folder).as_posix()
            for part in ("results", "figures")
            for path in sorted((folder / part).glob("*"))
            if path.suffix in (".csv", ".json", ".png", ".svg") and not path.stem.endswith("-narrow")
        ],
    }


def facts_of(run: Mapping[str, Any]) -> dict[str, str]:
    """Return the run's facts for readers, without those that it did not record."""
    settings, effort = run.get("settings") or {}, run.get("effort") or {}
    authors = run.get("authors")
    known: dict[str, Any] = {name.capitalize(): run.get(name) for name in ("date", "commit", "machine")}
    if effort:
        limits = effort["limits"]

        def and_later(first: int, name: str) -> str:
            later = f" with the first seed, {min(first, effort[name])} with each later seed"
            return f"{first}{later if effort['seeds'] > 1 else ''}"

        known |= {
            "Seeds": f"{effort['seeds']}",
            "People": f"{and_later(settings['people'], 'later_people')}, all rejected by the model, per data "
            "set and model",
            "Slow methods": f"MAPOCAM on the MLP: {and_later(limits['slow_people'], 'later_slow_people')}; "
            f"the authors' code: {limits['authors_people']}, first seed only; random forests, which are not "
            f"in the paper: first seed only; at most {limits['seconds']:g} s per person",
            "Tuning": f"Optuna, trials per model: {and_later(settings['trials'], 'later_trials')}",
        }
    known |= {
        "Rows": f"the first {settings['rows']:,} of each data set" if settings.get("rows") else None,
        "Authors' code": f"github.com/hiaac-finance/p2ce at {authors}" if authors else tables.NOT_RUN,
        "Command": command_of(run),
        "Versions": ", ".join(f"{name} {version}" for name, version in (run.get("versions") or {}).items()),
    }
    return {name: str(value) for name, value in known.items() if value not in (None, "")}


def _in_short(run: Mapping[str, Any]) -> str:
    """Return date, seeds, commits and machine, for one line."""
    seeds = (run.get("effort") or {}).get("seeds")
    commits = dict.fromkeys(commit.removesuffix(CHANGED) for commit in commits_of(run))
    machine = str(run.get("machine") or "").partition(", one thread")[0]
    count = f"{seeds} seed{'s' if seeds != 1 else ''}" if seeds else ""
    known = (run.get("date"), count, *(f"commit {commit}" for commit in commits), machine)
    return ", ".join(str(part) for part in known if part)


def commits_of(run: Mapping[str, Any]) -> list[str]:
    """Return the commits of the code that gave the results."""
    return [commit for commit in str(run.get("commit") or "").split(", ") if commit]


def command_of(run: Mapping[str, Any]) -> str:
    """Return the command of this run without folders, or what its settings show of it."""
    if run.get("command"):
        return AUTHORS_PATH.sub(r"\1PATH", str(run["command"]))
    settings = run.get("settings") or {}
    others = [each["other"] for each in text()["differences"] if tables.is_other(each, settings)]
    return " ".join(["python -m reproduction", *(["--quick"] if run.get("quick") else []), *others])


def breakable(name: str) -> str:
    """Allow a long feature name to break after _ and between words that are written together."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=_)", BREAK, name) if len(name) > 12 else name


def _picture(path: Path) -> dict[str, str]:
    """Return the figure ``path``.svg and its tall form for phones as data for the page, or nothing."""
    found = next((path.with_suffix(end) for end in (".svg", ".png") if path.with_suffix(end).exists()), None)
    narrow = path.with_name(f"{path.name}-narrow.svg")
    files = {"wide": found, "narrow": narrow if narrow.exists() else None}
    return {name: _inlined(file) for name, file in files.items() if found and file}


def _inlined(path: Path) -> str:
    kind = "image/png" if path.suffix == ".png" else "image/svg+xml"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
