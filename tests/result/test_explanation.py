"""An explanation is an immutable sequence of its options, and a table in the columns' own types."""

import json
import math
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from p2ce.errors import InvalidArgument
from p2ce.result import Categories, Explanation, Status
from tests.clock import calls_of
from tests.optional import needs
from tests.result.examples import DTYPES, explanation

HOUSING = Categories(labels=("own", "rent", "free"), dtype="str")


def categorical(**fields: object) -> Explanation:
    """An explanation of one option, with a label that changes, one that no one has seen, and a gap."""
    person = {"Housing": "rent", "Job": "astronaut", "Income": None, "Rate": math.nan}
    values = {"Housing": "own", "Job": "astronaut", "Income": 42_000, "Rate": math.nan}
    option = replace(
        explanation()[0],
        values=values,
        changes={"Housing": ("rent", "own"), "Income": (None, 42_000)},
    )
    explained = explanation(
        person=person,
        counterfactuals=(option,),
        dtypes={"Housing": "category", "Job": "category", "Income": "Int64", "Rate": "float32"},
        categories={"Housing": HOUSING, "Job": Categories(labels=("clerk", "cook"), ordered=True)},
    )
    return replace(explained, **fields)


def test_it_is_a_sequence_of_its_options() -> None:
    explained = explanation()
    assert len(explained) == 2
    assert explained[0] is explained.counterfactuals[0]
    assert explained[-1] is list(explained)[1]
    assert explained[:1] == explained.counterfactuals[:1]


def test_options_are_numbered_in_the_order_of_the_front() -> None:
    first, second = explanation()
    turned = explanation(counterfactuals=(second, replace(first, number=7)))
    assert [one.number for one in turned] == [1, 2]
    assert [(pick.number, pick.counterfactual.number) for pick in turned.pick(2)] == [(1, 1), (2, 2)]
    assert turned[1] == first  # a number is not part of what it says
    assert [one["number"] for one in turned.to_dict()["counterfactuals"]] == [1, 2]


def test_times_are_no_part_of_the_answer() -> None:
    explained = explanation()
    slower = replace(explained, elapsed=9.0, timings={"search": 9.0})
    assert slower == explained
    assert json.dumps(slower.to_dict()) == json.dumps(explained.to_dict())
    assert slower.to_dict(times=True) != explained.to_dict(times=True)


def test_its_repr_is_short() -> None:
    assert repr(explanation()) == "<Explanation OPTIMAL: 2 counterfactuals>"
    assert repr(explanation(counterfactuals=(), status=Status.NO_RECOURSE)).startswith("<Explanation NO_REC")


def test_different_explanations_differ() -> None:
    assert explanation() != explanation(person_score=0.32)
    assert explanation()[0] != explanation()[1]
    assert explanation() != "an explanation"


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        explanation().status = Status.ERROR  # type: ignore[misc]


def test_table_has_the_columns_of_the_model_then_ours() -> None:
    table = explanation().to_frame()
    assert list(table.columns) == ["option", *DTYPES, "mean_distance", "changes", "score", "plausibility"]
    assert table["option"].tolist() == [1, 2]
    assert {name: str(table[name].dtype) for name in DTYPES} == DTYPES
    assert table["LoanAmount"].tolist() == [6000, 2500]
    assert table["changes"].tolist() == [2.0, 1.0]


def test_empty_table_keeps_columns_and_types() -> None:
    table = explanation(counterfactuals=()).to_frame()
    assert table.shape == (0, 9)
    assert {name: str(table[name].dtype) for name in DTYPES} == DTYPES


def test_our_columns_step_aside_for_the_models() -> None:
    explained = explanation()
    renamed = [
        replace(option, values={"score": option.values["Age"], "option": 1, "changes": 1, "score_": 2})
        for option in explained
    ]
    table = replace(
        explained,
        counterfactuals=tuple(renamed),
        dtypes={"score": "int64", "option": "int64", "changes": "int64", "score_": "int64"},
    ).to_frame()
    assert list(table.columns) == [
        "option_", "score", "option", "changes", "score_", "mean_distance", "changes_", "score__",
        "plausibility",
    ]  # fmt: skip
    assert table["score__"].tolist() == [0.53, 0.53]


def test_no_detector_leaves_plausibility_missing() -> None:
    explained = explanation()
    without = replace(explained, counterfactuals=(replace(explained[0], plausibility=None),))
    assert without.to_frame()["plausibility"].isna().all()


def test_it_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(explanation())) == explanation()


def test_building_one_is_cheap() -> None:
    # The search takes about 300 µs a person: so few calls are not noticed.
    assert calls_of(explanation) < 300


def test_categories_and_gaps_come_back_in_their_types() -> None:
    for explained in (categorical(), Explanation.from_dict(json.loads(json.dumps(categorical().to_dict())))):
        table = explained.to_frame()
        assert table["Housing"].dtype.categories.tolist() == ["own", "rent", "free"]
        assert not table["Housing"].dtype.ordered
        assert table["Job"].dtype.categories.tolist() == ["clerk", "cook", "astronaut"]
        assert table["Job"].dtype.ordered
        assert table["Income"].tolist() == [42_000]
        assert [str(table[name].dtype) for name in ("Income", "Rate")] == ["Int64", "float32"]
        assert table["Rate"].isna().all()


def test_the_kind_of_table_is_not_part_of_the_explanation() -> None:
    explained = categorical(_kind="polars")
    assert explained == categorical()
    assert explained.to_dict() == categorical().to_dict()


def test_a_table_of_another_kind_can_be_asked_for() -> None:
    explained = explanation(_kind="records")
    assert explained.to_frame()[0]["LoanAmount"] == 6000
    assert explained.to_frame(kind="dict")["HasGuarantor"] == [True, False]
    assert explained.to_frame(kind="pandas").shape == (2, 9)
    assert explained.to_frame(kind="numpy")["Age"].dtype == np.int32
    with pytest.raises(InvalidArgument, match="Did you mean 'pandas'"):
        explained.to_frame(kind="panda")


@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_categories_survive_other_libraries(kind: str) -> None:
    needs({"arrow": "pyarrow"}.get(kind, kind))
    from p2ce.tables import as_pandas

    explained = categorical(_kind=kind)
    frame, came_as = as_pandas(explained.to_frame())
    assert came_as == kind
    assert frame["Housing"].tolist() == ["own"]
    assert frame["Job"].dtype.categories.tolist() == ["clerk", "cook", "astronaut"]
    assert frame["Job"].dtype.ordered


def test_predictions_have_a_column_where_any_is_known() -> None:
    explained = explanation(target=(100, 200), scale="lead", at_least=0.0, person_prediction=87.5)
    options = (replace(explained[0], prediction=123.25), explained[1])
    table = replace(explained, counterfactuals=options).to_frame()
    assert list(table.columns)[-3:] == ["score", "prediction", "plausibility"]
    assert table["prediction"].tolist()[0] == 123.25
    assert table["prediction"].isna().tolist() == [False, True]
    # The columns do not depend on whether anything was found.
    assert "prediction" in replace(explained, counterfactuals=()).to_frame().columns
    assert "prediction" not in explanation().to_frame().columns


def test_holding_an_answer_imports_no_table_library() -> None:
    code = (
        "import sys; from p2ce.result import Explanation, Status;"
        "e = Explanation(status=Status.ERROR, person={}, at_least=0.5, target=1, objectives=(), dtypes={});"
        "str(e), Explanation.from_dict(e.to_dict());"
        "assert not {'pandas', 'polars', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
