"""Do columns that move as one go where every one of them may go, and nowhere else?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import Policy, rules
from p2ce.compile.grouped_features import (
    chains_of,
    limits_of,
    moves,
    one_hot_compounds,
    settle_groups,
    with_own_levels,
)
from p2ce.engine.grid.grouped_axis import Chain, with_levels, without_levels
from p2ce.run.verify.constraints import allowed_rows
from p2ce.tables.codebook import MISSING, codebook_of

PEOPLE = pd.DataFrame(
    {
        "own": [1, 0, 0, 1, 0, 0],
        "rent": [0, 1, 0, 0, 1, 0],
        "free": [0, 0, 1, 0, 0, 1],
        "age": [20, 30, 40, 50, 60, 70],
        "years": [0.0, 1.0, 2.5, 4.0, 8.0, np.nan],
        "pension": [0.0, 100.0, 250.0, 400.0, 800.0, 1000.0],
    }
)
HOMES = ["own", "rent", "free"]
BOOK = codebook_of(PEOPLE)
FREE = Policy.infer(PEOPLE, protect=None)
HOME = rules.one_hot("home", HOMES)
CHAIN = (rules.linked("years", "age"), rules.linked("age", "pension", ratio=2.5, counts="each"))
HOT = st.sampled_from([0.0, 1.0, MISSING])


def rows_at(compounds: Any, person: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Write the person's row at every level of the last compound, and tell which may be gone to."""
    wide = np.repeat(with_levels(person[None, :], compounds), len(compounds[-1].levels), axis=0)
    wide[:, -1] = np.arange(len(wide))
    return without_levels(wide, compounds), compounds[-1].may_go_to


def coded(**changed: Any) -> np.ndarray:
    """Return a person who rents, with some values changed."""
    row = {"own": 0, "rent": 1, "free": 0, "age": 30, "years": 1.0, "pension": 100.0, **changed}
    return BOOK.encode(pd.DataFrame([row]))[0]


def test_the_reference_decides_whether_none_is_a_level() -> None:
    def settle(policy: Policy, people: pd.DataFrame, known: dict[Any, Any]) -> Policy:
        return settle_groups(policy, BOOK, people, known)

    closed = settle(FREE.with_rules(HOME), PEOPLE, {})
    assert [rule.may_be_none for rule in closed.rules] == [False]
    gap = PEOPLE.assign(own=0)
    open_ = settle(FREE.with_rules(HOME), gap, {})
    assert [rule.may_be_none for rule in open_.rules] == [True]
    said = FREE.with_rules(rules.one_hot("home", HOMES, may_be_none=False))
    assert settle(said, gap, {}) == said
    # What is settled already is not looked up again.
    assert settle(FREE.with_rules(HOME), gap, {HOME: closed.rules[0]}) == closed


@pytest.mark.parametrize("may_be_none", [True, False])
def test_a_group_has_a_level_per_column_and_one_for_none(may_be_none: bool) -> None:
    rule = rules.one_hot("home", HOMES, may_be_none=may_be_none)
    (home,) = one_hot_compounds(FREE.with_rules(rule), BOOK)
    assert (home.name, home.members.tolist()) == ("home", [0, 1, 2])
    assert home.levels.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert home.may_go_to.tolist() == [True, True, True, may_be_none]
    (stays,) = one_hot_compounds(FREE.fix(*HOMES).with_rules(rule), BOOK)
    assert not stays.may_go_to.any()
    assert one_hot_compounds(FREE, BOOK) == ()


@given(st.tuples(HOT, HOT, HOT))
def test_everyone_stands_at_a_level_of_their_own_question(hot: tuple[float, ...]) -> None:
    policy = FREE.with_rules(rules.one_hot("home", HOMES, may_be_none=False))
    person = coded()
    person[:3] = hot
    groups = one_hot_compounds(policy, BOOK)
    (home,) = with_own_levels(groups, person)
    (code,) = home.codes_of(person[None, :])
    assert home.levels[int(code)].tolist() == list(hot)
    shared = not np.isnan(groups[0].codes_of(person[None, :])[0])
    assert (home is groups[0]) == shared
    if not shared:
        assert not home.may_go_to[int(code)]  # a place to start from, and not to go to


