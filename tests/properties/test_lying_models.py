"""A model or detector that contradicts its parsed score never gets a wrong proof."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest as SklearnForest

import p2ce
from p2ce.compile.lay_out import with_models
from p2ce.engine.scores.score import score_rows
from p2ce.explainer import problems_of
from tests.oracle import brute_force_front, reported_quanta, typed_rows
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, numeric_problems

Evaluate = Callable[[pd.DataFrame], np.ndarray]
PROVEN = (p2ce.Status.OPTIMAL, p2ce.Status.NO_RECOURSE)


def is_lied_about(frame: pd.DataFrame, share: float, salt: int) -> np.ndarray:
    """Choose a share of all possible rows, the same ones every time."""
    hashed = pd.util.hash_pandas_object(frame.astype("float64"), index=False).to_numpy()
    return ((hashed ^ np.uint64(salt)) * np.uint64(2654435761) % np.uint64(1000)) < share * 1000


def reject(evaluate: Evaluate, threshold: float, tolerance: float, lied: Any) -> Evaluate:
    """Reject some of the rows that the model accepts."""
    return lambda frame: np.where(lied(frame), np.minimum(evaluate(frame), threshold - 0.05), evaluate(frame))


def raise_score(evaluate: Evaluate, threshold: float, tolerance: float, lied: Any) -> Evaluate:
    return lambda frame: evaluate(frame) + 4 * tolerance * lied(frame)


def lower_score(evaluate: Evaluate, threshold: float, tolerance: float, lied: Any) -> Evaluate:
    return lambda frame: evaluate(frame) - 4 * tolerance * lied(frame)


LIES = [reject, raise_score, lower_score]


def with_lie(explainer: p2ce.Explainer, lie: Evaluate) -> p2ce.Explainer:
    problem = problems_of(explainer).own
    problems_of(explainer).replace_own(replace(problem, model=replace(problem.model, evaluate=lie)))
    return explainer


def assert_never_wrong(
    case: StatedProblem, explainer: p2ce.Explainer, found: p2ce.Explanation, max_changes: Any
) -> None:
    """Compare with the liar's verdict on every point that the parsed score accepts."""
    problem = problems_of(explainer).own
    if found.status is p2ce.Status.ACCEPTED:
        assert problem.model.evaluate(case.row)[0] >= problem.model.threshold
        return
    names = list(problem.names)
    today = found.certificate.plausibility_today
    least = 0.0 if today is None else min(0.0, today)

    def believed(rows: pd.DataFrame) -> np.ndarray:
        read = (
            score_rows(problem.model.score, rows[names].to_numpy(dtype=np.float64))
            >= problem.model.score.reject_below
        )
        if problem.detector is not None:
            read &= problem.detector.evaluate(rows) >= least
        return read

    truth = brute_force_front(
        case.person,
        case.frame,
        problem.policy,
        accepts=lambda rows: (problem.model.evaluate(rows) >= problem.model.threshold) & believed(rows),
        max_changes=max_changes,
        objectives=found.objectives,
    )
    if len(found):
        rows = typed_rows([option.values for option in found], case.frame)
        assert (problem.model.evaluate(rows) >= problem.model.threshold).all()
        assert believed(rows).all()
        # A model of float32 columns adds in single precision, and otherwise in other company.
        assert [option.score for option in found] == pytest.approx(
            problem.model.evaluate(rows).tolist(), rel=1e-6
        )
    if found.status is not p2ce.Status.TIME_LIMIT:
        assert set(reported_quanta(found)) == truth.costs
    assert found.certificate.proven == (found.status in PROVEN)


