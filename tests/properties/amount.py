"""State how many examples a law is tried on, in proportion to the profile."""

from hypothesis import settings


def examples(count: int) -> settings:
    """Ask for so many examples in the usual profile, and for proportionally more in a thorough one."""
    usual = 100
    profile: settings = settings()
    return settings(max_examples=max(1, count * profile.max_examples // usual))
