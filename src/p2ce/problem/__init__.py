"""What the user states: features, and how each of them may change."""

from p2ce.problem.actions import ActionSet
from p2ce.problem.display import Display
from p2ce.problem.feature import Direction, FeatureActions, Kind
from p2ce.problem.review import Review

__all__ = ["ActionSet", "Direction", "Display", "FeatureActions", "Kind", "Review"]
