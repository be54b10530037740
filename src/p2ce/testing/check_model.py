"""Check that a model conforms: it is parsed correctly, bounds hold, and nothing is changed."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.models.decisions.adapter import DECISION, LEAD, PROBABILITY, Adapter
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import Codebook, codebook_of
from p2ce.testing.bounds import check_bounds
from p2ce.testing.check_scores import check_repeatability, check_scores
from p2ce.testing.model_fronts import MakeExplainer, check_model_fronts, explainer_of
from p2ce.testing.probe_rows import grid_of_reference, rows_to_check, unusual_of
from p2ce.testing.reports import ModelReport, require
from p2ce.testing.state import unchanged
from p2ce.testing.subject import Subject, subject_of_model


def check_model(
    model: Any,
    reference: pd.DataFrame,
    *,
    target: Any = 1,
    at_least: float | None = None,
    scale: str | None = None,
    nullable: Collection[str] | None = None,
    rows: int = 2000,
    boxes: int = 200,
    cells: int = 2000,
    people: int = 3,
    random_state: int = 0,
) -> ModelReport:
    """Check a fitted model as `p2ce.Explainer` parses it; raise an AssertionError if it does not conform.

    Args:
        model: a fitted model of any family, or a callable.
        reference: the frame that would be passed to `Explainer`.
        target: the favourable class, or the favourable range (low, high) of a regressor.
        at_least: the score that the target must reach. By default 0.5 for probabilities of two classes, and
            0 for decision values. One of more than two classes must win.
        scale: "probability" or "decision", if the model offers both.
        nullable: the columns in which values may be missing. By default, those with a missing value. Unseen
            labels are tried in every column in which the model accepts them.
        rows: the approximate number of rows on which scores are compared.
        boxes: the number of boxes to bound, per threshold.
        cells: the most cells of a box that the model itself evaluates.
        people: the number of rejected people whose fronts are compared with brute force.
        random_state: the seed for the choice of rows, boxes and cells.

    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
    >>> model = DecisionTreeClassifier(random_state=0).fit(people, [0, 0, 1, 1])
    >>> report = check_model(model, people, rows=100, boxes=20, people=1)
    >>> report.bound, report.largest_error
    ('tree leaves', 0.0)
    """

    codebook = codebook_of(reference)

    def parse_at(chosen: float | None) -> Adapter:
        return parse_model(
            model,
            reference=reference,
            target=target,
            at_least=chosen,
            scale=scale,
            codebook=codebook,
            nullable=nullable,
        )

    with unchanged(model, "model", reference) as state:
        found = parse_at(at_least)
        report = check_adapter(
            found,
            reference,
            codebook=codebook,
            nullable=nullable,
            rows=rows,
            boxes=boxes,
            cells=cells,
            people=people,
            random_state=random_state,
            # If the target must win or lie in a range, there is no other threshold.
            parse_at=None if found.scale == LEAD else parse_at,
            explainer=lambda ordered, policy: explainer_of(
                model, ordered, policy=policy, target=target, at_least=at_least, scale=scale
            ),
        )
    return replace(report, state=state.how)


def check_adapter(
    adapter: Adapter,
    reference: pd.DataFrame,
    *,
    codebook: Codebook | None = None,
    nullable: Collection[str] | None = None,
    rows: int = 2000,
    boxes: int = 200,
    cells: int = 2000,
    people: int = 3,
    random_state: int = 0,
    parse_at: Callable[[float], Adapter] | None = None,
    explainer: MakeExplainer | None = None,
) -> ModelReport:
    """Check the adapter that a family makes from a model, before the family is registered.

    The arguments are those of `check_model`. ``codebook`` and ``nullable`` are those of the parsed request,
    by default what the reference shows. ``parse_at`` parses the same model for another threshold. With it,
    bounds are also tried at the hardest thresholds: those that some cell reaches exactly. ``explainer`` makes
    the explainer whose fronts are compared, by default one with this adapter.

    >>> import numpy as np, pandas as pd
    >>> from p2ce.engine.scores.score import FlatScore
    >>> people = pd.DataFrame({"Income": [10.0, 20.0, 30.0, 40.0], "Debts": [3.0, 1.0, 2.0, 0.0]})
    >>> weights = np.array([1.0, -4.0])
    >>> adapter = Adapter(
    ...     family="my family", columns=("Income", "Debts"), scale="decision", threshold=20.0, classes=(0, 1),
    ...     score=FlatScore(
    ...         name="model", column_count=2, weights=weights, accept_from=20.001, reject_below=19.999
    ...     ),
    ...     evaluate=lambda frame: frame[["Income", "Debts"]].to_numpy() @ weights,
    ...     report=lambda scores: scores, tolerance=1e-9,
    ... )
    >>> print(check_adapter(adapter, people, rows=100, boxes=20, people=1).bound)
    additive
    """
    _check_terms(adapter)
    rng = np.random.default_rng(random_state)
    subject = subject_of_model(adapter, reference, codebook=codebook, nullable=nullable)
    require(
        set(adapter.columns) == {str(name) for name in reference.columns},
        f"columns of a model must be those of the reference, {tuple(map(str, reference.columns))}, in the "
        f"model's order; got {adapter.columns}.",
    )
    grid = grid_of_reference(subject)
    with unchanged(None, "model", reference):
        checked = rows_to_check(subject, grid, rows, rng)
        results = check_repeatability(subject, checked, rng)
        compared = check_scores(subject, grid, checked, results)
        again = None
        if parse_at is not None:
            again = lambda threshold: _at(subject, parse_at(threshold))  # noqa: E731
        bounded = check_bounds(subject, grid, boxes=boxes, cells=cells, rng=rng, again=again)
        fronts = check_model_fronts(subject, adapter, reference, people=people, rng=rng, explainer=explainer)
    return ModelReport(
        family=adapter.family,
        scale=adapter.scale,
        threshold=adapter.threshold,
        rows=len(checked),
        accepted=int(subject.accepts(results).sum()),
        **unusual_of(subject, checked)._asdict(),
        tolerance=adapter.tolerance,
        state="frame and seeds",
        **compared._asdict(),
        **bounded._asdict(),
        **fronts._asdict(),
    )


def _check_terms(adapter: Adapter) -> None:
    require(
        len(adapter.classes) != 1 and len(set(map(str, adapter.classes))) == len(adapter.classes),
        f"classes of an adapter must be two or more different ones, or none for a regressor; got "
        f"{adapter.classes!r}.",
    )
    require(
        adapter.scale in (PROBABILITY, DECISION, LEAD),
        f"scale of an adapter must be {PROBABILITY!r}, {DECISION!r} or {LEAD!r}; got {adapter.scale!r}.",
    )
    require(
        adapter.score is not None or not adapter.also,
        f"an adapter without a score cannot have further ones in `also`; got {len(adapter.also)}. Set "
        "`score` first.",
    )
    inside = (
        0.0 <= adapter.threshold <= 1.0 if adapter.scale == PROBABILITY else np.isfinite(adapter.threshold)
    )
    require(
        inside, f"threshold {adapter.threshold!r} of an adapter does not lie on its scale, {adapter.scale}."
    )
    require(
        0.0 <= adapter.tolerance < np.inf,
        f"tolerance of an adapter must be finite and 0 or more; got {adapter.tolerance!r}.",
    )


def _at(subject: Subject, adapter: Adapter) -> Subject:
    return replace(
        subject,
        scores=adapter.scores,
        decides=adapter.decides,
        threshold=adapter.threshold,
        call=adapter.evaluate,
    )
