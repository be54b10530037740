"""Check a new model, detector, objective or rule before it is used: equal scores, sound bounds, fair prices.

These checks are for authors of plug-ins, and for users who want to verify that a model is parsed correctly.
`import p2ce` does not load them. A failed check raises an AssertionError that states what was expected, what
came instead, on which row, and what to do. An unsupported model raises the P2CEError of `Explainer`.

>>> from p2ce.testing import check_model
"""

from p2ce.testing.check_detector import check_detector
from p2ce.testing.check_model import check_adapter, check_model
from p2ce.testing.check_objective import check_objective
from p2ce.testing.check_rule import check_rule
from p2ce.testing.reports import DetectorReport, ModelReport, ObjectiveReport, RuleReport

__all__ = [
    "DetectorReport",
    "ModelReport",
    "ObjectiveReport",
    "RuleReport",
    "check_adapter",
    "check_detector",
    "check_model",
    "check_objective",
    "check_rule",
]
