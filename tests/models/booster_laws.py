"""State the laws of bare Boosters whose inside is not supported, or whose numbers are not probabilities."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce import Explainer, Status
from p2ce.apps.model_files.load_model import load_model
from p2ce.errors import InvalidTarget
from tests.models.laws import people

QUESTION: dict[str, Any] = {"plausibility": None, "max_changes": 2}


def by_own_objective(scores: Any, data: Any) -> Any:
    """Logistic loss, as a custom function: what is predicted is the log-odds."""
    share = 1.0 / (1.0 + np.exp(-scores))
    return share - data.get_label(), share * (1.0 - share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The Boosters of one library: how each is trained, and how they score rows."""

    probabilities: Mapping[str, Callable[[], Any]]  # Boosters that predict probabilities, by name
    scores: Mapping[str, Callable[[], Any]]  # those that predict other numbers
    score: Callable[[Any, pd.DataFrame], np.ndarray]
    suffix: str  # of the file that a Booster is saved in

    @property
    def boosters(self) -> Mapping[str, Callable[[], Any]]:
        return {**self.probabilities, **self.scores}

    def assert_agrees(self, booster: Any, explainer: Explainer, wanted: Any) -> None:
        """Whoever is accepted, and every option, has a score that ``wanted`` takes."""
        frame, _ = people()
        asked = frame.head(15)
        found = explainer.explain_many(asked)
        accepted = wanted(self.score(booster, asked))
        assert [one.status is Status.ACCEPTED for one in found] == accepted.tolist()
        assert not {one.status for one in found} & {Status.ERROR, Status.HEURISTIC}
        rows = [one.to_frame()[list(frame.columns)] for one in found if len(one)]
        assert not rows or wanted(self.score(booster, pd.concat(rows))).all()


def assert_probabilities_need_nothing_more(library: Library, name: str) -> None:
    """Probabilities have a threshold by themselves, and another one may be given."""
    frame, _ = people()
    booster = library.probabilities[name]()
    plain = Explainer(booster, frame, target=1, **QUESTION)
    library.assert_agrees(booster, plain, lambda p: p >= 0.5)
    strict = Explainer(booster, frame, target=0, at_least=0.4, **QUESTION)
    library.assert_agrees(booster, strict, lambda p: 1.0 - p >= 0.4)


def assert_scores_need_a_threshold(library: Library, name: str) -> None:
    """Other numbers are rejected without a threshold or a range, and work with either."""
    frame, _ = people()
    booster = library.scores[name]()
    middle = float(np.quantile(library.score(booster, frame), 0.5))
    with pytest.raises(InvalidTarget, match=r"at_least=.*target=\(low, high\)"):
        Explainer(booster, frame, target=1, **QUESTION)
    above = Explainer(booster, frame, target=1, at_least=middle, **QUESTION)
    assert above.at_least == middle
    library.assert_agrees(booster, above, lambda scores: scores >= middle)
    below = Explainer(booster, frame, target=0, at_least=-middle, **QUESTION)
    library.assert_agrees(booster, below, lambda scores: scores <= middle)
    inside = Explainer(booster, frame, target=(middle, None), **QUESTION)
    library.assert_agrees(booster, inside, lambda scores: scores >= middle)


def assert_a_file_gives_the_same_options(library: Library, name: str, folder: Path) -> None:
    """A Booster that was saved and loaded is explained as the one in memory."""
    frame, _ = people()
    booster = library.boosters[name]()
    path = folder / f"model{library.suffix}"
    booster.save_model(str(path))
    threshold = float(np.quantile(library.score(booster, frame), 0.5))
    loaded = load_model(str(path)).model
    first, second = (
        Explainer(model, frame, target=1, at_least=threshold, **QUESTION).explain_many(frame.head(6))
        for model in (booster, loaded)
    )
    assert list(first) == list(second)


def assert_works_in_processes_and_with_an_estimate(library: Library, name: str) -> None:
    """A black-box Booster gives the same options in several processes, and takes an estimate."""
    frame, _ = people()
    booster = library.probabilities[name]()
    explainer = Explainer(booster, frame, target=1, **QUESTION)
    alone, together = explainer.explain_many(frame.head(4)), explainer.explain_many(frame.head(4), n_jobs=2)
    assert [list(one) for one in alone] == [list(one) for one in together]
    estimated = Explainer(booster, frame, target=1, bound="shap", **QUESTION)
    explanation = estimated.explain(frame.iloc[0])
    assert explanation.status in (Status.HEURISTIC, Status.ACCEPTED)
