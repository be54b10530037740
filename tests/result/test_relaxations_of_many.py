"""A restriction counts once for each person, by what the person's minimal sets say."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.result import Counterfactual, Relaxation, Relaxations, RelaxationsOfMany, Restriction

LIMITS = [Restriction(kind="range", feature=name, low=0, high=9) for name in "abcd"]
OPTION = Counterfactual(values={"a": 1}, changes={"a": (0, 1)}, costs={"changes": 1.0}, score=0.6)


def why(sets: list[frozenset[int]], complete: bool) -> Relaxations:
    found = tuple(
        Relaxation(restrictions=tuple(LIMITS[i] for i in sorted(one)), counterfactual=OPTION, proven=True)
        for one in sets
    )
    return Relaxations(
        person={"a": 0},
        relaxations=found,
        considered=tuple(LIMITS),
        complete=complete,
        objectives=("changes",),
        dtypes={"a": "int64"},
    )


people = st.lists(
    st.builds(
        why, st.lists(st.frozensets(st.integers(0, 3), min_size=1), max_size=4, unique=True), st.booleans()
    ),
    max_size=6,
).map(lambda found: RelaxationsOfMany({f"id {i}": one for i, one in enumerate(found)}))


@given(people)
def test_each_person_counts_once(many: RelaxationsOfMany) -> None:
    binding = {one.restriction.feature: one for one in many.binding}
    for limit in LIMITS:
        sets = [[one.restrictions for one in why] for why in many.values()]
        in_some = sum(any(limit in one for one in some) for some in sets)
        found = binding.get(limit.feature)
        assert (0 if found is None else found.in_some) == in_some
        if found is not None:
            assert found.alone == sum((limit,) in some for some in sets)
            assert found.in_every == sum(
                bool(why.complete and some) and all(limit in one for one in some)
                for why, some in zip(many.values(), sets, strict=True)
            )
            assert found.in_every <= found.in_some >= found.alone
    counts = [one.in_some for one in many.binding]
    assert counts == sorted(counts, reverse=True)
    summary = many.summary(kind="pandas")
    assert summary["in_some"].tolist() == counts
    assert (summary["people"] == len(many)).all()
    frame = many.to_frame(kind="pandas")
    assert frame["id"].tolist() == [row_id for row_id, one in many.items() for _ in one]


def test_it_is_a_mapping_and_an_unknown_id_names_the_ids() -> None:
    many = RelaxationsOfMany({"ann": why([frozenset([0])], True)})
    assert isinstance(many, Mapping)
    assert many == {"ann": many["ann"]} == dict(many)
    with pytest.raises(KeyError, match="The ids are 'ann'"):
        many["bob"]
    with pytest.raises(InvalidArgument, match="Relaxations by id"):
        RelaxationsOfMany({"ann": 3})  # type: ignore[dict-item]
