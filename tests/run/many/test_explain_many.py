"""Check explanations of many rows: order, labels, bad rows, batches, processes, the bar, Ctrl-C."""

import json
import signal
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.linear_model import LogisticRegression

import p2ce
from p2ce import Policy, Status
from p2ce.rules import linked
from p2ce.run.many import explain_many as many_module
from p2ce.run.many.progress_bar import ProgressBar
from tests.populations import loans


def as_json(explanations: Any) -> list[str]:
    return [json.dumps(one.to_dict()) for one in explanations]


def test_everyone_gets_what_explain_gives_alone_in_batches_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explainer = loans.explainer()
    people = loans.people().iloc[:30]
    many = explainer.explain_many(people)
    expected = as_json(many)
    assert expected == as_json([explainer.explain(people.iloc[[i]]) for i in range(len(people))])
    assert {Status.OPTIMAL, Status.ACCEPTED} <= {one.status for one in many}
    # Columns go by name.
    assert as_json(explainer.explain_many(people[people.columns[::-1]])) == expected
    monkeypatch.setattr(many_module, "LARGEST_BATCH", 7)
    assert as_json(explainer.explain_many(people)) == expected


def test_two_processes_give_the_same_to_the_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_module, "LARGEST_BATCH", 10)
    explainer = loans.explainer(plausibility=loans.detector())
    people = loans.people().iloc[:40].copy()
    people["Debt"] = people["Debt"].where(people.index != "p11", np.inf)
    found = explainer.explain_many(people, n_jobs=2)
    assert as_json(found) == as_json(explainer.explain_many(people))
    assert found[11].status is Status.ERROR


def linear() -> Any:
    return LogisticRegression(max_iter=1000).fit(loans.people(), loans.label())


LINKS = (
    [linked("Income", "Debt", ratio=0.5)],
    [linked("Income", "Savings"), linked("Debt", "Savings", ratio=-1, counts="once")],
)


def linked_explainer(links: list[Any]) -> p2ce.Explainer:
    people = loans.people().assign(Savings=np.arange(len(loans.people())) % 40)
    model = LGBMClassifier(n_estimators=10, verbose=-1).fit(people, loans.label())
    policy = Policy.infer(people).candidates(Income=list(range(20, 60, 3)), Debt=[0.0, 2.0, 5.0, 9.0])
    return p2ce.Explainer(model, people, target=1, policy=policy.with_rules(*links), plausibility=None)


