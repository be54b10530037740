"""Fit a SHAP estimate that prunes: once for an explainer, calibrated on known fronts."""

import logging
import math
import time
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.batch import place_and_price
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.evaluate_rows import scoring_of
from p2ce.compile.grouped_features import moves_as_one
from p2ce.engine.solver.branch_and_bound import CELL_WORK
from p2ce.errors import InvalidArgument
from p2ce.models.decisions.adapter import PROBABILITY
from p2ce.models.estimates.attributions import Attributor
from p2ce.models.estimates.calibration import FittedEstimate, calibrate, divide, needed_residual, typical_unit
from p2ce.models.estimates.candidate_attributions import best_attributions, mean_attributions
from p2ce.models.estimates.link_scale import preferred_link
from p2ce.models.estimates.native import Parsed
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.run.estimation.apply_estimate import gains_of
from p2ce.run.explain_batch import solve_completely

log = logging.getLogger("p2ce")

EVALUATIONS, SECONDS = "max_evaluations", "time_limit"  # the `ShapEstimate` limits on a calibration
# Instances per round of calibration. Each may take this share of the remaining evaluations.
ROUND = 16


def fit_estimate(
    problem: Problem,
    bound: ShapEstimate | str,
    *,
    parsed: Parsed | None,
    reference: FloatArray,
    random_state: int | None,
) -> FittedEstimate:
    """Fit the estimate for a problem: attributions, the gain of each candidate, and the residual.

    ``reference`` (n, d) holds rows of the model's columns. ``parsed`` is the model if it is supported
    natively.
    """
    if moves_as_one(problem.policy):
        raise InvalidArgument(
            "An estimate attributes the score to one feature at a time, so it does not work with linked() or "
            "one_hot(). Use bound='auto' or bound=None, or drop these rules."
        )
    spec = bound if isinstance(bound, ShapEstimate) else ShapEstimate()
    seed = spec.random_state if spec.random_state is not None else random_state
    rng = np.random.default_rng(seed)
    score = scoring_of(problem)
    # Rows that were repeated to balance a sample do not count as more instances.
    reference = np.unique(reference, axis=0)
    scores = score(reference)
    learned, rest = divide(scores < problem.threshold, spec, rng)
    learning = reference[learned]
    link = preferred_link(scores, probabilities=problem.scale == PROBABILITY, negated=problem.negated)
    attributor = Attributor(spec, parsed, score, learning, problem.names, seed, link)
    tabulate = mean_attributions if spec.single_changes else best_attributions
    scaled = attributor.to_scale(np.append(scores[learned], problem.threshold))
    estimate = FittedEstimate(
        attributor=attributor,
        table=tabulate(attributor, learning, problem.grid, spec.rows_per_candidate, rng),
        personal=spec.single_changes,
        unit=typical_unit(scaled[:-1], float(scaled[-1])),
    )
    instances = reference[rest]
    needed, cut_by = _residuals_needed(problem, estimate, instances, spec)
    found = calibrate(needed, spec.miss_rate)
    if cut_by == SECONDS:
        log.warning(
            "time_limit=%g cut the calibration: %d of %d instances were solved, so another machine may give "
            "other explanations. Pass a larger ShapEstimate(time_limit=…) or a smaller max_evaluations=….",
            spec.time_limit,
            found.sample_size,
            len(instances),
        )
    if found.residual == math.inf and not np.isneginf(needed).all():
        log.warning(
            "Too many of the %d instances to calibrate on could not be solved to the end: the estimate "
            "prunes nothing. Pass a larger ShapEstimate(max_evaluations=…), fewer candidates or changes.",
            found.sample_size,
        )
    if found.stated_rate > spec.miss_rate:
        log.warning(
            "A miss rate of %g %% takes %d different rejected instances to calibrate on; there were %d %s, "
            "so it is %.2g %%.",
            100 * spec.miss_rate,
            math.ceil(1 / spec.miss_rate) - 1,
            found.sample_size,
            f"within ShapEstimate({cut_by}={getattr(spec, cut_by):g})" if cut_by else "in the reference",
            100 * found.stated_rate,
        )
    return replace(
        estimate, residual=found.residual, miss_rate=found.stated_rate, sample_size=found.sample_size
    )


def _residuals_needed(
    problem: Problem, estimate: FittedEstimate, instances: FloatArray, spec: ShapEstimate
) -> tuple[FloatArray, str | None]:
    """Find the residual that keeps the whole front of each instance, within the limits of the specification.

    A front is missed exactly if one of its points is dropped, and the points are known here. Also return the
    name of the limit that cut the calibration, or None.
    """
    from p2ce.engine.solver.fronts import WORK

    needed: list[float] = []
    threshold = float(estimate.attributor.to_scale(np.array([problem.threshold]))[0])
    until = math.inf if spec.time_limit is None else time.perf_counter() + spec.time_limit
    work = CELL_WORK * int(spec.max_evaluations)
    cut_by = None
    for at in range(0, len(instances), ROUND):
        seconds = until - time.perf_counter()
        if work <= 0 or seconds <= 0:
            cut_by = EVALUATIONS if work <= 0 else SECONDS
            break
        values = instances[at : at + ROUND]
        share = None if spec.time_limit is None else seconds / len(values)
        most = -(-work // len(values))
        batch = place_and_price(problem, values)
        fronts = solve_completely(batch, most, share)
        used = fronts.counters[:, WORK]
        work -= int(used.sum())
        if not fronts.finished[used <= most].all():
            cut_by = SECONDS
        base, gains, _ = gains_of(estimate, problem.grid, batch.placement, values)
        for p, finished in enumerate(fronts.finished.tolist()):
            points = fronts.points[fronts.first[p] : fronts.first[p + 1]]
            least = needed_residual(points, base[p], gains[p], threshold=threshold, unit=estimate.unit)
            # Leaving out the instances that take too long would flatter the estimate: they are the hard ones.
            needed.append(least if finished else np.inf)
    return np.array(needed), cut_by
