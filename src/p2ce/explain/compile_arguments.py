"""Take the arguments of an explainer, check them, and read them into a question without its person."""

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compilation.compiled_problem import Problem, labels_of, without_special
from p2ce.compilation.grouped_features import check_actions, groups_of, settle_groups
from p2ce.compilation.refine_grid import refinement_of
from p2ce.compilation.rule_scores import columns_to_miss, read_rules
from p2ce.decisions.decision_warnings import warn_about_decisions
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.detectors.parse_detector import parse_detector
from p2ce.errors import InvalidArgument
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.explain.check_arguments import check_bound, check_limit
from p2ce.explain.describe_problem import question_of
from p2ce.explain.fingerprint import codes_fingerprint
from p2ce.explain.paper_methods import check_paper
from p2ce.models.parse_model import columns_with_missing, request_for
from p2ce.models.several_models import parse_models
from p2ce.objectives import Objective, Reference, resolve
from p2ce.objectives.objective import FittedObjective, blamed
from p2ce.paper.methods import Mapocam, find_method
from p2ce.problem.actions import ActionSet
from p2ce.problem.rules.one_hot import OneHot
from p2ce.problem.special import detected, proposal
from p2ce.result.dtypes import column_types
from p2ce.tables import as_pandas
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from p2ce.visible import echoed

log = logging.getLogger("p2ce")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """What an explainer was asked for beside its model and its reference, as it was given."""

    actions: ActionSet | None
    target: Any  # None where none was given: class 1 is wanted then
    threshold: float | Sequence[float | None] | None
    margin: float
    scale: str | None
    objectives: str | Objective | Sequence[str | Objective]
    max_changes: int | None
    plausibility: Any
    contamination: float | None
    method: str | Mapocam
    ties: bool
    bound: str | ShapEstimate
    random_state: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Read:
    """The arguments as they were read."""

    problem: Problem
    # Kept, since people may need another reading: those who stand farther out, or lack other values.
    parse_models: "partial[tuple[ModelAdapter, ...]]"
    reference: pd.DataFrame
    values: FloatArray  # (n, d) the reference's codes in the model's columns
    settled: dict[OneHot, OneHot]  # groups, and what the reference made of them
    kind: str  # of table that the reference came in


def settings_of(given: Arguments) -> dict[str, Any]:
    """Give what an auditor needs to ask the same again, and the certificate does not say."""
    forest = getattr(given.plausibility, "contamination", None)  # a fitted one may keep it as text
    contamination = forest if given.contamination is None else given.contamination
    settings = {
        "bound": str(given.bound) if isinstance(given.method, str) else None,
        "method": None if isinstance(given.method, str) else asdict(given.method),
        "contamination": float(contamination) if isinstance(contamination, Real) else None,
        "margin": given.margin or None,
        "random_state": given.random_state,
        "ties": True if given.ties else None,
    }
    return {name: value for name, value in settings.items() if value is not None}


def read_arguments(model: Any, reference: Any, arguments: Arguments) -> Read:
    """Check everything that can be checked without a person, and read model, detector and actions."""
    given = arguments
    method = find_method(given.method)
    check_limit(given.max_changes)
    check_bound(given.bound)
    if not isinstance(given.ties, bool | np.bool_):
        raise InvalidArgument(f"ties is True or False; got {echoed(given.ties)}.")
    wanted = resolve(given.objectives)
    frame, kind = as_pandas(reference)
    # The paper's algorithms search the paper's grid, and no other one is tried after it.
    inferred = _inferred(frame, given.actions, "data" if method is None else "paper")  # checks the frame
    actions = inferred if given.actions is None else given.actions
    book = codebook_of(frame)
    codes = book.encode(frame)
    check_actions(actions, book.names)
    if given.actions is None:
        _propose_special(book, codes)
    may_miss = columns_with_missing(codes, book) | columns_to_miss(actions)
    target = 1 if given.target is None else given.target
    reading = partial(
        parse_models,
        model,
        target=target,
        threshold=given.threshold,
        margin=given.margin,
        scale=given.scale,
        codebook=book,
        opaque=given.bound not in ("auto", "none"),
    )
    read = reading(reference=frame, codes=codes, may_miss=may_miss)
    warn_about_decisions(
        model,
        read,
        request_for(frame, target=target, margin=given.margin, codebook=book, codes=codes, may_miss=may_miss),
        threshold=given.threshold,
        default_target=given.target is None,
    )
    names = read[0].columns
    detector = parse_detector(
        given.plausibility,
        reference=frame,
        random_state=given.random_state,
        contamination=given.contamination,
        codebook=book,
        codes=codes,
        may_miss=may_miss,
    )
    codebook = book.of(names)
    dtypes, categories = column_types(frame)
    values = np.ascontiguousarray(codes[:, [book.names.index(name) for name in names]])
    settled: dict[OneHot, OneHot] = {}
    actions = settle_groups(actions, codebook, frame, settled)
    described = Reference(names=names, values=without_special(actions, names, values), codebook=codebook)
    problem = Problem(
        names=names,
        labels=labels_of(frame, names),
        codebook=codebook,
        may_miss=may_miss,
        model=read[0],
        others=read[1:],
        detector=detector,
        objectives=tuple(_fitted(one, described) for one in wanted),
        refinement=refinement_of(read, detector, described, inferred) if method is None else None,
        actions=actions,
        rules=read_rules(actions, codebook),
        compounds=groups_of(actions, codebook),
        method=method,
        max_changes=given.max_changes,
        keep_ties=bool(given.ties),
        use_bounds=given.bound != "none",
        target=target,
        margin=float(given.margin),
        dtype_names={name: dtypes[name] for name in names},
        categories={name: categories[name] for name in names if name in categories},
    ).laid_out()
    if method is not None:
        check_paper(problem, bound=given.bound)
    question = question_of(
        problem,
        reference=codes_fingerprint(book, codes),
        values=values,
        objects=[*(model if isinstance(model, list | tuple) else [model]), given.plausibility],
        settings=settings_of(given),
    )
    return Read(
        problem=replace(problem, question=question),
        parse_models=reading,
        reference=frame,
        values=values,
        settled=settled,
        kind=kind,
    )


def _fitted(objective: Objective, reference: Reference) -> FittedObjective:
    with blamed(objective):
        return objective.fit(reference)


def _inferred(frame: pd.DataFrame, given: ActionSet | None, grid: Literal["data", "paper"]) -> ActionSet:
    """Infer what the data say, with the special values that somebody named."""
    named = {feature.name: feature.special for feature in getattr(given, "features", ()) if feature.special}
    known = {str(name) for name in frame.columns} if hasattr(frame, "columns") else set()
    return ActionSet.infer(
        frame, grid=grid, special_values={name: codes for name, codes in named.items() if name in known}
    )


def _propose_special(book: Codebook, codes: FloatArray) -> None:
    """Warn of what looks like a code where nobody was asked: advice about it would be nonsense."""
    numbers = {
        coding.name: column[column != MISSING]
        for coding, column in zip(book, codes.T, strict=True)
        if not coding.is_category
    }
    if found := detected(numbers):
        log.warning("%s", proposal(found, taken=False))
