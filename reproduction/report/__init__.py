"""Turn what a run measured into a page for people, figures, and the tables of docs/results.md."""

from reproduction.report.write import results_markdown, write_report

__all__ = ["results_markdown", "write_report"]
