"""State what a model family delivers: margins, and the facts about the library's arithmetic around them.

A *margin* is a number that the library computes per row and of which its output is a function: the log-odds
of the second of two classes, one number per class of several, or the predicted number. Margins are sums over
trees (`forest_margins`), weighted sums (`weighted_sums`) or outputs of a network (`network_outputs`). What
has to be reached, and which scores follow from it, does not concern a family: see `decision` and `certify`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.special import expit

from p2ce.arrays import FloatArray
from p2ce.decisions.decision import Decision
from p2ce.decisions.model_adapter import Evaluate, EvaluateAll
from p2ce.scores.error_bands import Reported, exactly, logistic
from p2ce.scores.score import Score

# (index of the target, index of another class, band) → certified thresholds on the difference of margins.
Ahead: TypeAlias = Callable[[int, int, float], tuple[float, float]]


class Margins(Protocol):
    """The margins of a model, as scores over its columns."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The model's columns, in its order."""
        ...

    @property
    def count(self) -> int:
        """How many margins there are."""
        ...

    @property
    def reach(self) -> FloatArray | None:
        """The magnitudes (d,) up to which bands hold; None where they hold for all values."""
        ...

    def band(self, plus: int, minus: int | None = None, /) -> float:
        """Bound how far the library's margin, or difference of two, is from the value of the score."""
        ...

    def largest(self) -> float:
        """Bound the magnitudes of all margins."""
        ...

    def score(
        self, plus: int, minus: int | None = None, *, sign: float = 1.0, limits: tuple[float, float]
    ) -> Score:
        """Return ``sign`` times a margin, or the difference of two margins, as a score with thresholds."""
        ...

    def tolerance(self, decision: Decision, score: Score, /) -> float:
        """State how far the reported value may be from the library's; infinite where there is no bound."""
        ...


class Link(NamedTuple):
    """How the value of a score becomes what the library reports."""

    reported: Reported  # the lowest and the highest number that it may report for a value
    value: Callable[[FloatArray], FloatArray] | None  # what it reports up to rounding; None if not computed


def _unchanged(values: FloatArray) -> FloatArray:
    return values


IDENTITY = Link(exactly(float), _unchanged)


def logistic_link(
    *,
    margin: Callable[[Any], Any] = _unchanged,
    single: bool = False,
    slack: float = 8.0,
) -> Callable[[bool], Link]:
    """Link margins and probabilities by 1 / (1 + exp(-margin)); see `logistic` for the arguments.

    The link takes True for the first of two classes, whose score is minus the margin of the second one.
    """

    def link(complement: bool) -> Link:
        def value(scores: FloatArray) -> FloatArray:
            second = np.asarray(expit(margin(-scores if complement else scores)), dtype=np.float64)
            return 1.0 - second if complement else second

        return Link(
            logistic(complement=complement, margin=lambda x: float(margin(x)), single=single, slack=slack),
            value,
        )

    return link


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOutputs:
    """What a classifier reports, by which calls, and how its margins become that.

    Margins: one, of the second of two classes; or one per class. ``link`` leads from a margin to a
    probability, for True to that of the first of two classes. ``ahead`` certifies that one class is predicted
    rather than another.
    """

    names: tuple[Any, ...]
    probabilities: EvaluateAll | None = None  # frame → (n, classes)
    decision_values: EvaluateAll | None = None  # frame → (n,) for two classes, else (n, classes): the margins
    largest: EvaluateAll | None = None  # predict takes the largest of these; by default of what is reported
    link: Callable[[bool], Link] | None = None  # by default the logistic function
    ahead: Ahead | None = None  # by default as the softmax of the margins tells
    each_alone: bool = False  # a class's probability follows from its own margin, whatever the others are
    softmax: bool = True  # else the probabilities of several classes follow neither way from the margins
    single: bool = False  # the logistic function or softmax is computed in float32
    slack: float = 0.0  # on differences of margins, for a softmax less precise than NumPy's


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberOutput:
    """What a regressor predicts: a function of its one margin."""

    predict: Evaluate
    link: Link = IDENTITY
    scored: tuple[Any, ...] = ()  # two classes of which the number may be the score


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedModel:
    """A model as its family parses it."""

    family: str
    margins: Margins
    outputs: ClassOutputs | NumberOutput
    # False where nothing is certified about rows with categories that the reference does not have.
    knows_unseen_categories: bool = True
