"""Check the answers for many people: order, labels, bad rows, batches, processes, the bar, Ctrl-C."""

import json
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

import p2ce
from p2ce import ActionSet, Status
from p2ce.explain import explain_many as many_module
from tests.populations import loans


def as_json(explanations: Any) -> list[str]:
    return [json.dumps(one.to_dict()) for one in explanations]


def test_everyone_gets_what_explain_gives_alone() -> None:
    explainer = loans.explainer()
    people = loans.people().iloc[:60]
    many = explainer.explain_many(people)
    alone = [explainer.explain(people.iloc[[i]]) for i in range(len(people))]
    assert as_json(many) == as_json(alone)
    assert len(many) == 60
    assert many[-1] == alone[-1]
    assert {Status.OPTIMAL, Status.ALREADY_FAVOURABLE} <= {one.status for one in many}


@pytest.mark.parametrize("size", [1, 7])
def test_the_size_of_batches_changes_nothing(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    explainer = loans.explainer(plausibility=loans.detector())
    people = loans.people().iloc[:30]
    expected = as_json(explainer.explain_many(people))
    monkeypatch.setattr(many_module, "LARGEST_BATCH", size)
    assert as_json(explainer.explain_many(people)) == expected


def test_two_processes_give_the_same_to_the_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_module, "LARGEST_BATCH", 10)
    explainer = loans.explainer(plausibility=loans.detector())
    people = loans.people().iloc[:80].copy()
    people["Debt"] = people["Debt"].where(people.index != "p11", np.inf)
    expected = as_json(explainer.explain_many(people))
    found = explainer.explain_many(people, n_jobs=2)
    assert as_json(found) == expected
    assert found[11].status is Status.ERROR
    assert as_json(explainer.explain_many(people, n_jobs=-1)) == expected


def test_a_bad_row_gets_its_own_entry_and_the_rest_go_on() -> None:
    explainer = loans.explainer()
    people = loans.refused().iloc[:6].copy()
    expected = explainer.explain_many(people)
    broken = people.astype({"Income": object, "Debt": object})
    broken.iloc[1, broken.columns.get_loc("Debt")] = np.inf
    broken.iloc[3, broken.columns.get_loc("Income")] = "plenty"
    broken.iloc[4, broken.columns.get_loc("Income")] = 20.5
    found = explainer.explain_many(broken)
    assert [one.status is Status.ERROR for one in found] == [False, True, False, True, True, False]
    for position in (0, 2, 5):
        assert found[position].counterfactuals == expected[position].counterfactuals
    assert "'Debt'" in found[1].message
    assert "'Income'" in found[3].message
    assert "'plenty'" in found[3].message
    assert "20.5" in found[4].message
    assert len(found[1]) == 0
    assert found[1].certificate is None


def test_a_gap_that_the_model_does_not_take_is_one_rows_problem() -> None:
    people = loans.people()
    model = LogisticRegression(max_iter=1000).fit(people, loans.label())
    explainer = p2ce.Explainer(model, people, plausibility=None)
    rows = people[model.predict(people) == 0].iloc[:6].copy()
    expected = explainer.explain_many(rows)
    rows.iloc[3, rows.columns.get_loc("Debt")] = np.nan
    found = explainer.explain_many(rows)
    assert found[3].status is Status.ERROR
    assert "'Debt'" in found[3].message
    assert "imputer" in found[3].message
    for position in (0, 1, 2, 4, 5):  # a linear model rounds otherwise in other company
        assert found[position].status is expected[position].status
        assert [option.changes for option in found[position]] == [
            option.changes for option in expected[position]
        ]


def test_a_gap_that_the_model_takes_changes_nothing_for_the_others() -> None:
    explainer = loans.explainer()
    rows = loans.refused().iloc[:6].copy()
    expected = explainer.explain_many(rows)
    rows.iloc[3, rows.columns.get_loc("Debt")] = np.nan
    found = explainer.explain_many(rows)
    assert as_json(found[:3]) == as_json(expected[:3])
    assert as_json(found[4:]) == as_json(expected[4:])
    assert as_json(found[3:4]) == as_json([explainer.explain(rows.iloc[[3]])])


@pytest.mark.parametrize("stays", [ActionSet.fix, ActionSet.protect])
def test_a_fixed_value_stays_wherever_it_is(stays: Callable[..., ActionSet]) -> None:
    """Issue 13: people outside the range of a fixed feature got ERROR, although it never moves."""
    people = loans.refused()
    assert not people["Income"].between(20, 40).all()
    free = stays(ActionSet.infer(loans.people()), "Income")
    explainer = loans.explainer(actions=free.within(Income=(20, 40)))
    found = explainer.explain_many(people)
    expected = loans.explainer(actions=free).explain_many(people)
    assert [one.status for one in found] == [one.status for one in expected]
    assert [[o.changes for o in one] for one in found] == [[o.changes for o in one] for one in expected]
    row = people[~people["Income"].between(20, 40)].iloc[[0]]
    assert explainer.explain(row).status is not Status.ERROR


