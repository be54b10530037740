"""Settle which of a model's answers counts, for models that can only be asked."""

from dataclasses import dataclass
from typing import Any

from p2ce.decisions.model_adapter import LEAD, PROBABILITY, Evaluate, Request, probability_threshold
from p2ce.decisions.targets import EvaluateAll, class_ask, range_ask, read_range, wins_ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One call of the model that gives a number per row, and what that has to reach."""

    ask: Evaluate
    scale: str
    threshold: float
    classes: tuple[Any, ...] = ()
    predict: Evaluate | None = None  # shown beside a lead


def is_range(target: Any) -> bool:
    """Tell a wanted range (low, high) from a class."""
    return isinstance(target, tuple | list)


def about_number(request: Request, predict: Evaluate, *, name: str) -> Question:
    """Ask how far inside the wanted range the prediction lies."""
    return Question(
        ask=range_ask(predict, read_range(request, name=name)), scale=LEAD, threshold=0.0, predict=predict
    )


def about_probability(
    request: Request,
    ask_probabilities: EvaluateAll,
    *,
    classes: tuple[Any, ...],
    index: int,
    ask_largest: EvaluateAll | None = None,
) -> Question:
    """Ask for the target's probability; without a threshold, one class of more than two must win.

    ``ask_largest`` gives what the model takes the largest of, if that is not the probabilities.
    """
    of_target = class_ask(ask_probabilities, index)
    if len(classes) > 2 and request.threshold is None:
        return about_winning(
            ask_largest or ask_probabilities, classes=classes, index=index, predict=of_target
        )
    return Question(
        ask=of_target,
        scale=PROBABILITY,
        threshold=probability_threshold(request.threshold),
        classes=classes,
    )


def about_winning(
    ask_largest: EvaluateAll, *, classes: tuple[Any, ...], index: int, predict: Evaluate | None = None
) -> Question:
    """Ask how far the target is ahead of the best other class."""
    return Question(
        ask=wins_ask(ask_largest, index), scale=LEAD, threshold=0.0, classes=classes, predict=predict
    )
