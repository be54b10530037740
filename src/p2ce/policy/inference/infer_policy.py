"""Infer a first policy from a table, with its one-hot groups, and log its assumptions."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.visible import echoed, listed
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.inference.infer_features import (
    EncodedColumns,
    GridChoice,
    counts_made_fractional,
    encode_columns,
    holds_date_objects,
    infer_features,
)
from p2ce.policy.inference.protection import (
    MOST_NAMED,
    Grant,
    Granted,
    Protect,
    names_to_protect,
    protect_by_name,
)
from p2ce.policy.inference.relations import relations_between
from p2ce.policy.inference.special_values import DETECT, SpecialValues, described_codes, settle_special
from p2ce.policy.rules.inequality import Inequality
from p2ce.policy.rules.one_hot import OneHot

if TYPE_CHECKING:
    import pandas as pd


FEWEST_ROWS = 20  # with fewer rows, exactly one 1 in each row may be an accident
SEPARATOR = re.compile(r"[_=.:|\- \[]+")
log = logging.getLogger("p2ce")


def one_hot_groups(columns: EncodedColumns, features: Sequence[FeaturePolicy]) -> tuple[OneHot, ...]:
    """Find 0/1 columns with a common prefix, of which exactly one is 1 in every row.

    >>> import pandas as pd
    >>> from p2ce.policy.inference.infer_features import encode_columns, infer_features
    >>> homes = pd.get_dummies(pd.DataFrame({"Home": ["own", "rent", "free"] * 10}))
    >>> encoded = encode_columns(homes)
    >>> [group.text() for group in one_hot_groups(encoded, infer_features(encoded))]
    ['Home: exactly one of Home_free, Home_own, Home_rent is 1']
    """
    codes = dict(zip(columns.names, columns.codes, strict=True))
    binary = [feature.name for feature in features if feature.kind is Kind.BINARY]
    rows = len(columns.codes[0])
    if rows < FEWEST_ROWS:
        return ()
    by_prefix: dict[str, list[str]] = {}
    for name in binary:
        for separator in SEPARATOR.finditer(name):
            if separator.start() > 0 and separator.end() < len(name):
                by_prefix.setdefault(name[: separator.start()], []).append(name)
    totals = {name: float(codes[name].sum()) for name in binary}  # minus infinity where a value is missing
    groups, grouped = [], set[str]()
    # The same columns may share several prefixes: credit_history, and credit.
    for prefix, names in sorted(by_prefix.items(), key=lambda item: len(item[0]), reverse=True):
        if len(names) < 2 or sum(totals[name] for name in names) != rows or not grouped.isdisjoint(names):
            continue
        if (np.add.reduce([codes[name] for name in names]) == 1).all():
            groups.append(OneHot(_free_name(prefix, columns.names), tuple(names), False))
            grouped.update(names)
    return tuple(sorted(groups, key=lambda group: columns.names.index(group.levels[0])))


def _free_name(prefix: str, taken: Sequence[str]) -> str:
    return f"{prefix} (one-hot)" if prefix in taken else prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredPolicy:
    """What a table suggests: features, one-hot groups, and rules that are proposed but not in force."""

    features: tuple[FeaturePolicy, ...]
    groups: tuple[OneHot, ...]
    proposed_rules: tuple[Inequality, ...]


def infer_policy(
    frame: "pd.DataFrame", *, grid: GridChoice, special_values: SpecialValues | None, protect: Protect
) -> InferredPolicy:
    """Infer features, groups and proposed rules, and log once what was guessed from values and names."""
    columns = encode_columns(frame)
    special = settle_special(special_values, columns.numbers, columns=columns.names)
    features = infer_features(columns, grid=grid, special=special)
    groups = one_hot_groups(columns, features) if grid == "data" else ()
    relations = relations_between(columns, features)
    wanted, granted = names_to_protect(protect, columns.names, groups), Granted()
    if wanted is None:
        features, granted = protect_by_name(features, columns, groups)
    elif wanted:
        features = tuple(
            replace(feature, fixed=True, protected=True) if feature.name in wanted else feature
            for feature in features
        )
    _log_granted(granted)
    if special and special_values == DETECT:
        _log_special(special)
    if fractional := counts_made_fractional(columns, features):
        _log_fractional(fractional)
    if groups:
        _log_groups(groups)
    if dates := [feature.name for feature in features if feature.kind is Kind.DATE]:
        _log_dates(dates)
    if objects := [feature.name for feature in features if holds_date_objects(feature.labels or ())]:
        _log_date_objects(objects)
    return InferredPolicy(
        features=features, groups=groups, proposed_rules=tuple(relation.rule() for relation in relations)
    )


def _log_granted(granted: Granted) -> None:
    if not (text := granted.text()):
        return
    first = next((name for name, grant in granted.grants if grant is not Grant.IDENTIFIER), None)
    # An identifier would be a bad example, since no option should change it.
    example = "" if first is None else f"Policy.infer(X).free({echoed(first)}), or "
    index = ""
    if identifiers := granted.names(Grant.IDENTIFIER):
        index = f" Make an identifier of people the index: X.set_index({echoed(identifiers[0])})."
    log.warning(
        "Inferred from column names: %s. To override: %sPolicy.infer(X, protect=None).%s",
        *(text, example, index),
        extra={
            "on_command_line": f"Inferred from column names: {text}. To override, edit the policy: "
            "protected, may_change, direction (p2ce policy infer writes one)."
        },
    )


def _log_special(special: dict[str, tuple[float, ...]]) -> None:
    codes = described_codes(special)
    log.warning(
        "Treated as codes that are not numbers: %s. No option leads to one. To override: Policy.infer(X, "
        "special_values=None), or a dict of column → codes.",
        codes,
        extra={
            "on_command_line": f"Treated as codes that are not numbers: {codes}. No option leads to one. To "
            "override, remove 'special' from the policy, or write one with: p2ce policy infer "
            "--special-values none"
        },
    )


def _log_fractional(names: tuple[str, ...]) -> None:
    shown = listed(names, most=MOST_NAMED)
    log.warning(
        "Counts with some fractions, probably imputed: %s. Their candidates are whole numbers. To change "
        "this, impute whole numbers, or use step() or candidates().",
        shown,
    )


def _log_dates(names: Sequence[str]) -> None:
    text = (
        f"Columns of dates stay as they are: {listed(names, most=MOST_NAMED)}. No option changes them, and "
        "the plausibility forest does not look at them. To search over time, fit the model on a number, such "
        "as the days since the date."
    )
    log.warning("%s", text)


def _log_date_objects(names: Sequence[str]) -> None:
    example = echoed(names[0])
    log.warning(
        "Columns of objects that are dates count as labels, and stay as they are: %s. To treat them as "
        "dates, convert them: X[%s] = pd.to_datetime(X[%s]).",
        *(listed(names, most=MOST_NAMED), example, example),
    )


def _log_groups(groups: tuple[OneHot, ...]) -> None:
    shown = "; ".join(f"{echoed(group.name)} ({len(group.levels)} columns)" for group in groups[:MOST_NAMED])
    more = f"; and {len(groups) - MOST_NAMED} more" if len(groups) > MOST_NAMED else ""
    log.info(
        "One-hot groups, by names and values: %s%s. Each changes as one category. To override: "
        "without_rules().",
        *(shown, more),
        extra={
            "on_command_line": f"One-hot groups, by names and values: {shown}{more}. Each changes as one "
            "category. To override, remove the rule from the policy."
        },
    )
