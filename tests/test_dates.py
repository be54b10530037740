"""A column of dates stays as it is, reaches the user's model unchanged, and makes no one implausible."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import evidence
from p2ce.errors import InvalidArgument, InvalidOutput, InvalidPolicy, InvalidRow
from p2ce.rules import inequality, predicate
from tests.oracle import assert_is_front, brute_force_front

RNG = np.random.default_rng(0)
ROWS = 200
PLAIN = pd.DataFrame({"Income": RNG.integers(10, 40, ROWS), "Debts": RNG.integers(0, 6, ROWS)})
DAYS = RNG.integers(0, 700, ROWS)
APPLIED = pd.Series(pd.Timestamp("2024-01-01 09:30") + pd.to_timedelta(DAYS, unit="D"), name="Applied")
APPLIED[3] = pd.NaT
TYPES = ["datetime64[s]", "datetime64[us]", "datetime64[ns]", "datetime64[us, Europe/Berlin]"]


def table(dtype: str = "datetime64[us]") -> pd.DataFrame:
    dates = APPLIED.dt.tz_localize("Europe/Berlin") if "Berlin" in dtype else APPLIED
    return PLAIN.assign(Applied=dates.astype(dtype))[["Applied", "Income", "Debts"]]


def days_since(dates: "pd.Series[Any]") -> "pd.Series[Any]":
    return (pd.Timestamp("2026-01-01", tz=dates.dt.tz) - dates).dt.days.fillna(0)


def by_days(income: Any, debts: Any, days: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-(np.asarray(income) / 5.0 - np.asarray(debts) - np.asarray(days) / 200.0)))


def by_date(frame: pd.DataFrame) -> Any:
    return by_days(frame["Income"], frame["Debts"], days_since(frame["Applied"]))


def rejected(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[by_date(frame) < 0.5]


@pytest.mark.parametrize("dtype", TYPES)
def test_the_model_sees_each_person_with_their_own_date_in_its_own_type(dtype: str) -> None:
    frame, seen = table(dtype), list[pd.DataFrame]()

    def model(rows: pd.DataFrame) -> Any:
        seen.append(rows.copy())
        return by_date(rows)

    explainer = p2ce.Explainer(model, frame)
    explainer.warm_up()
    person = rejected(frame).iloc[[0]]
    seen.clear()
    assert len(explainer.explain(person))
    assert seen
    for rows in seen:
        same = pd.concat([person["Applied"]] * len(rows), ignore_index=True)
        pd.testing.assert_series_equal(rows["Applied"].reset_index(drop=True), same)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_front_is_that_of_brute_force(dtype: str) -> None:
    frame = table(dtype)
    policy = p2ce.Policy.infer(frame).step(Income=1, Debts=1)
    objectives = ["mean_distance", "max_distance", "changes"]
    explainer = p2ce.Explainer(by_date, frame, policy=policy, plausibility=None, refine=False)
    for place in [3, *rejected(frame).index[:2]]:
        found = explainer.explain(frame.iloc[[place]])
        if found.status is p2ce.Status.ACCEPTED:
            continue
        truth = brute_force_front(
            found.person,
            frame,
            policy,
            accepts=lambda rows: by_date(rows) >= 0.5,
            objectives=objectives,
            max_changes=3,
        )
        assert_is_front(found, truth)


def test_a_date_is_like_a_fixed_number_of_days() -> None:
    """The same people, the same options: with dates, and with days that the model was fitted on."""
    frame = table()
    numbers = PLAIN.assign(Days=days_since(frame["Applied"]))
    dated = p2ce.Explainer(by_date, frame, objectives="max_distance", plausibility=None)
    numbered = p2ce.Explainer(
        lambda rows: by_days(rows["Income"], rows["Debts"], rows["Days"]),
        numbers,
        policy=p2ce.Policy.infer(numbers).fix("Days"),
        objectives="max_distance",
        plausibility=None,
    )
    pairs = zip(dated.explain_many(frame.head(40)), numbered.explain_many(numbers.head(40)), strict=True)
    for one, other in pairs:
        assert one.status is other.status
        assert [option.changes for option in one] == [option.changes for option in other]


def test_a_date_that_the_model_ignores_changes_nothing() -> None:
    """Not even a date far beyond the reference: the forest does not look at it."""

    def model(rows: pd.DataFrame) -> Any:
        return by_days(rows["Income"], rows["Debts"], 300)

    people = PLAIN.head(30)
    dated = p2ce.Explainer(model, table()).explain_many(people.assign(Applied="2031-05-01"))
    plain = p2ce.Explainer(model, PLAIN).explain_many(people)
    assert sum(map(len, plain)) > 10
    for one, other in zip(dated, plain, strict=True):
        assert one.status is other.status
        assert [(option.changes, option.costs, option.plausibility) for option in one] == [
            (option.changes, option.costs, option.plausibility) for option in other
        ]


def test_the_log_names_columns_of_dates_once(caplog: pytest.LogCaptureFixture) -> None:
    frame = table().assign(Until=APPLIED)
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        explainer = p2ce.Explainer(by_date, frame)
        explainer.explain(rejected(frame).iloc[0].to_dict() | {"Applied": "2031-05-01"})
    (told,) = [text for one in caplog.records if "dates" in (text := one.getMessage())]
    assert told.startswith("Columns of dates stay as they are: 'Applied', 'Until'.")


def test_rows_hold_dates_of_every_kind_and_explanations_hold_text() -> None:
    frame = table()
    explainer = p2ce.Explainer(by_date, frame)
    person = rejected(frame).iloc[0]
    found = explainer.explain(person)
    assert found.person["Applied"] == person["Applied"].isoformat()
    for given in (found.person, person.to_dict(), {**person, "Applied": person["Applied"].to_datetime64()}):
        assert explainer.explain(given) == found
    assert p2ce.Explanation.from_json(found.to_json()) == found
    assert found.to_frame()["Applied"].tolist() == [person["Applied"]] * len(found)
    assert explainer.explain(frame.iloc[3]).person["Applied"] is None
    for wrong in ("tomorrow", 20240301, pd.Timestamp("2024-03-01", tz="UTC")):
        with pytest.raises(InvalidRow, match=r"'Applied' holds dates .* Pass a date, or ISO text"):
            explainer.explain({**person, "Applied": wrong})


CONTRADICTIONS: list[Callable[[p2ce.Policy], p2ce.Policy]] = [
    lambda policy: policy.free("Applied"),
    lambda policy: policy.increase_only("Applied"),
    lambda policy: policy.within(Applied=(1, 2)),
    lambda policy: policy.candidates(Applied=[1, 2]),
    lambda policy: policy.with_rules(inequality("Applied <= Income")),
]


@pytest.mark.parametrize("change", CONTRADICTIONS)
def test_a_policy_cannot_move_a_date(change: Callable[[p2ce.Policy], p2ce.Policy]) -> None:
    with pytest.raises(InvalidPolicy, match=r"'Applied'.* holds dates.* days since"):
        change(p2ce.Policy.infer(table()))


def test_a_predicate_may_read_dates() -> None:
    early = predicate(
        lambda rows: (rows["Applied"] < "2025-01-01") | (rows["Debts"] > 2), name="few debts only if early"
    )
    frame = table()
    explainer = p2ce.Explainer(by_date, frame, policy=p2ce.Policy.infer(frame).with_rules(early))
    late = rejected(frame[frame["Applied"] > "2025-02-01"]).iloc[0]
    found = explainer.explain(late)
    assert all(option.values["Debts"] > 2 for option in found)


def test_a_policy_file_names_a_date_without_its_values(tmp_path: Path) -> None:
    policy = p2ce.Policy.infer(table()).protect("Applied")
    policy.save(tmp_path / "policy.yaml")
    assert "  Applied:\n    kind: date\n    protected: true\n" in (tmp_path / "policy.yaml").read_text()
    assert p2ce.Policy.load(tmp_path / "policy.yaml") == policy


def test_a_policy_file_cannot_move_a_date(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    p2ce.Policy.infer(table()).save(path)
    path.write_text(path.read_text().replace("kind: date", "kind: date\n    may_change: true"))
    with pytest.raises(InvalidPolicy, match="may_change"):
        p2ce.Policy.load(path)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_saved_explainer_keeps_dates(dtype: str, tmp_path: Path) -> None:
    frame = table(dtype)
    explainer = p2ce.Explainer(by_date, frame)
    explainer.save(tmp_path / "explainer.p2ce")
    loaded = p2ce.Explainer.load(tmp_path / "explainer.p2ce", by_date)
    pd.testing.assert_frame_equal(loaded.reference, frame)
    person = rejected(frame).iloc[0]
    assert loaded.explain(person) == explainer.explain(person)


def days_of(frame: pd.DataFrame) -> pd.DataFrame:
    return days_since(frame.iloc[:, 0]).to_frame()


def tree_behind(*transformers: Any) -> Any:
    model = make_pipeline(make_column_transformer(*transformers), DecisionTreeClassifier(max_depth=4))
    return model.fit(table(), by_date(table()) >= 0.5)


def test_a_pipeline_that_drops_the_date_is_supported_natively(tmp_path: Path) -> None:
    model = tree_behind(("passthrough", ["Income", "Debts"]))
    explainer = p2ce.Explainer(model, table(), target=True)
    found = next(one for one in explainer.explain_many(table()) if len(one))
    assert found.certificate is not None
    assert "black box" not in found.certificate.model_family
    evidence.save(found, tmp_path / "evidence.zip", explainer=explainer)
    assert evidence.check(tmp_path / "evidence.zip", model).passed


def test_a_pipeline_that_uses_the_date_is_a_black_box(caplog: pytest.LogCaptureFixture) -> None:
    model = tree_behind((FunctionTransformer(days_of), ["Applied"]), ("passthrough", ["Income", "Debts"]))
    with caplog.at_level(logging.INFO, logger="p2ce"):
        explainer = p2ce.Explainer(model, table(), target=True, max_changes=1)
    assert any("'Applied', which holds dates" in one.getMessage() for one in caplog.records)
    found = next(one for one in map(explainer.explain, rejected(table()).to_dict("records")) if len(one))
    assert (model.predict_proba(found.to_frame()[list(table())])[:, 1] >= 0.5).all()


def test_trees_of_a_detector_are_not_parsed_on_dates() -> None:
    """Codes are microseconds, and no library uses them."""
    frame = table().dropna()
    detector = IsolationForest(n_estimators=5, random_state=0).fit(frame.assign(Applied=DAYS[frame.index]))
    with pytest.raises(InvalidOutput, match=r"detector\.decision_function.* raised"):
        p2ce.Explainer(by_date, frame, plausibility=detector)


def test_a_date_has_no_map_and_no_distribution() -> None:
    frame = table()
    explainer = p2ce.Explainer(by_date, frame)
    found = explainer.explain(rejected(frame).iloc[0])
    with pytest.raises(InvalidArgument, match="'Applied' holds dates"):
        explainer.feature_map(found, "Applied", "Income")
    assert found.problem is not None
    applied = found.problem.features["Applied"]
    assert applied.kind == "date"
    assert applied.moves == "fixed"
    assert applied.distribution is not None
    assert applied.distribution.edges == applied.distribution.labels == ()


def test_a_proposal_that_moves_a_date_is_not_allowed() -> None:
    frame = table()
    explainer = p2ce.Explainer(by_date, frame)
    moved = explainer.evaluate(rejected(frame).iloc[0], {"Applied": "2025-12-31"})
    assert "not allowed: Applied" in str(moved)


def test_many_distinct_dates_cost_no_labels() -> None:
    """A label for each date would be megabytes, and a limit of candidates would be exceeded."""
    rows = 40_000
    moments = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(rows) * 977, unit="s")
    frame = pd.concat([PLAIN] * (rows // ROWS), ignore_index=True).assign(Applied=moments)
    policy = p2ce.Policy.infer(frame)
    assert policy["Applied"].count() == 1
    assert policy["Applied"].labels is None
    explainer = p2ce.Explainer(by_date, frame, policy=policy, plausibility=None)
    found = explainer.explain(rejected(frame).iloc[0])
    assert len(found.to_json()) < 100_000


def test_dates_as_objects_are_labels_that_stay(caplog: pytest.LogCaptureFixture) -> None:
    frame = table().assign(Applied=table()["Applied"].dt.date.astype(object))
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        policy = p2ce.Policy.infer(frame)
    assert policy["Applied"].fixed
    assert any("X['Applied'] = pd.to_datetime(X['Applied'])" in one.getMessage() for one in caplog.records)


def test_a_policy_of_numbers_cannot_move_a_column_that_holds_dates() -> None:
    """Its codes are numbers, too, so nothing else would notice."""
    frame = table()
    policy = p2ce.Policy.infer(frame.assign(Applied=days_since(frame["Applied"])))
    with pytest.raises(InvalidPolicy, match=r"'Applied' has the kind whole .* holds dates"):
        p2ce.Explainer(by_date, frame, policy=policy)
    explainer = p2ce.Explainer(by_date, frame, policy=policy.fix("Applied"))
    person = rejected(frame).iloc[0]
    assert all(
        option.values["Applied"] == person["Applied"].isoformat() for option in explainer.explain(person)
    )
    with pytest.raises(InvalidPolicy, match=r"'Applied' has the kind whole .* holds dates"):
        explainer.explain(person, policy=policy)
