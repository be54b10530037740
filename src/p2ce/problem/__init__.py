"""WHAT is asked: features, and what each of them may do."""

from p2ce.problem.actions import ActionSet
from p2ce.problem.display import Display
from p2ce.problem.feature import Direction, FeatureActions, Kind

__all__ = ["ActionSet", "Direction", "Display", "FeatureActions", "Kind"]
