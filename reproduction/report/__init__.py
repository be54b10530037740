"""Turn the results of a run into a page, figures, and docs/results.md."""

from reproduction.report.write import results_markdown, write_report

__all__ = ["results_markdown", "write_report"]
