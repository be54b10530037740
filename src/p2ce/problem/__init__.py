"""Define what the user states: features, and how each of them may change."""

from p2ce.problem.display import Display
from p2ce.problem.feature import Direction, FeaturePolicy, Kind
from p2ce.problem.policy import Policy
from p2ce.problem.review import Review

__all__ = ["Direction", "Display", "FeaturePolicy", "Kind", "Policy", "Review"]