@pytest.mark.parametrize("links", LINKS, ids=["one cause", "two causes"])
def test_linked_features_move_in_batches_and_processes_as_for_each_alone(
    links: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    explainer = linked_explainer(links)
    people = loans.people().iloc[:16].assign(Savings=np.arange(16) % 40)
    expected = as_json([explainer.explain(people.iloc[[i]]) for i in range(len(people))])
    assert as_json(explainer.explain_many(people)) == expected
    monkeypatch.setattr(many_module, "LARGEST_BATCH", 5)
    assert as_json(explainer.explain_many(people, n_jobs=2)) == expected


def test_linked_features_need_no_more_memory_for_more_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """The levels of a batch are dropped with it: 1.7 MB were once kept for each instance."""
    monkeypatch.setattr(many_module, "LARGEST_BATCH", 10)
    explainer = linked_explainer(LINKS[1])
    people = pd.concat([loans.people().assign(Savings=7)] * 2).iloc[:120].reset_index(drop=True)
    explainer.explain_many(people.iloc[:20])
    peaks = []
    for count in (20, 120):
        tracemalloc.start()
        kept = explainer.explain_many(people.iloc[:count])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(kept) == count
    assert peaks[1] - peaks[0] < 100 * 10_000


# Which model, the changed column and value, and what the message of that row says; None: it is explained.
SPOILED: dict[str, tuple[Callable[[], Any], str, Any, str | None]] = {
    "infinite": (loans.forest, "Debt", np.inf, "'Debt'"),
    "text": (loans.forest, "Income", "plenty", "'plenty'"),
    "half": (loans.forest, "Income", 20.5, "20.5"),
    "missing, which trees take": (loans.forest, "Debt", np.nan, None),
    "missing, which linear models do not": (linear, "Debt", np.nan, "imputer"),
    "beyond single precision": (loans.forest, "Debt", 1e39, "'Debt'"),
    "beyond most": (loans.forest, "Debt", -1.7e308, "'Debt'"),
    "far out, where sums round coarsely": (linear, "Debt", 1e30, None),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_bad_row_gets_its_own_entry_and_changes_nothing_for_the_others(name: str) -> None:
    make, column, value, message = SPOILED[name]
    explainer = loans.explainer(model=make(), plausibility=None)
    people = loans.people()[make().predict(loans.people()) == 0].iloc[:5].astype({column: object})
    expected = explainer.explain_many(people)
    people.iloc[2, people.columns.get_loc(column)] = value
    found = explainer.explain_many(people)
    for position in (0, 1, 3, 4):
        # Not by the score: a linear model rounds otherwise in other company.
        assert found[position].status is expected[position].status
        assert [one.changes for one in found[position]] == [one.changes for one in expected[position]]
    if message is None:
        assert found[2].status is not Status.ERROR
    else:
        assert (found[2].status, len(found[2]), found[2].certificate) == (Status.ERROR, 0, None)
        assert f"'{column}'" in found[2].message
        assert message in found[2].message


@pytest.mark.parametrize("stays", [Policy.fix, Policy.protect])
def test_a_fixed_value_stays_wherever_it_is(stays: Callable[..., Policy]) -> None:
    """Issue 13: people outside the range of a fixed feature got ERROR, although it never moves."""
    people = loans.rejected().iloc[:40]
    assert not people["Income"].between(20, 40).all()
    free = stays(Policy.infer(loans.people(), protect=None), "Income")
    found, expected = (
        loans.explainer(policy=policy).explain_many(people) for policy in (free.within(Income=(20, 40)), free)
    )
    assert [one.status for one in found] == [one.status for one in expected]
    assert [[o.changes for o in one] for one in found] == [[o.changes for o in one] for one in expected]


def test_order_and_labels_are_the_callers_and_labels_may_repeat() -> None:
    people = loans.people().sample(frac=1.0, random_state=3).iloc[[0, 0, *range(1, 20)]]
    found = loans.explainer().explain_many(people)
    assert found[0] == found[1]
    assert found.summary()["id"].tolist() == people.index.tolist()
    known = [label for label, one in zip(people.index, found, strict=True) for _ in one]
    assert found.to_frame()["id"].tolist() == known
    for one, (_, row) in zip(found, people.iterrows(), strict=True):
        assert one.person == row.to_dict()


@pytest.mark.parametrize("progress", [False, True])
def test_the_bar_is_silent_unless_it_is_wanted(progress: bool, capsys: pytest.CaptureFixture[str]) -> None:
    loans.explainer().explain_many(loans.people().iloc[:10], progress=progress)
    written = capsys.readouterr()
    assert written.out == ""
    assert ("10/10" in written.err) == progress == bool(written.err)


def test_interrupting_keeps_the_batches_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
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
    found = explainer.explain_many(people)
    assert as_json(found[:10]) == as_json(expected[:10])
    assert {one.status for one in found[10:]} == {Status.ERROR}
    assert "Interrupted" in found[15].message


def test_explanations_are_built_when_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    build = many_module.build_explanation

    def noting(*args: Any, **given: Any) -> Any:
        built.append(args[2])
        return build(*args, **given)

    monkeypatch.setattr(many_module, "build_explanation", noting)
    found = loans.explainer().explain_many(loans.people().iloc[:20])
    assert built == []
    assert found[4] is found[4]
    assert built == [4]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (loans.people().drop(columns="Debt"), "'Debt' is missing"),
        (loans.people().assign(Dept=1.0), r"'Dept' is not a column of the model.*Did you mean 'Debt'"),
        (pd.Series([1, 2]), r"Expected a table .* got Series\."),
    ],
    ids=["missing", "unknown", "not a table"],
)
def test_wrong_columns_concern_everyone(given: Any, words: str) -> None:
    with pytest.raises(p2ce.P2CEError, match=words):
        loans.explainer().explain_many(given)


def test_ctrl_c_keeps_the_instances_that_were_solved() -> None:
    explainer = loans.explainer()
    people = loans.people().iloc[:20]
    expected = explainer.explain_many(people)
    seen: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        # Slices so small that the search pauses at every instance, and Ctrl-C after some of them.
        patch.setattr("p2ce.engine.solver.search_driver.LONG_SLICE", 1)
        original = ProgressBar.update

        def update(bar: ProgressBar, n: int = 1) -> None:
            if n and len(seen) < 5:
                seen.append(n)
                if len(seen) == 5:
                    signal.raise_signal(signal.SIGINT)
            original(bar, n)

        patch.setattr(ProgressBar, "update", update)
        found = explainer.explain_many(people)
    done = [one.message is None and one.certificate is not None and one.certificate.proven for one in found]
    assert any(done)
    assert not all(done)
    for one, whole, finished in zip(found, expected, done, strict=True):
        if finished:
            assert one.to_dict() | {"certificate": None} == whole.to_dict() | {"certificate": None}
    assert any("Interrupted" in (one.message or "") for one in found)
    assert as_json(explainer.explain_many(people)) == as_json(expected)
