"""Explain a portfolio: people in files of any size, on many machines, to a Parquet dataset that resumes."""

from p2ce.portfolio.lazily import explain_partitions
from p2ce.portfolio.portfolio_results import PortfolioResults
from p2ce.portfolio.run_portfolio import run

__all__ = ["PortfolioResults", "explain_partitions", "run"]
