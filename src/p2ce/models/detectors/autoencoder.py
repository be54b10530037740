"""Evaluate a PyTorch autoencoder: rows that it reproduces well are plausible."""

from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.errors import UnsupportedDetector
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.detectors.black_box_detector import DEFAULT_CONTAMINATION, black_box_detector


def recognises(detector: object) -> bool:
    """Return whether a detector is a PyTorch module, without importing PyTorch."""
    return any(
        kind.__name__ == "Module" and kind.__module__.startswith("torch.nn")
        for kind in type(detector).__mro__
    )


def parse(detector: Any, request: ParseRequest) -> Adapter:
    """Adapt a module: values are minus the mean squared error; the default threshold is the 5th percentile.

    The module receives the columns of the reference in their order and unscaled. It must scale them itself.
    """
    if any(part.training for part in detector.modules()):
        raise UnsupportedDetector(
            f"{type(detector).__name__} is in training mode, in which dropout and batch normalisation return "
            "different results each time. Call .eval() on it."
        )

    return black_box_detector(
        partial(_negative_error, detector),
        request,
        name=type(detector).__name__,
        call=f"detector ({type(detector).__name__})",
        columns=tuple(str(name) for name in request.reference.columns),
        named=False,
        default_contamination=DEFAULT_CONTAMINATION,
        single=any(str(part.dtype) != "torch.float64" for part in detector.parameters()),
    )


def _negative_error(module: Any, rows: FloatArray) -> FloatArray:
    """Return minus the mean squared error of the reconstructed rows, in float64: (n, d) → (n,)."""
    import torch

    like = next(module.parameters(), torch.zeros(0))
    given = torch.as_tensor(rows, dtype=like.dtype, device=like.device)
    with torch.no_grad():
        # The module gets a copy, since it may write to its input.
        made = module(given.clone())
    if not isinstance(made, torch.Tensor) or made.shape != given.shape:
        found = f"shape {tuple(made.shape)}" if isinstance(made, torch.Tensor) else type(made).__name__
        raise UnsupportedDetector(
            f"An autoencoder must return rows of the shape that it receives; for shape {tuple(given.shape)} "
            f"{type(module).__name__} returned {found}. For any other module pass a function of rows that "
            "returns one number per row, higher for more plausible."
        )
    difference = (made - given).double().cpu().numpy()
    return np.asarray(-(difference**2).mean(axis=1), dtype=np.float64)
