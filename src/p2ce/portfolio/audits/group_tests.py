"""Test whether a group differs from all people, metric by metric, and correct for the number of tests."""

from dataclasses import replace

from p2ce.portfolio.audits.audit_result import Comparison, Group
from p2ce.portfolio.audits.group_contrasts import without
from p2ce.portfolio.audits.group_figures import FOR_TESTS, Work, costs_of, place_of, rng_of, successes
from p2ce.portfolio.audits.metrics import Metric
from p2ce.portfolio.audits.permutation_tests import burden_p_value, holm, median_p_value, rate_p_value
from p2ce.portfolio.audits.tallies import Tally


def test_of(work: Work, metric: Metric, tally: Tally) -> Comparison:
    """Test whether a group differs from all people in one metric, without the correction."""
    whole = work.all_people
    if metric.kind == "rate":
        others = without(whole, tally)
        p_value = rate_p_value(
            successes(metric, tally),
            tally.size(metric.base),
            successes(metric, others),
            others.size(metric.base),
        )
    elif metric.kind == "quantile":
        p_value = median_p_value(costs_of(work, metric, tally), costs_of(work, metric, whole))
    else:
        mine, all_people = (one.part(place_of(work, metric)) for one in (tally, whole))
        p_value = burden_p_value(mine, all_people, work.permutations, rng_of(work, tally, FOR_TESTS))
    return Comparison(p_value=p_value, corrected=p_value)


def corrected_tests(groups: list[Group]) -> list[Group]:
    """Correct the p-values of all groups for the number of tests."""
    corrected = iter(holm([test.p_value for group in groups for test in group.tests.values()]))
    return [
        replace(
            group,
            tests={name: replace(test, corrected=next(corrected)) for name, test in group.tests.items()},
        )
        for group in groups
    ]
