"""Make explanations and audits in which columns, labels, ids and objectives have forty characters."""

from functools import cache
from typing import Any

import numpy as np

from p2ce import Audit, audit
from p2ce.policy.features.display import Display
from p2ce.result import (
    Candidates,
    Counterfactual,
    Distribution,
    Explanation,
    Explanations,
    Feature,
    ProblemRecord,
)
from p2ce.result.problem_record import FeatureKind
from p2ce.tables.json_values import Value
from tests.portfolio.audits.made_up import UNFINISHED, at_random, many, optimal
from tests.present.cases import CERTIFICATE, an_explanation

LENGTH = 40
# What stands in the column → what it changes to; the second is what must be displayed in full.
NUMBERS: dict[str, tuple[Value, Value]] = {
    "Limit": (50_000, 300_000),
    "Bill": (3_650.5, 7_234),
    "Age": (53, 31),
    "Huge": (10_234_567, 12_345_678),
}


def long(word: str, *, spaced: bool) -> str:
    """Lengthen a word to forty characters, in words or in one.

    >>> long("Limit", spaced=False)
    'LimitOfWhatTheCustomerHasOnEveryAccountO'
    """
    rest = f"{word} of what the customer has on every account of theirs"
    return (rest if spaced else "".join(part[0].upper() + part[1:] for part in rest.split()))[:LENGTH]


@cache
def person(*, spaced: bool) -> Explanation:
    """Make a person with six options; the last three are not cards."""
    name = {key: long(key, spaced=spaced) for key in (*NUMBERS, "Home", "Paid", "Rate")}
    labels = [long(key, spaced=spaced) for key in ("Rented", "Owned")]
    old: dict[str, Value] = {name[key]: pair[0] for key, pair in NUMBERS.items()} | {
        name["Home"]: labels[0], name["Paid"]: 0, name["Rate"]: 0.125}  # fmt: skip
    new: dict[str, Value] = {name[key]: pair[1] for key, pair in NUMBERS.items()} | {
        name["Home"]: labels[1], name["Paid"]: 1, name["Rate"]: 0.0475}  # fmt: skip
    kinds: dict[str, FeatureKind] = {"Home": "category", "Paid": "binary", "Limit": "whole", "Age": "whole"}
    displays: dict[str, Any] = {"Limit": {"unit": "EUR"}, "Rate": {"style": "percent"}}
    spreads = {
        "Home": Distribution(labels=tuple(labels), shares=(0.7, 0.3)),
        "Paid": Distribution(labels=(0, 1), shares=(0.7, 0.3)),
        "Rate": Distribution(edges=(0.0, 0.25), shares=(1.0,)),
    }
    features = {
        column: Feature(
            name=column,
            kind=kinds.get(key, "number"),
            display=Display(**displays.get(key, {})),
            candidates=Candidates(count=2, values=(old[column], new[column])),
            distribution=spreads.get(key, Distribution(edges=(0.0, 400_000.0), shares=(1.0,))),
        )
        for key, column in name.items()
    }
    objectives = "mean_distance", "changes", long("Own cost", spaced=spaced)
    chosen = ["Limit Bill", "Age Paid Rate", "Home Limit", "Huge Age", "Bill", "Rate Home"]
    options = []
    for place, keys in enumerate(map(str.split, chosen)):
        changes = {name[key]: (old[name[key]], new[name[key]]) for key in keys}
        costs = 0.1 + place / 10, float(len(keys)), 1.0 - place / 10
        options.append(
            Counterfactual(
                number=place + 1,
                values=old | {column: pair[1] for column, pair in changes.items()},
                changes=changes,
                costs=dict(zip(objectives, costs, strict=True)),
                score=0.53,
                plausibility=0.02,
            )
        )
    problem = ProblemRecord(
        features=features, policy="version: 1\n", people=2_000, hashes={"model": "ab" * 32}
    )
    return an_explanation(
        person=old,
        dtypes=dict.fromkeys(old, "object"),
        objectives=objectives,
        counterfactuals=tuple(options),
        problem=problem,
        certificate=CERTIFICATE,
    )


def people(*, spaced: bool) -> Explanations:
    """Make four people whose ids differ in the end only."""
    ids = [f"{long('Client', spaced=spaced)[:-1]}{number}" for number in range(4)]
    return Explanations([person(spaced=spaced)] * len(ids), ids=ids)


@cache
def audited(*, spaced: bool) -> Audit:
    """Make an audit of groups with such names."""
    rng = np.random.default_rng(0)
    feature = long("Income", spaced=spaced)
    entries = [*at_random(rng, 150), *[UNFINISHED] * 4, *[optimal(0.3, feature, "Age")] * 40]
    groups = [long(word, spaced=spaced) for word in ("Women", "Men", "Others")]
    table = {long("Group", spaced=spaced): rng.choice(groups, len(entries)).tolist()}
    return audit(many(entries), table, min_size=5, resamples=100, permutations=100)
