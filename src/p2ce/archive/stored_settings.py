"""Write the arguments of an explainer as JSON, and read them back."""

from dataclasses import asdict, fields
from typing import Any

import numpy as np
import pandas as pd

from p2ce.archive.saved_arguments import SavedArguments
from p2ce.archive.stored_objectives import qualified, read_objectives, write_objective
from p2ce.archive.stored_values import Damaged, read_value, take, write_value
from p2ce.detectors.isolation_forest import IsolationForest
from p2ce.errors import PolicyError
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.explain.arguments import Arguments
from p2ce.limits import DEFAULT, Limits
from p2ce.objectives import resolve
from p2ce.problem.actions import ActionSet
from p2ce.problem.method import P2CE, Mapocam
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


def write_settings(saved: SavedArguments) -> dict[str, Any]:
    """Give the settings as JSON; the policy and the reference are parts of their own."""
    arguments = saved.arguments
    written = {name: write_value(_plain(getattr(arguments, name)), name) for name in PLAIN}
    return {
        **written,
        "objectives": [write_objective(one) for one in resolve(arguments.objectives)],
        "plausibility": _write_detector(arguments.plausibility),
        "method": arguments.method if isinstance(arguments.method, str) else _write_record(arguments.method),
        "bound": arguments.bound if isinstance(arguments.bound, str) else _write_record(arguments.bound),
        "models": saved.models,
    }


def _plain(value: Any) -> Any:
    """Make numbers of NumPy plain ones: the difference has no meaning here."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _write_detector(detector: Any) -> Any:
    if detector is None:
        return None
    if isinstance(detector, IsolationForest):
        return _write_record(detector)
    named = getattr(detector, "__qualname__", None)
    what = f"the function {detector.__module__}.{named}" if named else f"a {qualified(type(detector))}"
    return {"type": NOT_KEPT, "what": what}


def _write_record(record: IsolationForest | ShapEstimate | Mapocam) -> dict[str, Any]:
    held = {name: write_value(_plain(value), name) for name, value in asdict(record).items()}
    return {"type": type(record).__name__, **held}


def read_settings(
    written: Any, *, policy: str, reference: pd.DataFrame, kind: str, limits: Limits = DEFAULT
) -> tuple[SavedArguments, dict[str, str]]:
    """Undo `write_settings`; what only the user has is left out, and listed by the name of its argument."""
    plain = {name: read_value(take(written, name, *JSON)) for name in PLAIN}
    objectives, own_objectives = read_objectives(take(written, "objectives", list))
    detector, own_detector = _read_detector(take(written, "plausibility", dict, type(None)))
    bound = take(written, "bound", str, dict)
    method = take(written, "method", str, dict)
    arguments = Arguments(
        actions=read_actions(policy, limits),
        objectives=objectives or (),
        plausibility=detector,
        method=method if isinstance(method, str) else _read_method(method),
        bound=bound if isinstance(bound, str) else _read_record(bound, ShapEstimate),
        **plain,
    )
    models = take(written, "models", int, type(None))
    saved = SavedArguments(arguments=arguments, reference=reference, kind=kind, models=models)
    own = {"objectives": own_objectives, "plausibility": own_detector}
    return saved, {name: what for name, what in own.items() if what}


def _read_detector(written: Any) -> tuple[IsolationForest | None, str]:
    if written is None:
        return None, ""
    if take(written, "type", str) == NOT_KEPT:
        return None, take(written, "what", str)
    forest: IsolationForest = _read_record(written, IsolationForest)
    return forest, ""


def _read_method(written: Any) -> Mapocam:
    name = take(written, "type", str)
    if name not in METHODS:
        raise Damaged(f"{echoed(name, most=40)} is no algorithm of the paper")
    settings: Mapocam = _read_record(written, METHODS[name])
    return settings


def _read_record(written: Any, made_by: Any) -> Any:
    if take(written, "type", str) != made_by.__name__:
        raise Damaged(f"{echoed(written['type'], most=40)} stands for {made_by.__name__}")
    return made_by(**{field.name: read_value(take(written, field.name, *JSON)) for field in fields(made_by)})


def read_actions(policy: str, limits: Limits = DEFAULT) -> ActionSet:
    """Read the policy's YAML."""
    parsed = parse_policy(read_document(policy, limits=limits), limits=limits)
    if parsed.problems:
        first = parsed.problems[0]
        raise PolicyError(f"line {first.line} of its policy: {first.message}", line=first.line)
    return ActionSet(features=parsed.features, rules=tuple(rule for _, rule in parsed.rules))
