"""Explain people in files of any size, on many machines. An interrupted run can resume."""

from typing import TYPE_CHECKING

from p2ce.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from p2ce.portfolio.runs.explain_batches import explain_batches as explain_batches
    from p2ce.portfolio.runs.explain_batches import result_schema as result_schema
    from p2ce.portfolio.runs.portfolio_results import PortfolioResults as PortfolioResults
    from p2ce.portfolio.runs.run_portfolio import run as run

# Names are loaded at first use, since a check of evidence must not load the search.
_HOMES = {
    "PortfolioResults": "portfolio.runs.portfolio_results",
    "explain_batches": "portfolio.runs.explain_batches",
    "result_schema": "portfolio.runs.explain_batches",
    "run": "portfolio.runs.run_portfolio",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
