"""Are the levels of linked features all that the drivers' candidates allow, and nothing else?"""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import Policy, rules
from p2ce.compile.grouped_features import chains_of
from p2ce.compile.linked_levels import MOST_LEVELS, level_room, levels_of, stretches
from p2ce.engine.grid.grouped_axis import Chain
from p2ce.errors import InvalidPolicy
from p2ce.policy.rules.linked import Linked
from p2ce.tables.codebook import MISSING, codebook_of
from tests.properties.amount import examples

PEOPLE = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70],
        "years": [0.0, 1.0, 2.5, 4.0, 8.0, np.nan],
        "pension": [0.0, 100.0, 250.0, 400.0, 800.0, 1000.0],
        "town": [1.0, 2.0, 3.0, 4.0, 6.0, np.nan],
    }
)
BOOK = codebook_of(PEOPLE)
FREE = Policy.infer(PEOPLE, protect=None, grid="paper").candidates(
    years=[0.0, 1.0, 2.5, 4.0], town=[1.0, 2.0, 3.0], age=list(range(20, 71))
)
LINKS = [
    rules.linked("years", "age"),
    rules.linked("town", "age", -2),
    rules.linked("age", "pension", 12.5, counts="each"),
    rules.linked("years", "pension", 100, counts="each"),
    rules.linked("town", "years"),
]
CHOICES = {
    "years": [0.0, 1.0, 2.0, 2.5, 4.0, 7.0, MISSING],
    "age": [20, 21, 30, 45, 70, 71],
    "town": [1.0, 2.0, 5.0, MISSING],
    "pension": [0.0, 100.0, 137.5, 1000.0],
}
INSTANCES = st.lists(
    st.tuples(*(st.sampled_from(CHOICES[name]) for name in BOOK.names)), min_size=1, max_size=5
).map(lambda rows: np.array(rows, dtype=np.float64))


def plainly(policy: Policy, chain: Chain, instance: np.ndarray) -> list[tuple[float, ...]]:
    """List the levels of an instance one by one, in plain arithmetic: all numbers are short decimals."""
    names = [BOOK.names[member] for member in chain.members]
    now = dict(zip(names, instance[chain.members].tolist(), strict=True))
    known = [sorted({now[name], *policy[name].codes(BOOK[name]).tolist()}) for name in names[: chain.drivers]]
    levels = set()
    for values in product(*known):
        level = dict(zip(names, values, strict=False))
        for name in names[chain.drivers :]:
            level[name] = now[name]
            for link in policy.rules:
                if isinstance(link, Linked) and link.follower == name and now[name] != MISSING:
                    ends = now[link.driver], level[link.driver]
                    level[name] += link.ratio * (ends[1] - ends[0]) if MISSING not in ends else 0.0
        fine = all(
            policy[name].allows(BOOK[name].plain(now[name]), BOOK[name].plain(level[name]))
            and (name in names[: chain.drivers] or policy[name].keeps(level[name]))
            and (name != "age" or level[name].is_integer())
            for name in names
            if level[name] != now[name]
        )
        if fine:
            levels.add(tuple(level[name] for name in names))
    return sorted(levels)


@examples(60)
@given(
    links=st.lists(st.sampled_from(LINKS), min_size=1, unique=True),
    instances=INSTANCES,
    goes_missing=st.booleans(),
)
def test_levels_are_all_combinations_that_every_member_allows(
    links: list[Linked], instances: np.ndarray, goes_missing: bool
) -> None:
    policy = FREE.with_rules(*links)
    policy = policy.allow_missing("town") if goes_missing else policy
    for chain in chains_of(policy, BOOK.names):
        found = levels_of(chain, policy, BOOK, instances)
        assert found.values.shape[1] == level_room(chain, policy, BOOK)
        for row, instance in enumerate(instances):
            mine = found.values[row, : found.count[row]]
            assert sorted(map(tuple, mine.tolist())) == plainly(policy, chain, instance)
            assert mine[found.own[row]].tolist() == instance[chain.members].tolist()
            assert (found.values[row, found.count[row] :] == mine[-1]).all()
            assert found.codes_of(row, mine).tolist() == list(range(len(mine)))
            if np.isfinite(mine[:1]).all():
                assert np.isnan(found.codes_of(row, mine[:1] + 0.125)).all()
            assert most_stretches(mine) <= stretches(chain, policy, BOOK)
            alone = levels_of(chain, policy, BOOK, instances[[row]])
            np.testing.assert_array_equal(alone.values[0], found.values[row])


def most_stretches(levels: np.ndarray) -> int:
    """Return the most stretches of levels at which some members are at most or above some of their values."""
    most = 0
    sides = [
        [
            np.ones(len(levels), dtype=bool),
            *(column <= value for value in column),
            *(column > value for value in column),
        ]
        for column in levels.T
    ]
    rng = np.random.default_rng(0)
    for _ in range(200):
        kept = np.logical_and.reduce([some[rng.integers(len(some))] for some in sides])
        most = max(most, int((np.diff(kept.astype(int), prepend=0) == 1).sum()))
    return most


def test_two_ways_from_one_driver_may_be_split_anywhere() -> None:
    twice = FREE.with_rules(*LINKS[2:4], LINKS[0])
    (chain,) = chains_of(twice, BOOK.names)
    assert stretches(chain, twice, BOOK) == level_room(chain, twice, BOOK) == 5
    once = twice.without_rules(LINKS[3])
    assert stretches(chain, once, BOOK) == 1
    assert stretches(chain, once.allow_missing("years"), BOOK) == 2


def test_too_many_combinations_are_refused_with_numbers() -> None:
    policy = FREE.candidates(years=np.arange(99).tolist(), pension=np.arange(99).tolist()).with_rules(
        rules.linked("years", "age"), rules.linked("pension", "age")
    )
    (chain,) = chains_of(policy, BOOK.names)
    with pytest.raises(InvalidPolicy) as caught:
        level_room(chain, policy, BOOK)
    text = str(caught.value)
    assert all(
        one in text for one in ("'age'", "99 of 'pension'", "99 of 'years'", "10,000", f"{MOST_LEVELS:,}")
    )


@pytest.mark.parametrize("driver", ["years", "town"])
def test_a_missing_driver_leaves_its_followers(driver: str) -> None:
    policy = FREE.with_rules(rules.linked(driver, "age"))
    (chain,) = chains_of(policy, BOOK.names)
    row: dict[str, Any] = {"age": 30, "years": 1.0, "pension": 0.0, "town": 2.0, driver: None}
    levels = levels_of(chain, policy, BOOK, BOOK.encode(pd.DataFrame([row])))
    assert (levels.values[0, :, 1] == 30).all()
