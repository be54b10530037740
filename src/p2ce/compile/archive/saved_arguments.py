"""Define the arguments of an explainer that a file stores: all except the model."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from p2ce.base.any_of import AnyOf
from p2ce.compile.arguments import Arguments
from p2ce.compile.compiled_problem import StatedProblem
from p2ce.compile.settle_target import associated
from p2ce.result.target import is_target_range
from p2ce.tables import TableKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedArguments:
    """The arguments that rebuild the same explainer, together with the model."""

    arguments: Arguments
    reference: pd.DataFrame
    kind: TableKind  # the kind of table that the reference was
    models: int | None  # the number of models in a list; None for a single model


def arguments_to_save(
    arguments: Arguments, *, model: Any, reference: pd.DataFrame, kind: TableKind, problem: StatedProblem
) -> SavedArguments:
    """Collect the arguments to store, with the inferred policy and the settled target."""
    policy = problem.policy
    if arguments.policy is not None:
        policy = associated(arguments.policy, policy)
    target = list(problem.target.classes) if isinstance(problem.target, AnyOf) else problem.target
    stated: dict[str, Any] = {"target": target, "outcome": problem.outcome}
    if is_target_range(problem.target):  # which the limits of a regressor have become
        stated |= {"at_least": None, "at_most": None}
    return SavedArguments(
        arguments=replace(arguments, policy=policy, **stated),
        reference=reference,
        kind=kind,
        models=len(model) if isinstance(model, list | tuple) else None,
    )
