"""Call the user's own objects, and check the form of what they answer."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.answers import REBATCHED
from p2ce.errors import InvalidAnswer


def ask(call: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame, who: str) -> FloatArray:
    """Call the user's own model or detector once, and check the form of what it answers."""
    if not len(frame):
        return np.zeros(0)
    answers = call(frame)
    if answers.shape != (len(frame),):
        raise InvalidAnswer(
            f"The {who} was asked about {len(frame)} rows and answered with shape {answers.shape}. "
            "It has to give one number per row."
        )
    if np.isnan(answers).any():
        raise InvalidAnswer(
            f"The {who} answered NaN for {int(np.isnan(answers).sum())} of {len(frame)} rows. "
            "Check that it was fitted on columns like these."
        )
    return answers


def require_steady(then: FloatArray, now: FloatArray, who: str) -> None:
    """Refuse an object that answered otherwise when it was asked about the same rows before.

    The rows were part of another batch then, in which single precision rounds otherwise. That the same batch
    gives the same answers was seen when the object was read.
    """
    apart = np.abs(then - now) > REBATCHED * np.maximum(1.0, np.abs(now))
    if apart.any():
        at = int(np.flatnonzero(apart)[0])
        raise InvalidAnswer(
            f"The {who} answered {float(then[at])!r} about a row and {float(now[at])!r} when asked again. "
            "It has to give the same answer every time: fix its seed, or put it into evaluation mode."
        )