def names_of(chain: Chain) -> list[str]:
    return [BOOK.names[member] for member in chain.members]


def test_all_that_is_linked_to_each_other_is_one_chain() -> None:
    (chain,) = chains_of(FREE.with_rules(*CHAIN), BOOK.names)
    assert (chain.name, chain.drivers, names_of(chain)) == ("years", 1, ["years", "age", "pension"])
    assert chain.counted.tolist() == [True, False, True]  # years with age, and the pension
    assert chain.may_count_more
    joined = FREE.with_rules(rules.linked("free", "pension", 100, counts="each"), *CHAIN)
    joined = joined.with_rules(rules.linked("own", "rent")).without_rules(CHAIN[1])
    first, second = chains_of(joined.with_rules(rules.linked("years", "pension", counts="each")), BOOK.names)
    assert (first.drivers, names_of(first)) == (2, ["free", "years", "age", "pension"])
    assert (second.drivers, names_of(second)) == (1, ["own", "rent"])
    assert chains_of(FREE.with_rules(HOME), BOOK.names) == ()


@pytest.mark.parametrize(
    ("policy", "person"),
    [
        (FREE.decrease_only("own"), {}),
        (FREE.increase_only("rent"), {}),
        (FREE.candidates(free=[0]), {}),
        (FREE.within(own=(0, 0)), {}),
        (FREE.keep_missing("rent"), {"rent": None}),
        (FREE, {"own": 1}),
    ],
    ids=["down", "up", "named", "without_levels", "missing stays", "two at once"],
)
def test_levels_that_a_member_may_not_go_to_are_beyond_the_budget(
    policy: Policy, person: dict[str, Any]
) -> None:
    """What the search offers is what the check allows: a difference would look like a lie of the model."""
    policy = policy.with_rules(rules.one_hot("home", HOMES, may_be_none=False))
    row = coded(**person)
    compounds = with_own_levels(one_hot_compounds(policy, BOOK), row)
    rows, may_go_to = rows_at(compounds, row)
    before = np.repeat(row[None, :], len(rows), axis=0)
    wide = np.repeat(with_levels(row[None, :], compounds), len(rows), axis=0)
    now = wide.copy()
    now[:, -1] = np.arange(len(rows))
    offered = may_go_to.copy()
    for score in limits_of(compounds, (), policy, BOOK, [6], None):
        offered &= -score.spending.of_row(wide, now) >= score.reject_below
    np.testing.assert_array_equal(
        offered, may_go_to & allowed_rows([policy[name] for name in BOOK.names], BOOK, before, rows)
    )


@given(st.integers(1, 4), st.data())
def test_moves_are_counted_as_the_budget_counts_them(max_changes: int, data: st.DataObject) -> None:
    policy = FREE.with_rules(HOME, *CHAIN)
    compounds, chains = one_hot_compounds(policy, BOOK), chains_of(policy, BOOK.names)
    before, after = coded()[None, :], coded()[None, :]
    rents, waits = data.draw(st.booleans()), data.draw(st.booleans())
    after[0, :3] = [1, 0, 0] if rents else [0, 1, 0]
    after[0, 3:] = [33, 4.0, 107.5] if waits else after[0, 3:]
    # A group is one change; years bring age along for nothing, and the pension is a second change.
    count = rents + 2 * waits
    assert moves((*compounds, *chains), before, after).tolist() == [count]
    budget = limits_of(compounds, chains, policy, BOOK, [6, 7], max_changes)[0]
    assert budget.name == "changes"
    wide = [with_levels(rows, compounds) for rows in (before, after)]
    within = -budget.spending.of_row(*wide) >= budget.reject_below
    assert within.tolist() == [count <= max_changes]
