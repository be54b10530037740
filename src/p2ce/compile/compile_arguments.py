"""Check the arguments of an explainer, and compile them into a problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.compile.arguments import (
    Arguments,
    check_bound,
    check_limit,
    check_method,
    check_of_today,
    check_tolerance,
)
from p2ce.compile.candidate_errors import require_candidates
from p2ce.compile.compiled_problem import ParsedProblem, Problem, labels_of, without_special
from p2ce.compile.describe_problem import record_of
from p2ce.compile.evaluate_rows import reported_sample, sample_rows
from p2ce.compile.fingerprint import codes_fingerprint
from p2ce.compile.grouped_features import check_policy, one_hot_compounds, settle_groups
from p2ce.compile.ignored_columns import used_part, without_ignored
from p2ce.compile.lay_out import lay_out_problem, search_space
from p2ce.compile.refine_grid import refinement_of
from p2ce.compile.report_points import settle_report
from p2ce.compile.rule_scores import columns_to_miss, compile_rules
from p2ce.compile.settle_target import directed, known_associations, settle_target
from p2ce.errors import InvalidArgument
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.decisions.decision_warnings import warn_about_decisions
from p2ce.models.detectors.parse_detector import parse_detector
from p2ce.models.monotone_constraints import favourable_constraints
from p2ce.models.parse_model import request_for
from p2ce.models.several_models import codebook_of_all, parse_models, predict_numbers
from p2ce.objectives import Objective, Reference
from p2ce.objectives.objective import FittedObjective, fit_objective
from p2ce.objectives.objective_names import resolve
from p2ce.policy.inference.favourable_class import outcome_name
from p2ce.policy.inference.infer_features import column_names, encode_columns, infer_features
from p2ce.policy.inference.known_outcomes import known_outcomes
from p2ce.policy.inference.relations import Relation, relations_between, relations_of
from p2ce.policy.inference.special_values import settle_special
from p2ce.policy.policy import Policy
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule
from p2ce.result.columns import column_types
from p2ce.tables import as_pandas
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from p2ce.tables.kinds import PANDAS, TableKind

KEPT_ROWS = 4096  # rows of the reference, to parse the models again and to fit estimates


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compiled:
    """The compiled arguments, and the data needed to compile for other instances and policies."""

    problem: Problem
    # Kept, since the models are parsed again for instances farther out, or with other missing values.
    parse_models: "partial[tuple[Adapter, ...]]"
    # A copy, since the caller's frame may change later; for save() and one-hot groups.
    reference: pd.DataFrame
    ignored: tuple[str, ...]  # columns of the caller's reference that the model does not use
    kind: TableKind  # the kind of table that the reference was
    sample: slice  # rows of the reference: enough to parse the models again
    values: FloatArray  # (n, d) the sample's codes in the model's columns
    ends: FloatArray  # (2, d) the least and the largest known code of the whole reference
    one_hot_groups: Mapping[OneHot, OneHot]  # as passed, and with the levels that occur in the reference
    proposed_rules: tuple[Rule, ...]  # relations that hold in the whole reference
    rejected: FloatArray  # (few, d) rows of the sample that the model rejects


def compile_arguments(model: Any, reference: Any, arguments: Arguments, *, y: Any = None) -> Compiled:
    """Check everything that can be checked without an instance, and compile model, detector and policy.

    ``y`` holds the labels of the reference, if they are known.
    """
    given = arguments
    method = check_method(given.method)
    check_limit(given.max_changes)
    check_bound(given.bound)
    check_of_today(given.plausibility_of_today)
    for name in ("ties", "refine", "price_of_plausibility"):
        if not isinstance(getattr(given, name), bool | np.bool_):
            raise InvalidArgument(f"{name} must be True or False; got {echoed(getattr(given, name))}.")
    if not isinstance(given.outcome, str | None):
        raise InvalidArgument(f"outcome must be text, such as 'default'; got {echoed(given.outcome)}.")
    wanted = resolve(given.objectives)
    frame, kind = as_pandas(reference)
    frame, ignored = used_part(model, frame)
    # The paper's algorithms search the paper's grid, and no other grid is tried after it.
    own = without_ignored(given.policy, ignored)
    policy, inferred = _policy(frame, own, "data" if method is None else "paper")
    check_tolerance(given.score_tolerance)
    check_policy(policy, column_names(frame))
    for feature in policy.features:
        if feature.is_category and not feature.fixed:  # before a million labels are encoded and learnt from
            feature.check_not_too_many()
    book = codebook_of(frame)
    codes = book.encode(frame)
    nullable = book.columns_with_missing(codes) | columns_to_miss(policy)
    outcomes = None if y is None else known_outcomes(y, rows=len(frame), index=frame.index)
    stated_target, at_least, at_most = given.target, given.at_least, given.at_most
    if isinstance(stated_target, list) and len(stated_target) == 1:  # a list of one class is that class
        (stated_target,) = stated_target
    if stated_target is None and (at_least is not None or at_most is not None) and predict_numbers(model):
        stated_target, at_least, at_most = (at_least, at_most), None, None
    parsing = partial(
        parse_models,
        model,
        at_least=at_least,
        at_most=at_most,
        margin=given.margin if not given.score_tolerance else given.margin + given.score_tolerance,
        score_tolerance=given.score_tolerance,
        scale=given.scale,
        codebook=book,
        black_box=given.bound not in ("auto", None),
    )
    target, models = settle_target(
        lambda target: parsing(target=target, reference=frame, codes=codes, nullable=nullable),
        stated_target,
        outcomes=outcomes,
        reference=frame,
    )
    if given.score_tolerance and not any(one.is_black_box for one in models):
        raise InvalidArgument(
            f"score_tolerance={echoed(given.score_tolerance)} is for black boxes, but {models[0].family} is "
            "supported natively, and its scores repeat. Leave it out, or pass margin= instead."
        )
    book = codebook_of_all(models, book)
    parsing = partial(parsing, target=target, codebook=book)
    warn_about_decisions(
        model,
        models,
        request_for(frame, target=target, margin=given.margin, codebook=book, codes=codes, nullable=nullable),
        limit=given.at_least if given.at_most is None else given.at_most,
        default_target=given.target is None,
    )
    policy = directed(
        policy,
        constraints=favourable_constraints(model, models, target),
        associations=known_associations(policy, frame, models[0], target, outcomes),
        restricts=given.policy is None,
    )
    names = models[0].columns
    detector = parse_detector(
        given.plausibility,
        reference=frame,
        random_state=given.random_state,
        contamination=given.contamination,
        codebook=book,
        codes=codes,
        nullable=nullable,
    )
    codebook = book.of(names)
    dtypes, categories = column_types(frame)
    place = {name: at for at, name in enumerate(book.names)}
    values = np.ascontiguousarray(codes[:, [place[name] for name in names]])
    stated, policy = policy, settle_groups(policy, codebook, frame, {})
    described = described_reference(policy, codebook, values)
    parsed = ParsedProblem(
        target=target,
        outcome=outcome_name(target, None if outcomes is None else outcomes.name)
        if given.outcome is None
        else given.outcome,
        margin=float(given.margin) + float(given.score_tolerance),
        policy=policy,
        wanted=wanted,
        max_changes=given.max_changes,
        method=method,
        keep_ties=bool(given.ties),
        refines=bool(given.refine),
        use_bounds=given.bound is not None,
        plausibility_of_today=given.plausibility_of_today,
        # The paper's algorithms are timed as printed.
        prices_plausibility=bool(given.price_of_plausibility) and method is None,
        names=names,
        labels=labels_of(frame, names),
        dtype_names={name: dtypes[name] for name in names},
        categories={name: categories[name] for name in names if name in categories},
        codebook=codebook,
        nullable=nullable,
        model=models[0],
        others=models[1:],
        detector=detector,
        objectives=fit_all(wanted, described),
        rules=compile_rules(policy, codebook),
        relations=relations_besides(policy, inferred.proposed_rules),
        compounds=one_hot_compounds(policy, codebook),
        refinement=refinement_of(models, detector, described, inferred) if method is None else None,
    )
    parsed = replace(
        parsed,
        report=settle_report(
            given.report,
            scale=parsed.scale,
            score_limit=-parsed.threshold if parsed.negated else parsed.threshold,
            at_most=parsed.negated,
            scores=lambda: reported_sample(parsed, values),
        ),
    )
    space = search_space(parsed)
    record = record_of(
        parsed,
        space.policy,
        reference=codes_fingerprint(book, codes),
        values=values,
        objects=[*(model if isinstance(model, list | tuple) else [model]), given.plausibility],
        settings=given.stated(),
    )
    sample = slice(None, None, max(1, len(values) // KEPT_ROWS))
    rows = values[sample].copy()
    sampled = sample_rows(parsed, rows)
    problem = lay_out_problem(
        parsed, space, record=record, accepted=sampled.accepted, row_seconds=sampled.row_seconds
    )
    require_candidates(problem, rows[0])
    return Compiled(
        problem=problem,
        parse_models=parsing,
        # A frame may share its values with one of the caller's arrays.
        reference=frame.copy(deep=True) if kind == PANDAS else frame,
        ignored=ignored,
        kind=kind,
        sample=sample,
        values=rows,
        ends=_ends_of(values),
        one_hot_groups=MappingProxyType(
            {
                rule: settled
                for rule, settled in zip(stated.rules, policy.rules, strict=True)
                if isinstance(rule, OneHot) and isinstance(settled, OneHot)
            }
        ),
        proposed_rules=inferred.proposed_rules,
        rejected=sampled.rejected,
    )


def described_reference(policy: Policy, codebook: Codebook, values: FloatArray) -> Reference:
    """Describe the reference to objectives: its codes (n, d), without the policy's special values."""
    special = {column: codes for column, name in enumerate(codebook.names) if (codes := policy[name].special)}
    known = without_special(special, range(len(codebook.names)), values)
    return Reference(names=codebook.names, values=known, codebook=codebook)


