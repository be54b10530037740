"""A folder of results and the explanations that are in it give the same audit."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce import Explanations, audit
from p2ce.errors import DamagedData, InvalidArgument
from p2ce.portfolio.audits.outcomes import Outcome, outcomes_of
from p2ce.portfolio.runs.portfolio_results import PortfolioResults
from p2ce.result import Explanation, Feature, ProblemRecord, Status
from tests.optional import LazyLibrary
from tests.populations import loans
from tests.portfolio.audits.made_up import explained, many
from tests.portfolio.written_runs import Written, as_arrow, write_run

pa = LazyLibrary("pyarrow")

PEOPLE = 80
QUICK: dict[str, Any] = {"resamples": 100, "permutations": 100, "min_size": 5}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Written:
    people = loans.people().head(PEOPLE).reset_index(drop=True)
    people["Income"] = people["Income"].astype(float)
    people.loc[3, "Income"] = np.inf  # an ERROR
    return write_run(
        tmp_path_factory.mktemp("run") / "results",
        loans.explainer(),
        as_arrow(people),
        sizes=[50, 30],
        ids=[f"c{number}" for number in range(PEOPLE)],
        kept=pa.table({"branch": pa.array(np.arange(PEOPLE) % 3, pa.int16())}),
    )


def test_a_folder_and_its_explanations_give_the_same_audit(run: Written) -> None:
    groups = pd.Series(["a", "b"] * (PEOPLE // 2), index=[f"c{number}" for number in range(PEOPLE)])
    explanations = Explanations(list(run.explanations), ids=list(groups.index))
    by_folder, by_results, by_hand = (
        audit(results, groups.sample(frac=1.0, random_state=0), **QUICK)
        for results in (run.folder, PortfolioResults(run.folder), explanations)
    )
    assert by_folder == by_results == by_hand
    assert by_hand.all_people.errors == 1
    assert by_hand.all_people.with_recourse > 10
    assert by_folder.problem is not None


def test_columns_that_the_run_kept_make_groups(run: Written) -> None:
    found = audit(str(run.folder), ["branch"], **QUICK)
    assert [group.name for group in found.groups] == ["0", "1", "2"]
    with pytest.raises(
        InvalidArgument, match=r"'brnch' is not a column of the people\. Did you mean 'branch'"
    ):
        audit(run.folder, ["brnch"], **QUICK)


def test_what_is_not_results_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"nothing' does not exist\. Use the folder"):
        audit(tmp_path / "nothing", ["sex"])
    with pytest.raises(InvalidArgument, match="needs Explanations or the folder of a run; got DataFrame"):
        audit(pd.DataFrame(), ["sex"])  # type: ignore[arg-type]


def test_a_folder_whose_tables_disagree_is_damaged(run: Written, tmp_path: Path) -> None:
    folder = shutil.copytree(run.folder, tmp_path / "results")
    shutil.copy(folder / "options" / "part-00000.parquet", folder / "options" / "part-00001.parquet")
    with pytest.raises(DamagedData, match=r"by the checksums .*: .* Copy the folder again"):
        audit(folder, ["branch"], **QUICK)


def test_every_status_has_one_outcome() -> None:
    alone = outcomes_of(many([explained(status) for status in Status])).outcome.tolist()
    optioned = outcomes_of(many([explained(status, [(0.1, 1.0)]) for status in Status])).outcome.tolist()
    assert dict(zip(Status, alone, strict=True)) == {
        Status.OPTIMAL: Outcome.UNFINISHED,  # which does not occur
        Status.NO_RECOURSE: Outcome.NO_RECOURSE,
        Status.HEURISTIC: Outcome.UNFINISHED,
        Status.TIME_LIMIT: Outcome.UNFINISHED,
        Status.ACCEPTED: Outcome.ACCEPTED,
        Status.ERROR: Outcome.ERROR,
    }
    for status in (Status.OPTIMAL, Status.HEURISTIC, Status.TIME_LIMIT):
        assert optioned[list(Status).index(status)] == Outcome.WITH_RECOURSE


@pytest.mark.parametrize(
    ("person", "least"),
    [
        (explained(Status.OPTIMAL, [(0.5, 1.0)]), 0.5),
        (explained(Status.TIME_LIMIT, [(0.5, 1.0)], least=(0.2, 1.0)), 0.2),
        (explained(Status.TIME_LIMIT, [(0.5, 1.0)], least=(0.9, 1.0)), 0.5),  # nothing cheaper is open
        (explained(Status.TIME_LIMIT, least=(0.2, 1.0)), 0.2),
        (explained(Status.TIME_LIMIT, [(0.5, 1.0)]), 0.0),
        (explained(Status.TIME_LIMIT, least=(np.nan, 1.0)), 0.0),
        (explained(Status.NO_RECOURSE), np.nan),
        (explained(Status.ACCEPTED), np.nan),
        (explained(Status.ERROR), np.nan),
    ],
)
def test_the_least_cost_is_what_is_proven(person: Explanation, least: float) -> None:
    found = outcomes_of(many([person])).least
    np.testing.assert_array_equal(found[0, 0], least)
    if person.status is Status.TIME_LIMIT:
        assert person.certificate is not None
        # Where an estimate pruned, or values between the candidates come later, the least is not proven.
        for doubt in ({"unproven_because": "estimate"}, {"grid": "inferred"}, {"grid": "finest"}):
            doubtful = replace(person, certificate=replace(person.certificate, **doubt))  # type: ignore[arg-type]
            assert outcomes_of(many([doubtful])).least[0, 0] == 0.0


def test_a_one_hot_group_is_one_feature_and_a_linked_one_is_none() -> None:
    features = {
        "Home_own": Feature(name="Home_own", group="Home"),
        "Home_rent": Feature(name="Home_rent", group="Home"),
        "Years": Feature(name="Years", moves="along"),
        "Income": Feature(name="Income"),
    }
    person = explained(Status.OPTIMAL, [(0.1, 1.0)], changes=("Home_own", "Home_rent", "Years", "Income"))
    found = outcomes_of(many([replace(person, problem=ProblemRecord(features=features))] * 2))
    assert found.features == ("Home", "Income")
    assert found.changed_by.tolist() == [0, 0, 1, 1]
    assert found.changed.tolist() == [0, 1, 0, 1]
