"""Hold what an explainer was asked: its arguments, all but the model."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from p2ce.compilation.compiled_problem import Problem
from p2ce.explain.arguments import Arguments


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """What has to be asked again for the same answers."""

    arguments: Arguments
    reference: pd.DataFrame
    kind: str  # of table, in which the reference was given
    models: int | None  # how many were given in a list, None for one by itself


def asked_of(
    arguments: Arguments, *, model: Any, reference: pd.DataFrame, kind: str, problem: Problem
) -> Asked:
    """Put together what was asked; actions that were read off the reference are kept as such."""
    actions = problem.actions if arguments.actions is None else arguments.actions
    return Asked(
        arguments=replace(arguments, actions=actions),
        reference=reference,
        kind=kind,
        models=len(model) if isinstance(model, list | tuple) else None,
    )
