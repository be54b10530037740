"""Check that a detector conforms: it is parsed correctly, bounds hold, and nothing is changed."""

from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.calls.model_call import STEADY, evaluate_closely
from p2ce.compile.own_plausibility import COUNTS, IGNORE
from p2ce.errors import UnsupportedDetector
from p2ce.explainer import Explainer
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.detectors.parse_detector import parse_detector
from p2ce.tables.codebook import MISSING, codebook_of
from p2ce.testing.bounds import Bounded, check_bounds
from p2ce.testing.check_fronts import MAX_CHANGES, ComparedFronts, check_fronts, small_actions
from p2ce.testing.check_scores import check_repeatability, check_scores
from p2ce.testing.probe_rows import grid_of_reference, rows_to_check, unusual_of
from p2ce.testing.reports import BLACK_BOX, DetectorReport, require
from p2ce.testing.state import unchanged
from p2ce.testing.subject import Subject, subject_of_detector

# If nearly all rows are plausible, boxes around them show little about a bound. So it is also tried at
# these.
STRICTER = (0.25, 0.5)


def check_detector(
    detector: Any,
    reference: pd.DataFrame,
    *,
    contamination: float | None = None,
    nullable: Collection[str] | None = None,
    rows: int = 2000,
    boxes: int = 200,
    cells: int = 2000,
    people: int = 3,
    random_state: int = 0,
) -> DetectorReport:
    """Check a detector as `p2ce.Explainer` would parse it. Raise an AssertionError if it does not conform.

    Args:
        detector: a fitted detector, `p2ce.PlausibilityForest(...)`, or a function of rows.
        reference: the frame that would be passed to `Explainer`.
        contamination: the share of the reference that counts as implausible, if it should be set.
        nullable: the columns in which values may be missing, by default those in which one is. Labels that
            the reference does not have are tried wherever the detector takes one.
        rows: the approximate number of rows on which decision values are compared.
        boxes: the number of boxes to bound, per threshold.
        cells: the most cells of a box that the detector itself evaluates.
        people: the number of people of the reference whose fronts are compared with brute force.
        random_state: the seed for the choice of rows, boxes and cells, and for a forest without a seed.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
    >>> report = check_detector(lambda rows: 3.5 - rows["Debts"], people, rows=100, people=1)
    >>> report.bound, report.plausible
    ('none (black box)', 1.0)
    """
    codebook = codebook_of(reference)

    def subject_at(share: float | None) -> Subject:
        read = parse_detector(
            detector,
            reference=reference,
            random_state=random_state,
            contamination=share,
            codebook=codebook,
            nullable=nullable,
        )
        _check_terms(read)
        assert read is not None
        return subject_of_detector(read, reference, codebook=codebook, nullable=nullable)

    with unchanged(detector, "detector", reference) as state:
        subject = subject_at(contamination)
        rng = np.random.default_rng(random_state)
        grid = grid_of_reference(subject)
        checked = rows_to_check(subject, grid, rows, rng)
        results = check_repeatability(subject, checked, rng)
        compared = check_scores(subject, grid, checked, results)
        own = subject.evaluate(subject.reference)
        _check_share(subject, own, contamination)
        bounded = check_bounds(subject, grid, boxes=boxes, cells=cells, rng=rng, again=None)
        for share in STRICTER if bounded.bound != BLACK_BOX else ():
            try:
                stricter = subject_at(share)
            except UnsupportedDetector:  # it has one threshold
                break
            more = check_bounds(stricter, grid, boxes=boxes, cells=cells, rng=rng, again=None)
            bounded = Bounded(bounded.bound, *(a + b for a, b in zip(bounded[1:], more[1:], strict=True)))
        fronts = _check_fronts(subject, detector, reference, contamination, people, rng, random_state)
    return DetectorReport(
        family=subject.family,
        contamination=contamination,
        plausible=float(subject.accepts(own).mean()),
        rows=len(checked),
        accepted=int(subject.accepts(results).sum()),
        **unusual_of(subject, checked)._asdict(),
        tolerance=subject.tolerance,
        state=state.how,
        **compared._asdict(),
        **bounded._asdict(),
        **fronts._asdict(),
    )


def _check_terms(read: Adapter | None) -> None:
    require(read is not None, "check_detector() needs a detector; got None.")
    assert read is not None
    require(
        read.score is not None or read.evaluate is not None,
        f"A detector adapter has a score, or `evaluate`, or both; this one ({read.family}) has neither.",
    )


def _check_share(subject: Subject, own: FloatArray, contamination: float | None) -> None:
    """Compare the share of implausible rows with the requested one. Ties may stay plausible."""
    if contamination is None:
        return
    implausible = float((~subject.accepts(own)).mean())
    at_threshold = float((own == 0.0).mean())
    slack = 1.0 / len(own) + 1e-12
    require(
        contamination - at_threshold - slack <= implausible <= contamination + slack,
        f"With contamination={contamination!r} about that share of the reference is implausible to this "
        f"detector ({subject.family}); got {implausible:.4f}, and {at_threshold:.4f} exactly at the "
        "threshold. Take the percentile of the values that `evaluate` returns for the reference.",
    )


def _check_fronts(
    subject: Subject,
    detector: Any,
    reference: pd.DataFrame,
    contamination: float | None,
    people: int,
    rng: np.random.Generator,
    random_state: int,
) -> ComparedFronts:
    """Explain rows by a model that requires more of one column, and let the detector decide."""
    policy = small_actions(subject, reference, rng)
    movable = [feature for feature in policy.features if not feature.fixed and feature.count() > 1]
    if not movable:
        return ComparedFronts(0, 0)
    codebook = codebook_of(reference)
    wished = codebook[movable[0].name]
    label = {str(name): name for name in reference.columns}[wished.name]
    codes = wished.encode(reference[label])
    enough = float(np.median(codes[codes != MISSING]))

    def wanted(frame: pd.DataFrame) -> FloatArray:
        return np.where(wished.encode(frame[label]) > enough, 0.75, 0.25)

    def accepts(frame: pd.DataFrame, least: float) -> BoolArray:
        # A row that is close to a threshold is evaluated alone, since its batch may round it differently.
        values = evaluate_closely(
            subject.evaluate_frame,
            frame,
            threshold=lambda values: np.full(len(values), least),
            tolerance=STEADY,
        ).values
        return np.asarray((wanted(frame) >= 0.5) & (values >= least))

    order = rng.permutation(len(reference))
    rejected = reference.iloc[order[codes[order] <= enough][:people]]
    compared = []
    for rule in (COUNTS, IGNORE):
        explainer = Explainer(
            wanted,
            reference,
            policy=policy,
            max_changes=MAX_CHANGES,
            plausibility=detector,
            contamination=contamination,
            plausibility_of_today=rule,
            random_state=random_state,
        )
        for at in range(len(rejected)):
            row = rejected.iloc[[at]]
            own = float(subject.evaluate_frame(row)[0])
            least = 0.0 if rule == IGNORE else min(0.0, own)
            how = {f"with this detector and plausibility_of_today={rule!r}": explainer}
            compared.append(check_fronts(how, row, partial(accepts, least=least)))
    return ComparedFronts(len(rejected), sum(one.points for one in compared) // 2)
