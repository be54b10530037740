"""Leave the columns that the model does not use out of the reference and of a policy."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pandas as pd

from p2ce.models.unused_columns import unused_columns
from p2ce.policy.policy import Policy


def used_part(model: Any, frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the reference in the columns that the model uses, and the names of the others."""
    ignored = unused_columns(model, frame) if frame.columns.is_unique else ()
    if not ignored:
        return frame, ignored
    return frame[[label for label in frame.columns if str(label) not in ignored]], ignored


def without_ignored(policy: Any, ignored: Collection[str]) -> Any:
    """Return a policy without the ignored columns, and without rules and proposals about them alone.

    A rule that also names a column of the model is an error.
    """
    if not isinstance(policy, Policy) or not set(policy.names) & set(ignored):
        return policy
    return replace(
        policy,
        features=tuple(feature for feature in policy.features if feature.name not in ignored),
        rules=tuple(
            rule for rule in policy.rules if not rule.columns or not set(rule.columns) <= set(ignored)
        ),
        proposed_rules=tuple(rule for rule in policy.proposed_rules if not set(rule.columns) & set(ignored)),
    )
