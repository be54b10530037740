"""Find the kind of a detector and parse it."""

import logging
from collections.abc import Collection
from typing import Any

import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.plugins import DETECTOR, Family, families_of
from p2ce.base.visible import echoed
from p2ce.errors import BrokenPlugin, InvalidArgument, InvalidReference, UnsupportedDetector
from p2ce.models.detectors import (
    autoencoder,
    density,
    function,
    isolation_forest,
    outlier_detectors,
    restored,
)
from p2ce.models.detectors.black_box_detector import check_contamination
from p2ce.models.detectors.detector_adapter import DetectorAdapter, DetectorRequest
from p2ce.models.detectors.plausibility_forest import PlausibilityForest
from p2ce.tables.codebook import Codebook, codebook_of

__all__ = ["FAMILIES", "SUPPORTED", "DetectorAdapter", "PlausibilityForest", "parse_detector"]

# The first kind that recognises and supports a detector parses it. The order matters: a PyTorch module is
# also callable, so autoencoder comes before function.
FAMILIES: tuple[Family, ...] = (
    restored,
    isolation_forest,
    autoencoder,
    outlier_detectors,
    density,
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
) -> DetectorAdapter | None:
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
    request = DetectorRequest(
        reference=reference,
        codebook=codebook,
        codes=codes,
        nullable=codebook.columns_with_missing(codes) if nullable is None else frozenset(nullable),
        random_state=random_state,
        contamination=contamination,
    )
    why_not = None
    for family in families_of(DETECTOR, FAMILIES):
        if not family.recognises(detector):
            continue
        try:
            found = family.parse(detector, request)
        except UnsupportedDetector as error:
            why_not = why_not or error
            continue
        if not isinstance(found, DetectorAdapter):
            raise BrokenPlugin(
                f"parse() of a detector plug-in must return a DetectorAdapter; for {type(detector).__name__} "
                f"it returned {type(found).__name__}. Correct the plug-in, or uninstall its package."
            )
        if why_not is not None:
            log.info("The detector is a black box, as %s: %s", found.family, why_not)
        return found
    raise why_not or UnsupportedDetector(
        f"{type(detector).__module__}.{type(detector).__name__} is not supported. Supported are {SUPPORTED}."
    )
