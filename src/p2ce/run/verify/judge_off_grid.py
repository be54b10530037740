"""Evaluate rows off the grid in the same way as cells on it: with models, rules and detector."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.calls.model_call import evaluate_closely, is_close
from p2ce.base.calls.remembered import memory
from p2ce.compile.batch import Batch, prove_rows
from p2ce.compile.evaluate_rows import judge_rows, score_frame
from p2ce.engine.scores.external import ACCEPT, UNDECIDED
from p2ce.models.decisions.adapter import Adapter
from p2ce.run.verify.constraints import check_constraints


class OffGrid(NamedTuple):
    """The results for rows."""

    good: BoolArray  # (n,) accepted, plausible, and without a broken rule
    scores: FloatArray  # (n,) as reported
    plausibility: FloatArray  # (n,) NaN where the detector was not needed

    def taken(self, which: BoolArray) -> "OffGrid":
        """Return some of the rows."""
        return OffGrid(*(part[which] for part in self))  # type: ignore[arg-type]


class OffGridJudge:
    """Evaluates rows (n, d) of instances of a batch; the caller checks ranges and directions of features."""

    def __init__(self, batch: Batch) -> None:
        self.problem, self.values, self.own = batch.problem, batch.values, batch.own
        self.limits = batch.limits

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the reported scores of rows."""
        return self._by_models(rows)[0]

    def judge(self, instance: IntArray, rows: FloatArray) -> OffGrid:
        """Evaluate rows with the parsed scores, and with the user's own objects where these do not decide."""
        problem = self.problem
        scores, good = self._by_models(rows)
        if self.limits is not None:
            good &= self.limits.keep(instance, self.values[instance], rows)
        for rule in problem.rules:
            if rule.is_predicate:
                some = np.flatnonzero(good)
                good[some] &= rule.holds_frame(problem.frame(rows[some])) if len(some) else True
            else:
                good &= rule.holds(problem.names, self.values[instance], rows)
        plausibility = np.full(len(rows), np.nan)
        if problem.required_detector is not None and good.any():
            some = np.flatnonzero(good)
            found = judge_rows(problem, self.own, instance[some], rows[some], problem.frame(rows[some]))
            plausibility[some] = found.values
            good[some] &= found.admitted
        return OffGrid(good, scores, plausibility)

    def verify(self, instance: IntArray, rows: FloatArray) -> OffGrid:
        """Evaluate rows with the user's own model, detector and constraints."""
        problem = self.problem
        if not len(rows):
            return OffGrid(np.zeros(0, dtype=np.bool_), np.zeros(0), np.zeros(0))
        frame = problem.frame(rows)
        settled = [
            None if model.is_black_box else prove_rows(problem, model, rows).verdict != UNDECIDED
            for model in problem.models
        ]
        scored = score_frame(problem, frame, settled=settled)
        plausibility, admitted = judge_rows(problem, self.own, instance, rows, frame)
        allowed = check_constraints(
            problem, self.values[instance], rows, frame, self.limits, instance
        ).allowed
        return OffGrid(scored.accepted & admitted & allowed, scored.scores, plausibility)

    def _by_models(self, rows: FloatArray) -> tuple[FloatArray, BoolArray]:
        problem = self.problem
        accepted = np.ones(len(rows), dtype=np.bool_)
        scores = np.empty((len(problem.models), len(rows)))
        for number, model in enumerate(problem.models):
            scores[number], good = self._by_model(model, rows)
            accepted &= good
        return problem.joint(scores), accepted

    def _by_model(self, model: Adapter, rows: FloatArray) -> tuple[FloatArray, BoolArray]:
        if model.is_black_box or model.report is None:
            own = self._evaluated(model, rows)
            return own, own >= model.threshold
        proof = prove_rows(self.problem, model, rows)
        values, accepted = model.report(proof.value), proof.verdict == ACCEPT
        undecided = np.flatnonzero(proof.verdict == UNDECIDED)
        if len(undecided):
            values = values.copy()
            values[undecided] = self._evaluated(model, rows[undecided])
            accepted[undecided] = values[undecided] >= model.threshold
        return values, accepted

    def _evaluated(self, model: Adapter, rows: FloatArray) -> FloatArray:
        known = memory()
        values = np.full(len(rows), np.nan) if known is None else known.recall(model.evaluate, rows)
        # A remembered value close to the threshold may be that of a row in a batch.
        new = np.flatnonzero(np.isnan(values) | is_close(values, model.threshold, model.tolerance))
        if len(new):
            values[new] = evaluate_closely(
                model.evaluate,
                self.problem.frame(rows[new]),
                threshold=model.threshold,
                tolerance=model.tolerance,
            ).values
            if known is not None:
                known.keep(model.evaluate, rows[new], values[new])
        return values
