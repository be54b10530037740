"""Parse a PyTorch Sequential of plain layers, and evaluate any other module.

The meaning of the outputs:

* One output: its logistic function is the probability of class 1. If the last layer is a Sigmoid, the output
  itself is this probability. With ``target=(low, high)``, the output is a number that must lie in that range.
* Several outputs: one logit per class, and their softmax are the probabilities (a final Softmax or LogSoftmax
  is the same). If there are more than two classes, the largest output wins.

The module runs in its own precision on the CPU. The logistic function or softmax is computed in float64 from
its outputs. Classes are 0, 1, … The module is never changed, and not even put into eval mode.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from p2ce.base.arrays import CHECKED_ROWS, FloatArray
from p2ce.base.calls.library import library_class, overrides
from p2ce.base.calls.model_call import AsArray, ModelCall, labels_in_order
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import Reported, logistic
from p2ce.engine.scores.network.network_rounding import DOUBLE, SINGLE
from p2ce.engine.scores.score import seen_as_given, seen_in_single
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.margins import ClassOutputs, NumberOutput, OutputLink, ParsedModel
from p2ce.models.contract.network_outputs import NetworkOutputs
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.decision import Decision, decide_class, decide_number
from p2ce.models.decisions.row_format import columns_by_count
from p2ce.models.decisions.target_arguments import is_range
from p2ce.models.families.torch.layers import (
    IGNORED,
    LAST,
    layer_kind,
    layers_of,
    plain_layers,
    precision_of,
    require_eval,
    require_unit,
    unit_of,
)
from p2ce.models.fitted import require_numbers

FAMILY = "PyTorch Sequential"
_NAMES = frozenset({"Sequential"})


def recognises(model: object) -> bool:
    """Return whether a model is a PyTorch Sequential that only applies its layers, one after another."""
    kind = library_class(model, root="torch", names=_NAMES)
    return kind is not None and not overrides(model, kind)


def recognises_module(model: object) -> bool:
    """Return whether a model is any PyTorch module."""
    return any(
        kind.__name__ == "Module" and kind.__module__ == "torch.nn.modules.module"
        for kind in type(model).__mro__
    )


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse the layers in order; the outputs are margins of the classes, or the number."""
    dtype = precision_of(model)
    parts = [part for part in plain_layers(model) if layer_kind(part) not in IGNORED]
    ending = layer_kind(parts[-1]) if parts and layer_kind(parts[-1]) in ("Sigmoid", *LAST) else ""
    layers = layers_of(parts[:-1] if ending else parts)
    width = layers[-1].weights.shape[1]
    fits = width > 1 if ending in LAST else width == 1 if ending else True
    if layers[-1].activation != "identity" or not fits:
        raise UnsupportedModel(
            f"This Sequential ends with {width} outputs of {layer_kind(parts[-1])}: only one logit, one "
            "probability, or one logit for each class is supported natively. End it with a Linear layer."
        )
    single = dtype == np.float32
    columns = columns_by_count(len(layers[0].weights), request.reference)
    require_numbers(request, columns, name=FAMILY)
    unit = unit_of(dtype)
    margins = NetworkOutputs(
        columns=columns,
        layers=tuple(layers),
        see=seen_in_single if single else seen_as_given,
        unit=unit,
        single=bool(ending) and single,  # without an ending, softmax is computed here, in float64
        rows=request.codebook.of(columns).encode(request.reference.head(CHECKED_ROWS)),
    )
    returned = _call(model, columns, request.reference, unit=unit)
    if is_range(request.target) and width == 1:
        if ending:
            raise UnsupportedModel(
                "This Sequential ends with a Sigmoid, for which a range is not supported natively. End it "
                "with a Linear layer."
            )
        return ParsedModel(family=FAMILY, margins=margins, outputs=NumberOutput(predict=returned))
    plain = SINGLE if single else DOUBLE
    return ParsedModel(
        family=FAMILY,
        margins=margins,
        outputs=ClassOutputs(
            names=tuple(range(max(2, width))),
            probabilities=returned.then(partial(_probabilities, ending=ending)),
            largest=returned,
            link=lambda complement: OutputLink(_reported(complement, ending, plain), _expit),
            single=margins.single,
        ),
    )


