"""Find the kind of a detector and parse it."""

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.model_call import ModelCall, as_call, one_per_row
from p2ce.base.plugins import DETECTOR, Family, families_of
from p2ce.base.visible import echoed
from p2ce.errors import BrokenPlugin, InvalidArgument, InvalidReference, UnsupportedDetector
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.detectors import autoencoder, function, isolation_forest, outlier_detectors
from p2ce.models.detectors.black_box_detector import check_contamination
from p2ce.models.detectors.plausibility_forest import PlausibilityForest
from p2ce.tables.codebook import Codebook, codebook_of

__all__ = ["FAMILIES", "SUPPORTED", "PlausibilityForest", "parse_detector"]

# The first kind that recognises and supports a detector parses it. The order matters: a PyTorch module is
# also callable, so autoencoder comes before function.
FAMILIES: tuple[Family, ...] = (
    isolation_forest,
    autoencoder,
    outlier_detectors,
    function,
)
SUPPORTED = (
    "p2ce.PlausibilityForest(...), scikit-learn's IsolationForest, any fitted detector "
    "with decision_function (scikit-learn, PyOD) or score_samples (KernelDensity), a PyTorch autoencoder, "
    "a function of rows, and None"
)
log = logging.getLogger("p2ce")


def parse_detector(
    detector: Any,
    *,
    reference: pd.DataFrame,
    random_state: int | None = None,
    contamination: float | None = None,
    codebook: Codebook | None = None,
    codes: FloatArray | None = None,
    nullable: Collection[str] | None = None,
) -> Adapter | None:
    """Parse a detector; None stays None and means that every row is plausible.

    ``random_state`` seeds a forest that is fitted here and has no own seed. ``contamination`` is the
    share of the reference, above 0 and at most 0.5, that counts as implausible: the threshold becomes that
    percentile of the detector's values, and the detector itself is not changed. ``codebook`` encodes the
    columns of the reference as the numbers that scores are computed from. ``codes`` (n, d) are these numbers,
    if the caller has them already. ``nullable`` names the columns in which values may be missing; by default
    these are the columns with a missing value in the reference.
    """
    if contamination is not None:
        check_contamination(contamination)
    if detector is None:
        if contamination is not None:
            raise InvalidArgument(
                f"contamination={echoed(contamination)} sets the threshold of a detector, but "
                "plausibility=None means that there is no detector. Remove one of the two."
            )
        return None
    if reference.shape[0] == 0:
        raise InvalidReference("The reference data has no rows. Pass the rows that the model was fitted on.")
    if isinstance(detector, type):
        raise UnsupportedDetector(
            f"plausibility got the class {detector.__name__}. Pass an instance: {detector.__name__}()."
        )
    codebook = codebook_of(reference) if codebook is None else codebook
    codes = codebook.encode(reference) if codes is None else codes
    request = ParseRequest(
        reference=reference,
        codebook=codebook,
        codes=codes,
        nullable=codebook.columns_with_missing(codes) if nullable is None else frozenset(nullable),
        random_state=random_state,
        contamination=contamination,
    )
    if isinstance(detector, Adapter):
        return _restored(detector, request)
    why_not = None
    for family in families_of(DETECTOR, FAMILIES):
        if not family.recognises(detector):
            continue
        try:
            found = family.parse(detector, request)
        except UnsupportedDetector as error:
            why_not = why_not or error
            continue
        if not isinstance(found, Adapter):
            raise BrokenPlugin(
                f"parse() of a detector plug-in must return an Adapter; for {type(detector).__name__} "
                f"it returned {type(found).__name__}. Correct the plug-in, or uninstall its package."
            )
        if not set(found.columns) <= set(codebook.names):
            raise BrokenPlugin(
                f"columns of the detector ({found.family}) must be columns of the reference, "
                f"{', '.join(codebook.names)}; got {echoed(found.columns)}. Correct the plug-in, or "
                "uninstall it."
            )
        found = with_checked_calls(found)
        if why_not is not None:
            log.info("The detector is a black box, as %s: %s", found.family, why_not)
        return found
    raise why_not or UnsupportedDetector(
        f"{type(detector).__module__}.{type(detector).__name__} is not supported. Supported are {SUPPORTED}."
    )


def with_checked_calls(found: Adapter) -> Adapter:
    """Check an adapter, and that each call of the detector returns one number per row."""
    if found.score is not None and getattr(found.score, "flat", None) is None:
        raise BrokenPlugin(
            f"score of the detector ({found.family}) must be a FlatScore, or None for a black box; got "
            f"{type(found.score).__name__}. Correct the plug-in, or uninstall its package."
        )
    if found.threshold != 0.0 or found.also or not found.decides or found.report is None:
        raise BrokenPlugin(
            f"The detector ({found.family}) must have one score with the threshold 0, and report(); got "
            f"threshold={echoed(found.threshold)}, {len(found.scores)} scores, "
            f"report={echoed(found.report)}. Subtract the threshold in evaluate and "
            "report. Correct the plug-in, or uninstall its package."
        )
    if found.reach is not None:
        raise BrokenPlugin(
            f"The detector ({found.family}) states reach, which only models are parsed for again. Widen "
            "accept_from and reject_below until they hold for every value that a row may have, or return "
            "black_box_detector(). Correct the plug-in, or uninstall its package."
        )
    if found.score is None and (found.evaluate is None or found.is_its_score):
        raise BrokenPlugin(
            f"The detector family {echoed(found.family)} returned neither a score nor a function that "
            "evaluates rows. One of the two is needed. Correct the family, or uninstall its package."
        )
    if found.is_its_score or isinstance(found.evaluate, ModelCall):
        return found
    call = as_call(found.evaluate, name=f"detector ({found.family})")
    again = None if found.again is None else partial(_again, found.again)
    return replace(found, evaluate=replace(call, check=one_per_row), again=again)


def _again(parse: Callable[[frozenset[str]], Adapter], nullable: frozenset[str]) -> Adapter:
    """Parse a plug-in's detector for missing values in other columns."""
    return with_checked_calls(parse(nullable))


def _restored(detector: Adapter, request: ParseRequest) -> Adapter:
    """Return the forest of a saved explainer if its columns match; its threshold is known."""
    codebook = request.codebook
    if set(detector.columns) not in (set(codebook.names), set(codebook.names) - set(codebook.dates)):
        raise UnsupportedDetector(
            f"This detector was parsed for the columns {', '.join(detector.columns)}, but the reference has "
            f"{', '.join(request.codebook.names)}. Parse it again."
        )
    return detector
