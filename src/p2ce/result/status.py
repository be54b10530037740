"""State in one word how an explanation ended."""

from enum import StrEnum


class Status(StrEnum):
    """How an explanation ended; ``str(status)`` is the name itself.

    What is proven holds on a grid: `Certificate.grid` names it, and `Feature.candidates` how fine it is.
    Where the data chose the grid, NO_RECOURSE is not given before the finest grid that they support was
    searched to its end: otherwise the status is TIME_LIMIT. `Certificate.none_because` says why there is no
    option.

    >>> print(Status.NO_RECOURSE)
    NO_RECOURSE
    >>> Status("OPTIMAL") is Status.OPTIMAL
    True
    """

    OPTIMAL = "OPTIMAL"  # proven and verified: no combination of the grid is better than these options
    NO_RECOURSE = "NO_RECOURSE"  # proven: no allowed change on the grid that the certificate names is enough
    HEURISTIC = "HEURISTIC"  # nothing is proven: an estimate cut the search, for example
    # Stopped early, by the time limit or the limit of work on the finest grid: what was found, what is open.
    TIME_LIMIT = "TIME_LIMIT"
    ACCEPTED = "ACCEPTED"  # the model accepts the person as they are
    ERROR = "ERROR"  # this row could not be explained; the message says why
