"""Warn where the decision or the class that is explained seems not to be the one that the user means.

Two things are easily overlooked. ``predict`` may decide by a cut-off of its own, while options are searched
for a score of at least 0.5. And class 1, which is taken where no target is given, may be the unwanted one.
"""

import logging
import re
import shlex
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from p2ce.adapters.checked_calls import some_rows
from p2ce.arrays import BoolArray, FloatArray
from p2ce.decisions.model_adapter import DECISION, LEAD, PROBABILITY, ModelAdapter, Request
from p2ce.decisions.row_format import attribute_of, choose_row_format, classes_of, name_of
from p2ce.decisions.target_arguments import class_index
from p2ce.decisions.votes import predictions
from p2ce.visible import echoed

log = logging.getLogger("p2ce")

# Scores this close to the threshold are ties, which ``predict`` decides by rules of its own.
_TIE = 1e-9
# A wanted class that is given to fewer than this share is the rarer one by far: so are defaults and frauds.
_RARE = 1.0 / 3.0
# Words that name what nobody wants: whole ones, and beginnings.
_UNWANTED = frozenset({"bad", "late", "risk", "risky", "risks", "spam"})
_UNWANTED_BEGINNINGS = (
    *("default", "fraud", "churn", "delinq", "recid", "reject", "declin", "refus", "denie", "denial"),
    *("arrear", "bankrupt", "insolv", "overdue", "attrition", "fail", "dropout"),
)
_SCORING = ("predict_proba", "decision_function")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Argument(NamedTuple):
    """An argument that a message proposes, with its value if that is known.

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
        return f"--{self.name}" if self.value is None else f"--{self.name} {shlex.quote(str(self.value))}"


Doubt: TypeAlias = tuple[str | Argument, ...]  # a message in parts, none where there is no doubt
NO_DOUBT: Doubt = ()


def warn_about_decisions(
    model: Any, parsed: Sequence[ModelAdapter], request: Request, *, threshold: Any, default_target: bool
) -> None:
    """Look at one model, or each of several; a threshold or a target that is given raises no doubt."""
    models = list(model) if isinstance(model, list | tuple) else [model]
    thresholds = list(threshold) if np.ndim(threshold) else [threshold] * len(models)
    for place, (one, found, given) in enumerate(zip(models, parsed, thresholds, strict=True)):
        compares, doubts_target = given is None and _has_both(one), default_target and place == 0
        if found.classes and (compares or doubts_target):
            _warn(one, found, request, compares=compares, doubts_target=doubts_target)


def _has_both(model: Any) -> bool:
    """Tell whether a model predicts classes and scores them as well."""
    scores = any(callable(attribute_of(model, name)) for name in _SCORING)
    return scores and callable(attribute_of(model, "predict"))


def _warn(model: Any, found: ModelAdapter, request: Request, *, compares: bool, doubts_target: bool) -> None:
    """Log one line for each doubt, by what the model says about some rows of the reference."""
    checks = [_other_decisions] * compares + [_unwanted] * doubts_target
    for check in checks:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                doubt = check(model, found, request, found.evaluate(some_rows(request.reference)))
        except Exception as error:  # what cannot be checked raises no doubt
            log.debug("The decision of the model could not be checked: %s", error)
            continue
        if doubt:
            shown = [part if isinstance(part, str) else part.on_command_line() for part in doubt]
            parts = [part if isinstance(part, str) else part.in_python() for part in doubt]
            log.warning("%s", "".join(parts), extra={"on_command_line": "".join(shown)})


def _other_decisions(model: Any, found: ModelAdapter, request: Request, scores: FloatArray) -> Doubt:
    """Say how many rows ``predict`` decides otherwise, and by what."""
    target = found.classes[class_index(found.classes, request.target)]
    seen: list[Any] = []

    def votes(given: Any) -> FloatArray:
        seen[:] = predictions(model, given, "model.predict").tolist()
        return np.array([1.0 if bool(one == target) else -1.0 for one in seen])

    _, answers = choose_row_format(model, votes, request, "model.predict")
    if classes_of(model) is None and not set(seen) <= set(found.classes):
        return NO_DOUBT  # classes are numbered here, and named there
    given = answers > 0.0
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
        Argument("threshold"),
        " to say which decision counts.",
    )


def _cut(model: Any, found: ModelAdapter, scores: FloatArray, given: BoolArray) -> str:
    """Say where the cut-off of ``predict`` seems to be."""
    if found.scale == LEAD:
        return "predict decides by something else."
    if not given.any() or given.all():
        return f"predict gives this class to {'all' if given.any() else 'none'} of them."
    highest, lowest = float(scores[~given].max()), float(scores[given].min())
    if highest < lowest:
        return f"predict's own cut-off seems to lie between {highest:.4g} and {lowest:.4g}."
    other = found.scale == PROBABILITY and callable(attribute_of(model, _SCORING[1]))
    return "No cut-off of this score separates what predict gives." + (
        f" Perhaps it decides by its decision function: scale={echoed(DECISION)}." if other else ""
    )


def _unwanted(model: Any, found: ModelAdapter, request: Request, scores: FloatArray) -> Doubt:
    """Say why the class that is taken by default seems to be the unwanted one."""
    if len(found.classes) != 2:
        return NO_DOUBT
    index = class_index(found.classes, request.target)
    reasons = [f"{echoed(name)} sounds like something unwanted" for name in _unwanted_names(model)[:1]]
    if found.scale == PROBABILITY and float(scores.mean()) < _RARE:
        reasons.append(f"its mean probability on the reference is {float(scores.mean()):.2g}")
    elif found.scale != PROBABILITY and float((scores >= found.threshold).mean()) < _RARE:
        share = float((scores >= found.threshold).mean())
        reasons.append(f"the model gives it to {share:.0%} of the reference")
    if not reasons:
        log.info("No target is given: class %r is taken as the wanted one.", found.classes[index])
        return NO_DOUBT
    wanted, other = found.classes[index], found.classes[1 - index]
    way_out: Doubt = ("pass ", Argument("target", other))
    if callable(model) and not any(callable(attribute_of(model, name)) for name in (*_SCORING, "predict")):
        way_out = ("pass a function that scores the wanted class",)  # of a function, there is no other score
    return (
        f"No target is given, so class {echoed(wanted)} is taken as the wanted one, but "
        f"{' and '.join(reasons)}. If class {echoed(wanted)} is the unwanted outcome, ",
        *way_out,
        "; to confirm it, pass ",
        Argument("target", wanted),
        ".",
    )


def sounds_unwanted(name: str) -> bool:
    """Tell a name that speaks of something that nobody wants: a default, a fraud.

    >>> sounds_unwanted("default_next_month"), sounds_unwanted("approved")
    (True, False)
    """
    return any(_is_unwanted(word) for word in _WORD.findall(name))


def _unwanted_names(model: Any) -> list[str]:
    """List the names that a user gave to a model and that hold such a word."""
    held = (model, getattr(model, "func", None), getattr(model, "__self__", None))
    names = [name_of(one) for one in held if one is not None]
    names += [str(name) for name, _ in getattr(model, "steps", ())]
    return [name for name in names if sounds_unwanted(name)]


def _is_unwanted(word: str) -> bool:
    return word.lower() in _UNWANTED or word.lower().startswith(_UNWANTED_BEGINNINGS)
