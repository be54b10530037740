"""Are limits of each person's own kept, and are the fronts inside them complete?"""

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.compile.batch import place_and_price
from p2ce.compile.own_ranges import LimitedRows
from p2ce.compile.row_limits import limits_of_row
from p2ce.explainer import problems_of
from tests.optional import mostly_slow, needs
from tests.oracle import assert_is_front, brute_force_front
from tests.properties.amount import examples

OBJECTIVES = ("mean_distance", "changes")
NAMES = ("pay", "debt", "years")


@cache
def people() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "pay": rng.normal(0, 50, 160).round(1),
            "debt": rng.gamma(2, 30, 160).round(0).astype("float32"),
            "years": rng.integers(0, 12, 160),
        }
    )
    frame.loc[::9, "debt"] = np.nan
    good = frame["pay"] - 0.5 * frame["debt"].fillna(40) + 6 * frame["years"] + rng.normal(0, 20, 160) > 5
    return frame, good.astype(int)


def _tree() -> Any:
    return DecisionTreeClassifier(max_depth=5, random_state=0).fit(*people())


def _boosted() -> Any:
    lightgbm = needs("lightgbm")
    return lightgbm.LGBMClassifier(n_estimators=12, num_leaves=6, verbose=-1, n_jobs=1).fit(*people())


def _filled() -> tuple[pd.DataFrame, pd.Series]:
    frame, good = people()
    return frame.fillna({"debt": 41.0}), good


def _linear() -> Any:
    return LogisticRegression(max_iter=3000).fit(*_filled())


def _network() -> Any:
    network = MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0)
    return make_pipeline(StandardScaler(), network).fit(*_filled())


MODELS: dict[str, Callable[[], Any]] = {
    "tree": _tree, "boosted": _boosted, "linear": _linear, "network": _network,
}  # fmt: skip


@cache
def explainer_of(kind: str, step: bool, change: tuple[Any, ...] | None, plausible: bool) -> p2ce.Explainer:
    model = MODELS[kind]()
    reference = people()[0] if kind in ("tree", "boosted") and not plausible else _filled()[0]
    policy = p2ce.Policy.infer(reference, protect=None).free(*NAMES)
    if step:
        policy = policy.step(pay=20, debt=25, years=2)
    if change is not None:
        policy = policy.within_change(dict(zip(NAMES, change, strict=True)))
    return p2ce.Explainer(
        model,
        reference,
        policy=policy,
        target=1,
        objectives=OBJECTIVES,
        max_changes=2,
        refine=False,
        plausibility=IsolationForest(n_estimators=10, random_state=0).fit(reference) if plausible else None,
    )


CHANGES = (
    ("+10%", "-20%", (0, 2)),
    ("±25%", (-10, 15.5), -3),
    ((-30, None), (None, "+5%"), (-1, 1)),
)


def with_own_candidates(explainer: p2ce.Explainer, row: pd.DataFrame, limits: Any) -> p2ce.Policy:
    """List the person's own candidates in a policy without limits."""
    problem = problems_of(explainer).own
    codes = problem.codebook.encode(row)
    given = codes if limits is None else LimitedRows(codes=codes, limits=limits_of_row(problem, limits))
    placed = place_and_price(problem, given).placement
    policy = explainer.policy.within_change(dict.fromkeys(NAMES, None))
    for axis, name in enumerate(problem.grid.names):
        values = placed.values[0, axis, : placed.count[0, axis]]
        values = values[(values != placed.current[0, axis]) & np.isfinite(values)]
        policy = policy.candidates({name: values.tolist()}) if len(values) else policy.fix(name)
    return policy


def accepts_of(explainer: p2ce.Explainer, row: pd.DataFrame) -> Callable[[pd.DataFrame], Any]:
    """Return what accepts rows: the model, and the detector unless today is no more plausible."""
    problem = problems_of(explainer).own

    def accepts(rows: pd.DataFrame) -> Any:
        fine = problem.model.evaluate(rows) >= problem.model.threshold
        if problem.detector is not None:
            today = problem.detector.evaluate(row)[0]
            fine &= problem.detector.evaluate(rows) >= min(0.0, today)
        return fine

    return accepts


LIMITED = st.fixed_dictionaries(
    {
        "pay": st.tuples(st.none() | st.integers(-80, 10), st.none() | st.integers(11, 90)),
        "years": st.tuples(st.none() | st.integers(0, 4), st.none() | st.integers(5, 9)),
    }
)


@pytest.mark.parametrize(
    ("kind", "plausible"),
    mostly_slow(product(MODELS, [False, True]), ("tree", True), ("linear", False), several=True),
)
@examples(40)
@given(
    st.integers(0, 159),
    st.booleans(),
    st.sampled_from([None, *CHANGES]),
    st.none() | LIMITED,
)
def test_fronts_inside_own_limits_are_complete(
    kind: str, plausible: bool, at: int, step: bool, change: Any, limits: Any
) -> None:
    """Every candidate inside the limits, evaluated by the user's own model, gives the same front."""
    explainer = explainer_of(kind, step, change, plausible)
    row = explainer.reference.iloc[[at]]
    found = explainer.explain(row, limits=limits)
    if found.status is p2ce.Status.ACCEPTED or (found.certificate and found.certificate.grid == "finest"):
        return
    truth = brute_force_front(
        row.iloc[0],
        explainer.reference,
        with_own_candidates(explainer, row, limits),
        accepts=accepts_of(explainer, row),
        objectives=OBJECTIVES,
        max_changes=2,
    )
    assert_is_front(found, truth)


@pytest.mark.parametrize("kind", ["tree", "linear"])
@examples(40)
@given(st.integers(0, 159), LIMITED)
def test_limits_of_a_row_are_ranges_of_a_policy(kind: str, at: int, limits: dict[str, Any]) -> None:
    explainer = explainer_of(kind, True, None, False)
    row = explainer.reference.iloc[[at]]
    ranges = {
        name: tuple(end if end is not None else far for end, far in zip(ends, (-1e6, 1e6), strict=True))
        for name, ends in limits.items()
    }
    widest = {name: explainer.policy[name].ends() for name in ranges}
    narrow = {
        name: (max(low, widest[name][0]), min(high, widest[name][1])) for name, (low, high) in ranges.items()
    }
    try:
        policy = explainer.policy.within(narrow)
    except p2ce.errors.InvalidPolicy:  # no multiple of the step inside
        return
    assert explainer.explain(row, limits=limits).counterfactuals == (
        explainer.explain(row, policy=policy).counterfactuals
    )


def test_a_table_of_limits_explains_as_row_by_row() -> None:
    """In any order of the ids, and in several processes too."""
    explainer = explainer_of("tree", False, CHANGES[0], True)
    rows = explainer.reference.iloc[:40]
    table = pd.DataFrame(
        {"pay_high": rows["pay"] + 30, "debt_low": rows["debt"] / 2, "years_high": np.nan}, index=rows.index
    )
    many = explainer.explain_many(rows, limits=table.sample(frac=1, random_state=0))
    for at, found in zip(rows.index, many, strict=True):
        limits = {"pay": (None, table["pay_high"][at]), "debt": (table["debt_low"][at], None)}
        assert found == explainer.explain(rows.loc[[at]], limits=limits)
    by_place = explainer.explain_many(rows, limits={name: table[name].tolist() for name in table}, n_jobs=1)
    assert list(by_place) == list(many)
