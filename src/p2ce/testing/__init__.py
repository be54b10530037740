"""Check a new model or detector before it is used: equal scores, sound bounds, nothing changed.

These checks are for authors of plug-ins, and for users who want to verify that a model is parsed correctly.
`import p2ce` does not load them. A failed check raises an AssertionError that states what was expected, what
came instead, on which row, and what to do. An unsupported model raises the P2CEError of `Explainer`.

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
