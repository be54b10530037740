"""Say in one word how an explanation ended."""

from enum import StrEnum


class Status(StrEnum):
    """How an explanation ended; ``str(status)`` is the name itself.

    >>> print(Status.NO_RECOURSE)
    NO_RECOURSE
    >>> Status("OPTIMAL") is Status.OPTIMAL
    True
    """

    OPTIMAL = "OPTIMAL"  # the whole Pareto front was found, proven and verified
    NO_RECOURSE = "NO_RECOURSE"  # proven: no allowed change reaches the decision
    HEURISTIC = "HEURISTIC"  # an unproven estimate cut the search, also when nothing was found
    TIME_LIMIT = "TIME_LIMIT"  # stopped early: the front so far, and what is still open
    ALREADY_FAVOURABLE = "ALREADY_FAVOURABLE"  # the model accepts the person as they are
    ERROR = "ERROR"  # this row could not be explained; the message says why
