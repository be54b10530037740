"""Estimate what plausibility costs, on a sample of rejected rows of the reference."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.evaluate_rows import scoring_of
from p2ce.compile.within_reach import reaching
from p2ce.result.analysis import PriceOfPlausibility, SampledPrice
from p2ce.run.build_explanation import build_explanation
from p2ce.run.explain_batch import explain_batch
from p2ce.run.price_plausibility import bounded
from p2ce.run.problems import Problems
from p2ce.tables.encode import encode_table

# Rows of the reference that are scored, and how many of the rejected ones are searched to describe a problem.
SCORED, SAMPLED, SAMPLED_OUTSIDE = 1_024, 50, 10


def sample_price(problems: Problems) -> SampledPrice | None:
    """Search without the requirement for some instances; None if plausibility is not required anyway."""
    known = problems.known.compiled
    problem = replace(known.problem, prices_plausibility=True)
    if problem.required_detector is None or problem.method is not None:
        return None
    problems.load_kernels(problems.own)
    some = rejected_sample(problem, known.values)
    rows = encode_table(known.reference.iloc[known.sample].iloc[some], problem.codebook)
    prices = []
    for place, values in enumerate(rows.values[:, None]):
        own = reaching(problems.known.compiled, problem, values)
        verified = explain_batch(own, values, bounded(own))
        prices.append(build_explanation(own, rows, place, verified, 0).price_of_plausibility)
    return sampled_price(prices, problem.objective_names)


def rejected_sample(problem: Problem, rows: FloatArray) -> IntArray:
    """Choose rejected rows of the reference (n, d), spread out: few if evaluation is outside the kernel."""
    some = np.arange(0, len(rows), -(-len(rows) // SCORED))
    rejected = some[scoring_of(problem)(rows[some]) < problem.threshold]
    most = SAMPLED if problem.kernel_decides_alone else SAMPLED_OUTSIDE
    if len(rejected) <= most:
        return rejected
    return rejected[np.linspace(0, len(rejected) - 1, most).astype(np.int64)]


def sampled_price(prices: Iterable[PriceOfPlausibility | None], objectives: Sequence[str]) -> SampledPrice:
    """Summarise the prices of a sample. People with an unproven price are left out of the median."""
    known = list(prices)
    compared = [
        one for one in known if one is not None and one.with_proven and one.without_proven and one.ratio
    ]
    left = sum(one is not None and one.leaves_no_option for one in known)
    settled = sum(one is not None and _is_settled(one) for one in known)
    ratios = {name: [one.ratio[name] for one in compared if name in one.ratio] for name in objectives}
    return SampledPrice(
        people=len(known),
        left_without=left,
        undecided=len(known) - settled,
        compared=len(compared),
        median_ratio={name: float(np.median(found)) for name, found in ratios.items() if found},
    )


def _is_settled(price: PriceOfPlausibility) -> bool:
    """Return whether it is known if a person has an option only without the requirement."""
    if price.with_plausibility is not None or price.leaves_no_option:
        return True
    return price.without_plausibility is None and price.without_proven
