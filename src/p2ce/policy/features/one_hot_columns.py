"""Find one-hot groups among the columns of a table, as ``pandas.get_dummies`` creates them."""

import re
from collections.abc import Sequence

import numpy as np

from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.features.infer import EncodedColumns
from p2ce.policy.rules.one_hot import OneHot

FEWEST_ROWS = 20  # with fewer rows, exactly one 1 in each row may be an accident
SEPARATOR = re.compile(r"[_=.:|\- \[]+")


def one_hot_groups(columns: EncodedColumns, features: Sequence[FeaturePolicy]) -> tuple[OneHot, ...]:
    """Find 0/1 columns with a common prefix, of which exactly one is 1 in every row.

    >>> import pandas as pd
    >>> from p2ce.policy.features.infer import encode_columns, infer_features
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
