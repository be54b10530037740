"""Write the arguments of an explainer as JSON, and read them back. Custom objects are only named."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.base.zip_parts import Damaged
from p2ce.compile.archive.saved_arguments import SavedArguments
from p2ce.compile.archive.stored_values import read_value, take, write_value
from p2ce.compile.arguments import Arguments
from p2ce.compile.own_plausibility import IGNORE
from p2ce.compile.paper_settings import P2CE, Mapocam
from p2ce.errors import InvalidArgument, InvalidPolicy
from p2ce.models.detectors.plausibility_forest import PlausibilityForest
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.objectives.objective import Objective
from p2ce.objectives.objective_names import built_in, resolve
from p2ce.policy.file.policy_document import read_document
from p2ce.policy.file.policy_file import parse_policy
from p2ce.policy.policy import Policy
from p2ce.result.points import Points
from p2ce.tables import TableKind

# The records of this library that an argument may be, except objectives: `p2ce.objectives` lists these. They
# are written field by field, and check themselves.
RECORDS: dict[str, tuple[Any, ...]] = {
    "plausibility": (PlausibilityForest,),
    "method": (P2CE, Mapocam),
    "bound": (ShapEstimate,),
    "report": (Points,),
}
OWN = "own"
SETTINGS = tuple(field.name for field in fields(Arguments) if field.name != "policy")
JSON = (bool, int, float, str, list, dict, type(None))


@dataclass(frozen=True, slots=True)
class Own:
    """The description of an argument that a file cannot store."""

    what: str


def write_settings(saved: SavedArguments) -> dict[str, Any]:
    """Return the settings as JSON. The policy and the reference are separate parts."""
    given = {name: getattr(saved.arguments, name) for name in SETTINGS}
    written = {name: _write(name, value) for name, value in given.items() if name != "objectives"}
    objectives = _write_objectives(resolve(given["objectives"]))
    return {**written, "objectives": objectives, "models": saved.models}


def stated_objectives(objectives: Sequence[Objective]) -> str:
    """Write objectives as text, which `read_objectives` reads."""
    return json.dumps(_write_objectives(objectives), allow_nan=False)


def read_objectives(text: object) -> tuple[Objective, ...]:
    """Read objectives from text; raise if one is a custom objective, which the text only names."""
    try:
        found = [_read("objectives", one) for one in json.loads(str(text))]
        own = next((one for one in found if isinstance(one, Own)), None)
        read = resolve(found) if own is None else ()
    except Exception as error:  # for any text, the error is one line
        why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise InvalidArgument(f"The objectives of the explanation cannot be read: {why}") from error
    if own is not None:
        raise InvalidArgument(
            f"The explanation was made with custom objectives: {own.what[:300]}. Its record only names them. "
            "Explain a person with them again, explain(row, objectives=…), so that this explainer knows them."
        )
    return read


def _write_objectives(objectives: Sequence[Objective]) -> list[Any]:
    return [_write("objectives", one) for one in objectives]


def _write(name: str, value: Any) -> Any:
    if type(value) in _records_of(name):
        held = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        try:
            return {
                "type": type(value).__name__,
                **{key: write_value(one, f"{key} of {name}") for key, one in held.items()},
            }
        except InvalidArgument:
            if not isinstance(value, Objective):  # a table of costs may contain functions
                raise
    if isinstance(value, Objective) or (name in ("plausibility", "report") and value is not None):
        return {OWN: _described(value)}
    return write_value(_plain(value), name)


def _plain(value: Any) -> Any:
    """Convert NumPy numbers to plain numbers: the difference has no meaning here."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _described(value: Any) -> str:
    named, kind = getattr(value, "__qualname__", None), type(value)
    if named:
        return f"the function {value.__module__}.{named}"
    name = f"{echoed(value.name)}, " if isinstance(value, Objective) else ""
    return f"{name}an object of {kind.__module__}.{kind.__qualname__}"


def read_settings(
    written: Any, *, text: str, reference: pd.DataFrame, kind: TableKind, limits: Limits = DEFAULT
) -> tuple[SavedArguments, dict[str, str]]:
    """Read settings that `write_settings` wrote, and list the custom objects by argument."""
    # Older files lack these settings. Their explainers ignored the plausibility of today.
    older = {"plausibility_of_today": IGNORE, "score_tolerance": 0.0}
    written = {**older, **written} if isinstance(written, dict) else written
    given = {name: _read(name, take(written, name, *JSON)) for name in SETTINGS if name != "objectives"}
    objectives = [_read("objectives", one) for one in take(written, "objectives", list)]
    own = {
        "objectives": "; ".join(one.what for one in objectives if isinstance(one, Own)),
        **{
            name: given[name].what if isinstance(given[name], Own) else ""
            for name in ("plausibility", "report")
        },
    }
    kept = {
        "objectives": () if own["objectives"] else tuple(objectives),
        **{name: None if own[name] else given[name] for name in ("plausibility", "report")},
    }
    saved = SavedArguments(
        arguments=Arguments(policy=read_policy(text, limits), **{**given, **kept}),
        reference=reference,
        kind=kind,
        models=take(written, "models", int, type(None)),
    )
    return saved, {name: what for name, what in own.items() if what}


def _read(name: str, written: Any) -> Any:
    records = _records_of(name)
    if not records or not isinstance(written, dict):
        return read_value(written)
    if OWN in written:
        return Own(take(written, OWN, str))
    called = take(written, "type", str)
    made_by = next((one for one in records if one.__name__ == called), None)
    if made_by is None:
        raise Damaged(f"{echoed(called, most=40)} stands for {name}")
    given = {field.name: read_value(take(written, field.name, *JSON)) for field in fields(made_by)}
    return made_by.of_fields(given) if issubclass(made_by, Objective) else made_by(**given)


def _records_of(name: str) -> tuple[Any, ...]:
    """Return the records of this library that an argument may be."""
    return built_in() if name == "objectives" else RECORDS.get(name, ())


def read_policy(text: str, limits: Limits = DEFAULT) -> Policy:
    """Parse the policy's YAML."""
    try:
        return parse_policy(read_document(text, limits=limits), limits=limits).policy()
    except InvalidPolicy as error:
        where = "" if error.line is None else f"line {error.line} of "
        raise InvalidPolicy(f"{where}its policy: {error}", line=error.line) from error
