"""The explanations of many people keep their order and their ids, and are built when looked at."""

import pickle
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.result import Categories, Explanation, Explanations, Status
from p2ce.result.counterfactual import Layout
from tests.result.examples import explanation


def no_fronts(i: int) -> Explanation:
    return explanation(status=Status.NO_RECOURSE, counterfactuals=(), person={"Age": i})


def test_each_is_built_once_when_first_looked_at() -> None:
    built: list[int] = []

    def build(i: int) -> Explanation:
        built.append(i)
        return no_fronts(i)

    many = Explanations._lazy(5, build)
    assert (len(many), repr(many), built) == (5, "<Explanations of 5 people>", [])
    assert many[-1] is many[4]
    tail = many[3:]
    assert built == [4]
    assert tail[1] is many[4]
    assert [entry.person["Age"] for entry in many[::-2]] == [4, 2, 0]
    assert list(many) == list(many)
    assert sorted(built) == [0, 1, 2, 3, 4]


@given(st.lists(st.integers()), st.slices(20))
def test_slices_agree_with_a_list(ages: list[int], part: slice) -> None:
    many = Explanations._lazy(len(ages), lambda i: no_fronts(ages[i]), ids=ages)
    assert [entry.person["Age"] for entry in many[part]] == ages[part]
    assert list(many[part].ids) == ages[part]


def test_index_out_of_range_ends_iteration() -> None:
    many = Explanations([explanation()])
    with pytest.raises(IndexError):
        many[1]
    assert explanation() in many


def test_table_names_the_person_and_the_status() -> None:
    error = explanation(status=Status.ERROR, counterfactuals=(), dtypes={}, objectives=(), message="bad row")
    many = Explanations([error, explanation(), no_fronts(1), explanation()], ids=["a", "b", "c", "d"])
    table = many.to_frame()
    assert list(table.columns)[:3] == ["id", "option", "Age"]
    assert table["id"].tolist() == ["b", "b", "d", "d"]
    assert table["option"].tolist() == [1, 2, 1, 2]
    assert table["status"].tolist() == ["OPTIMAL"] * 4
    assert str(table["Age"].dtype) == "int32"
    assert list(table.index) == [0, 1, 2, 3]
    assert many.statuses == {Status.ERROR: 1, Status.OPTIMAL: 2, Status.NO_RECOURSE: 1}
    assert str(many) == "4 people: 1 ERROR, 1 NO_RECOURSE, 2 OPTIMAL"


def test_summary_lists_everyone() -> None:
    bad = explanation(
        status=Status.ERROR, counterfactuals=(), person_score=None, error="row", message="bad row"
    )
    summary = Explanations([explanation(), bad], ids=[7, 9]).summary()
    assert summary["id"].tolist() == [7, 9]
    assert summary["status"].tolist() == ["OPTIMAL", "ERROR"]
    assert summary["options"].tolist() == [2, 0]
    assert summary["error"].tolist() == [None, "row"]
    assert summary["message"].tolist() == [None, "bad row"]


def test_ids_of_several_levels_stay_whole() -> None:
    many = Explanations([explanation()], ids=[("north", 3)])
    assert many.to_frame()["id"].tolist() == [("north", 3)] * 2


def test_nobody_at_all() -> None:
    many = Explanations()
    assert (len(many), len(many.to_frame()), len(many.summary()), str(many)) == (0, 0, 0, "0 people")


def test_people_without_options_still_give_the_columns() -> None:
    table = Explanations([no_fronts(1)]).to_frame()
    assert len(table) == 0
    assert {"id", "LoanAmount", "mean_distance", "score", "status"} <= set(table.columns)


def test_ids_must_fit() -> None:
    with pytest.raises(InvalidArgument, match="1 people, 2 ids"):
        Explanations([explanation()], ids=[1, 2])


def test_ids_unknown_to_json_become_text() -> None:
    many = Explanations([explanation()], ids=[date(2024, 5, 1)])
    assert Explanations.from_dict(many.to_dict()).ids == ("2024-05-01",)


def test_lazy_entries_can_be_pickled() -> None:
    many = Explanations._lazy(2, lambda i: no_fronts(i), ids=["a", "b"])
    assert pickle.loads(pickle.dumps(many)) == many


def test_tables_come_in_the_kind_that_people_came_in() -> None:
    many = Explanations._lazy(2, [explanation(), no_fronts(1)].__getitem__, kind="records")
    assert [row["LoanAmount"] for row in many.to_frame()] == [6000, 2500]
    assert [row["status"] for row in many.summary()] == ["OPTIMAL", "NO_RECOURSE"]
    assert len(many[:1].to_frame(kind="pandas")) == 2
    assert many[:1]._kind == pickle.loads(pickle.dumps(many))._kind == "records"
    assert many == Explanations([explanation(), no_fronts(1)])


def test_unseen_labels_of_several_people_are_all_appended() -> None:
    labels = Categories(labels=("clerk",))
    people = [
        explanation(
            counterfactuals=(replace(explanation()[0], values={"Job": job}),),
            dtypes={"Job": "category"},
            categories={"Job": labels},
        )
        for job in ("cook", "clerk", "pilot")
    ]
    job = Explanations(people).to_frame()["Job"]
    assert job.tolist() == ["cook", "clerk", "pilot"]
    assert job.dtype.categories.tolist() == ["clerk", "cook", "pilot"]
    empty = Explanations._lazy(
        0, lambda i: no_fronts(i), layout=Layout(dtypes={"Job": "category"}, categories={"Job": labels})
    ).to_frame()
    assert empty["Job"].dtype.categories.tolist() == ["clerk"]


def test_one_known_prediction_gives_the_column() -> None:
    many = Explanations([explanation(), explanation(person_prediction=3.5)])
    assert "prediction" in many.to_frame().columns
    assert many.summary()["prediction"].tolist()[1] == 3.5
    assert "prediction" not in many[:1].summary().columns
