"""Check that a model conforms: what is read of it is what it does, bounds hold, and nothing is changed."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.decisions.model_adapter import DECISION, LEAD, PROBABILITY, ModelAdapter
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import Codebook, codebook_of
from p2ce.testing.bounds import check_bounds
from p2ce.testing.check_scores import check_scores
from p2ce.testing.failing import require
from p2ce.testing.model_fronts import MakeExplainer, check_model_fronts, explainer_of
from p2ce.testing.probe_rows import grid_of_reference, rows_to_check, unusual_of
from p2ce.testing.repeatability import check_answers
from p2ce.testing.reports import ModelReport
from p2ce.testing.state import unchanged
from p2ce.testing.subject import Subject, subject_of_model


def check_model(
    model: Any,
    reference: pd.DataFrame,
    *,
    target: Any = 1,
    threshold: float | None = None,
    scale: str | None = None,
    may_miss: Collection[str] | None = None,
    rows: int = 2000,
    boxes: int = 200,
    cells: int = 2000,
    people: int = 3,
    random_state: int = 0,
) -> ModelReport:
    """Check a fitted model as `p2ce.Explainer` would read it; raise an AssertionError if it does not conform.

    Args:
        model: a fitted model of any family, or a callable.
        reference: the frame that would be passed to `Explainer`.
        target: the class to be reached; of a regressor the wanted range, (low, high).
        threshold: what its score has to reach; by default 0.5 for probabilities of one class of two, 0 for
            decision values; one class of more has to win.
        scale: "probability" or "decision", where the model offers both.
        may_miss: the columns in which values may be missing, by default those in which one is. Labels that
            the reference does not have are tried wherever the model answers about one.
        rows: rows on which scores are compared, about.
        boxes: boxes of the grid that are put to the bound, for each threshold.
        cells: cells of a box that the model itself is asked about, if there are more.
        people: rejected people of the reference for whom fronts are compared with brute force.
        random_state: seeds the choice of rows, boxes and cells.

    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
    >>> model = DecisionTreeClassifier(random_state=0).fit(people, [0, 0, 1, 1])
    >>> report = check_model(model, people, rows=100, boxes=20, people=1)
    >>> report.bound, report.largest_error
    ('tree leaves', 0.0)
    """

    codebook = codebook_of(reference)

    def read(asked: float | None) -> ModelAdapter:
        return parse_model(
            model,
            reference=reference,
            target=target,
            threshold=asked,
            scale=scale,
            codebook=codebook,
            may_miss=may_miss,
        )

    with unchanged(model, "model", reference) as state:
        found = read(threshold)
        report = check_adapter(
            found,
            reference,
            codebook=codebook,
            may_miss=may_miss,
            rows=rows,
            boxes=boxes,
            cells=cells,
            people=people,
            random_state=random_state,
            # Where the target must win or lie in a range, there is no threshold to read it for.
            read_again=None if found.scale == LEAD else read,
            explainer=lambda ordered, actions: explainer_of(
                model, ordered, actions=actions, target=target, threshold=threshold, scale=scale
            ),
        )
    return replace(report, state=state.how)


def check_adapter(
    read: ModelAdapter,
    reference: pd.DataFrame,
    *,
    codebook: Codebook | None = None,
    may_miss: Collection[str] | None = None,
    rows: int = 2000,
    boxes: int = 200,
    cells: int = 2000,
    people: int = 3,
    random_state: int = 0,
    read_again: Callable[[float], ModelAdapter] | None = None,
    explainer: MakeExplainer | None = None,
) -> ModelReport:
    """Check what a family's ``read`` gave, before the family is registered.

    The arguments are those of `check_model`; ``codebook`` and ``may_miss`` are those of the request that was
    read, by default what the reference shows. ``read_again`` reads the same model for another threshold; with
    it, bounds are also tried where they are hardest: at a threshold that some cell reaches exactly.
    ``explainer`` makes the explainer whose fronts are compared; by default one of this reading.

    >>> import numpy as np, pandas as pd
    >>> from p2ce.scores.score import CompiledScore
    >>> people = pd.DataFrame({"Income": [10.0, 20.0, 30.0, 40.0], "Debts": [3.0, 1.0, 2.0, 0.0]})
    >>> weights = np.array([1.0, -4.0])
    >>> reading = ModelAdapter(
    ...     family="my family", columns=("Income", "Debts"), scale="decision", threshold=20.0, classes=(0, 1),
    ...     score=CompiledScore(name="model", column_count=2, weights=weights, sure=20.001, maybe=19.999),
    ...     ask=lambda frame: frame[["Income", "Debts"]].to_numpy() @ weights,
    ...     report=lambda scores: scores, tolerance=1e-9,
    ... )
    >>> print(check_adapter(reading, people, rows=100, boxes=20, people=1).bound)
    additive
    """
    _check_terms(read)
    rng = np.random.default_rng(random_state)
    subject = subject_of_model(read, reference, codebook=codebook, may_miss=may_miss)
    require(
        set(read.columns) == {str(name) for name in reference.columns},
        f"columns of a model are those of the reference, {tuple(map(str, reference.columns))}, in the "
        f"model's order; got {read.columns}.",
    )
    grid = grid_of_reference(subject)
    with unchanged(None, "model", reference):
        asked = rows_to_check(subject, grid, rows, rng)
        answers = check_answers(subject, asked, rng)
        compared = check_scores(subject, grid, asked, answers)
        again = None
        if read_again is not None:
            again = lambda threshold: _at(subject, read_again(threshold))  # noqa: E731
        bounded = check_bounds(subject, grid, boxes=boxes, cells=cells, rng=rng, again=again)
        fronts = check_model_fronts(subject, read, reference, people=people, rng=rng, explainer=explainer)
    return ModelReport(
        family=read.family,
        scale=read.scale,
        threshold=read.threshold,
        rows=len(asked),
        accepted=int(subject.accepts(answers).sum()),
        **unusual_of(subject, asked)._asdict(),
        tolerance=read.tolerance,
        state="frame and seeds",
        **compared._asdict(),
        **bounded._asdict(),
        **fronts._asdict(),
    )


def _check_terms(read: ModelAdapter) -> None:
    require(
        len(read.classes) != 1 and len(set(map(str, read.classes))) == len(read.classes),
        f"classes of a reading are two or more, each once, or none of a regressor; got {read.classes!r}.",
    )
    require(
        read.scale in (PROBABILITY, DECISION, LEAD),
        f"scale of a reading is {PROBABILITY!r}, {DECISION!r} or {LEAD!r}; got {read.scale!r}.",
    )
    require(
        read.score is not None or not read.also,
        f"a reading without a score has no further ones; got {len(read.also)}. Begin with `score`.",
    )
    inside = 0.0 <= read.threshold <= 1.0 if read.scale == PROBABILITY else np.isfinite(read.threshold)
    require(inside, f"threshold {read.threshold!r} of a reading does not lie on its scale, {read.scale}.")
    require(
        0.0 <= read.tolerance < np.inf,
        f"tolerance of a reading is finite and 0 or more; got {read.tolerance!r}.",
    )


def _at(subject: Subject, read: ModelAdapter) -> Subject:
    return replace(subject, scores=read.scores, decides=read.decides, threshold=read.threshold, call=read.ask)
