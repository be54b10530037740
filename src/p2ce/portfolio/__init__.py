"""Explain people in files of any size, on many machines. An interrupted run can resume."""

from p2ce.portfolio.explain_batches import explain_batches, result_schema
from p2ce.portfolio.portfolio_results import PortfolioResults
from p2ce.portfolio.run_portfolio import run

__all__ = ["PortfolioResults", "explain_batches", "result_schema", "run"]
