"""What a model family returns: margins, and facts about the arithmetic that the library applies to them.

A *margin* is a number per row that determines the library's output: the log-odds of the second of two
classes, one number per class if there are more, or the predicted number. Margins are sums over trees
(`forest_margins`), weighted sums (`weighted_sums`) or outputs of a network (`network_outputs`). A family does
not decide what must be reached, or which scores follow from this: see `decision` and `certify`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.special import expit

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.error_bands import Reported, exactly, logistic
from p2ce.engine.scores.score import Score
from p2ce.models.decisions.adapter import Evaluate, EvaluateAll
from p2ce.models.decisions.decision import Decision
from p2ce.tables.codebook import Codebook

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
        """The number of margins."""
        ...

    @property
    def reach(self) -> FloatArray | None:
        """The magnitudes (d,) up to which bands hold; None if they hold for all values."""
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
        """Bound how far the reported value may be from the library's; infinite if there is no bound."""
        ...


class OutputLink(NamedTuple):
    """How the library's reported number follows from the value of a score."""

    reported: Reported  # the lowest and the highest number that the library may report for a value
    value: Callable[[FloatArray], FloatArray] | None  # the reported number up to rounding; None if unknown
    slope: float | None = None  # if the reported number is the score times this, rounded once


def _unchanged(values: FloatArray) -> FloatArray:
    return values


IDENTITY = OutputLink(exactly(np.float64), _unchanged, 1.0)


def logistic_link(
    *,
    margin: Callable[[Any], Any] = _unchanged,
    single: bool = False,
    slack: float = 8.0,
) -> Callable[[bool], OutputLink]:
    """Link margins and probabilities by 1 / (1 + exp(-margin)); see `logistic` for the arguments.

    The link takes True for the first of two classes, whose score is minus the margin of the second one.
    """

    def link(complement: bool) -> OutputLink:
        def value(scores: FloatArray) -> FloatArray:
            second = np.asarray(expit(margin(-scores if complement else scores)), dtype=np.float64)
            return 1.0 - second if complement else second

        return OutputLink(
            logistic(complement=complement, margin=margin, single=single, slack=slack),
            value,
        )

    return link


def quotient_link(*, slack: float = 8.0) -> Callable[[bool], OutputLink]:
    """Link margins and probabilities by e / (e + 1), where e is exp(margin); see `logistic_link`.

    Unlike 1 / (1 + 1/e), this quotient does not follow e monotonically in floating point: the addition and
    the division may be off by one rounding each.
    """
    bounded = logistic(complement=False, slack=slack)
    unit = 4.0 * float(np.finfo(np.float64).eps)

    def link(complement: bool) -> OutputLink:
        def reported(score: float) -> tuple[float, float]:
            low, high = bounded(-score if complement else score)
            low, high = low * (1.0 - unit), min(1.0, high * (1.0 + unit))
            return (1.0 - high, 1.0 - low) if complement else (low, high)

        return OutputLink(reported, logistic_link()(complement).value)

    return link


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOutputs:
    """What a classifier reports, by which calls, and how this follows from its margins.

    There is one margin, of the second of two classes, or one margin per class. ``link`` returns how a score
    becomes a probability; ``link(True)`` is for the first of two classes, whose score is minus the margin.
    ``ahead`` certifies that one class is predicted rather than another.
    """

    names: tuple[Any, ...]
    probabilities: EvaluateAll | None = None  # frame → (n, classes)
    decision_values: EvaluateAll | None = None  # frame → (n,) for two classes, else (n, classes): the margins
    largest: EvaluateAll | None = None  # predict chooses the largest of these; by default of what is reported
    link: Callable[[bool], OutputLink] | None = None  # by default the logistic function
    ahead: Ahead | None = None  # by default, by the softmax of the margins
    each_alone: bool = False  # whether each class's probability depends only on its own margin
    softmax: bool = True  # False: the probabilities of several classes are neither softmax nor each alone
    single: bool = False  # whether the logistic function or softmax is computed in float32
    slack: float = 0.0  # added to bands of differences, for a softmax less precise than NumPy's


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberOutput:
    """What a regressor predicts: a function of its one margin."""

    predict: Evaluate
    link: OutputLink = IDENTITY
    scored: tuple[Any, ...] = ()  # the two classes whose score the number may be


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedModel:
    """The result of parsing a model by its family."""

    family: str
    margins: Margins
    outputs: ClassOutputs | NumberOutput
    # False if nothing is certified for rows with categories that are not in the reference.
    knows_unseen_categories: bool = True
    # The request's, extended by labels that only the model's library knows; None if there are none.
    codebook: Codebook | None = None
