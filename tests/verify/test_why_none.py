"""Each set of restrictions that is named opens a way, no part of it does, and none is left out."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import p2ce
from p2ce.errors import InvalidOption
from p2ce.result import WhyNone
from tests.properties.amount import examples
from tests.verify import loans
from tests.verify.refusals import MODELS, RESTRICTIONS, THRESHOLD, Refusal, find_refusal

refusals = st.builds(
    find_refusal,
    st.sampled_from(MODELS),
    st.integers(0, 10_000),
    st.lists(st.sampled_from(sorted(RESTRICTIONS)), min_size=1, max_size=4, unique=True).map(tuple),
    st.booleans(),
    st.integers(1, 2),
)


def accepts(refusal: Refusal, option: p2ce.Counterfactual) -> bool:
    """Ask the user's own model about an option."""
    row = pd.DataFrame([option.values])[list(refusal.frame.columns)].astype(refusal.frame.dtypes)
    model = refusal.model
    score = model.predict_proba(row)[0, 1] if hasattr(model, "predict_proba") else model(row)[0]
    return bool(score >= THRESHOLD)


@examples(12)
@given(refusal=refusals)
def test_exactly_the_smallest_sets_open_a_way(refusal: Refusal | None) -> None:
    assume(refusal is not None)
    assert refusal is not None
    why = refusal.why()
    opens: dict[frozenset[str], p2ce.Explanation] = {}
    sizes: dict[frozenset[str], tuple[frozenset[str], int, bool]] = {}
    for lifting in refusal.liftings():
        found = refusal.explain(*lifting)
        assert found.status in (p2ce.Status.OPTIMAL, p2ce.Status.NO_RECOURSE)
        sizes[refusal.texts(*lifting)] = lifting
        if len(found):
            opens[refusal.texts(*lifting)] = found
    smallest = {
        texts
        for texts in opens
        if not any(_is_less(sizes[other], sizes[texts]) for other in opens if other != texts)
    }
    assert {frozenset(opening.restrictions) for opening in why} == smallest
    assert why.complete
    assert not why.undecided
    assert set().union(*sizes) == set(why.considered)
    for opening in why:
        cheapest = opens[frozenset(opening.restrictions)][0]
        assert opening.counterfactual == cheapest
        assert opening.proven
        assert accepts(refusal, opening.counterfactual)
        fixed = {feature.name for feature in refusal.actions().features if feature.fixed}
        assert not fixed & set(opening.counterfactual.changes)


def _is_less(one: tuple[frozenset[str], int, bool], other: tuple[frozenset[str], int, bool]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1] and one[2] >= other[2]


@examples(5)
@given(refusal=refusals)
def test_no_time_leaves_everything_undecided(refusal: Refusal | None) -> None:
    assume(refusal is not None)
    assert refusal is not None
    why = refusal.why(time_limit=0)
    assert not why.openings
    assert not why.complete
    alone = [text for text in why.considered if not text.endswith(f"(instead {refusal.max_changes + 2})")]
    assert sorted(why.undecided) == sorted((text,) for text in alone)


@examples(5)
@given(refusal=refusals, seconds=st.floats(0.0, 0.4))
def test_a_short_time_claims_nothing_wrong(refusal: Refusal | None, seconds: float) -> None:
    assume(refusal is not None)
    assert refusal is not None
    full, part = refusal.why(), refusal.why(time_limit=seconds)
    smallest = {frozenset(opening.restrictions) for opening in full}
    open_sets = [set(texts) for texts in part.undecided]
    for opening in part:
        if opening.proven:
            assert frozenset(opening.restrictions) in smallest
        assert accepts(refusal, opening.counterfactual)
    if part.complete:
        assert {frozenset(opening.restrictions) for opening in part} == smallest
    else:
        assert open_sets
