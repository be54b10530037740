"""Groups are those of the caller's table, in the order of people, whatever kind of table it is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce import Audit, audit
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.result import Status
from tests.optional import LazyLibrary
from tests.portfolio.audits.made_up import NONE, explained, many

pl = LazyLibrary("polars")

QUICK: dict[str, Any] = {"resamples": 100, "permutations": 100, "min_size": 1}
LABELS = ["ann", "bob", "cy"]
SEX = ["f", "m", "m"]


def sizes(groups: Any, labels: list[Any] | None = None, **more: Any) -> dict[str, int]:
    """Return how many people each group of the first grouping has; ann and cy have no recourse."""
    people = [NONE, explained(Status.ACCEPTED), NONE]
    found = audit(many(people, labels or LABELS), groups, **QUICK, **more)
    return {group.name: group.rejected for group in next(iter(found.groupings.values()))}


@pytest.mark.parametrize(
    "made",
    [
        lambda: {"sex": SEX},
        lambda: {"sex": np.array(SEX)},
        lambda: pd.DataFrame({"sex": SEX}),
        lambda: pd.Series(SEX),
        lambda: pd.Series(["m", "f", "m"], index=["bob", "ann", "cy"]),
        lambda: pd.DataFrame({"sex": ["x", "m", "f", "m"]}, index=["dora", "bob", "ann", "cy"]),
        lambda: pl.DataFrame({"sex": SEX}),
        lambda: pl.DataFrame({"sex": SEX}).to_arrow(),
        lambda: pd.DataFrame({"sex": pd.Categorical(SEX, categories=["f", "x", "m"])}),
        lambda: [{"sex": one} for one in SEX],
    ],
)
def test_any_table_gives_the_same_groups(made: Callable[[], Any]) -> None:
    assert sizes(made()) == {"f": 1, "m": 1}


def test_labels_come_before_places() -> None:
    frame = pd.DataFrame({"sex": ["m", "m", "f"]})
    assert sizes(frame, [2, 0, 1]) == {"f": 1, "m": 1}
    assert sizes(frame, [7, 8, 9]) == {"f": 1, "m": 1}  # by place: 9 is not a label of the frame
    with pytest.raises(InvalidArgument, match=r"groups has no row for 9\. Its index"):
        sizes(frame.set_axis([7, 8, 5]), [7, 8, 9])


def test_groups_by_names_of_columns() -> None:
    people = [
        explained(Status.NO_RECOURSE, person={"sex": "f", "Age": 40}),
        explained(Status.NO_RECOURSE, person={"sex": "m", "Age": 30}),
        explained(Status.ERROR, person={"sex": "m"}),
    ]
    found = audit(many(people), "sex", **QUICK)
    assert found.by_group["errors"].tolist() == [0, 1]
    found = audit(many(people), ["Age", "sex"], **QUICK)
    assert [group.name for group in found.groups] == [
        *("30", "40", "(missing)", "f", "m"),
        *("30 × m", "40 × f", "(missing) × m"),
    ]


def test_data_hold_the_groups_of_people_by_key() -> None:
    data = pd.DataFrame({"id": ["cy", "ann", "bob", "dora"], "sex": ["m", "f", "m", "m"]})
    assert sizes("sex", data=data, id_column="id") == {"f": 1, "m": 1}
    assert sizes(["sex"], data=data.set_index("id")) == {"f": 1, "m": 1}
    # Keys of a CSV file are text, those of Parquet may be numbers.
    texts = pd.DataFrame({"id": ["17", "18", "19"], "sex": SEX})
    assert sizes("sex", [17, 18, 19], data=texts, id_column="id") == {"f": 1, "m": 1}


def test_missing_groups_are_a_group_of_their_own() -> None:
    assert sizes({"sex": ["f", None, None]}) == {"f": 1, "(missing)": 1}
    assert sizes({"sex": ["(missing)", None, "a"]}) == {"(missing)": 1, "a": 1, "(missing)_": 0}
    assert sizes(pd.Series([np.nan] * 3)) == {"(missing)": 2}


def test_groups_are_sorted_and_named_apart() -> None:
    assert list(sizes({"g": [10, 9, 100]})) == ["9", "10", "100"]
    assert list(sizes({"g": pd.Categorical(["b", "a", "b"], categories=["b", "a"])})) == ["b", "a"]
    assert list(sizes(pd.Series(pd.Categorical(["b", "a", "b"], categories=["b", "a"])))) == ["b", "a"]
    assert list(sizes(pd.Series([1, "1", 2], dtype=object))) == ["1", "2", "'1'"]


@pytest.mark.parametrize(
    ("groups", "more", "kind", "message"),
    [
        (
            "sx",
            {"data": pd.DataFrame({"sex": SEX})},
            InvalidArgument,
            "'sx' is not a column of the people or of data. Did you mean 'sex'",
        ),
        (
            "sex",
            {},
            InvalidArgument,
            "None is known. To use a column of another table",
        ),
        ([], {}, InvalidArgument, "must name at least one column"),
        (["sex", "sex"], {"data": pd.DataFrame({"sex": SEX})}, InvalidArgument, "names a column twice"),
        ({"sex": ["f", "m"]}, {}, InvalidArgument, "3 people and 2 rows"),
        ({}, {}, InvalidArgument, "groups has no columns"),
        (
            {"sex": "fmm"},
            {},
            InvalidArgument,
            "needs a list for 'sex', with one group per person; got 'fmm'",
        ),
        ({"sex": 7}, {}, InvalidArgument, "needs a list for 'sex'"),
        (
            7,
            {},
            InvalidArgument,
            "groups must be a table with a row per person, or names of columns; got int",
        ),
        (pd.Series(SEX, index=["ann", "ann", "cy"]), {}, InvalidArgument, "several rows for 'ann'"),
        (pd.Series(SEX, index=["ann", "bo", "cy"]), {}, InvalidArgument, "no row for 'bob'"),
        ({"sex": SEX}, {"data": pd.DataFrame({"sex": SEX})}, InvalidArgument, "names of its columns"),
        (
            "sex",
            {"data": pd.DataFrame({"sex": SEX, "ID": LABELS}), "id_column": "id"},
            InvalidArgument,
            "Did you mean 'ID'",
        ),
        (
            "sex",
            {"data": pd.DataFrame({"sex": SEX, "id": ["ann", "bob", "ann"]}), "id_column": "id"},
            InvalidArgument,
            "data has several rows for 'ann'. Keep one of each",
        ),
        (pd.DataFrame([SEX] * 3, columns=["a", "a", "b"]), {}, InvalidArgument, "columns of one name"),
        (pd.Series([[1], [2], [3]]), {}, InvalidArgument, "must be text or numbers"),
    ],
)
def test_wrong_groups_say_what_to_do(
    groups: Any, more: dict[str, Any], kind: type[P2CEError], message: str
) -> None:
    with pytest.raises(kind, match=message) as raised:
        sizes(groups, **more)
    assert "\n" not in str(raised.value)


def test_too_many_groups_ask_for_bands() -> None:
    people, ages = many([NONE] * 3_000), np.arange(3_000)
    with pytest.raises(InvalidArgument, match=r"'age' has 3,000 different values.*pandas\.cut"):
        audit(people, {"age": ages}, **QUICK)
    with pytest.raises(InvalidArgument, match=r"combined make 3,000 groups.*coarser bands"):
        audit(people, {"a": ages % 60, "b": ages // 60 % 50}, **QUICK)


def test_an_audit_is_an_audit() -> None:
    assert isinstance(audit(many([NONE]), {"g": [1]}, **QUICK), Audit)
