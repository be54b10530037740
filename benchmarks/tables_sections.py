"""Measure one line of the table about whole tables: a data set and a kind of model, beside brute force."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

import p2ce
from benchmarks.any_sections import share, verdict
from benchmarks.brute_force import Front
from benchmarks.cases import THRESHOLD
from benchmarks.sections import Row, statuses, timed, warmed
from benchmarks.tables_bar import TableBar, table_bar
from benchmarks.tables_cases import KINDS, TableCase, table_explainer

Explained = list[p2ce.Explanation]


def beside_brute_force(case: TableCase, *, few: int) -> Row:
    """All people explained in one batch, beside brute force for the first ``few`` of them."""
    kind = KINDS[case.kind]
    ours, bar = warmed(table_explainer(case)), table_bar(case)
    fronts = fronts_of(bar, case.people.iloc[:few])
    explanations, seconds = timed(lambda: batch(ours, case.people))
    mean, theirs = seconds / len(explanations), float(np.mean([front.total_seconds for front in fronts]))
    right = {
        "fronts equal": equal_fronts(fronts, explanations),
        "proven": [one.certificate is not None and one.certificate.proven for one in explanations],
        "rows accepted by the user's call": [all_accepted(case, bar, one) for one in explanations],
        "dtypes identical": [same_types(case, one) for one in explanations],
    }
    certificate = next((one.certificate for one in explanations if one.certificate), None)
    return {
        "data": case.data.name,
        "kind": f"{case.kind}: {kind.title}",
        "read as": "–" if certificate is None else certificate.model_family,
        "bound": "–" if certificate is None else certificate.bound,
        "cells": round(np.mean([front.cells for front in fronts])),
        "people, and by brute force": f"{len(explanations)}, {len(fronts)}",
        "ms per person": 1e3 * mean,
        "brute force ms": 1e3 * theirs,
        "times faster": theirs / mean,
        "times faster, required": kind.required,
        **{name: share(yes) for name, yes in right.items()},
        "statuses": statuses(explanations),
        "verdict": verdict(all(map(all, right.values())) and theirs / mean >= kind.required),
    }


def batch(ours: p2ce.Explainer, people: pd.DataFrame) -> Explained:
    # Answers may be built when they are first looked at, so look at them all.
    return list(ours.explain_many(people, n_jobs=1, progress=False))


def fronts_of(bar: TableBar, people: pd.DataFrame) -> list[Front]:
    rows = bar.codes(people)
    bar.bar.front(rows[0])  # touch the memory and the model once, as for ours
    return [bar.bar.front(row) for row in rows]


def equal_fronts(fronts: Sequence[Front], explanations: Explained) -> list[bool]:
    """Hold answers against brute force, for the people for whom there is one."""
    return [
        front.equals([option.costs for option in explanation])
        and explanation.certificate is not None
        and explanation.certificate.cells == front.cells
        for front, explanation in zip(fronts, explanations, strict=False)
    ]


def all_accepted(case: TableCase, bar: TableBar, explanation: p2ce.Explanation) -> bool:
    """Evaluate the user's own model and the twin of the detector on every row of an answer."""
    rows = explanation.to_frame()[list(case.data.train.columns)]
    if not len(rows):
        return True
    plausible = bar.twin.is_plausible(bar.codes(rows))
    return bool((case.scores(rows) >= THRESHOLD).all() and plausible.all())


def same_types(case: TableCase, explanation: p2ce.Explanation) -> bool:
    """Compare the types of an answer with those of the table."""
    columns = list(case.data.train.columns)
    return bool((explanation.to_frame()[columns].dtypes == case.data.train.dtypes).all())
