"""Describe a problem for explanations: names, moves, population, policy, versions."""

import hashlib
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

from p2ce.arrays import FloatArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.errors import InvalidActions
from p2ce.explain.fingerprint import model_fingerprint
from p2ce.explain.population import distributions
from p2ce.problem.actions import ActionSet
from p2ce.problem.candidates import candidates_of
from p2ce.problem.feature import Direction, FeatureActions
from p2ce.problem.policy_file import to_text
from p2ce.problem.rules.linked import Linked
from p2ce.problem.rules.one_hot import OneHot
from p2ce.result.question import FIXED, PROTECTED, Feature, FeatureKind, Moves, Question
from p2ce.result.rule_data import rule_data

MOVES: dict[Direction, Moves] = {Direction.DOWN: "down", Direction.BOTH: "either", Direction.UP: "up"}
# Packages by the modules that models come from, where the two are not called the same.
PACKAGES = {"sklearn": "scikit-learn"}
WRAPPED = ("estimator", "best_estimator_", "base_estimator", "final_estimator_")
DEEPEST = 4


def question_of(
    problem: Problem, *, reference: str, values: FloatArray, objects: Sequence[Any], settings: dict[str, Any]
) -> Question:
    """Describe a problem; ``values`` (n, d) are the reference's codes in the model's columns.

    ``reference`` is the fingerprint of all of it. ``objects`` are the user's own, models and detector, whose
    libraries an explanation depends on.
    """
    spreads = distributions(values, problem.codebook)
    return described_for(
        Question(
            features={name: Feature(name=name, distribution=spreads[name]) for name in problem.names},
            people=len(values),
            versions=_versions(objects),
            hashes={
                "model": model_fingerprint(problem, values),
                "reference": reference,
            },
            settings=settings,
        ),
        problem.actions,
        problem.searched,
    )


def described_for(question: Question, actions: ActionSet, searched: ActionSet) -> Question:
    """Describe the same problem over another action set, and the candidates that are searched for it."""
    followers = {rule.follower for rule in actions.rules if isinstance(rule, Linked)}
    groups = {name: rule.name for rule in actions.rules if isinstance(rule, OneHot) for name in rule.columns}
    policy = _policy(actions)
    return replace(
        question,
        features={
            name: _feature(
                known,
                # Where a policy leaves the choice to the data, only what is searched tells the candidates.
                searched[name] if actions[name].inferred == () else actions[name],
                follows=name in followers,
                group=groups.get(name, ""),
            )
            for name, known in question.features.items()
        },
        rules=tuple(map(rule_data, actions.rules)),
        policy=policy,
        basis=actions.basis,
        reviewed_by="" if actions.review is None else actions.review.by,
        reviewed_on="" if actions.review is None else actions.review.on,
        hashes={**question.hashes, "policy": hashlib.sha256(policy.encode()).hexdigest()},
    )


def _feature(known: Feature, actions: FeatureActions, *, follows: bool, group: str) -> Feature:
    moves = MOVES[actions.direction]
    if follows:
        moves = "along"
    elif actions.fixed:
        moves = PROTECTED if actions.protected else FIXED
    return replace(
        known,
        kind=cast(FeatureKind, str(actions.kind)),
        moves=moves,
        group=group,
        candidates=candidates_of(actions),
        display=actions.display,
    )


def _policy(actions: ActionSet) -> str:
    """Write the policy as a file would, and what a file cannot hold as remarks."""
    try:
        return to_text(actions)
    except InvalidActions as error:
        listed = "\n".join(f"# {line}" for line in str(actions).splitlines())
        return f"# This policy has no form as a file: {error}\n{listed}\n"


def _versions(objects: Sequence[Any]) -> dict[str, str]:
    """Name the versions that an explanation depends on: this library's, its tools', and the objects' own."""
    own = sorted(set().union(*map(_packages, objects)))
    found = {"p2ce": version("p2ce"), "python": platform.python_version()}
    for package in dict.fromkeys(["numpy", "pandas", "numba", "scikit-learn", *own]):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            module = sys.modules.get(package)
            if module is not None and isinstance(getattr(module, "__version__", None), str):
                found[package] = module.__version__
    return found


def _packages(thing: Any, depth: int = 0) -> set[str]:
    """Name the packages that an object and what it wraps are made of: the steps of a pipeline, say."""
    modules = {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    found = {PACKAGES.get(module, module) for module in modules - {"builtins", "__main__", "abc", "p2ce"}}
    if depth == DEEPEST:
        return found
    steps = getattr(thing, "steps", None)
    inside = [step[-1] for step in steps if isinstance(step, tuple)] if isinstance(steps, list) else []
    inside += [getattr(thing, name, None) for name in WRAPPED]
    return found.union(*(_packages(part, depth + 1) for part in inside if part is not None))
