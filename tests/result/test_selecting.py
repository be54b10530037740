"""People and options are selected as pandas selects rows: by position, by id, by a mask, by status."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.comparing import quanta
from p2ce.errors import InvalidArgument
from p2ce.result import Explanation, Explanations, Status
from tests.optional import LazyLibrary
from tests.result.examples import CERTIFICATE, explanation, explanations

pa = LazyLibrary("pyarrow")

pl = LazyLibrary("polars")

STATUSES = [Status.OPTIMAL, Status.NO_RECOURSE, Status.ERROR, Status.ACCEPTED, Status.TIME_LIMIT]
IDS = ["ann", "bob", 7, ("north", 3), "eve"]
MASKS: list[Callable[[list[bool]], Any]] = [list, np.array, pd.Series, pd.array, lambda mask: pl.Series(mask)]


def people() -> Explanations:
    """A person of each status: the first has options, the others have none."""
    entries = [explanation(status=status, person={"Age": age}) for age, status in enumerate(STATUSES)]
    return Explanations([entries[0], *(replace(entry, counterfactuals=()) for entry in entries[1:])], ids=IDS)


def test_an_id_selects_one_person() -> None:
    many = people()
    for place, wanted in enumerate(IDS):
        assert many.loc[wanted] is many[place]
    numbered = Explanations(list(many), ids=np.arange(5) + 20)
    assert numbered.loc[22] is numbered.loc[np.int64(22)] is numbered[2]


@pytest.mark.parametrize("several", [list, pd.Index, pd.Series, lambda ids: np.array(ids, dtype=object)])
def test_several_ids_select_in_their_order(several: Callable[[list[str]], Any]) -> None:
    chosen = people().loc[several(["eve", "ann"])]
    assert chosen.ids == ("eve", "ann")
    assert [entry.person["Age"] for entry in chosen] == [4, 0]


def test_a_slice_of_ids_includes_its_end() -> None:
    many = people()
    assert many.loc["bob" : ("north", 3)].ids == tuple(IDS[1:4])  # type: ignore[misc]
    assert many.loc[:"bob"].ids == ("ann", "bob")  # type: ignore[misc]
    assert many.loc[7:].ids == tuple(IDS[2:])
    assert many.loc[7:][::-1].ids == tuple(IDS[:1:-1])
    with pytest.raises(InvalidArgument, match="step of 1 or more"):
        many.loc["eve":7:-1]  # type: ignore[misc]


@given(chosen=st.lists(st.booleans(), min_size=5, max_size=5), order=st.permutations(range(5)))
def test_a_series_is_a_mask_of_ids_in_whatever_order(chosen: list[bool], order: list[int]) -> None:
    many, mask = people(), pd.Series(chosen, index=pd.Index(IDS, tupleize_cols=False)).iloc[order]
    expected = tuple(one for one, wanted in zip(IDS, chosen, strict=True) if wanted)
    assert many[mask].ids == many.loc[mask].ids == expected


@pytest.mark.parametrize("ids", [["ann", "bob", 7, "eve", "zoe"], ["ann"] * 5])
def test_a_mask_of_other_ids_is_rejected(ids: list[Any]) -> None:
    with pytest.raises(InvalidArgument, match="must hold the id of each person"):
        people()[pd.Series([True] * 5, index=ids)]


def test_what_is_not_here_is_an_error_and_not_an_empty_result() -> None:
    many = people()
    assert many[1] in many
    assert (many.index(many[1]), many.count(many[1])) == (1, 1)
    for wrong in ("bob", Status.OPTIMAL):
        for search in (many.__contains__, many.count, many.index):
            with pytest.raises(InvalidArgument, match=r"explanations\.ids"):
                search(wrong)
    for position in (5, -6):
        with pytest.raises(IndexError, match=r"explanations\.loc"):
            many[position]
        with pytest.raises(IndexError, match=r"explanations\.loc"):
            many[[0, position]]


@pytest.mark.parametrize("kind", MASKS)
@given(chosen=st.lists(st.booleans(), min_size=5, max_size=5))
def test_a_mask_of_any_library_selects_as_numpy_does(
    kind: Callable[[list[bool]], Any], chosen: list[bool]
) -> None:
    many, mask = people(), kind(chosen)
    expected = tuple(one for one, wanted in zip(IDS, chosen, strict=True) if wanted)
    assert many[mask].ids == many.loc[mask].ids == expected


def test_a_column_of_the_summary_is_a_mask() -> None:
    many = people()
    table = many.summary()
    assert many[table["options"] > 0].ids == ("ann",)
    assert many[table["status"] == "ERROR"].ids == (7,)
    assert many[pa.table({"mask": [True] * 5})["mask"].to_pylist()] == many


def test_positions_count_from_either_end() -> None:
    many = people()
    assert many[np.int64(1)] is many[1] is many[-4]
    assert many[[4, -5]].ids == many[np.array([4, 0])].ids == many[pd.Index([4, 0])].ids == ("eve", "ann")
    assert many[::-2].ids == ("eve", 7, "ann")


@pytest.mark.parametrize(
    ("select", "message"),
    [
        (lambda many: many["ann"], r"expects a position.* got 'ann'\. Use explanations\.loc\[…\] to select"),
        (lambda many: many[["ann", "bob"]], r"Use explanations\.loc\[…\]"),
        (lambda many: many[1.0], r"got 1\.0"),
        (lambda many: many[True], "got True"),
        (lambda many: many.loc["zoe"], r"no explanation with the id 'zoe'\. The ids are 'ann', 'bob', 7"),
        (lambda many: many.loc[["ann", "zoe"]], "'zoe'"),
        (lambda many: many.loc["zoe":], "'zoe'"),
        (lambda many: many[[True, False]], "5 people, 2 bools"),
        (lambda many: Explanations().loc["ann"], "There are no people"),
        (lambda many: Explanations(list(many)[:2], ids="aa").loc["a"], r"2 people have the id 'a'.*\[0\]"),
    ],
)
def test_what_selects_nothing_is_an_error_that_says_how(
    select: Callable[[Explanations], Any], message: str
) -> None:
    with pytest.raises(InvalidArgument, match=message):
        select(people())


def test_people_are_selected_by_how_they_ended() -> None:
    many = people()
    assert many.rejected().ids == ("ann", "bob", "eve")
    assert many.without_recourse().ids == ("bob",)
    assert len(Explanations().rejected()) == len(Explanations().without_recourse()) == 0


@given(explanations())
def test_the_best_option_is_the_first_of_those_that_cost_least(found: Explanation) -> None:
    for objective in found.objectives:
        best = found.best(objective)
        assert (best is None) == (not found.counterfactuals)
        if best is not None:
            costs = quanta(np.array([option.costs[objective] for option in found], dtype=np.float64))
            assert best.number == 1 + costs.tolist().index(costs.min())


def test_an_unknown_objective_names_its_neighbour() -> None:
    with pytest.raises(InvalidArgument, match=r"'chnges'\. Did you mean 'changes'"):
        explanation().best("chnges")


@pytest.mark.parametrize("status", Status)
def test_proven_is_what_the_certificate_proves(status: Status) -> None:
    proven = status in (Status.OPTIMAL, Status.NO_RECOURSE, Status.ACCEPTED)
    assert explanation(status=status).is_proven == proven
    for doubtful in (replace(CERTIFICATE, proven=False), None):
        found = explanation(status=status, certificate=doubtful)
        assert found.is_proven == (status is Status.ACCEPTED)


def test_an_option_is_a_dict_and_a_table_of_its_changes() -> None:
    found = explanation()
    assert [option.to_dict() for option in found] == found.to_dict()["counterfactuals"]
    table = found[0].to_frame()
    assert table.to_dict("list") == {
        "feature": ["LoanAmount", "HasGuarantor"],
        "from": [7500, False],
        "to": [6000, True],
    }