@pytest.mark.parametrize("value", [1e39, 1e305, -1.7e308])
def test_a_value_that_the_model_cannot_take_is_one_rows_problem(value: float) -> None:
    """Numbers beyond single precision are finite, but scikit-learn's trees refuse them."""
    people = loans.refused().iloc[:4].copy()
    explainer = loans.explainer()
    expected = explainer.explain_many(people)
    people.iloc[2, people.columns.get_loc("Debt")] = value
    found = explainer.explain_many(people)
    assert found[2].status is Status.ERROR
    assert "'Debt'" in found[2].message
    assert [found[i] == expected[i] for i in (0, 1, 3)] == [True] * 3


def test_someone_far_out_changes_nothing_for_the_others() -> None:
    """The rounding of a linear model grows with the values; only those who have such values may notice."""
    people = loans.people()
    model = LogisticRegression(max_iter=1000).fit(people, loans.label())
    explainer = p2ce.Explainer(model, people, plausibility=None)
    rows = people[model.predict(people) == 0].iloc[:8].copy()
    expected = explainer.explain_many(rows)
    rows.iloc[5, rows.columns.get_loc("Debt")] = 1e30
    found = explainer.explain_many(rows)
    for position in (0, 1, 2, 3, 4, 6, 7):
        assert found[position].status is expected[position].status
        assert [option.changes for option in found[position]] == [
            option.changes for option in expected[position]
        ]


def test_order_and_labels_are_the_callers() -> None:
    people = loans.people().sample(frac=1.0, random_state=3).iloc[:40]
    found = loans.explainer().explain_many(people)
    table = found.to_frame()
    assert found.summary()["person"].tolist() == people.index.tolist()
    known = [label for label, one in zip(people.index, found, strict=True) for _ in one]
    assert table["person"].tolist() == known
    for one, (_, row) in zip(found, people.iterrows(), strict=True):
        assert one.person == row.to_dict()


def test_columns_go_by_name() -> None:
    people = loans.people().iloc[:20]
    explainer = loans.explainer()
    assert as_json(explainer.explain_many(people[people.columns[::-1]])) == as_json(
        explainer.explain_many(people)
    )


def test_nobody_at_all() -> None:
    found = loans.explainer().explain_many(loans.people().iloc[:0])
    assert len(found) == 0
    assert list(found) == []
    assert found.to_frame().empty


def test_labels_may_repeat() -> None:
    people = loans.people().iloc[[0, 0, 1]]
    found = loans.explainer().explain_many(people)
    assert found[0] == found[1]
    assert len(found) == 3


def test_the_bar_moves_and_is_silent_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    explainer = loans.explainer()
    explainer.explain_many(loans.people().iloc[:10])
    quiet = capsys.readouterr()
    assert (quiet.out, quiet.err) == ("", "")
    explainer.explain_many(loans.people().iloc[:10], progress=True)
    told = capsys.readouterr()
    assert told.out == ""
    assert "10/10" in told.err


def test_interrupting_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_module, "LARGEST_BATCH", 5)
    done = many_module.explain_safely
    calls = []

    def interrupted(*args: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return done(*args, **named)

    explainer = loans.explainer()
    people = loans.people().iloc[:20]
    expected = explainer.explain_many(people)
    monkeypatch.setattr(many_module, "explain_safely", interrupted)
    calls.clear()
    found = explainer.explain_many(people)
    assert as_json(found[:10]) == as_json(expected[:10])
    assert {one.status for one in found[10:]} == {Status.ERROR}
    assert "Interrupted" in found[15].message


def test_answers_are_built_when_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    build = many_module.build_explanation

    def noting(*args: Any) -> Any:
        built.append(args[2])
        return build(*args)

    monkeypatch.setattr(many_module, "build_explanation", noting)
    found = loans.explainer().explain_many(loans.people().iloc[:20])
    assert built == []
    assert found[4] is found[4]
    assert built == [4]


def test_missing_and_unknown_columns_concern_everyone() -> None:
    explainer = loans.explainer()
    with pytest.raises(p2ce.P2CEError, match="'Debt' is missing"):
        explainer.explain_many(loans.people().drop(columns="Debt"))
    with pytest.raises(p2ce.P2CEError, match=r"'Dept' is not one of the model's.*Did you mean 'Debt'"):
        explainer.explain_many(loans.people().assign(Dept=1.0))
    with pytest.raises(p2ce.P2CEError, match=r"Expected a table .* got Series\."):
        explainer.explain_many(pd.Series([1, 2]))


def test_ctrl_c_keeps_the_people_who_were_searched() -> None:
    explainer = loans.explainer()
    people = loans.people().iloc[:20]
    expected = explainer.explain_many(people)
    seen: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        # Slices so small that every person is paused at, and Ctrl-C after some of them.
        patch.setattr("p2ce.solver.search_driver.LONG_SLICE", 1)
        original = tqdm.update

        def update(bar: Any, n: float = 1) -> Any:
            if n and len(seen) < 5:
                seen.append(n)
                if len(seen) == 5:
                    signal.raise_signal(signal.SIGINT)
            return original(bar, n)

        patch.setattr(tqdm, "update", update)
        found = explainer.explain_many(people)
    done = [one.message is None and one.certificate is not None and one.certificate.proven for one in found]
    assert any(done)
    assert not all(done)
    for one, whole, finished in zip(found, expected, done, strict=True):
        if finished:
            assert one.to_dict() | {"certificate": None} == whole.to_dict() | {"certificate": None}
    assert any("Interrupted" in (one.message or "") for one in found)
    assert as_json(explainer.explain_many(people)) == as_json(expected)