@pytest.mark.parametrize("lie", LIES)
@examples(20)
@given(
    case=numeric_problems(),
    share=st.sampled_from([0.05, 0.3, 0.7, 1.0]),
    salt=st.integers(0, 1000),
    max_changes=st.sampled_from([1, 2, None]),
)
def test_a_model_that_contradicts_its_parsed_score(
    lie: Any, case: StatedProblem, share: float, salt: int, max_changes: int | None
) -> None:
    explainer = case.explainer(max_changes=max_changes)
    model = problems_of(explainer).own.model
    lied = lambda frame: is_lied_about(frame, share, salt)  # noqa: E731
    with_lie(explainer, lie(model.evaluate, explainer.at_least, model.tolerance, lied))
    found = explainer.explain(case.person)
    assert_never_wrong(case, explainer, found, max_changes)
    if found.certificate is None:
        return
    # Such a lie contradicts a certified verdict: it ends all proofs.
    if lie is reject and found.certificate.discrepancies:
        assert found.status is p2ce.Status.HEURISTIC
    if lie is not reject and share == 1.0:
        assert found.status is p2ce.Status.HEURISTIC
        assert found.certificate.discrepancies >= 1


@examples(20)
@given(case=numeric_problems(), share=st.sampled_from([0.1, 0.5]), salt=st.integers(0, 1000))
def test_a_detector_that_contradicts_its_parsed_score(case: StatedProblem, share: float, salt: int) -> None:
    forest = SklearnForest(n_estimators=10, contamination=0.1, random_state=0).fit(case.frame)
    explainer = case.explainer(plausibility=forest)
    problem = problems_of(explainer).own
    evaluate = problem.detector.evaluate

    def lie(frame: pd.DataFrame) -> np.ndarray:
        return np.where(is_lied_about(frame, share, salt), -0.01, evaluate(frame))

    problems_of(explainer).replace_own(replace(problem, detector=replace(problem.detector, evaluate=lie)))
    found = explainer.explain(case.person)
    # A forest's own threshold is the score of some row, so some lies stay inside the error band.
    assert_never_wrong(case, explainer, found, 3)
    least = min(0.0, found.certificate.plausibility_today) if found.certificate else 0.0
    assert all(option.plausibility >= least for option in found)


@examples(20)
@given(case=numeric_problems())
def test_a_model_that_accepts_the_person_after_all(case: StatedProblem) -> None:
    explainer = case.explainer()
    with_lie(explainer, lambda frame: np.full(len(frame), 0.9))
    found = explainer.explain(case.person)
    assert found.status is p2ce.Status.ACCEPTED
    assert len(found) == 0


@examples(20)
@given(
    case=numeric_problems(),
    share=st.sampled_from([0.2, 0.6]),
    salt=st.integers(0, 1000),
    wide=st.sampled_from([0.01, 0.1]),
)
def test_a_model_that_decides_otherwise_inside_the_error_band_is_believed_and_proven(
    case: StatedProblem, share: float, salt: int, wide: float
) -> None:
    explainer = case.explainer()
    problem = problems_of(explainer).own
    score = problem.model.score
    # A score that certifies only values this far above the threshold.
    uncertain = replace(score, accept_from=score.reject_below + wide * (1.0 + abs(score.reject_below)))
    evaluate = problem.model.evaluate

    def lying_score(frame: pd.DataFrame) -> np.ndarray:
        read = score_rows(score, frame[list(problem.names)].to_numpy(dtype=np.float64))
        # A forest results alike where it reaches the same leaves, so the lie goes by the score.
        lied_about = is_lied_about(pd.DataFrame({"score": read}), share, salt)
        undecided = (read >= score.reject_below) & (read < uncertain.accept_from) & lied_about
        return np.where(
            undecided, np.minimum(evaluate(frame), problem.model.threshold - 1e-4), evaluate(frame)
        )

    model = replace(problem.model, score=uncertain, evaluate=lying_score, tolerance=1.0)
    problems_of(explainer).replace_own(
        with_models(
            problem,
            [model],
            codebook=problem.codebook,
            detector=problem.detector,
            nullable=problem.nullable,
        )
    )
    found = explainer.explain(case.person)
    if found.status is p2ce.Status.ACCEPTED:
        return
    assert found.status in PROVEN
    assert found.certificate.proven
    truth = brute_force_front(
        case.person,
        case.frame,
        problem.policy,
        accepts=lambda rows: lying_score(rows) >= problem.model.threshold,
        max_changes=3,
        objectives=found.objectives,
    )
    assert set(reported_quanta(found)) == truth.costs
