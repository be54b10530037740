"""The one place where the command line looks at what an explainer keeps to itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.explainer import Explainer

CELLS_AT_ONCE = 200_000


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


def has_rules(explainer: "Explainer") -> bool:
    """Tell whether rules join features, so that not every combination of candidates is a cell."""
    return bool(explainer._setup.actions.rules)


def front_by_brute_force(explainer: "Explainer", row: "pd.DataFrame") -> FloatArray:
    """Find the costs (points, objectives) of a person's front by asking about every cell.

    Without rules, that is every combination of candidates with at most so many changes.
    """
    from p2ce.compiled.costs import quanta
    from p2ce.verify.batch import prepare

    setup, accepts = explainer._setup, _accepts(explainer)
    batch = prepare(setup, setup.codebook.encode(row))
    placement, tables = batch.placement, batch.tables
    here = placement.position[0]
    found: list[IntArray] = []
    for cells in _cells(placement.lowest[0], placement.highest[0], here, setup.max_changes):
        rows = batch.rows(setup, np.zeros(len(cells), dtype=np.int64), cells)
        cells = cells[accepts(setup.frame(rows))]
        steps = tables.steps[0][:, np.arange(len(here)), cells]  # (objectives, cells, axes)
        totals = np.where(tables.joins[:, None] == 1, steps.max(axis=2, initial=0), steps.sum(axis=2)).T
        found = [_cheapest(np.concatenate([*found, totals]), quanta)]
    costs: FloatArray = (found[0] if found else np.empty((0, len(setup.objectives)))) * tables.tick[0]
    for place, objective in enumerate(setup.objectives):
        costs[:, place] = objective.report(costs[:, place])
    return costs


def _cells(
    low: Int32Array, high: Int32Array, here: Int32Array, max_changes: int | None
) -> "Iterator[Int32Array]":
    """List every cell but the person's own, in batches of many."""
    others = [
        [place for place in range(first, last + 1) if place != at]
        for first, last, at in zip(low.tolist(), high.tolist(), here.tolist(), strict=True)
    ]
    batch: list[Int32Array] = []
    for size in range(1, min(max_changes or len(here), len(here)) + 1):
        for support in combinations(range(len(here)), size):
            grids = np.meshgrid(*(others[axis] for axis in support), indexing="ij")
            cells = np.repeat(here[None, :], grids[0].size, axis=0)
            cells[:, list(support)] = np.stack([grid.ravel() for grid in grids], axis=1)
            batch.append(cells)
            if sum(map(len, batch)) >= CELLS_AT_ONCE:
                yield np.concatenate(batch)
                batch = []
    if batch:
        yield np.concatenate(batch)


def _cheapest(totals: "IntArray", quanta: "Callable[[IntArray], IntArray]") -> "IntArray":
    """Keep one row of every cost that nothing beats."""
    compared, first = np.unique(quanta(totals), axis=0, return_index=True)
    kept = []
    while len(compared):  # in lexicographic order, so that nothing beats the first
        kept.append(first[0])
        worse = (compared >= compared[0]).all(axis=1)
        compared, first = compared[~worse], first[~worse]
    return totals[kept]


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
