"""Each bad input ends in its error, before any search, and changes nothing of the caller's."""

import copy
from typing import Any

import pandas as pd
import pytest

import p2ce
from p2ce import Policy, Status, errors
from p2ce.run import explain_batch
from tests.bad_inputs import PLACES, POLICY, ROWS, Made, Row, load_policy, loan, loan_explainer
from tests.hostile.plain_data import tame
from tests.populations import households, loans


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile the kernels of the shared explainers, which is a separate search."""
    for explainer in (loan_explainer(), households.explainer(), households.explainer("error")):
        explainer.warm_up()


def same(one: Any, other: Any) -> bool:
    if isinstance(one, pd.DataFrame):
        return one.equals(other)
    return repr(one) == repr(other)


def named(row: Row) -> str:
    return f"{row[0]} -> {row[3].split(' | ')[0]}"


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_the_message_says_what_was_expected_what_came_and_what_to_do(
    row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, value, kind, words = row
    value = value.make() if isinstance(value, Made) else value

    def searched(*_: Any, **__: Any) -> None:
        raise AssertionError("the search began")

    if kind is not errors.InvalidOutput:
        monkeypatch.setattr(explain_batch, "solve", searched)
        monkeypatch.setattr(explain_batch, "solve_by_paper", searched)
    before = copy.deepcopy(value)
    with pytest.raises(kind) as caught:
        PLACES[place](value)
    # A wrong result of the model's own code is not a wrong value of the caller's.
    assert isinstance(caught.value, ValueError | TypeError | errors.InvalidOutput)
    message = str(caught.value)
    assert [word for word in words.split(" | ") if word not in message] == [], message
    assert message.endswith((".", "?")), message
    assert tame(message)
    assert callable(value) or same(value, before)


def test_after_bad_rows_the_shared_explainers_give_what_new_ones_give() -> None:
    for place, value, kind, _ in ROWS:
        if kind is errors.InvalidRow and not isinstance(value, Made):
            with pytest.raises(kind):
                PLACES[place](value)
    assert loan_explainer().explain(loan()) == loans.explainer(plausibility=None).explain(loan())
    for unknown in ("ignore", "error"):
        policy = Policy.infer(households.people(), protect=None)
        new = p2ce.Explainer(
            households.pipeline(unknown), households.people(), policy=policy, target=1, plausibility=None
        )
        found = households.explainer(unknown).explain(households.person())
        assert found == new.explain(households.person())
        assert found.status is Status.OPTIMAL


def test_a_policy_without_the_typos_is_good(tmp_path: Any) -> None:
    policy = load_policy(POLICY)
    assert households.explainer().explain(households.person(), policy=policy).status is Status.OPTIMAL
    # One that cannot be saved leaves the old file.
    path = tmp_path / "policy.yaml"
    policy.save(path)
    before = path.read_bytes()
    with pytest.raises(p2ce.P2CEError, match="module:function"):
        policy.with_rules(p2ce.rules.predicate(lambda rows: rows["age"] > 1)).save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA])
def test_a_missing_value_that_the_model_accepts_is_no_error(gap: Any) -> None:
    found = loan_explainer().explain(loan(Debt=gap))
    assert found.status is Status.OPTIMAL
    assert found.certificate.proven
    assert loans.forest().predict(found.to_frame()[list(loans.people())]).all()


@pytest.mark.parametrize("name", ["job", "home"])
def test_an_unseen_label_is_a_place_to_start_where_the_pipeline_accepts_it(name: str) -> None:
    row = households.person(**{name: "zeppelin"})
    found = households.explainer().explain(row)
    assert found.status is Status.OPTIMAL
    assert found.person == row
    assert (households.pipeline().predict(found.to_frame()[list(row)]) == 1).all()
    # It may stay, but no one is led to it, and it leaves no trace in what comes after.
    labels = ("zeppelin", *households.people()[name].unique())
    assert all(option.values[name] in labels for option in found)
    again = households.explainer().explain(households.person())
    assert all(option.values[name] != "zeppelin" for option in again)
    assert again.to_frame()[name].dtype == households.people()[name].dtype


def test_rows_with_errors_do_not_stop_the_others() -> None:
    good, bad = households.person(), {"job": "pilot", "debt": None, "age": "old", "home": 3}
    rows = [good, *(households.person(**{name: value}) for name, value in bad.items()), good]
    frame = pd.DataFrame(rows, dtype=object)
    before = frame.copy()
    found = households.explainer("error").explain_many(frame)
    assert [str(one.status) for one in found] == ["OPTIMAL", *["ERROR"] * 4, "OPTIMAL"]
    for one, word in zip(list(found)[1:5], ["'pilot'", "'debt'", "'old'", "'home'"], strict=True):
        assert word in one.message
    alone = households.explainer("error").explain(good)
    assert list(found[0]) == list(found[5]) == list(alone)
    pd.testing.assert_frame_equal(frame, before)


def test_other_types_of_the_same_values_are_no_error() -> None:
    """A whole number as a float, text as a category, an ordinary frame of objects: the values count."""
    expected = households.explainer().explain(households.person())
    frame = pd.DataFrame([households.person()])
    for types in (
        {"age": "float64"},
        {"age": "Int64", "debt": "float32"},
        {"job": "category", "home": "string"},
        dict.fromkeys(frame, object),
    ):
        found = households.explainer().explain(frame.astype(types))
        assert list(found) == list(expected)
        assert found.to_frame().dtypes.equals(expected.to_frame().dtypes)


def test_a_detector_that_rejects_a_missing_value_of_the_row_is_named() -> None:
    """The model accepts the missing value; the detector does not, and gets rows that still have it."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.neighbors import LocalOutlierFactor

    frame = households.numbers()
    gaps = households.numbers(gaps=True)
    model = HistGradientBoostingClassifier(max_iter=30).fit(gaps, households.people()["debt"] < 1.0)
    explainer = p2ce.Explainer(
        model,
        frame,
        target=1,
        policy=Policy.infer(gaps, protect=None).keep_missing("age"),
        plausibility=LocalOutlierFactor(novelty=True).fit(frame),
    )
    rows = [{"age": float("nan"), "debt": 1.75}, {"age": 24.0, "debt": 1.75}]
    with pytest.raises(errors.InvalidOutput, match=r"detector.*contains NaN[\s\S]*'age'"):
        explainer.explain(rows[0])
    first, second = explainer.explain_many(pd.DataFrame(rows))
    assert first.status is Status.ERROR
    assert "'age'" in first.message
    assert second.status is Status.OPTIMAL
