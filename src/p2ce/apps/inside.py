"""The one place where the command line looks at what an explainer keeps to itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.arrays import BoolArray, FloatArray

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.explainer import Explainer


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What a model was read as, and over which grid people are searched."""

    family: str
    bound: str  # "tree leaves", "additive", "network", "complete", …
    is_asked: bool  # the model itself decides about cells
    scale: str
    threshold: float
    classes: tuple[Any, ...]
    target: Any
    columns: tuple[str, ...]
    detector: str | None
    objectives: tuple[str, ...]
    max_changes: int | None
    cells: int  # combinations in reach of somebody who stands on the grid
    alternatives: dict[str, int]  # per axis, how many other values there are
    rules: tuple[str, ...]


def facts_of(explainer: "Explainer") -> ModelFacts:
    """Describe an explainer."""
    from p2ce.verify.build import count_cells, describe_bound

    setup = explainer._setup
    lengths = [int(length) for length in setup.grid.lengths]
    # Of a grid that somebody stands on, one candidate of each feature is where they are.
    others = [max(length - 1, 0) for length in lengths]
    return ModelFacts(
        family=setup.family,
        bound=describe_bound(setup),
        is_asked=any(model.is_asked for model in setup.models),
        scale=setup.scale,
        threshold=setup.threshold,
        classes=setup.model.classes,
        target=setup.target,
        columns=setup.names,
        detector=None if setup.judges is None else setup.judges.family,
        objectives=setup.objective_names,
        max_changes=setup.max_changes,
        cells=count_cells(tuple(sorted(others)), setup.max_changes),
        alternatives=dict(zip(setup.grid.names, others, strict=True)),
        rules=tuple(rule.rule.text() for rule in setup.rules),
    )


def is_slow(explainer: "Explainer") -> bool:
    """Tell whether people are answered in waves, by a model that is asked or computed outside the loop."""
    return explainer._setup.in_waves


def why_asked(model: Any, reference: "pd.DataFrame", *, target: Any, threshold: float | None) -> str | None:
    """Say why a model is asked and not read, in the words that the library logs; None if it is read."""
    import logging

    from p2ce.models.read import read_model

    heard: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    log = logging.getLogger("p2ce")
    listener, level = Listener(level=logging.INFO), log.level
    log.addHandler(listener)
    log.setLevel(logging.INFO)
    try:
        read_model(model, reference=reference, target=target, threshold=threshold)
    finally:
        log.setLevel(level)
        log.removeHandler(listener)
    return next((text.partition(": ")[2] for text in heard if "only be asked" in text), None)


def scores_of(explainer: "Explainer", people: "pd.DataFrame") -> FloatArray:
    """Give the score of each person as answers report it; NaN for a row that cannot be read."""
    from p2ce.verify.estimate import ask_rows
    from p2ce.verify.people import read_table

    setup = explainer._setup
    read = read_table(people, setup.codebook, setup.actions)
    readable = np.array([place not in read.problems for place in range(len(read))], dtype=np.bool_)
    scores = np.full(len(read), np.nan)
    if readable.any():
        scores[readable] = ask_rows(setup)(read.values[readable])
    return scores


def front_by_brute_force(explainer: "Explainer", row: "pd.DataFrame") -> FloatArray:
    """Find the costs of a person's front by putting every cell to the user's own model and detector."""
    from p2ce.testing.fronts import front_by_asking

    setup = explainer._setup
    return front_by_asking(setup, setup.codebook.encode(row)[0], _accepts(explainer))


def _accepts(explainer: "Explainer") -> "Callable[[pd.DataFrame], BoolArray]":
    from p2ce.compiled.evaluate import score_rows

    setup = explainer._setup

    def accepts(frame: "pd.DataFrame") -> BoolArray:
        accepted = np.ones(len(frame), dtype=np.bool_)
        for model in setup.models:
            accepted &= np.asarray(model.ask(frame)) >= model.threshold
        judge = setup.judges
        if judge is None or not accepted.any():
            return accepted
        some = frame[accepted]
        if judge.ask is not None:
            plausible = np.asarray(judge.ask(some)) >= 0
        else:  # our own forest, whose compiled score is the detector
            assert judge.score is not None
            codes = setup.codebook.of(judge.columns).encode(some)
            plausible = judge.report(score_rows(judge.score, codes)) >= 0
        accepted[accepted] = plausible
        return accepted

    return accepts
