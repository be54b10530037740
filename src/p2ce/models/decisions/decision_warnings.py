"""Warn if the explained decision does not seem to be the one that the user means.

Two things are easily overlooked. ``predict`` may use its own cut-off, while counterfactuals are searched for
a score of at least 0.5. And a function may score the unfavourable outcome, if its name suggests this.
"""

import logging
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.calls.checked_calls import some_rows
from p2ce.base.calls.library import without_warnings
from p2ce.base.calls.model_call import one_class_per_row
from p2ce.base.visible import echoed
from p2ce.models.decisions.adapter import DECISION, LEAD, PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.row_format import attribute_of, choose_row_format, declared_classes, name_of
from p2ce.models.decisions.target_arguments import class_index
from p2ce.policy.inference.favourable_class import polarity

log = logging.getLogger("p2ce")

# Scores this close to the threshold are ties, which ``predict`` decides by its own rules.
_TIE = 1e-9
_SCORING = ("predict_proba", "decision_function")


class Argument(NamedTuple):
    """An argument that a message suggests, with its value if that is known.

    >>> Argument("target", 0).in_python(), Argument("target", "not late").on_command_line()
    ('target=0', "--target 'not late'")
    """

    name: str
    value: Any = None

    def in_python(self) -> str:
        """Write the argument as it is passed to `Explainer`."""
        return f"{self.name}=" if self.value is None else f"{self.name}={echoed(self.value)}"

    def on_command_line(self) -> str:
        """Write the argument as it is passed to ``p2ce explain``."""
        option = f"--{self.name.replace('_', '-')}"
        return option if self.value is None else f"{option} {shlex.quote(str(self.value))}"


Message: TypeAlias = Sequence[str | Argument]  # a message in parts; no parts if there is no doubt
NO_DOUBT: Message = ()


def in_python(parts: Message) -> str:
    """Write a message for users of `Explainer`."""
    return "".join(part if isinstance(part, str) else part.in_python() for part in parts)


def on_command_line(parts: Message) -> str:
    """Write a message for users of the command ``p2ce``."""
    return "".join(part if isinstance(part, str) else part.on_command_line() for part in parts)


def warn_about_decisions(
    model: Any, parsed: Sequence[Adapter], request: ParseRequest, *, limit: Any, default_target: bool
) -> None:
    """Check one model, or each of several; a limit or target from the user is not questioned."""
    models = list(model) if isinstance(model, list | tuple) else [model]
    limits = list(limit) if np.ndim(limit) else [limit] * len(models)
    for one, found, given in zip(models, parsed, limits, strict=True):
        if given is None and found.classes and _has_both(one):
            _warn_of_decision(one, found, request)
    if default_target and parsed[0].classes and not parsed[0].negated:
        _warn_of_function(models[0])


def _has_both(model: Any) -> bool:
    """Return whether a model both predicts classes and scores them."""
    scores = any(callable(attribute_of(model, name)) for name in _SCORING)
    return scores and callable(attribute_of(model, "predict"))


def _warn_of_decision(model: Any, found: Adapter, request: ParseRequest) -> None:
    """Log a warning if ``predict`` disagrees with the score on some rows of the reference."""
    try:
        with without_warnings():
            doubt = _other_decisions(model, found, request, found.evaluate(some_rows(request.reference)))
    except Exception as error:  # what cannot be checked raises no doubt
        log.debug("The decision of the model could not be checked: %s", error)
        return
    if doubt:
        log.warning("%s", in_python(doubt), extra={"on_command_line": on_command_line(doubt)})


def _other_decisions(model: Any, found: Adapter, request: ParseRequest, scores: FloatArray) -> Message:
    """Describe on how many rows ``predict`` disagrees, and its apparent cut-off."""
    target = found.classes[class_index(found.classes, request.target)]
    chosen = choose_row_format(model, model.predict, request, "model.predict", one_class_per_row)
    seen = chosen.outputs.tolist()
    if declared_classes(model) is None and not set(seen) <= set(found.classes):
        return NO_DOUBT  # the classes are numbers in one place and names in the other
    given = np.array([bool(one == target) for one in seen])
    threshold = found.threshold - (0.0 if found.scale == LEAD else request.margin)
    apart = (scores >= threshold) != given
    apart &= np.abs(scores - threshold) > _TIE * max(1.0, abs(threshold))
    if not apart.any():
        return NO_DOUBT
    rule = f"{found.scale} >= {threshold:g}" if found.scale != LEAD else "the largest score"
    return (
        f"predict of {name_of(model)} and {rule} disagree about class {echoed(target)} on "
        f"{int(apart.sum())} of "
        f"{len(apart)} rows of the reference. {_cut(model, found, scores, given)} Pass ",
        Argument("at_least"),
        " to say which decision counts.",
    )


def _cut(model: Any, found: Adapter, scores: FloatArray, given: BoolArray) -> str:
    """Describe where the cut-off of ``predict`` seems to be."""
    if found.scale == LEAD:
        return "predict does not decide by the largest score."
    if not given.any() or given.all():
        return f"predict returns this class for {'all' if given.any() else 'none'} of them."
    highest, lowest = float(scores[~given].max()), float(scores[given].min())
    if highest < lowest:
        return f"predict's own cut-off seems to lie between {highest:.4g} and {lowest:.4g}."
    other = found.scale == PROBABILITY and callable(attribute_of(model, _SCORING[1]))
    return "No cut-off of this score reproduces predict." + (
        f" Perhaps predict uses the decision function: scale={echoed(DECISION)}." if other else ""
    )


def _warn_of_function(model: Any) -> None:
    """Log a warning if a function's name suggests that it scores the unfavourable outcome."""
    held = (model, getattr(model, "func", None), getattr(model, "__self__", None))
    names = [name_of(one) for one in held if one is not None]
    unfavourable = [name for name in names if polarity(name) < 0]
    if unfavourable and not any(callable(attribute_of(model, name)) for name in (*_SCORING, "predict")):
        log.warning(
            "No target was passed, so the function is assumed to score the favourable outcome. But %s sounds "
            "like an unfavourable one. If it is, pass a function that scores the favourable outcome. "
            "Otherwise pass target=1 to confirm.",
            echoed(unfavourable[0]),
        )
