"""Hold the arguments of an explainer that a file keeps: all but the model."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from p2ce.compilation.compiled_problem import Problem
from p2ce.explain.arguments import Arguments
from p2ce.explain.directions import associated
from p2ce.tables import TableKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedArguments:
    """What makes the same explainer again, given the model."""

    arguments: Arguments
    reference: pd.DataFrame
    kind: TableKind  # of table, in which the reference was given
    models: int | None  # how many were given in a list, None for one by itself


def arguments_to_save(
    arguments: Arguments, *, model: Any, reference: pd.DataFrame, kind: TableKind, problem: Problem
) -> SavedArguments:
    """Collect what a file keeps: a policy that was inferred, and a target that was settled, as such."""
    policy = problem.policy
    if arguments.policy is not None:
        policy = associated(arguments.policy, policy)
    return SavedArguments(
        arguments=replace(arguments, policy=policy, target=problem.target),
        reference=reference,
        kind=kind,
        models=len(model) if isinstance(model, list | tuple) else None,
    )