def decide_module(module: Any, request: ParseRequest) -> tuple[tuple[str, ...], Decision]:
    """Determine what any module must reach as a black box: its outputs are logits, or a number.

    (n,) or (n, 1) is the logit of class 1; with ``target=(low, high)`` it is the number that must lie in this
    range. (n, k) holds one logit for each of the classes 0 to k − 1. A module that returns probabilities must
    be wrapped in a callable that returns them.
    """
    require_eval(module)
    reference = request.reference
    columns = tuple(str(name) for name in reference.columns)
    others = [one for one in request.codebook.of(columns) if one.is_category or one.is_date]
    if others:
        what = "dates" if others[0].is_date else "categories"
        raise UnsupportedModel(
            f"This {type(module).__name__} expects rows of numbers, but column {echoed(others[0].name)} "
            f"holds {what}. Pass a function that encodes the rows of a frame and evaluates the module on "
            "them."
        )
    returned = _call(module, columns, reference)
    rows = reference.head(2)
    shape = returned.method(returned.rows(rows)).shape
    if len(shape) == 0 or len(shape) > 2 or shape[0] != len(rows):
        raise UnsupportedModel(
            f"This {type(module).__name__} returned a tensor of shape {shape} for {len(rows)} "
            "rows. It must return one logit per row, or one per row and class."
        )
    width = 1 if len(shape) == 1 else shape[1]
    if is_range(request.target) and width == 1:
        return columns, decide_number(request, returned, name="module")
    return columns, decide_class(
        request,
        classes=tuple(range(max(2, width))),
        probabilities=returned.then(partial(_probabilities, ending="")),
        largest=returned,
        name="module",
    )


def _expit(scores: FloatArray) -> FloatArray:
    return np.asarray(expit(scores), dtype=np.float64)


def _call(
    module: Any, columns: tuple[str, ...], reference: pd.DataFrame, *, unit: float | None = None
) -> ModelCall:
    """Return the call of the module's own output."""
    rows = AsArray(labels=labels_in_order(columns, reference), dtype=np.dtype(np.float64))
    return ModelCall(name=FAMILY, method=partial(run_module, module, unit=unit), rows=rows)


def run_module(module: Any, values: FloatArray, *, unit: float | None = None) -> FloatArray:
    """Evaluate the module on rows, in its own precision and on its own device.

    ``unit`` is the rounding unit that the proofs about it assume; None if there are none.
    """
    import torch

    held = next((tensor for tensor in module.parameters() if tensor.is_floating_point()), None)
    dtype = torch.float32 if held is None else held.dtype
    if unit is not None:
        require_unit(module, np.dtype(np.float64 if dtype == torch.float64 else np.float32), unit)
    with torch.inference_mode(), torch.autocast("cpu", enabled=False):
        rows = torch.from_numpy(np.array(values)).to(dtype)
        returned = module(rows if held is None else rows.to(held.device))
    if not isinstance(returned, torch.Tensor):
        raise UnsupportedModel(
            f"This {type(module).__name__} returned {type(returned).__name__}, not a tensor. "
            "Pass a callable that returns the probability of the target class."
        )
    return np.asarray(returned.detach().to("cpu", torch.float64).numpy())


def _probabilities(found: FloatArray, ending: str) -> FloatArray:
    """Convert the module's outputs to one probability per class: (n,) or (n, classes) → (n, classes)."""
    if found.ndim == 1:
        if ending == "Sigmoid":
            return np.column_stack([1.0 - found, found])
        return np.column_stack([_expit(-found), _expit(found)])
    if ending == "Softmax":
        return found
    if ending == "LogSoftmax":
        return np.asarray(np.exp(found))
    if found.shape[1] == 2:
        ahead = found[:, 1] - found[:, 0]
        return np.column_stack([_expit(-ahead), _expit(ahead)])
    return np.asarray(softmax(found, axis=1))


def _reported(complement: bool, ending: str, unit: float) -> Reported:
    """Bound a probability that is computed from the target's logit, or from its lead over the other class.

    Without an ending, that happens here, in float64. With one, the module itself computes it in its own
    precision: exponential, sum and quotient (for LogSoftmax the logarithm) are each off by a few units in the
    last place. Together, 64 units are allowed. Numbers too small to be normal lose more, but at most 1e-37.
    """
    exact = logistic(complement=False)
    if not ending:
        return exact
    share, tiny = 64.0 * unit, 1e-300 if unit <= DOUBLE else 1e-37

    def reported(score: Any) -> tuple[Any, Any]:
        turned = ending == "Sigmoid" and complement
        low, high = exact(-score if turned else score)
        low, high = low * (1.0 - share) - tiny, high * (1.0 + share) + tiny
        return (1.0 - high, 1.0 - low) if turned else (low, high)

    return reported
