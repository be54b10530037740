"""Find the direction in which each feature favours the outcome, by the model's constraints and the labels."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from p2ce.compile.settle_target import agree
from p2ce.models.decisions.adapter import Adapter
from p2ce.policy.features.feature import Direction, FeaturePolicy
from p2ce.policy.inference.known_outcomes import KnownOutcomes, associations, with_associations
from p2ce.policy.policy import Policy

log = logging.getLogger("p2ce")


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
    return associations(policy.features, frame, outcomes.are(target))


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
