"""Describe a problem for explanations: names, moves, population, policy, versions."""

import hashlib
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.compiled_problem import ParsedProblem
from p2ce.compile.fingerprint import model_fingerprint
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.describe_features import candidates_of
from p2ce.policy.features.feature import Direction, FeaturePolicy
from p2ce.policy.file.policy_file import policy_text
from p2ce.policy.policy import Policy
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.result.problem_record import (
    FIXED,
    PROTECTED,
    Distribution,
    Feature,
    FeatureKind,
    FeatureMoves,
    ProblemRecord,
)
from p2ce.result.rule_data import rule_data
from p2ce.tables.codebook import MISSING, Codebook, Coding

MOVES: dict[Direction, FeatureMoves] = {Direction.DOWN: "down", Direction.BOTH: "either", Direction.UP: "up"}
# Packages by the modules that models come from, if the two have different names.
PACKAGES = {"sklearn": "scikit-learn"}
WRAPPED = ("estimator", "best_estimator_", "base_estimator", "final_estimator_")
DEEPEST = 4


def record_of(
    problem: ParsedProblem,
    searched: Policy,
    *,
    reference: str,
    values: FloatArray,
    objects: Sequence[Any],
    settings: dict[str, Any],
) -> ProblemRecord:
    """Describe a problem. ``values`` (n, d) are the reference's codes in the model's columns.

    ``searched`` is the policy with the candidates that are searched. ``reference`` is the fingerprint of the
    whole reference. ``objects`` are the user's own models and detector, on whose
    libraries an explanation depends.
    """
    spreads = distributions(values, problem.codebook)
    return described_for(
        ProblemRecord(
            outcome=problem.outcome,
            features={name: Feature(name=name, distribution=spreads[name]) for name in problem.names},
            people=len(values),
            versions=_versions(objects),
            hashes={
                "model": model_fingerprint(problem, values),
                "reference": reference,
            },
            settings=settings,
        ),
        problem.policy,
        searched,
    )


def described_for(record: ProblemRecord, policy: Policy, searched: Policy) -> ProblemRecord:
    """Describe the same problem with another policy, and the candidates that are searched for it."""
    followers = {rule.follower for rule in policy.rules if isinstance(rule, Linked)}
    groups = {name: rule.name for rule in policy.rules if isinstance(rule, OneHot) for name in rule.columns}
    text = _policy_text(policy)
    return replace(
        record,
        features={
            name: _feature(
                known,
                # If a policy leaves the choice to the data, only the searched grid shows the candidates.
                searched[name] if policy[name].inferred == () else policy[name],
                follows=name in followers,
                group=groups.get(name, ""),
            )
            for name, known in record.features.items()
        },
        rules=tuple(map(rule_data, policy.rules)),
        policy=text,
        basis=policy.basis,
        reviewed_by="" if policy.review is None else policy.review.by,
        reviewed_on="" if policy.review is None else policy.review.on,
        hashes={**record.hashes, "policy": hashlib.sha256(text.encode()).hexdigest()},
    )


def _feature(known: Feature, policy: FeaturePolicy, *, follows: bool, group: str) -> Feature:
    moves = MOVES[policy.direction]
    if follows:
        moves = "along"
    elif policy.fixed:
        moves = PROTECTED if policy.protected else FIXED
    return replace(
        known,
        kind=cast(FeatureKind, str(policy.kind)),
        moves=moves,
        group=group,
        candidates=candidates_of(policy),
        display=policy.display,
    )


def has_file_form(record: ProblemRecord) -> bool:
    """Whether a record states all of the policy: a function without a name to import leaves remarks alone."""
    return not all(line.startswith("#") for line in record.policy.splitlines())


def _policy_text(policy: Policy) -> str:
    """Write the policy as in a file, and anything that a file cannot hold as remarks."""
    try:
        return policy_text(policy)
    except InvalidPolicy as error:
        listed = "\n".join(f"# {line}" for line in str(policy).splitlines())
        return f"# This policy cannot be written as a file: {error}\n{listed}\n"


def _versions(objects: Sequence[Any]) -> dict[str, str]:
    """List the versions of everything that an explanation depends on: libraries, and the user's objects."""
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
    """List the packages of an object and of everything it wraps, such as the steps of a pipeline."""
    modules = {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    found = {PACKAGES.get(module, module) for module in modules - {"builtins", "__main__", "abc", "p2ce"}}
    if depth == DEEPEST:
        return found
    steps = getattr(thing, "steps", None)
    inside = [step[-1] for step in steps if isinstance(step, tuple)] if isinstance(steps, list) else []
    inside += [getattr(thing, name, None) for name in WRAPPED]
    return found.union(*(_packages(part, depth + 1) for part in inside if part is not None))


MOST_BINS = 24
MOST_LABELS = 20
TAILS = (1.0, 99.0)  # percentiles between which bins lie if a few rows are far out
FAR_OUT = 3.0  # times that width


def distributions(values: FloatArray, codebook: Codebook) -> dict[str, Distribution]:
    """Summarise every column of the reference's codes (n, d)."""
    return {coding.name: _spread(values[:, column], coding) for column, coding in enumerate(codebook.codings)}


def _spread(codes: FloatArray, coding: Coding) -> Distribution:
    known = codes[codes != MISSING]
    missing = 1.0 - len(known) / len(codes)
    if not len(known) or coding.is_date:
        return Distribution(missing=missing)
    distinct, counts = np.unique(known, return_counts=True)
    share = counts / len(codes)
    if coding.is_category or set(distinct.tolist()) <= {0.0, 1.0}:
        order = np.argsort(-share, kind="stable")
        listed = order[:MOST_LABELS]
        return Distribution(
            labels=tuple(coding.plain(float(code)) for code in distinct[listed]),
            shares=tuple(share[listed].tolist()),
            other=float(share[order[MOST_LABELS:]].sum()),
            missing=missing,
        )
    edges = _edges(known, distinct)
    # Rows beyond the ends are counted in the bins at the ends.
    bins, _ = np.histogram(np.clip(known, edges[0], edges[-1]), bins=edges)
    return Distribution(
        edges=tuple(edges.tolist()), shares=tuple((bins / len(codes)).tolist()), missing=missing
    )


def _edges(known: FloatArray, distinct: FloatArray) -> FloatArray:
    """Choose the ends of bins. Whole numbers lie inside theirs, with the same number of steps in each bin."""
    low, high = float(known.min()), float(known.max())
    first, last = np.percentile(known, TAILS)
    if high - low > FAR_OUT * (last - first) > 0:
        low, high = float(first), float(last)
    if len(distinct) > 1 and (distinct == np.floor(distinct)).all() and np.abs(distinct).max() < 2.0**52:
        # Loans of 6, 12, 18 months would look like a comb in bins whose width is not a multiple of 6.
        step = float(np.gcd.reduce(np.diff(distinct).astype(np.int64)))
        low = float(distinct[0] + step * np.floor((low - distinct[0]) / step))
        steps = np.floor((high - low) / step) + 1.0
        width = step * np.ceil(steps / MOST_BINS)
        count = int(np.ceil(step * steps / width))
        return np.asarray(low - step / 2.0 + width * np.arange(count + 1))
    if low == high:
        room = max(abs(low), 1.0) * 0.5
        low, high = low - room, high + room
    return np.linspace(low, high, MOST_BINS + 1)