def fit_all(objectives: Sequence[Objective], reference: Reference) -> tuple[FittedObjective, ...]:
    """Fit every objective. An error names the objective that fails."""
    return tuple(fit_objective(objective, reference) for objective in objectives)


def relations_besides(policy: Policy, proposed: Sequence[Rule]) -> tuple[Relation, ...]:
    """Return the relations that the reference suggests and the policy does not require."""
    return relations_of(rule for rule in proposed if rule not in policy.rules)


def _policy(
    frame: pd.DataFrame, given: Policy | None, grid: Literal["data", "paper"]
) -> tuple[Policy, Policy]:
    """Settle the policy of each feature, and the candidates that the data alone would choose.

    If the user passed a policy, nothing is assumed about the data, so nothing is logged.
    """
    if given is None:
        inferred = Policy.infer(frame, grid=grid)
        return inferred, inferred
    return given, inferred_beside(given, frame, grid)


def inferred_beside(given: Policy, frame: pd.DataFrame, grid: Literal["data", "paper"]) -> Policy:
    """Infer the candidates that the data alone would choose, with the special values of the user's policy."""
    columns = encode_columns(frame)
    named = {feature.name: feature.special for feature in getattr(given, "features", ()) if feature.special}
    named = {name: codes for name, codes in named.items() if name in columns.names}
    special = settle_special(named, columns.numbers, columns=columns.names)
    features = infer_features(columns, grid=grid, special=special)
    proposed = tuple(relation.rule() for relation in relations_between(columns, features))
    return Policy(features=features, proposed_rules=proposed)


def _ends_of(rows: FloatArray) -> FloatArray:
    """Return the least and the largest known code (2, d) of the columns of rows (n, d)."""
    known = rows != MISSING
    return np.array([np.where(known, rows, np.inf).min(axis=0), np.where(known, rows, -np.inf).max(axis=0)])
