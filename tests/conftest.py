"""Set up what all tests share: how long hypothesis searches, and whether it repeats itself."""

import os

from hypothesis import HealthCheck, settings

# The first example of a test may compile a kernel, so no example has a deadline.
slow_start = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("dev", deadline=None, suppress_health_check=slow_start)
settings.register_profile("ci", deadline=None, suppress_health_check=slow_start, derandomize=True)
settings.register_profile("thorough", deadline=None, suppress_health_check=slow_start, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))
