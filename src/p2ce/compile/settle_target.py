"""Settle the target, and find the direction in which each feature favours it: by constraints and labels.

A wrong guess would explain to an accepted person how to be rejected. So class 1 is never chosen only because
it is 1: the names of the classes or of the label must say which class is favourable.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from p2ce.base.any_of import AnyOf
from p2ce.base.arrays import CHECKED_ROWS, BoolArray, every_nth
from p2ce.base.calls.checked_calls import some_rows
from p2ce.base.calls.library import without_warnings
from p2ce.base.visible import echoed
from p2ce.errors import P2CEError, UnnamedTarget
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.decisions.decision_warnings import Argument, in_python, on_command_line
from p2ce.models.decisions.target_arguments import class_indices
from p2ce.policy.features.feature import Direction, FeaturePolicy
from p2ce.policy.inference.favourable_class import favourable_class
from p2ce.policy.inference.known_outcomes import KnownOutcomes, associations, with_associations
from p2ce.policy.policy import Policy

log = logging.getLogger("p2ce")

# target → the models, parsed for it
Parse: TypeAlias = Callable[[Any], tuple[Adapter, ...]]
FUNCTIONS_TARGET = 1  # of a function, which scores what its author wants
MOST_CHOICES = 6  # classes that an error lists
TELLING = "such as 'approved' or 'default'"


def settle_target(
    parse: Parse, target: Any, *, outcomes: KnownOutcomes | None, reference: pd.DataFrame
) -> tuple[Any, tuple[Adapter, ...]]:
    """Parse the models for the target, or else for the class that is favourable by its name or label."""
    try:
        parsed = parse(target)
    except UnnamedTarget as error:
        classes = error.classes
    else:
        classes = parsed[0].classes
        if outcomes is not None and classes:
            outcomes.require_classes(classes)
        indices = class_indices(classes, target) if classes else ()
        if indices:
            several = AnyOf(tuple(classes[place] for place in indices))
            return several if len(indices) > 1 else several.classes[0], parsed
        return FUNCTIONS_TARGET if target is None else target, parsed
    if outcomes is not None:
        outcomes.require_classes(classes)
    evidence = favourable_class(classes, None if outcomes is None else outcomes.name)
    if evidence is None:
        no_label = "" if len(classes) > 2 else f", and there is no label with a name {TELLING}"
        raise _unnamed(parse, classes, reference, f"The names of the classes do not say it{no_label}.")
    target, meaning = evidence.favourable, "favourable"
    parsed = parse(target)
    if parsed[0].negated:  # at_most limits the other class
        target, meaning = next(one for one in classes if one != target), "unfavourable"
        parsed = parse(target)
    if outcomes is not None and not agree(parsed[0], target, outcomes, reference):
        why = (
            f"The label {echoed(outcomes.name)} contradicts the model, which scores rows with the label "
            f"{echoed(target)} lower for that class than the others. Check that the label is what the model "
            "predicts."
        )
        raise _unnamed(parse, classes, reference, why)
    text = f"No target is given: class {echoed(target)} is the {meaning} outcome, since {evidence.because}."
    log.info("%s", text, extra={"on_command_line": text})
    return target, parsed


def agree(model: Adapter, target: Any, outcomes: KnownOutcomes, reference: pd.DataFrame) -> bool:
    """Return whether the model scores rows with the target as label at least as high as the others.

    Labels are evidence only if they are what the model predicts.
    """
    is_target = _favourable_rows(model, target, outcomes)
    rows = np.concatenate([_spread(np.flatnonzero(is_target)), _spread(np.flatnonzero(~is_target))])
    scores, wanted = _scores(model, reference.iloc[rows].reset_index(drop=True)), is_target[rows]
    return bool(wanted.all() or not wanted.any() or scores[wanted].mean() >= scores[~wanted].mean())


def _favourable_rows(model: Adapter, target: Any, outcomes: KnownOutcomes) -> BoolArray:
    """Mark the rows with a favourable label: the target, or with ``at_most`` any other class."""
    classes = target.classes if isinstance(target, AnyOf) else (target,)
    is_target: BoolArray = np.any([outcomes.are(one) for one in classes], axis=0)
    return ~is_target if model.negated else is_target


def _spread(rows: np.ndarray) -> np.ndarray:
    return rows[every_nth(len(rows), CHECKED_ROWS // 2)]


def _scores(model: Adapter, rows: pd.DataFrame) -> np.ndarray:
    with without_warnings():
        return model.evaluate(rows)


def _unnamed(parse: Parse, classes: tuple[Any, ...], reference: pd.DataFrame, why: str) -> UnnamedTarget:
    """Build the error that shows the calls to choose from, and what each of them means."""
    rows = some_rows(reference)
    limited = parse(classes[0])[0].negated
    what = "which class at_most= limits" if limited else "which class is the favourable outcome"
    about = "about " if len(rows) < len(reference) else ""
    parts: list[str | Argument] = [f"Say {what}: "]
    for place, target in enumerate(classes[::-1][:MOST_CHOICES]):
        share = _accepted_share(parse, target, rows)
        parts += [" or " if place else "", Argument("target", target)]
        parts += [] if share is None else [f" (accepts {about}{share:.0%} of the reference)"]
    parts.append(f". {why}")
    hint = "" if len(classes) > 2 else " Pass one of the two, or y=, the labels as a Series with a name."
    return UnnamedTarget(in_python(parts) + hint, classes=classes, on_command_line=on_command_line(parts))


def _accepted_share(parse: Parse, target: Any, rows: pd.DataFrame) -> float | None:
    """Compute which share of the rows all models accept; None if a model cannot be parsed for this."""
    try:
        accepted = [_scores(model, rows) >= model.threshold for model in parse(target)]
    except P2CEError as error:
        log.debug("The share of rows that target=%r accepts could not be computed: %s", target, error)
        return None
    return float(np.all(accepted, axis=0).mean())


def known_associations(
    policy: Policy,
    frame: pd.DataFrame,
    model: Adapter,
    target: Any,
    outcomes: KnownOutcomes | None,
) -> dict[str, Direction]:
    """Find associations in the labels of the reference, provided that they are what the model predicts."""
    if outcomes is None:
        return {}
    if not agree(model, target, outcomes, frame):
        log.warning(
            "y contradicts the model, which scores rows with the favourable outcome lower than the others. "
            "No association is taken from it. Check that y holds what the model predicts."
        )
        return {}
    return associations(policy.features, frame, _favourable_rows(model, target, outcomes))


def directed(
    policy: Policy,
    *,
    constraints: Mapping[str, Direction],
    associations: Mapping[str, Direction],
    restricts: bool,
) -> Policy:
    """Add associations to features that have none. Those of the model's constraints come first.

    With ``restricts``, constraints also restrict the direction of features that may move either way, since a
    move against a constraint never helps the decision. A policy that the user stated is left unchanged.
    """
    features = with_associations(policy.features, {**associations, **constraints})
    if restricts:
        ruled = {name for rule in policy.rules for name in rule.columns}
        features = tuple(
            _restricted(one, constraints[one.name])
            if one.name in constraints and one.name not in ruled
            else one
            for one in features
        )
    return replace(policy, features=features)


def _restricted(feature: FeaturePolicy, direction: Direction) -> FeaturePolicy:
    free = feature.direction is Direction.BOTH and not feature.fixed and not feature.is_category
    return replace(feature, direction=direction) if free else feature


def associated(policy: Policy, known: Policy) -> Policy:
    """Add the associations of one policy to features of another that have none."""
    found = {feature.name: feature.association for feature in known.features}
    return replace(policy, features=with_associations(policy.features, found))
