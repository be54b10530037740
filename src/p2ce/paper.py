"""The algorithms exactly as the paper lists them: `Explainer(..., method=p2ce.paper.P2CE())`."""

from p2ce.compile.paper_settings import P2CE, Mapocam

__all__ = ["P2CE", "Mapocam"]
