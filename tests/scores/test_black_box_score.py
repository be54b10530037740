"""Models and detectors that can only be asked: about what, how often, and in which form."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor

import p2ce
from p2ce.adapters.checked_calls import REBATCHED
from p2ce.result.status import Status
from tests.populations import loans

Scorer = Callable[[pd.DataFrame], np.ndarray]
CHOICES = {
    "Income": [12, 20, 28, 36, 44, 52],
    "Debt": [-3.0, -1.5, 0.0, 1.5, 3.0],
    "Rate": [0.0, 0.25, 0.5, 0.75, 1.0],
    "Years": [0, 3, 6, 9],
}


def few() -> p2ce.ActionSet:
    return p2ce.ActionSet.infer(loans.people()).values(CHOICES)


def wavy(rows: pd.DataFrame) -> np.ndarray:
    """Score without any direction that always helps."""
    return np.asarray(
        0.5
        + 0.3 * np.sin(rows["Income"] / 5.0 + rows["Years"])
        - 0.2 * np.cos(rows["Debt"] * (1.0 + rows["Rate"]))
        + 0.1 * rows["Owns"]
        - 0.05 * rows["Years"] / 6.0,
        dtype=np.float64,
    ).clip(0.0, 1.0)


def plain(rows: pd.DataFrame) -> np.ndarray:
    """Find plausible whoever earns little or has been here long."""
    return np.asarray(30.0 - rows["Income"] + 4.0 * rows["Years"] - 2.0 * rows["Rate"], dtype=np.float64)


class Watched:
    """A scorer that remembers about which rows it was asked."""

    def __init__(self, score: Scorer) -> None:
        self.score = score
        self.frames: list[pd.DataFrame] = []

    def __call__(self, rows: pd.DataFrame) -> np.ndarray:
        if not isinstance(rows, pd.DataFrame):
            raise TypeError("frames only")
        self.frames.append(rows.copy())
        return self.score(rows)

    @property
    def rows(self) -> list[tuple[float, ...]]:
        return [tuple(map(float, row)) for frame in self.frames for row in frame.itertuples(index=False)]


def as_row(values: Any) -> tuple[float, ...]:
    return tuple(float(values[name]) for name in loans.people().columns)


def explainer(model: Any, **changed: Any) -> p2ce.Explainer:
    asked = {"actions": few(), "plausibility": None, **changed}
    made = p2ce.Explainer(model, loans.people(), **asked)
    made.warm_up()  # compiling and calibrating ask too, once for all people
    return made


def refused(score: Scorer = wavy, threshold: float = 0.5) -> pd.DataFrame:
    people = loans.people()
    return people[score(people) < threshold]


@pytest.mark.parametrize("max_changes", [1, 2, None])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("threshold", [0.5, 0.99])
def test_a_model_is_asked_once_about_a_cell_and_again_about_what_is_shown(
    max_changes: int | None, ties: bool, threshold: float
) -> None:
    model = Watched(wavy)
    asking = explainer(model, max_changes=max_changes, ties=ties, threshold=threshold)
    for _, person in refused(threshold=threshold).iloc[:6].iterrows():
        model.frames.clear()
        found = asking.explain(person)
        asked = Counter(model.rows)
        shown = Counter(as_row(option.values) for option in found)
        assert asked.pop(as_row(person)) == 1
        assert all(times == 1 + shown[row] for row, times in asked.items())
        assert len(asked) == found.certificate.scored
        assert sum(asked.values()) == found.certificate.scored + found.certificate.verified
        assert found.certificate.verified == len(found)
        assert found.certificate.scored <= found.certificate.cells


@pytest.mark.parametrize("compiled", [False, True], ids=["asked detector", "forest"])
def test_a_detector_is_asked_only_about_what_the_model_accepts(compiled: bool) -> None:
    model, detector = Watched(wavy), Watched(plain)
    plausibility = loans.detector() if compiled else detector
    asking = explainer(model, plausibility=plausibility, threshold=0.6)
    seen = 0
    for _, person in refused(threshold=0.6).iloc[:8].iterrows():
        model.frames.clear()
        detector.frames.clear()
        found = asking.explain(person)
        accepted = {row for row, score in _scored(model) if score >= 0.6}
        asked = Counter(detector.rows)
        shown = Counter(as_row(option.values) for option in found)
        # What is shown and comes close to the threshold is asked about alone as well, if it was not anyway.
        close = Counter(as_row(option.values) for option in found if option.plausibility <= REBATCHED)
        assert set(asked) <= accepted
        assert all(0 <= times - 1 - shown[row] <= close[row] for row, times in asked.items())
        assert all(option.plausibility >= 0.0 and option.score >= 0.6 for option in found)
        seen += len(asked)
        if compiled:
            # The forest is quicker: the model is asked only about what that finds plausible.
            cells = pd.concat(model.frames)
            inside = loans.detector().decision_function(cells) >= 0.0
            own = np.array([row == as_row(person) for row in model.rows])
            assert (inside | own).all()
    assert compiled == (seen == 0)


def _scored(model: Watched) -> list[tuple[tuple[float, ...], float]]:
    scores = np.concatenate([wavy(frame) for frame in model.frames])
    return list(zip(model.rows, scores.tolist(), strict=True))


def test_the_second_model_is_asked_only_about_what_the_first_accepts() -> None:
    first, second = Watched(wavy), Watched(lambda rows: wavy(rows.assign(Income=rows["Income"] + 3)))
    asking = explainer([first, second])
    person = refused().iloc[0]
    first.frames.clear()
    second.frames.clear()
    found = asking.explain(person)
    accepted = {row for row, score in _scored(first) if score >= 0.5}
    assert set(second.rows) - {as_row(person)} <= accepted
    assert len(second.rows) < len(first.rows)
    assert max(Counter(second.rows).values()) <= 2
    assert all(first.score(_frame(option)) >= 0.5 and second.score(_frame(option)) >= 0.5 for option in found)


def _frame(option: p2ce.Counterfactual) -> pd.DataFrame:
    dtypes = loans.people().dtypes.to_dict()
    return pd.DataFrame([option.values])[list(dtypes)].astype(dtypes)


def test_an_estimate_looks_up_the_single_changes_that_were_asked_about() -> None:
    model = Watched(wavy)
    asking = explainer(model, bound=p2ce.ShapEstimate(people=20, miss_rate=0.3))
    complete = explainer(wavy)
    fewer = 0
    for _, person in refused().iloc[:6].iterrows():
        model.frames.clear()
        found = asking.explain(person)
        asked = Counter(model.rows)
        shown = Counter(as_row(option.values) for option in found)
        asked.pop(as_row(person))
        assert all(times <= 1 + shown[row] for row, times in asked.items())
        fewer += complete.explain(person).certificate.scored - found.certificate.scored
    assert fewer > 0


SEARCHES: dict[str, dict[str, Any]] = {
    "auto": {},
    "none": {"bound": "none"},
    "shap": {"bound": p2ce.ShapEstimate(people=10, background=4)},
    "paper": {"method": p2ce.paper.P2CE(background=20)},
}


@pytest.mark.parametrize("search", SEARCHES)
def test_rows_come_in_the_references_own_columns_and_types(search: str) -> None:
    model, detector = Watched(wavy), Watched(plain)
    explainer(model, plausibility=detector, **SEARCHES[search]).explain_many(refused().iloc[:4])
    expected = loans.people().dtypes.to_dict()
    for frame in (*model.frames, *detector.frames):
        assert frame.dtypes.to_dict() == expected
        assert list(frame.columns) == list(expected)


def test_an_array_comes_in_one_type() -> None:
    seen = []

    def on_arrays(rows: np.ndarray) -> np.ndarray:
        if isinstance(rows, pd.DataFrame):
            raise TypeError("no frames here")
        seen.append((rows.dtype, rows.flags.owndata, rows.flags.writeable))
        return wavy(pd.DataFrame(rows, columns=loans.people().columns))

    people = refused().iloc[:5]
    found = explainer(on_arrays).explain_many(people)
    expected = explainer(wavy).explain_many(people)
    assert set(seen) == {(np.dtype(np.float64), True, True)}
    for one, other in zip(found, expected, strict=True):
        assert [option.changes for option in one] == [option.changes for option in other]


def scribbling(score: Scorer) -> Scorer:
    """Write over the rows that were given, after looking at them."""

    def scribble(rows: pd.DataFrame) -> np.ndarray:
        answer = score(rows)
        for name in rows.columns:
            rows.loc[:, name] = rows[name].to_numpy()[::-1].copy()
        rows["Income"] = 0
        del rows["Debt"]
        return answer

    return scribble


@pytest.mark.parametrize("search", ["auto", "shap", "paper"])
def test_who_writes_on_the_rows_changes_nothing(search: str) -> None:
    people = refused().iloc[:5]
    before = people.copy()
    reference = loans.people()
    honest = explainer([wavy, plain], threshold=[0.5, -10.0], plausibility=plain, **SEARCHES[search])
    vandal = p2ce.Explainer(
        [scribbling(wavy), scribbling(plain)],
        reference,
        threshold=[0.5, -10.0],
        actions=few(),
        plausibility=scribbling(plain),
        **SEARCHES[search],
    )
    expected = honest.explain_many(people)
    found = vandal.explain_many(people)
    pd.testing.assert_frame_equal(people, before)
    pd.testing.assert_frame_equal(reference, loans.people())
    for one, other in zip(found, expected, strict=True):
        assert one.status is other.status
        assert one.person_score == other.person_score
        assert [(option.changes, option.score, option.plausibility) for option in one] == [
            (option.changes, option.score, option.plausibility) for option in other
        ]
    assert any(len(one) for one in found)


def test_an_answer_that_is_a_shared_buffer_is_copied() -> None:
    buffer = np.zeros(1 << 16)

    def same_place(rows: pd.DataFrame) -> np.ndarray:
        buffer[: len(rows)] = wavy(rows)
        return buffer[: len(rows)]

    people = refused().iloc[:5]
    found = explainer(same_place).explain_many(people)
    expected = explainer(wavy).explain_many(people)
    assert [[option.changes for option in one] for one in found] == [
        [option.changes for option in one] for one in expected
    ]


def test_calls_are_large() -> None:
    """Rows of many people share a call: few calls, although each front needs several waves."""
    model = Watched(wavy)
    asking = explainer(model, max_changes=2)
    people = refused()
    model.frames.clear()
    found = asking.explain_many(people)
    scored = sum(one.certificate.scored for one in found if one.certificate is not None)
    assert len(model.frames) < scored / 100


def test_an_infinite_score_is_a_score() -> None:
    """Log-odds of a certain answer are infinite, twice in a row."""

    def certain(rows: pd.DataFrame) -> np.ndarray:
        return np.where(rows["Income"] > 40, np.inf, np.where(rows["Debt"] > 2.0, -np.inf, -1.0))

    asking = explainer(certain, threshold=0.0)
    found = asking.explain_many(refused(certain, 0.0).iloc[:5])
    assert {one.status for one in found} == {Status.OPTIMAL}
    assert all(option.score == np.inf for one in found for option in one)


def test_processes_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.explain.explain_many.LARGEST_BATCH", 4)
    people = loans.people()
    model = KNeighborsClassifier(7).fit(people, loans.label())
    detector = LocalOutlierFactor(10, novelty=True).fit(people)
    asking = p2ce.Explainer(model, people, actions=few(), plausibility=detector)
    some = people[model.predict_proba(people)[:, 1] < 0.5].iloc[:10]
    expected = asking.explain_many(some)
    found = asking.explain_many(some, n_jobs=2)
    assert [one.status for one in found] == [one.status for one in expected]
    assert [[option.changes for option in one] for one in found] == [
        [option.changes for option in one] for one in expected
    ]


@pytest.mark.parametrize("higher", ["alone", "in company"])
def test_what_a_model_says_about_a_row_alone_decides(higher: str) -> None:
    """A model may round a row differently in other company, and scores may lie right at the threshold."""

    def rounding(rows: pd.DataFrame) -> np.ndarray:
        coarse = np.round(wavy(rows) * 10) / 10
        return coarse - (1e-8 if (len(rows) == 1) != (higher == "alone") else 0.0)

    def steady(rows: pd.DataFrame) -> np.ndarray:
        return np.concatenate([rounding(rows.iloc[[at]]) for at in range(len(rows))])

    asking, expected = explainer(rounding, threshold=0.5), explainer(steady, threshold=0.5)
    people = refused().iloc[:12]
    answered = asking.explain_many(people)
    assert any(len(found) for found in answered)
    for found, truth in zip(answered, expected.explain_many(people), strict=True):
        assert (found.status, found.counterfactuals) == (truth.status, truth.counterfactuals)
    for found in answered:
        for option in found:
            assert rounding(_frame(option))[0] >= 0.5
