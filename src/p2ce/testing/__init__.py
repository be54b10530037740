"""Check a new model or detector before it is used: equal scores, sound bounds, nothing changed.

These are for authors of plug-ins, and for anyone who wants to check that a model is parsed correctly.
`import p2ce` does not load them. A check that fails raises an AssertionError which says what was
expected, what came instead, on which row, and what to do; a model that is not supported at all raises
the P2CEError that `Explainer` would raise.

>>> from p2ce.testing import check_model
"""

from p2ce.testing.check_detector import check_detector
from p2ce.testing.check_model import check_adapter, check_model
from p2ce.testing.reports import DetectorReport, ModelReport

__all__ = [
    "DetectorReport",
    "ModelReport",
    "check_adapter",
    "check_detector",
    "check_model",
]
