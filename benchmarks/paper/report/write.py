"""The entry point: from the folder of a run to its page, and to the text of docs/results.md."""

from pathlib import Path

from benchmarks.paper.report.checks import checks
from benchmarks.paper.report.claims import claims
from benchmarks.paper.report.figure_files import draw_figures
from benchmarks.paper.report.markdown import markdown
from benchmarks.paper.report.page import page
from benchmarks.paper.report.results import read_results
from benchmarks.paper.report.summaries import summarise


def write_report(folder: Path) -> Path:
    """Read ``folder``/results, write figures/, results/summary.* and index.html; returns the page."""
    results = read_results(folder)
    summary = summarise(results)
    summary.to_csv(folder / "results" / "summary.csv", index=False)
    summary.to_json(folder / "results" / "summary.json", orient="records", indent=1, force_ascii=False)
    draw_figures(results, summary)
    written = folder / "index.html"
    written.write_text(
        page(results, summary, claims(results, summary), checks(results, summary)), encoding="utf-8"
    )
    return written


def results_markdown(folder: Path) -> str:
    """The same tables as Markdown, with the date, the machine and the commit of the run."""
    results = read_results(folder)
    summary = summarise(results)
    return markdown(results, summary, claims(results, summary), checks(results, summary))
