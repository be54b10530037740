"""Define the status of an explanation: how it ended, in one word."""

from enum import StrEnum


class Status(StrEnum):
    """How an explanation ended. ``str(status)`` is the name itself.

    * OPTIMAL: proven and verified. Every combination of the grid that is accepted, allowed and, if required,
      plausible costs at least as much as one of these options, in every objective.
    * NO_RECOURSE: proven. No combination of the grid is accepted, allowed and, if required, plausible.
      `Certificate.none_because` says why.
    * HEURISTIC: not proven. For example, an estimate pruned the search.
    * TIME_LIMIT: the search stopped early. Further options may exist.
    * ACCEPTED: the model accepts the person as they are.
    * ERROR: the row could not be explained. `Explanation.message` says why.

    A proof is about a grid. `Certificate.grid` names it, and `Feature.candidates` says how fine it is. If the
    grid was inferred from the data, NO_RECOURSE also requires a complete search of the finest grid that the
    data support. If that search does not end, the status is TIME_LIMIT.

    >>> print(Status.NO_RECOURSE)
    NO_RECOURSE
    >>> Status("OPTIMAL") is Status.OPTIMAL
    True
    """

    OPTIMAL = "OPTIMAL"
    NO_RECOURSE = "NO_RECOURSE"
    HEURISTIC = "HEURISTIC"
    TIME_LIMIT = "TIME_LIMIT"  # also if the limit of work on the finest grid was reached
    ACCEPTED = "ACCEPTED"
    ERROR = "ERROR"
