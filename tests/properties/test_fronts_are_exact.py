"""What explain() returns is what evaluating the user's own objects on every row gives, in every table."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest as SklearnForest

import p2ce
from tests.oracle import Accepts, allowed_cells, assert_is_front, typed_cells, typed_rows
from tests.populations.small_models import COMPILED, OF_TABLES, proven_bound, score_of
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, numeric_problems, table_problems

LIMITS = st.sampled_from([None, 1, 2, 3])
DETECTORS = ["none", "ours", "theirs on a frame", "theirs on an array"]
RULES = {True: "plausible", False: "as plausible as today"}
THRESHOLDS = ["usual", "0.7", "a cell's", "above a cell's", "0", "1"]


def detector_of(kind: str, frame: pd.DataFrame, seed: int) -> tuple[Any, Accepts | None]:
    """Return what the Explainer gets, and scikit-learn's own decision values."""
    if kind == "none":
        return None, None
    arguments: dict[str, Any] = {"n_estimators": 10, "contamination": 0.2, "random_state": seed}
    if kind == "theirs on a frame":
        theirs = SklearnForest(**arguments).fit(frame)
        return theirs, theirs.decision_function
    fitted = SklearnForest(**arguments).fit(frame.to_numpy(dtype=np.float64))
    passed = p2ce.PlausibilityForest(**arguments) if kind == "ours" else fitted
    return passed, lambda rows: fitted.decision_function(rows.to_numpy(dtype=np.float64))


def threshold_of(kind: str, case: StatedProblem) -> float:
    """Return a threshold; those of cells are scores that some cell has exactly, or misses by a float."""
    if "cell" not in kind:
        return 0.5 if kind == "usual" else float(kind)
    around = typed_cells(*allowed_cells(case.person, case.policy, max_changes=case.max_changes), case.frame)
    if not len(around):
        return 0.5
    at = float(np.random.default_rng(case.seed).choice(score_of(case.model)(around)))
    return at if kind == "a cell's" else min(1.0, float(np.nextafter(at, np.inf)))


@pytest.mark.parametrize("family", COMPILED)
@examples(12)  # eight families; every mutant of the kernels falls in the laws of the solver before
@given(
    data=st.data(),
    threshold=st.sampled_from(THRESHOLDS),
    detector=st.sampled_from(DETECTORS),
    ties=st.booleans(),
    bound=st.sampled_from(["auto", "auto", None]),
    today=st.sampled_from(["counts", "ignore"]),
)
def test_a_table_of_numbers(
    family: str, data: st.DataObject, threshold: str, detector: str, ties: bool, bound: str, today: str
) -> None:
    # How a dot product rounds depends on how many rows the model gets at once.
    linear = "regression" in family
    case = data.draw(
        numeric_problems({family: COMPILED[family]}, constrained=st.just(True), max_changes=LIMITS)
    )
    if case.seed % 3 == 0 and "wealth" in case.person:  # off the grid
        case = replace(case, people=({**case.person, "wealth": case.person["wealth"] + 0.37},))
    given, plausibility = detector_of(detector, case.frame, case.seed)
    kind = "usual" if linear and "cell" in threshold else threshold
    case = replace(case, threshold=threshold_of(kind, case), today=today)
    case = replace(case, detector=given, plausibility=plausibility)
    found = case.explain(ties=ties, bound=bound, target=1)
    own = score_of(case.model)(case.row)[0]
    fine = 1e-6 if "float32" in map(str, case.frame.dtypes) else 1e-12
    assert found.person_score == (pytest.approx(own, rel=fine) if linear else own)
    if own >= case.threshold:
        assert found.status is p2ce.Status.ACCEPTED
        return
    truth = case.truth(found)
    assert_is_front(found, truth, ties=ties)
    assert found.certificate.cells == truth.allowed
    for option in found:
        alone = score_of(case.model)(typed_rows([option.values], case.frame))[0]
        assert option.score == (pytest.approx(alone, rel=fine) if linear else alone)
        assert (option.plausibility is None) == (plausibility is None)
        assert plausibility is None or option.plausibility >= case.least
        rule = None if plausibility is None else RULES[option.plausibility >= 0]
        assert option.admitted_by == rule


@pytest.mark.parametrize("family", OF_TABLES)
@examples(10)
@given(data=st.data())
def test_a_table_of_every_kind_with_rules(family: str, data: st.DataObject) -> None:
    problem = data.draw(table_problems([family]))
    found = problem.explain()
    if found.status is p2ce.Status.ACCEPTED:
        assert problem.accepts(problem.row)[0] or problem.plausibility is not None
        return
    assert_is_front(found, problem.truth(found))
    assert found.certificate.discrepancies == 0


@pytest.mark.parametrize("family", OF_TABLES)
@examples(5)
@given(data=st.data(), order=st.sampled_from(["importance", "index"]), plausible=st.booleans())
def test_the_papers_algorithms_find_the_whole_front_too(
    family: str, data: st.DataObject, order: str, plausible: bool
) -> None:
    """They take rules, labels and missing values, but nothing that is linked."""
    problem = data.draw(table_problems([family], group=st.just(False), link=st.just(False)))
    if not plausible:
        problem = replace(problem, detector=None, plausibility=None)
    problem = replace(problem, today="ignore")  # as the paper does, whatever the setting
    bound = data.draw(st.sampled_from([None, proven_bound(family, problem.frame)]))
    method = (p2ce.paper.P2CE if plausible else p2ce.paper.Mapocam)(bound=bound, order=order, background=20)
    found = problem.explain(method=method, plausibility_of_today="counts")
    if found.status is not p2ce.Status.ACCEPTED:
        assert_is_front(found, problem.truth(found))
        assert found.certificate.discrepancies == 0


@examples(8)
@given(problem=table_problems(columns=st.integers(2, 5), rule_count=st.integers(1, 3)))
def test_many_rows_are_explained_as_each_alone(problem: StatedProblem) -> None:
    """Links are placed for one instance at a time, groups and missing values for those who have them."""
    explainer = problem.explainer()
    people = problem.frame.head(4)
    for place, among in enumerate(explainer.explain_many(people)):
        alone = explainer.explain(people.iloc[[place]])
        assert among.status is alone.status
        options = [[replace(one, score=0.0) for one in found] for found in (among, alone)]
        assert options[0] == options[1]
        assert [one.score for one in among] == pytest.approx([one.score for one in alone], rel=1e-12)
