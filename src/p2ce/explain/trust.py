"""Remember whether the user's own model ever contradicted its reading: then nothing is proven any more."""

import logging
from dataclasses import replace

import numpy as np

from p2ce.explain.explain_batch import Answers

log = logging.getLogger("p2ce")


class Trust:
    """What an explainer has learnt about the reading that all its proofs rest on."""

    def __init__(self) -> None:
        self._holds = True

    def hear(self, answers: Answers) -> None:
        """Take note of a contradiction, and say so the first time."""
        if self._holds and not answers.trusted.all():
            self._holds = False
            log.warning(
                "The model or detector contradicts what was read from it: from here on, answers of this "
                "explainer are HEURISTIC. Was it changed after the explainer was made? Make a new one."
            )

    def judge(self, answers: Answers) -> Answers:
        """Withdraw the proof of answers that rest on a reading known to be wrong."""
        if self._holds:
            return answers
        return replace(answers, trusted=np.zeros_like(answers.trusted))
