"""Find which of two classes is favourable, from the names of the classes and of the label.

Only names are evidence. The frequency of a class is not: in a balanced table, 1 may mean default.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from p2ce.base.visible import echoed

# Whole words and beginnings of words. "risk" is not included: in public tables, credit_risk = 1 is a good
# risk as often as a bad one.
UNFAVOURABLE = frozenset({"bad", "late", "spam", "mau", "malo", "ruim", "negado", "impago"})
UNFAVOURABLE_BEGINNINGS = (
    *("default", "fraud", "churn", "delinq", "dlq", "recid", "reject", "declin", "refus", "denie", "denial"),
    *("arrear", "bankrupt", "insolv", "overdue", "attrition", "fail", "dropout", "unpaid", "nonpay"),
    *(
        "chargedoff",
        "chargeoff",
        "ineligib",
        "disapprov",
        "unqualif",
        "inadimpl",
        "moros",
        "rechaz",
        "rejeit",
    ),
    *("recus", "reprov"),
)
FAVOURABLE = frozenset({"good", "paid", "pass", "passed", "hired", "bom", "bueno", "pago", "pagado"})
FAVOURABLE_BEGINNINGS = (
    *("approv", "accept", "grant", "repa", "admit", "succe", "eligib", "qualif", "creditworth", "solvent"),
    *("nondefault", "aprov", "aprob", "aceit", "acept", "adimpl"),
)
NEGATIONS = frozenset({"no", "not", "non", "never", "without", "nao", "sem", "sin"})
# Names of a class if the name of the label gives the meaning: approved = yes.
AFFIRMATIVE = frozenset({"1", "1.0", "true", "yes", "y", "t", "sim", "si", "s"})
NEGATIVE = frozenset({"0", "0.0", "-1", "-1.0", "false", "no", "n", "f", "nao"})
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Evidence(NamedTuple):
    """Which of two classes is favourable, and why."""

    favourable: Any
    because: str


def favourable_class(classes: Sequence[Any], label: str | None = None) -> Evidence | None:
    """Find the favourable one of two classes from their names or the label's name, or return None.

    >>> favourable_class(["bad", "good"]).favourable, favourable_class([0, 1], "default").favourable
    ('good', 0)
    >>> favourable_class([0, 1]), favourable_class([False, True], "outcome")
    (None, None)
    """
    if len(classes) != 2:
        return None
    first, second = (polarity(one) if isinstance(one, str) else 0 for one in classes)
    if first != second:
        named = classes[int(np.argmax(np.abs([first, second])))]
        return Evidence(classes[int(second > first)], f"a class is called {echoed(named)}")
    affirmative = [str(one).lower() in AFFIRMATIVE for one in classes]
    negative = [str(one).lower() in NEGATIVE for one in classes]
    means = 0 if label is None else polarity(label)
    for index in (0, 1):
        if affirmative[index] and negative[1 - index] and means:
            return Evidence(
                classes[index if means > 0 else 1 - index], f"the label is called {echoed(label)}"
            )
    return None


def outcome_name(target: Any, label: str | None = None) -> str:
    """Return what a class means, if its name or that of the label says so: the probability of *default*.

    >>> outcome_name(1, "default_next_month"), outcome_name("fraud"), outcome_name(0, "default")
    ('default next month', 'fraud', '')
    """
    if isinstance(target, str) and polarity(target):
        return target.strip().replace("_", " ")
    means = label is not None and str(target).lower() in AFFIRMATIVE and polarity(label)
    return str(label).strip().replace("_", " ") if means else ""


def polarity(name: str) -> int:
    """Return 1 for the name of a favourable outcome, -1 for an unfavourable one, and 0 if it is unclear.

    A negation reverses the words after it.

    >>> [polarity(name) for name in ("approved", "default_next_month", "NoDefault", "not.fully.paid", "age")]
    [1, -1, 1, -1, 0]
    """
    signs, sign = set(), 1
    for word in (part.lower() for part in WORD.findall(name)):
        if word in NEGATIONS:
            sign = -sign
        elif word in UNFAVOURABLE or word.startswith(UNFAVOURABLE_BEGINNINGS):
            signs.add(-sign)
        elif word in FAVOURABLE or word.startswith(FAVOURABLE_BEGINNINGS):
            signs.add(sign)
    return signs.pop() if len(signs) == 1 else 0
