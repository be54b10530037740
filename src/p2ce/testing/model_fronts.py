"""Search with a parsed model and with a plain callable, and compare both with brute force."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray
from p2ce.compile.compiled_problem import Problem, labels_of
from p2ce.compile.lay_out import with_models
from p2ce.explainer import Explainer, problems_of
from p2ce.models.decisions.adapter import Adapter
from p2ce.policy.policy import Policy
from p2ce.testing.check_fronts import (
    MAX_CHANGES,
    ComparedFronts,
    check_fronts,
    choose_rejected,
    small_actions,
)
from p2ce.testing.subject import Subject

# Makes an explainer of the model for a reference, with columns in the model's order, and a policy.
MakeExplainer: TypeAlias = Callable[[pd.DataFrame, Policy], Explainer]


def check_model_fronts(
    subject: Subject,
    read: Adapter,
    reference: pd.DataFrame,
    *,
    people: int,
    rng: np.random.Generator,
    explainer: MakeExplainer | None,
) -> ComparedFronts:
    """Compare the fronts of rejected instances, if any. By default, one explainer uses the adapter."""
    rejected = choose_rejected(subject, people, rng)
    if not len(rejected):
        return ComparedFronts(0, 0)
    ordered = reference[list(labels_of(reference, read.columns))]
    policy = small_actions(subject, ordered, rng)
    black_box = _of_callable(read, ordered, policy)
    own = _of_adapter(read, ordered, policy, subject) if explainer is None else explainer(ordered, policy)

    def accepts(frame: pd.DataFrame) -> BoolArray:
        return subject.accepts(subject.evaluate_frame(frame))

    explainers = {"by the parsed model": own, "by a bare callable": black_box}
    return check_fronts(explainers, subject.frame(rejected), accepts)


def _of_callable(read: Adapter, reference: pd.DataFrame, policy: Policy) -> Explainer:
    """Make an explainer that knows nothing about the model except its scores."""
    made = explainer_of(lambda frame: read.evaluate(frame), reference, policy=policy, at_least=read.threshold)
    problems = problems_of(made)
    black_box = problems.own.model
    # Single precision rounds differently in another batch, which a few rows may not show.
    black_box = replace(black_box, tolerance=max(black_box.tolerance, read.tolerance))
    problems.replace_own(_with_model(problems.own, black_box, problems.own.nullable))
    return made


def _of_adapter(read: Adapter, reference: pd.DataFrame, policy: Policy, subject: Subject) -> Explainer:
    """Put an adapter without a registered family in the place of a callable's."""
    made = _of_callable(read, reference, policy)
    nullable = frozenset(subject.columns[column] for column in subject.nullable)
    problems = problems_of(made)
    problems.replace_own(_with_model(problems.own, read, problems.own.nullable | nullable))
    return made


def _with_model(problem: Problem, read: Adapter, nullable: frozenset[str]) -> Problem:
    codebook = problem.codebook
    if read.codebook is not None:
        codebook = codebook.with_codings_of(read.codebook)
    return with_models(problem, (read,), codebook=codebook, detector=problem.detector, nullable=nullable)


def explainer_of(
    model: Any,
    reference: pd.DataFrame,
    *,
    policy: Policy,
    at_least: float | None,
    target: Any = 1,
    scale: str | None = None,
) -> Explainer:
    """Make an explainer with all defaults, except that it does not require plausibility."""
    return Explainer(
        model,
        reference,
        policy=policy,
        target=target,
        at_least=at_least,
        scale=scale,
        max_changes=MAX_CHANGES,
        plausibility=None,
    )
