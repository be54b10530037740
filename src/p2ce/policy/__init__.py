"""Define what the user states: features, and how each of them may change."""

from p2ce.policy.features.display import Display
from p2ce.policy.features.feature import Direction, FeaturePolicy, Kind
from p2ce.policy.policy import Policy, Review

__all__ = ["Direction", "Display", "FeaturePolicy", "Kind", "Policy", "Review"]
