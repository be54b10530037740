"""An audit counts what there is, never mixes outcomes, and depends on neither order nor names."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import Audit, audit
from p2ce.base.limits import Limits
from p2ce.errors import InvalidArgument, LimitExceeded
from p2ce.portfolio.audits.audit_result import Group
from p2ce.result import Explanation, Status
from p2ce.result.certificate import NoneBecause
from tests.portfolio.audits.made_up import (
    ACCEPTED,
    ERROR,
    NONE,
    UNFINISHED,
    UNSURE,
    at_random,
    explained,
    many,
    optimal,
)
from tests.properties.amount import examples

QUICK: dict[str, Any] = {"resamples": 200, "permutations": 200}
PEOPLE = [
    *(optimal(cost, "Income") for cost in (0.1, 0.2, 0.3)),
    optimal(0.4, "Income", "Age"),
    NONE,
    ACCEPTED,
    *(optimal(cost, "Age") for cost in (0.3, 0.5)),
    UNFINISHED,
    UNSURE,
    ERROR,
    ACCEPTED,
]
SEX = ["f"] * 6 + ["m"] * 6


def test_a_tiny_example_by_hand() -> None:
    found = audit(many(PEOPLE), {"sex": SEX}, min_size=1, **QUICK)
    counts = ["people", "errors", "accepted", "rejected", "with_recourse", "no_recourse", "unfinished"]
    assert found.by_group[counts].to_numpy().tolist() == [[6, 0, 1, 5, 4, 1, 0], [6, 1, 1, 4, 2, 0, 2]]
    women, men = (found.by_group.loc[("sex", one)] for one in "fm")
    assert women["rejection_rate"] == 5 / 6
    assert men["rejection_rate"] == 4 / 5  # the error is in no denominator
    assert (women["recourse_rate"], women["no_recourse_rate"], women["unfinished_rate"]) == (0.8, 0.2, 0.0)
    assert (men["recourse_rate"], men["no_recourse_rate"], men["unfinished_rate"]) == (0.5, 0.0, 0.5)
    assert [women[f"{one}_mean_distance"] for one in ("lower_quartile", "median", "upper_quartile")] == [
        0.1,
        0.2,
        0.3,
    ]
    assert women["burden_mean_distance"] == pytest.approx(5 / 6 * 0.2)
    assert found.overall["median_mean_distance"] == 0.3
    assert found.overall["people"] == 12
    assert found.features.loc[("sex", "f")].to_dict() == {"Income": 1.0, "Age": 0.25}
    assert found.features.loc[("sex", "m")].to_dict() == {"Income": 0.0, "Age": 1.0}
    to_whole, to_best = found.difference(), found.difference("best")
    assert to_whole.loc[("sex", "f"), ("recourse_rate", "value")] == pytest.approx(0.8 - 6 / 9)
    assert to_best.loc[("sex", "f"), ("rejection_rate", "value")] == pytest.approx(5 / 6 - 0.8)
    assert math.isnan(to_best.loc[("sex", "m"), ("rejection_rate", "value")])  # it is the best-off itself
    assert found.ratio("best").loc[("sex", "f"), ("rejection_rate", "value")] == pytest.approx(5 / 6 / 0.8)
    assert found.ratio().loc[("sex", "f"), ("median_mean_distance", "value")] == pytest.approx(0.2 / 0.3)


def test_what_is_unknown_gives_a_range() -> None:
    found = audit(many(PEOPLE), {"sex": SEX}, min_size=1, **QUICK)
    men = found.groupings["sex"][1]
    assert men.recourse_at_most == 1.0
    assert found.ci.loc[("sex", "m"), ("recourse_rate", "high")] == 1.0  # both may still have an option
    ends = found.ci.loc[("sex", "m"), "no_recourse_rate"]
    assert (ends["low"], ends["high"] > 0.9) == (0.0, True)  # or none
    assert found.difference("best")[["recourse_rate", "no_recourse_rate"]].isna().all(axis=None)


@pytest.mark.parametrize("known", [optimal(0.1), NONE])
def test_unfinished_searches_alone_are_no_difference(known: Explanation) -> None:
    people = [*[known] * 100, *[UNFINISHED] * 50, *[UNSURE] * 50, *[known] * 200]
    found = audit(many(people), {"g": ["slow"] * 200 + ["quick"] * 200}, **QUICK)
    assert (found.tests["p_value"] == 1.0).all()
    for metric in ("recourse_rate", "no_recourse_rate"):
        frame = found.difference()[metric]
        assert ((frame["low"] <= 0.0) & (frame["high"] >= 0.0)).all()


def test_a_difference_that_unfinished_searches_cannot_close_is_found() -> None:
    people = [*[optimal(0.1)] * 100, *[UNFINISHED] * 10, *[NONE] * 90, *[optimal(0.1)] * 200]
    found = audit(many(people), {"g": ["a"] * 200 + ["b"] * 200}, **QUICK)
    tests = found.tests.set_index(["group", "metric"])["p_value"]
    assert tests[("a", "recourse_rate")] < 0.01
    assert tests[("a", "no_recourse_rate")] < 0.01
    to_best = found.difference("best")["recourse_rate"]
    assert to_best.loc[("g", "a"), "value"] == -0.5
    assert -0.6 < to_best.loc[("g", "a"), "low"] < -0.5 < -0.45 < to_best.loc[("g", "a"), "high"] < -0.35
    assert to_best.loc[("g", "b")].isna().all()


def test_a_group_is_the_best_off_only_if_it_is_so_however_searches_end() -> None:
    shares = {"recourse_rate", "no_recourse_rate"}

    def compared(slow: list[Explanation]) -> list[set[str]]:
        """State in which shares the slow and the quick group are compared with the best-off."""
        found = audit(many([*slow, *[optimal(0.1)] * 25, *[NONE] * 25]), {"g": [1] * 50 + [2] * 50}, **QUICK)
        return [group.to_best.keys() & shares for group in found.groups]

    assert compared([*[optimal(0.1)] * 24, *[UNFINISHED] * 2, *[NONE] * 24]) == [set(), set()]
    assert compared([*[optimal(0.1)] * 23, *[UNFINISHED] * 2, *[NONE] * 25]) == [shares, set()]
    assert compared([*[optimal(0.1)] * 25, *[UNFINISHED] * 2, *[NONE] * 23]) == [set(), shares]


def test_unfinished_searches_may_turn_a_median_into_anything() -> None:
    rng = np.random.default_rng(0)
    costs = rng.normal(1.02, 0.05, 150).tolist()
    people = [*map(optimal, costs), *[UNFINISHED] * 200]
    groups = {"g": ["a"] * 100 + ["b"] * 50 + ["a", "b"] * 100}
    found = audit(many(people), groups, **QUICK)
    one = found.all_people.metrics["median_mean_distance"]
    assert one.value == sorted(costs)[74]  # of what was found
    assert (one.low, one.high) == (0.0, math.inf)
    assert found.all_people.metrics["burden_mean_distance"].high == math.inf
    assert (found.tests.set_index("metric").loc["median_mean_distance", "p_value"] == 1.0).all()
    assert all("median_mean_distance" not in group.to_best for group in found.groups)
    difference = found.groups[0].to_overall["median_mean_distance"].difference
    assert (difference.low, difference.high) == (-math.inf, math.inf)
    assert found.groups[0].to_overall["median_mean_distance"].ratio.high == math.inf  # type: ignore[union-attr]
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert Audit.from_json(text) == found
    for ending in (optimal(9.0), optimal(0.001), NONE):
        done = audit(many([*people[:150], *[ending] * 200]), groups, **QUICK)
        for mine, other in zip(
            (found.all_people, *found.groups), (done.all_people, *done.groups), strict=True
        ):
            for name, estimate in other.metrics.items():
                if "unfinished" not in name:
                    assert mine.metrics[name].low <= estimate.value <= mine.metrics[name].high
                    # Up to other resamples, where one completion is the extreme one.
                    assert mine.metrics[name].low <= estimate.low + 0.02
                    assert estimate.high <= mine.metrics[name].high + 0.02


def test_few_unfinished_searches_widen_an_interval_a_little() -> None:
    rng = np.random.default_rng(0)
    people = [optimal(float(cost)) for cost in rng.normal(1.0, 0.05, 400)]
    groups = {"g": ["a", "b"] * 200}
    plain = audit(many(people), groups).all_people.metrics["median_mean_distance"]
    for more, low, high in (
        (UNFINISHED, 0.01, 0.01),
        (explained(Status.TIME_LIMIT, least=(2.0, 1.0)), 0.002, 0.01),  # these can only raise the median
        (explained(Status.TIME_LIMIT, [(0.5, 1.0)]), 0.01, 0.002),  # an option was found: only lower it
    ):
        some = audit(many([*people, *[more] * 20]), {"g": groups["g"] + ["a", "b"] * 10}).all_people
        found = some.metrics["median_mean_distance"]
        assert plain.low - low <= found.low <= plain.low + 0.002
        assert plain.high - 0.012 <= found.high <= plain.high + high


@pytest.mark.parametrize("least", [0.4, 0.6])
def test_a_proven_least_cost_decides_who_is_best_off(least: float) -> None:
    slow = explained(Status.TIME_LIMIT, [(0.7, 1.0)], least=(least, 1.0))
    groups = {"g": ["slow"] * 40 + ["quick"] * 400}
    found = audit(many([*[slow] * 40, *[optimal(0.5)] * 400]), groups, **QUICK)
    best = [group.name for group in found.groups if "median_mean_distance" not in group.to_best]
    assert best == (["quick"] if least > 0.5 else ["quick", "slow"])
    tests = found.tests.set_index(["group", "metric"])["p_value"]
    assert (tests[("slow", "median_mean_distance")] < 0.01) == (least > 0.5)
    assert tests[("slow", "median_changes")] == 1.0


open_people = st.sampled_from(
    [
        *(optimal(cost) for cost in (0.1, 0.25, 0.7)),
        explained(Status.TIME_LIMIT, [(0.7, 1.0)], least=(0.1, 1.0)),
        explained(Status.HEURISTIC, [(0.25, 1.0)]),
        explained(Status.TIME_LIMIT, least=(0.25, 1.0)),
        UNFINISHED,
        NONE,
        ACCEPTED,
    ]
)


def ended(person: Explanation, data: st.DataObject) -> Explanation:
    """Let an open search end somehow."""
    assert person.certificate is not None
    if person.status not in (Status.TIME_LIMIT, Status.HEURISTIC):
        return person
    least = (person.certificate.open_costs or {"mean_distance": 0.0})["mean_distance"]
    most = min((option.costs["mean_distance"] for option in person), default=math.inf)
    if math.isinf(most) and data.draw(st.booleans()):
        return NONE
    return optimal(
        data.draw(st.sampled_from([least, *(one for one in (0.1, 0.25, 0.7, 5.0) if least < one <= most)]))
    )


@examples(60)
@given(st.data())
def test_what_an_audit_claims_holds_however_searches_end(data: st.DataObject) -> None:
    people = data.draw(st.lists(open_people, min_size=4, max_size=20))
    groups = {"g": data.draw(st.lists(st.sampled_from("ab"), min_size=len(people), max_size=len(people)))}
    found = audit(many(people), groups, min_size=1, **QUICK)
    done = audit(many([ended(person, data) for person in people]), groups, min_size=1, **QUICK)
    for mine, other in zip(found.groups, done.groups, strict=True):
        for name in mine.tests.keys() - {"burden_mean_distance", "burden_changes"}:
            assert mine.tests[name].p_value >= other.tests[name].p_value - 1e-9
        for name in mine.to_best:  # the other group is better off, however searches end
            low, high = sorted((other.metrics[name].value, _other(done, other).metrics[name].value))
            assert other.metrics[name].value == (low if name == "recourse_rate" else high)


def _other(audit: Audit, group: Group) -> Group:
    (found,) = (one for one in audit.groups if one.name != group.name)
    return found


def test_a_group_that_has_all_there_is_has_a_ratio_to_the_whole() -> None:
    people = [*[NONE] * 40, *[ACCEPTED] * 160]
    found = audit(many(people), {"g": ["x"] * 80 + ["y"] * 120}, **QUICK)
    ratios = found.ratio()["rejection_rate"]
    assert ratios.loc[("g", "x"), "value"] == pytest.approx(0.5 / 0.2)
    assert 2.0 < ratios.loc[("g", "x"), "low"] < 2.5
    assert ratios.loc[("g", "x"), "high"] == pytest.approx(2.5)  # it cannot be more
    assert found.ratio("best")["rejection_rate"].isna().all(axis=None)  # the best-off has none


def test_options_that_are_not_proven_are_counted_apart() -> None:
    stopped = explained(Status.TIME_LIMIT, [(0.5, 1.0), (0.2, 2.0)])
    found = audit(many([stopped, optimal(0.4), NONE]), {"sex": list("ffm")}, min_size=1, **QUICK)
    women = found.groupings["sex"][0]
    assert (women.with_recourse, women.unproven, women.unfinished) == (2, 1, 0)
    assert found.by_group.loc[("sex", "f"), "median_mean_distance"] == 0.2  # the least of all options


def test_small_groups_have_counts_only() -> None:
    found = audit(many(PEOPLE), {"sex": SEX}, min_size=5, **QUICK)
    men = found.by_group.loc[("sex", "m")]
    assert men["rejected"] == 4
    assert men["rejection_rate"] == 0.8  # of 5 people, and that is enough
    assert men[["recourse_rate", "median_changes", "burden_changes"]].isna().all()
    assert set(found.tests.loc[found.tests["group"] == "m", "metric"]) == {"rejection_rate"}
    assert found.difference("best").xs("recourse_rate", axis=1).isna().all(axis=None)  # no one to compare
    assert audit(many(PEOPLE), {"sex": SEX}, **QUICK).tests.empty


def test_groups_by_each_column_and_by_all() -> None:
    table = {"sex": SEX, "age": ["old", "young"] * 6}
    found = audit(many(PEOPLE), table, min_size=1, **QUICK)
    assert list(found.groupings) == ["sex", "age", "sex × age"]
    assert list(found.by_group.loc["sex × age"].index) == ["f × old", "f × young", "m × old", "m × young"]
    assert all(found.by_group.loc[one, "people"].sum() == 12 for one in found.groupings)
    assert audit(many(PEOPLE), pd.Series(SEX, name="sex"), **QUICK).groupings.keys() == {"sex"}


def shuffled(people: list[Explanation], groups: list[str], order: list[int]) -> Audit:
    return audit(
        many([people[at] for at in order]), {"group": [groups[at] for at in order]}, min_size=2, **QUICK
    )


outcomes = st.sampled_from([ACCEPTED, NONE, UNFINISHED, ERROR, *(optimal(cost) for cost in (0.1, 0.25, 0.7))])


@examples(20)
@given(st.data())
def test_neither_order_nor_names_matter(data: st.DataObject) -> None:
    people = data.draw(st.lists(outcomes, min_size=1, max_size=25))
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=len(people), max_size=len(people)))
    order = data.draw(st.permutations(range(len(people))))
    first, second = (shuffled(people, groups, list(some)) for some in (range(len(people)), order))
    assert first == second
    renamed = shuffled(people, [{"a": "z", "b": "y", "c": "x"}[one] for one in groups], list(order))
    by_name = {group.name: replace(group, values=()) for group in renamed.groups}
    for group in first.groups:
        twin = by_name[{"a": "z", "b": "y", "c": "x"}[group.name]]
        assert twin.metrics == group.metrics
        assert twin.to_overall == group.to_overall
        assert twin.tests == group.tests


def test_people_twice_change_no_figure_but_narrow_the_intervals() -> None:
    rng = np.random.default_rng(2)
    people, groups = at_random(rng, 150), rng.choice(["a", "b"], 150).tolist()
    once, twice = (audit(many(people * n), {"g": groups * n}, **QUICK) for n in (1, 2))
    figures = [metric.name for metric in once.all_metrics]
    pd.testing.assert_frame_equal(once.by_group[figures], twice.by_group[figures])
    widths = [found.ci["recourse_rate"]["high"] - found.ci["recourse_rate"]["low"] for found in (once, twice)]
    assert (widths[1] < widths[0]).all()


def test_intervals_of_medians_and_of_their_differences_cover_the_truth() -> None:
    rng = np.random.default_rng(4)
    covered = np.zeros(3)
    truth = 0.1 * 1.67834699  # the median of a gamma distribution with shape 2
    for _ in range(60):
        people = [optimal(float(cost)) for cost in rng.gamma(2.0, 0.1, 120)]
        found = audit(
            many(people), {"g": ["a"] * 50 + ["b"] * 70}, confidence=0.9, resamples=200, permutations=100
        )
        low, high = found.ci.loc[("g", "a"), "median_mean_distance"]
        covered[0] += low <= truth <= high
        for place, to in enumerate(("overall", "best"), start=1):
            frame = found.difference(to)["median_mean_distance"].dropna()
            covered[place] += frame["low"].iloc[0] <= 0.0 <= frame["high"].iloc[0]
    assert covered[0] >= 48
    assert covered[1] >= 48
    assert covered[2] >= 42  # the best-off is chosen from the same data, as the documentation says


def test_a_planted_difference_is_found_and_chance_is_not() -> None:
    rng = np.random.default_rng(11)
    people = at_random(rng, 600)
    unlike = [optimal(float(cost) + 0.2) for cost in rng.gamma(2.0, 0.1, 60)]
    groups = [*rng.choice(["a", "b", "c"], 600).tolist(), *["d"] * 60]
    tests = audit(many(people + unlike), {"g": groups}).tests.set_index(["group", "metric"])["corrected"]
    assert tests[("d", "median_mean_distance")] < 0.01
    assert tests[("d", "rejection_rate")] < 0.01
    alone = audit(many(people), {"g": groups[:600]}).tests
    assert alone["corrected"].min() > 0.05
    assert (alone["corrected"] >= alone["p_value"]).all()


def test_the_same_seed_gives_the_same_audit_and_another_one_almost() -> None:
    people, groups = at_random(np.random.default_rng(1), 200), {"g": ["a", "b"] * 100}
    one, same, other = (audit(many(people), groups, random_state=seed, **QUICK) for seed in (0, 0, 1))
    assert one == same
    assert one != other
    pd.testing.assert_frame_equal(one.by_group, other.by_group)
    assert repr(one) == "<Audit of 200 people in 2 groups>"


def test_json_there_and_back() -> None:
    rng = np.random.default_rng(3)
    found = audit(many(at_random(rng, 80)), {"g": ["a", "b"] * 40}, **QUICK)
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert Audit.from_json(text) == found
    assert Audit.from_dict(found.to_dict()).by_group.equals(found.by_group)
    with pytest.raises(InvalidArgument, match=r"format 'p2ce\.audit/1', got 'p2ce\.audit/9'"):
        Audit.from_dict({**found.to_dict(), "format": "p2ce.audit/9"})
    with pytest.raises(InvalidArgument, match=r"groups.*people"):
        Audit.from_dict({**found.to_dict(), "groups": [{"people": "many"}]})
    with pytest.raises(LimitExceeded):
        Audit.from_json(text, limits=Limits(explanation_bytes=100))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"values": ["a", "b"]}, r"groups\[0\] does not have one value per column"),
        ({"columns": [], "values": []}, "not have one value per"),
        ({"people": 10**9}, "more people than the audit"),
        ({"tests": {"luck": {"p_value": 1, "corrected": 1}}}, "the metric 'luck', which the audit lacks"),
        ({"metrics": {}}, "a test of a metric that it lacks"),
    ],
)
def test_an_audit_that_contradicts_itself_is_rejected(changed: dict[str, Any], message: str) -> None:
    data = audit(many(PEOPLE), {"sex": SEX}, min_size=1, **QUICK).to_dict()
    data["groups"][0] |= changed
    with pytest.raises(InvalidArgument, match=message):
        Audit.from_dict(data)


def test_an_audit_without_groups_has_empty_tables() -> None:
    data = audit(many(PEOPLE), {"sex": SEX}, min_size=1, **QUICK).to_dict()
    found = Audit.from_dict({**data, "groups": []})
    assert found.by_group.empty
    assert found.difference().empty
    assert "rejects 9 of 11 people" in str(found)


def test_one_flat_table_has_everything() -> None:
    found = audit(many(PEOPLE), {"sex": SEX}, min_size=1, **QUICK)
    flat = found.to_frame()
    assert flat["group"].tolist() == ["", "f", "m"]
    assert flat["recourse_rate"].tolist() == [6 / 9, 0.8, 0.5]
    assert flat["recourse_rate_p_corrected"].notna().tolist() == [False, True, True]
    assert {"uses_Income", "burden_changes_ratio_to_best_high", "recourse_at_most"} <= set(flat.columns)


@pytest.mark.parametrize("people", [[ACCEPTED] * 40, [ERROR] * 40, [NONE] * 40, [UNFINISHED] * 40])
def test_everybody_alike_is_no_error(people: list[Explanation]) -> None:
    found = audit(many(people), {"g": ["a", "b"] * 20}, min_size=10, **QUICK)
    assert found.by_group["people"].tolist() == [20, 20]
    assert found.features.empty
    if people[0] is ERROR:
        assert found.by_group.isna().sum(axis=1).tolist() == [len(found.all_metrics)] * 2
    else:
        assert found.difference()["rejection_rate"]["value"].tolist() == [0.0, 0.0]
    assert (found.tests["corrected"] == 1.0).all()


def test_others_without_any_cost_count_in_the_burden_of_the_whole() -> None:
    people = [*(optimal(0.01 * place) for place in range(1, 41)), *[NONE] * 40, *[ACCEPTED] * 20]
    found = audit(many(people), {"g": ["a"] * 40 + ["b"] * 60}, **QUICK)
    assert found.overall["burden_mean_distance"] == pytest.approx(0.8 * 0.2)
    value, low, high = found.difference().loc[("g", "a"), "burden_mean_distance"]
    assert value == pytest.approx(0.2 - 0.16)
    assert 0.0 < low < value < high < 0.08
    assert found.difference().loc[("g", "a"), "median_mean_distance"].tolist() == [0.0, 0.0, 0.0]


def test_one_group_is_compared_with_nobody() -> None:
    found = audit(many(PEOPLE), {"g": ["a"] * 12}, min_size=1, **QUICK)
    assert found.tests.empty
    assert found.difference()["recourse_rate"].to_numpy().tolist() == [[0.0, 0.0, 0.0]]
    assert found.difference("best").isna().all(axis=None)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"min_size": 0}, "min_size must be a whole number of at least 1; got 0"),
        ({"min_size": True}, "min_size must be"),
        ({"confidence": 95}, "confidence must be at least 0.5 and below 1; got 95"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"resamples": 10}, "resamples must be a whole number of at least 100"),
        ({"permutations": 0.5}, "permutations must be"),
        ({"random_state": -1}, "random_state must be"),
        ({"id_column": "id"}, "data is missing. Add data"),
    ],
)
def test_wrong_settings_say_what_is_expected(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        audit(many(PEOPLE), {"sex": SEX}, **changed)


def test_people_whose_costs_are_no_numbers_are_named() -> None:
    people = [optimal(0.1), optimal(math.nan), optimal(math.inf)]
    with pytest.raises(InvalidArgument, match=r"'mean_distance' of 'bo' is nan. This affects 2 of 3 people"):
        audit(many(people, ["al", "bo", "cy"]), {"g": list("aab")})


def test_nobody_and_nothing_are_errors() -> None:
    with pytest.raises(InvalidArgument, match="there are no explanations"):
        audit(many([]), {"g": []})
    with pytest.raises(InvalidArgument, match=r"to must be one of .*'worst'"):
        audit(many(PEOPLE), {"sex": SEX}, **QUICK).difference("worst")  # type: ignore[arg-type]


def test_people_without_an_option_are_split_by_the_reason() -> None:
    def because(reason: NoneBecause | None) -> Explanation:
        assert NONE.certificate is not None
        return replace(NONE, certificate=replace(NONE.certificate, none_because=reason))

    people = [*map(because, ("model", "rules", "rules", None)), UNFINISHED, ACCEPTED]
    found = audit(many(people), {"sex": list("ffmmfm")}, min_size=1)
    counts = found.by_group.filter(like="none_because_")
    assert counts.loc[("sex", "f")].to_dict() == {
        "none_because_model": 1,
        "none_because_plausibility": 0,
        "none_because_rules": 1,
        "none_because_max_changes": 0,
        "none_because_unknown": 0,
    }
    assert found.all_people.none_because["rules"] == 2
    assert sum(found.all_people.none_because.values()) == found.all_people.no_recourse == 4
    assert (counts.sum(axis=1) == found.by_group["no_recourse"]).all()
    assert Audit.from_dict(found.to_dict()) == found
    assert "rules between features 2" in str(found)
