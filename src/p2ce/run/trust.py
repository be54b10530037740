"""Record whether the user's own model ever contradicted its scores: after that, nothing is proven."""

import logging
from collections.abc import Sequence

from p2ce.run.verified import Verified

log = logging.getLogger("p2ce")


class Trust:
    """Whether the scores hold on which all proofs of an explainer depend."""

    def __init__(self, *, silent: bool = False) -> None:
        self._holds = True
        self._silent = silent  # the owner checks `holds` instead

    @property
    def holds(self) -> bool:
        """Whether no instance has contradicted the scores so far."""
        return self._holds

    def judge(self, verified: Sequence[Verified]) -> list[Verified]:
        """Withdraw all proofs after a contradiction, and log the first one."""
        if self._holds and not all(one.outcomes.trusted.all() for one in verified):
            self._holds = False
            if not self._silent:
                log.warning(
                    "The model or detector contradicts its parsed scores. From now on, explanations of this "
                    "explainer are HEURISTIC. Was it changed after the explainer was made? Make a new one."
                )
        return list(verified) if self._holds else [one.without_proof() for one in verified]
