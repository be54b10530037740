"""Write what an explainer was asked as JSON, and read it back."""

from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from p2ce.archive.saved_arguments import SavedArguments
from p2ce.archive.stored_objectives import qualified, read_objectives, write_objective
from p2ce.archive.stored_values import Damaged, read_value, take, write_value
from p2ce.detectors.isolation_forest import IsolationForest
from p2ce.errors import PolicyError
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.explain.compile_arguments import Arguments
from p2ce.limits import DEFAULT, Limits
from p2ce.objectives import resolve
from p2ce.paper.methods import P2CE, Mapocam
from p2ce.problem.actions import ActionSet
from p2ce.problem.policy_document import read_document
from p2ce.problem.policy_file import parse_policy
from p2ce.visible import echoed

# Arguments that are one value each.
PLAIN = (
    *("target", "threshold", "margin", "scale", "max_changes"),
    *("contamination", "ties", "random_state"),
)
METHODS = {settings.__name__: settings for settings in (P2CE, Mapocam)}
NOT_KEPT = "own"
JSON = (bool, int, float, str, list, dict, type(None))


def write_settings(asked: SavedArguments) -> dict[str, Any]:
    """Give the settings as JSON; the policy and the reference are parts of their own."""
    given = asked.arguments
    told = {name: write_value(_plain(getattr(given, name)), name) for name in PLAIN}
    return {
        **told,
        "objectives": [write_objective(one) for one in resolve(given.objectives)],
        "plausibility": _write_detector(given.plausibility),
        "method": given.method if isinstance(given.method, str) else _write_options(given.method),
        "bound": given.bound if isinstance(given.bound, str) else _write_options(given.bound),
        "models": asked.models,
    }


def _plain(value: Any) -> Any:
    """Let numbers of NumPy be plain ones: nobody asks which of the two they are."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _write_detector(detector: Any) -> Any:
    if detector is None:
        return None
    if isinstance(detector, IsolationForest):
        return _write_options(detector)
    named = getattr(detector, "__qualname__", None)
    what = f"the function {detector.__module__}.{named}" if named else f"a {qualified(type(detector))}"
    return {"type": NOT_KEPT, "what": what}


def _write_options(options: IsolationForest | ShapEstimate | Mapocam) -> dict[str, Any]:
    held = {field.name: _plain(getattr(options, field.name)) for field in fields(options)}
    return {"type": type(options).__name__, **{name: write_value(held[name], name) for name in held}}


def read_settings(
    told: Any, *, policy: str, reference: pd.DataFrame, kind: str, limits: Limits = DEFAULT
) -> tuple[SavedArguments, dict[str, str]]:
    """Undo `write_settings`; what only the user has is left out, and told by the name of its argument."""
    plain = {name: read_value(take(told, name, *JSON)) for name in PLAIN}
    objectives, own_objectives = read_objectives(take(told, "objectives", list))
    detector, own_detector = _read_detector(take(told, "plausibility", dict, type(None)))
    bound = take(told, "bound", str, dict)
    method = take(told, "method", str, dict)
    arguments = Arguments(
        actions=read_actions(policy, limits),
        objectives=objectives or (),
        plausibility=detector,
        method=method if isinstance(method, str) else _read_method(method),
        bound=bound if isinstance(bound, str) else _read_options(bound, ShapEstimate),
        **plain,
    )
    models = take(told, "models", int, type(None))
    asked = SavedArguments(arguments=arguments, reference=reference, kind=kind, models=models)
    own = {"objectives": own_objectives, "plausibility": own_detector}
    return asked, {name: what for name, what in own.items() if what}


def _read_detector(told: Any) -> tuple[IsolationForest | None, str]:
    if told is None:
        return None, ""
    if take(told, "type", str) == NOT_KEPT:
        return None, take(told, "what", str)
    forest: IsolationForest = _read_options(told, IsolationForest)
    return forest, ""


def _read_method(told: Any) -> Mapocam:
    name = take(told, "type", str)
    if name not in METHODS:
        raise Damaged(f"{echoed(name, most=40)} is no algorithm of the paper")
    settings: Mapocam = _read_options(told, METHODS[name])
    return settings


def _read_options(told: Any, made_by: Any) -> Any:
    if take(told, "type", str) != made_by.__name__:
        raise Damaged(f"{echoed(told['type'], most=40)} stands for {made_by.__name__}")
    return made_by(**{field.name: read_value(take(told, field.name, *JSON)) for field in fields(made_by)})


def read_actions(policy: str, limits: Limits = DEFAULT) -> ActionSet:
    """Read the policy's YAML."""
    reading = parse_policy(read_document(policy, limits=limits), limits=limits)
    if reading.problems:
        first = reading.problems[0]
        raise PolicyError(f"line {first.line} of its policy: {first.message}", line=first.line)
    return ActionSet(features=reading.features, rules=tuple(rule for _, rule in reading.rules))
