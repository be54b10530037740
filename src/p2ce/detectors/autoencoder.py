"""Evaluate a PyTorch autoencoder: rows that it can reproduce are plausible."""

from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.detectors.black_box_detector import DEFAULT_CONTAMINATION, black_box_detector
from p2ce.detectors.detector_adapter import DetectorAdapter, DetectorRequest
from p2ce.errors import UnsupportedDetector


def recognises(detector: object) -> bool:
    """Tell a PyTorch module, without importing PyTorch."""
    return any(
        kind.__name__ == "Module" and kind.__module__.startswith("torch.nn")
        for kind in type(detector).__mro__
    )


def parse(detector: Any, request: DetectorRequest) -> DetectorAdapter:
    """Evaluate minus the mean squared error; the threshold is the reference's 5th percentile by default.

    The columns are the reference's, in its order and unscaled: scaling belongs into the module.
    """
    if any(part.training for part in detector.modules()):
        raise UnsupportedDetector(
            f"{type(detector).__name__} is in training mode, in which dropout and batch normalisation give "
            "other results each time. Call .eval() on it."
        )

    return black_box_detector(
        lambda rows: -_squared_error(detector, rows),
        request,
        name=type(detector).__name__,
        call=f"detector ({type(detector).__name__})",
        columns=tuple(str(name) for name in request.reference.columns),
        named=False,
        default_contamination=DEFAULT_CONTAMINATION,
        single=any(str(part.dtype) != "torch.float64" for part in detector.parameters()),
    )


def _squared_error(module: Any, rows: FloatArray) -> FloatArray:
    """Average the squared differences between rows and what comes out for them, in float64: (n, d) → (n,)."""
    import torch

    like = next(module.parameters(), torch.zeros(0))
    given = torch.as_tensor(rows, dtype=like.dtype, device=like.device)
    with torch.no_grad():
        # A copy goes in: a module may write to what it is given.
        made = module(given.clone())
    if not isinstance(made, torch.Tensor) or made.shape != given.shape:
        found = f"shape {tuple(made.shape)}" if isinstance(made, torch.Tensor) else type(made).__name__
        raise UnsupportedDetector(
            f"An autoencoder gives rows back as they came in; for shape {tuple(given.shape)} "
            f"{type(module).__name__} gave {found}. For anything else pass a function of rows that gives "
            "one number per row, higher for more plausible."
        )
    difference = (made - given).double().cpu().numpy()
    return np.asarray((difference**2).mean(axis=1), dtype=np.float64)
