"""What the paper misprints, each with a counterexample; docs/theory/paper.md tells the same story."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

import p2ce
from p2ce.base.arrays import FloatArray
from p2ce.paper import P2CE
from p2ce.run.paper.maximum import shap_maximum
from tests.models.estimates.shapley import shapley
from tests.run.paper.tiny import Tiny, found
from tests.run.paper.transcription import Action

PRINTED, CORRECTED = P2CE(errata="as printed", bound=None), P2CE(bound=None)


def explain(model: Any, people: pd.DataFrame, person: dict[str, float], **arguments: Any) -> p2ce.Explanation:
    policy = p2ce.Policy.infer(people, protect=None).candidates(
        {name: sorted(set(people[name])) for name in people}
    )
    explainer = p2ce.Explainer(
        model,
        people,
        policy=policy,
        target=arguments.pop("target", None),
        **{"plausibility": None, **arguments},
    )
    return explainer.explain(person)


def grid(**columns: list[float]) -> pd.DataFrame:
    """Return people at every combination of values."""
    return pd.DataFrame(list(product(*columns.values())), columns=list(columns), dtype=float)


def test_line_5_prints_more_than_tau_where_the_text_says_at_least() -> None:
    """Def. of the decision: f(x) ≥ τ. A score of exactly τ is accepted, and missed as printed."""
    people = grid(a=[0, 1], b=[0, 1])

    def score(rows: pd.DataFrame) -> FloatArray:
        return rows["a"].to_numpy() * 0.5

    arguments = {"at_least": 0.5, "max_changes": 1}
    assert not len(explain(score, people, {"a": 0, "b": 0}, method=PRINTED, **arguments))
    found = explain(score, people, {"a": 0, "b": 0}, method=CORRECTED, **arguments)
    assert [option.score for option in found] == [0.5]


def test_definition_1_excludes_every_point() -> None:
    """There is always a z with c(x, z) ⪯ c(x, w): z = w; and x itself, which is not a solution, costs 0."""
    costs = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [3.0, 3.0]])
    beaten_as_printed = [any((z <= w).all() for z in costs) for w in costs]
    assert all(beaten_as_printed)
    dominated = [any((z <= w).all() and (z < w).any() for z in costs) for w in costs]
    assert dominated == [False, False, False, True]


def table(A: list[list[float]], valid: list[Action], *, k: int, outliers: Sequence[Action] = ()) -> Tiny:
    """Write a problem: these actions are valid, these are outliers."""
    sizes = [len(mine) for mine in A]
    tiny = Tiny(
        A=A,
        k=k,
        tau=0.5,
        value=np.zeros(sizes),
        outlier=np.zeros(sizes, dtype=np.bool_),
        phi=np.zeros((*sizes, len(sizes))),
        phi_bar=np.zeros(len(sizes)),
    )
    for a in valid:
        tiny.value[tiny.place(a)] = 1.0
    for a in outliers:
        tiny.outlier[tiny.place(a)] = True
    return tiny


def test_solutions_are_never_cleaned() -> None:
    """A far value of the last feature is valid first; a near one of the first feature dominates it later."""
    problem = table([[0, 1], [0, 5]], [(0, 5), (1, 0)], k=1)
    assert found(problem, PRINTED) == [(0, 5), (1, 0)]
    assert found(problem, CORRECTED) == [(1, 0)]


def test_prune_comes_too_late_to_hold_the_limit() -> None:
    """Validity is tested first, so a point with k + 1 changes joins S."""
    problem = table([[0, 1], [0, 1], [0, 9]], [(1, 1, 0), (0, 0, 9)], k=1)
    assert found(problem, PRINTED) == [(0, 0, 9), (1, 1, 0)]
    assert found(problem, CORRECTED) == [(0, 0, 9)]


def test_the_partial_point_of_line_20_still_holds_the_open_feature() -> None:
    """The first feature is decided, the second is open; as printed, its old value makes an outlier."""
    problem = table([[0, 1], [0, 1]], [(1, 1)], k=2, outliers=[(1, 0)])
    assert found(problem, PRINTED) == []
    assert found(problem, CORRECTED) == [(1, 1)]


def test_the_largest_distance_depends_on_units() -> None:
    """c₂ compares years with euros: in other units another option is the cheapest."""
    cheapest = {}
    for unit in ("own", "std"):
        for scale in (1.0, 1000.0):
            people = grid(years=[0, 1, 2, 3], euros=[scale * value for value in (0, 0.5, 2, 4)])

            def score(rows: pd.DataFrame, scale: float = scale) -> FloatArray:
                return ((rows["years"] >= 1) | (rows["euros"] >= 0.5 * scale)).to_numpy() * 1.0

            found = explain(
                score, people, {"years": 0, "euros": 0}, objectives=[p2ce.objectives.MaxDistance(unit=unit)]
            )
            cheapest[unit, scale] = list(found[0].changes)
    assert cheapest["own", 1.0] != cheapest["own", 1000.0]
    assert cheapest["std", 1.0] == cheapest["std", 1000.0]


def test_a_tree_ensemble_has_no_exact_maximum_by_adding_the_best_leaves() -> None:
    """The text calls it the exact value of f̄: it is a bound, since trees need not agree on a value."""
    people = grid(a=[0, 1, 2])
    wants_one, wants_two = (people["a"] == 1).astype(float), (people["a"] == 2).astype(float)
    forest = RandomForestRegressor(n_estimators=2, bootstrap=False, random_state=0).fit(people, wants_one)
    forest.estimators_[1].fit(people, wants_two)
    truth = forest.predict(people).max()
    by_leaves = sum(tree.tree_.value.max() for tree in forest.estimators_) / 2
    assert (truth, by_leaves) == (0.5, 1.0)


class Additive:
    """f = g₁(a) + g₂(b), for which SHAP values are exact: φᵢ = gᵢ(xᵢ) − mean of gᵢ."""

    def __init__(self, a: dict[float, float], b: dict[float, float]) -> None:
        self.parts = a, b

    def __call__(self, rows: pd.DataFrame | FloatArray) -> FloatArray:
        values = np.asarray(rows, dtype=np.float64)
        return np.array([[part[x] for part, x in zip(self.parts, row, strict=True)] for row in values]).sum(
            axis=1
        )

    def phi(self, row: FloatArray, background: FloatArray) -> FloatArray:
        return shapley(self, row, background)


# Feature a has the largest φ̄, but the person is nearly there already; b gains more.
MODEL = Additive({0.0: 2.5, 1.0: 2.6, 2.0: 0.0}, {0.0: 0.0, 1.0: 0.4})
PEOPLE = grid(a=[0, 1, 2], b=[0, 1])
PERSON = np.array([0.0, 0.0])


def test_o_k_by_the_largest_attribution_is_too_low_for_an_additive_model() -> None:
    background = PEOPLE.to_numpy()
    phi = MODEL.phi(PERSON, background)
    phi_bar = np.max([MODEL.phi(row, background) for row in background], axis=0)
    now, truth = (float(MODEL(np.array([row]))[0]) for row in ([0.0, 0.0], [0.0, 1.0]))
    printed = shap_maximum(now, phi, phi_bar, 1, P2CE(errata="as printed"))
    assert printed == pytest.approx(2.6)
    assert printed < truth == pytest.approx(2.9)  # one change, of b
    assert shap_maximum(now, phi, phi_bar, 1, P2CE()) == pytest.approx(truth)


def test_the_search_misses_by_it() -> None:
    arguments = {"at_least": 2.9, "max_changes": 1}
    person = {"a": 0, "b": 0}
    kept = {"explainer": "sampling", "bound": "shap"}
    assert not len(explain(MODEL, PEOPLE, person, method=P2CE(errata="as printed", **kept), **arguments))
    assert [
        list(one.changes) for one in explain(MODEL, PEOPLE, person, method=P2CE(**kept), **arguments)
    ] == [["b"]]


def test_the_residual_over_o_k_does_not_make_it_a_bound() -> None:
    """R(x, O_k) as printed: what the attributions *inside* O_k change by; the gain lies outside."""
    background = PEOPLE.to_numpy()
    best = np.array([0.0, 1.0])  # x*: one change, of b
    phi, phi_best = MODEL.phi(PERSON, background), MODEL.phi(best, background)
    phi_bar = np.max([MODEL.phi(row, background) for row in background], axis=0)
    o_k = [int(np.argmax(phi_bar))]
    assert o_k == [0]
    now, truth = (float(MODEL(row[None])[0]) for row in (PERSON, best))
    gain = sum(phi_bar[i] - phi[i] for i in o_k)
    inside = sum(phi_best[i] - phi[i] for i in o_k)
    assert now + gain + inside < truth - 0.2
    # Over the complement the inequality is true and says nothing: the whole of what was sought is in R.
    outside = sum(phi_best[i] - phi[i] for i in range(2) if i not in o_k)
    assert now + gain + outside >= truth
    assert outside == pytest.approx(truth - now)


def test_features_that_work_together_leave_a_residual() -> None:
    """The plain form without R is not a bound: b's change moves the attribution of a, which is decided."""

    def product_of(rows: FloatArray) -> FloatArray:
        return np.asarray(rows[:, 0] * rows[:, 1], dtype=np.float64)

    background = grid(a=[0, 1], b=[0, 1]).to_numpy()[:3]  # no one has both
    here, best = np.array([1.0, 0.0]), np.array([1.0, 1.0])  # a is decided, b is open
    phi = shapley(product_of, here, background)
    phi_bar = np.max([shapley(product_of, row, background) for row in background], axis=0)
    estimate = shap_maximum(0.0, phi[1:], phi_bar[1:], 1, P2CE(form="plain"))
    truth = float(product_of(best[None])[0])
    assert estimate < truth
    residual = shapley(product_of, best, background)[0] - phi[0]
    assert residual > 0.0


def test_k_limited_is_not_below_plain_where_someone_stands_above_the_largest_attribution() -> None:
    """φ̄ is taken over a sample, so φ(x) may exceed it: the sum over all features then *loses*."""
    phi, phi_bar = np.array([0.0, 0.9]), np.array([0.5, 0.4])
    limited = shap_maximum(0.0, phi, phi_bar, 1, P2CE(errata="as printed"))
    plain = shap_maximum(0.0, phi, phi_bar, 1, P2CE(errata="as printed", form="plain"))
    assert limited == pytest.approx(0.5)
    assert plain == pytest.approx(0.0)
    # Corrected, no feature counts less than staying, and the order holds.
    assert shap_maximum(0.0, phi, phi_bar, 1, P2CE()) <= shap_maximum(
        0.0, phi, phi_bar, 1, P2CE(form="plain")
    )
