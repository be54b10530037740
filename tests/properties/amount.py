"""State how many examples a law is tried on, in proportion to the profile."""

from hypothesis import settings

THOROUGH = 100  # examples of a law that states no number


def examples(count: int) -> settings:
    """Draw so many examples in the thorough profile, and proportionally fewer in the default one."""
    profile: settings = settings()
    return settings(max_examples=max(1, round(count * profile.max_examples / THOROUGH)))
