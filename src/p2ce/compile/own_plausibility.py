"""The plausibility of the instances themselves: a counterfactual need not be more plausible than that."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.calls.model_call import evaluate, evaluate_alone, is_close

if TYPE_CHECKING:
    from p2ce.compile.compiled_problem import ParsedProblem

OfToday: TypeAlias = Literal["counts", "ignore"]
COUNTS: Final = "counts"
IGNORE: Final = "ignore"


class OwnPlausibility:
    """The decision values of the instances of a batch, evaluated when they are first needed.

    They are computed in the same way as those of cells. So a change in a column that the detector does not
    use leaves the value unchanged, bit for bit. ``scores`` (n,) are the instances' compiled scores; None for
    a black box.
    """

    def __init__(self, problem: "ParsedProblem", rows: FloatArray, scores: FloatArray | None) -> None:
        detector = problem.required_detector
        assert detector is not None
        self._problem, self._rows, self._detector = problem, rows, detector
        self.scores = scores
        self._values = np.full(len(rows), np.nan)
        if scores is not None:
            assert detector.score is not None
            sure = scores >= (detector.score.accept_from if not detector.is_its_score else -np.inf)
            assert detector.report is not None
            self._values[sure] = detector.report(scores[sure])
        # True if the row was evaluated alone, or the value is proven to be at least 0.
        self._is_final = ~np.isnan(self._values)

    @property
    def values(self) -> FloatArray:
        """The decision values (n,); a detector that must be called gets all unknown rows in one call."""
        unknown = np.flatnonzero(np.isnan(self._values))
        if len(unknown):
            frame = self._problem.frame(self._rows[unknown])
            self._values[unknown] = evaluate(self._detector.evaluate, frame)
            near = is_close(self._values[unknown], 0.0, self._detector.tolerance)
            self._evaluate_alone(unknown[near])
        return self._values

    def least(self, instance: IntArray, values: FloatArray) -> FloatArray:
        """Return what rows of instances (m,) must reach: 0, or the instance's own value if that is lower.

        ``values`` (m,) are the values of the rows. A library may round a row differently in another batch. So
        if a row is close to the instance's own value, the instance is evaluated alone.
        """
        if not len(instance):
            return np.zeros(0)
        least = np.minimum(self.values, 0.0)[instance]
        close = is_close(values, least, self._detector.tolerance) & ~self._is_final[instance] & (least < 0.0)
        if close.any():
            self._evaluate_alone(np.unique(instance[close]))
            least = np.minimum(self._values, 0.0)[instance]
        return least

    def admits_scores(self, instance: IntArray, scores: FloatArray) -> BoolArray:
        """Compare compiled scores (m,), which are the detector, with the threshold or the instance's own."""
        assert self.scores is not None
        assert self._detector.score is not None
        return np.asarray(scores >= np.minimum(self._detector.score.accept_from, self.scores[instance]))

    def _evaluate_alone(self, which: IntArray) -> None:
        if len(which):
            frame = self._problem.frame(self._rows[which])
            self._values[which] = evaluate_alone(self._detector.evaluate, frame)
            self._is_final[which] = True


def own_plausibility(problem: "ParsedProblem", rows: FloatArray) -> OwnPlausibility | None:
    """Return the record for rows (n, d), on or off the grid; None if own plausibility does not count."""
    if not problem.own_plausibility_counts:
        return None
    detector = problem.required_detector
    assert detector is not None
    scores = None
    if detector.score is not None:
        scores = detector.score.evaluate_rows(rows[:, problem.columns_of(detector)]).value
    return OwnPlausibility(problem, rows, scores)
