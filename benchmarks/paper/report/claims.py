"""Which claims does the paper make, and what does this run say to each of them?"""

import pandas as pd

from benchmarks.paper.report import claims_of_costs, claims_of_outliers, claims_of_times
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.verdict import Verdict


def claims(results: Results, summary: pd.DataFrame) -> tuple[Verdict, ...]:
    """All claims that the paper's text makes about its experiments, in the order of the paper."""
    return (
        claims_of_outliers.toy(results),
        claims_of_costs.exact_with_trees(results, summary),
        claims_of_costs.nothing_is_lost(results, summary),
        claims_of_outliers.table_1(results, summary),
        claims_of_costs.plausibility_costs(results, summary),
        claims_of_times.partial_test(results, summary),
        claims_of_costs.lowest_cost(results, summary),
        claims_of_times.trees_cost_more(results, summary),
        claims_of_times.seconds_against_minutes(results, summary),
        claims_of_times.peers_are_faster(results, summary),
        claims_of_costs.nice_is_competitive(results, summary),
        claims_of_outliers.fewer_than_5(results, summary),
        claims_of_outliers.fewer_than_mapocam(results, summary),
        claims_of_costs.order_of_volumes(results, summary),
        claims_of_times.faster_than_mapocam(results, summary),
        claims_of_outliers.dice(results, summary),
        claims_of_outliers.example(results, summary),
        claims_of_costs.just_enough(results, summary),
    )
