"""Read a PyTorch Sequential of plain layers, and ask any other module.

What the probability of the target is, for a module with

* one output: the logistic function of it, or the output itself where the last layer is a Sigmoid;
* two outputs, one logit per class: their softmax (a final Softmax or LogSoftmax is the same).

The module runs in its own precision on the CPU; the logistic function or softmax on top is computed in
float64 from what it returns. Classes are 0, 1, … The module is never changed, not even put into eval mode.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from p2ce.arrays import FloatArray
from p2ce.compiled.library import library_class, overrides
from p2ce.compiled.links import Reported, logistic, sure_and_maybe
from p2ce.compiled.network import NetworkScore
from p2ce.compiled.network_layers import Layer
from p2ce.compiled.network_rounding import DOUBLE, SINGLE
from p2ce.compiled.score import seen_as_given, seen_in_single
from p2ce.errors import UnsupportedModel
from p2ce.models.reading import (
    PROBABILITY,
    Ask,
    ReadModel,
    Request,
    class_index,
    columns_by_count,
    probability_threshold,
)
from p2ce.models.sklearn_common import require_own

FAMILY = "PyTorch Sequential"
OPAQUE_FAMILY = "opaque torch module"
_NAMES = frozenset({"Sequential"})
_BENT = {"ReLU": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid"}
_IGNORED = frozenset({"Identity", "Dropout", "AlphaDropout", "Flatten"})
_LAST = frozenset({"Softmax", "LogSoftmax"})
_KNOWN = frozenset({*_BENT, *_IGNORED, *_LAST, "Sequential", "Linear", "LeakyReLU", "BatchNorm1d"})
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
BFLOAT = 2.0**-8
# The roundings that a normalisation adds to a term: root, reciprocal, two products, two sums, with room.
_NORMALISED = 16
# Beyond these a normalisation is kept as a layer of its own, where an overflow before it is noticed.
_FOLDED_RANGE = (1e-12, 1e12)
CHECKED_ROWS = 256


def recognises(model: object) -> bool:
    """Tell a PyTorch Sequential that does what its layers do, one after the other."""
    kind = library_class(model, root="torch", names=_NAMES)
    return kind is not None and not overrides(model, kind)


def recognises_module(model: object) -> bool:
    """Tell any PyTorch module."""
    return any(
        kind.__name__ == "Module" and kind.__module__ == "torch.nn.modules.module"
        for kind in type(model).__mro__
    )


def read(model: Any, request: Request) -> ReadModel:
    """Read the layers in order; normalisations are folded into the Linear layer beside them."""
    dtype = _precision(model)
    parts = [part for part in _parts(model) if _kind(part) not in _IGNORED]
    ending = _kind(parts[-1]) if parts and _kind(parts[-1]) in ("Sigmoid", *_LAST) else ""
    layers = _layers(parts[:-1] if ending else parts)
    width = layers[-1].weights.shape[1]
    if layers[-1].activation != "identity" or width != (
        2 if ending in _LAST else 1 if ending else min(width, 2)
    ):
        raise UnsupportedModel(
            f"This Sequential ends with {width} outputs of {_kind(parts[-1])}: only one logit, one "
            "probability, or one logit for each of two classes can be read. "
            "End it with a Linear layer of one or two outputs."
        )
    index = class_index((0, 1), request.target)
    columns = columns_by_count(len(layers[0].weights), request.reference)
    threshold = probability_threshold(request.threshold)
    single = dtype == np.float32
    link = (
        _printed_link(index, ending, SINGLE if single else DOUBLE) if ending else logistic(complement=False)
    )
    sure, maybe = sure_and_maybe(link, threshold)
    score = NetworkScore(
        name="model",
        column_count=len(columns),
        layers=(*layers[:-1], _one_output(layers[-1], index)),
        sure=sure,
        maybe=maybe,
        see=seen_in_single if single else seen_as_given,
        unit=_unit(dtype),
    )
    rows = request.reference.to_numpy(dtype=np.float64)[:CHECKED_ROWS]
    return ReadModel(
        family=FAMILY,
        score=score,
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=(0, 1),
        ask=_asks(model, columns, request.reference, _outcome(ending, index)),
        report=_expit,
        tolerance=score.tolerance(rows),
    )


def ask_module(module: Any, reference: pd.DataFrame, target: Any, threshold: float | None) -> ReadModel:
    """Take any module as one that can only be asked; its outputs are logits.

    (n,) or (n, 1) is the logit of class 1; (n, k) holds one logit for each of the classes 0 to k − 1. A
    module that ends with probabilities needs a callable around it that returns them.
    """
    _require_eval(module)
    columns = tuple(str(name) for name in reference.columns)
    shape = run_module(module, reference.head(2).to_numpy(dtype=np.float64)).shape
    if len(shape) == 0 or len(shape) > 2 or shape[0] != min(2, len(reference)):
        raise UnsupportedModel(
            f"This {type(module).__name__} returned a tensor of shape {shape} for {min(2, len(reference))} "
            "rows. It must give one logit per row, or one per row and class."
        )
    count = 2 if len(shape) == 1 or shape[1] == 1 else shape[1]
    index = class_index(tuple(range(count)), target)
    return ReadModel(
        family=OPAQUE_FAMILY,
        score=None,
        columns=columns,
        scale=PROBABILITY,
        threshold=probability_threshold(threshold),
        classes=tuple(range(count)),
        ask=_asks(module, columns, reference, _outcome("", index)),
        report=_unchanged,
        tolerance=1e-9,
    )


def _unchanged(scores: FloatArray) -> FloatArray:
    return scores


def _expit(scores: FloatArray) -> FloatArray:
    return np.asarray(expit(scores), dtype=np.float64)


def _asks(
    module: Any,
    columns: tuple[str, ...],
    reference: pd.DataFrame,
    outcome: Callable[[FloatArray], FloatArray],
) -> Ask:
    labels = {str(label): label for label in reference.columns}
    order = [labels[name] for name in columns]
    return lambda frame: outcome(run_module(module, frame[order].to_numpy(dtype=np.float64)))


def run_module(module: Any, values: FloatArray) -> FloatArray:
    """Put rows to the module, in its own precision and place."""
    import torch

    held = next((tensor for tensor in module.parameters() if tensor.is_floating_point()), None)
    dtype = torch.float32 if held is None else held.dtype
    with torch.inference_mode(), torch.autocast("cpu", enabled=False):
        rows = torch.from_numpy(np.array(values)).to(dtype)
        returned = module(rows if held is None else rows.to(held.device))
    if not isinstance(returned, torch.Tensor):
        raise UnsupportedModel(
            f"This {type(module).__name__} returned {type(returned).__name__}, not a tensor. "
            "Pass a callable that returns the probability of the wanted class."
        )
    return np.asarray(returned.detach().to("cpu", torch.float64).numpy())


def _outcome(ending: str, index: int) -> Callable[[FloatArray], FloatArray]:
    """Choose the formula that turns what the module returns into the probability of class ``index``."""

    def outcome(returned: FloatArray) -> FloatArray:
        if returned.ndim == 1 or returned.shape[1] == 1:
            one = returned.reshape(-1)
            if ending == "Sigmoid":
                return one if index == 1 else 1.0 - one
            return _expit(one if index == 1 else -one)
        if ending == "Softmax":
            return np.ascontiguousarray(returned[:, index])
        if ending == "LogSoftmax":
            return np.asarray(np.exp(returned[:, index]))
        if returned.shape[1] == 2:
            return _expit(returned[:, index] - returned[:, 1 - index])
        return np.ascontiguousarray(softmax(returned, axis=1)[:, index])

    return outcome


def _printed_link(index: int, ending: str, unit: float) -> Reported:
    """Bound a probability that the module itself computes from its logits, in its own precision.

    Exponential, sum and quotient (for LogSoftmax the logarithm) each err by a few units in the last place; 64
    are allowed together. Numbers too small to be normal lose more, but no more than 1e-37.
    """
    exact = logistic(complement=False)
    share, tiny = 64.0 * unit, 1e-300 if unit <= DOUBLE else 1e-37

    def reported(score: float) -> tuple[float, float]:
        turned = ending == "Sigmoid" and index == 0
        low, high = exact(-score if turned else score)
        low, high = low * (1.0 - share) - tiny, high * (1.0 + share) + tiny
        return (1.0 - high, 1.0 - low) if turned else (low, high)

    return reported


def _one_output(layer: Layer, index: int) -> Layer:
    """Turn one or two logits into the margin of the target: the logit, minus it, or the difference."""
    if layer.weights.shape[1] == 1:
        sign = 1.0 if index == 1 else -1.0
        return replace(layer, weights=sign * layer.weights, bias=sign * layer.bias)
    other = 1 - index
    return Layer(
        weights=layer.weights[:, [index]] - layer.weights[:, [other]],
        bias=layer.bias[[index]] - layer.bias[[other]],
        size=layer.size.sum(axis=1, keepdims=True),
        bias_size=layer.bias_size.sum(keepdims=True),
        extra_steps=layer.extra_steps + 8,
    )


def _kind(part: Any) -> str:
    kind = library_class(part, root="torch", names=_KNOWN)
    return "" if kind is None else kind.__name__


def _parts(module: Any) -> Iterator[Any]:
    """Walk nested Sequentials in order, and refuse whatever is more than a plain layer."""
    if not _kind(module):
        raise UnsupportedModel(
            f"This Sequential contains {type(module).__name__}, which cannot be read. Supported are "
            f"{', '.join(sorted(_KNOWN))}."
        )
    require_own(module, root="torch", names=_KNOWN)
    if any(getattr(module, name, None) for name in _HOOKS) or getattr(module, "_compiled_call_impl", None):
        raise UnsupportedModel(
            f"{type(module).__name__} in this Sequential has forward hooks or is compiled, so that its "
            "parameters do not tell what it computes. Pass the plain module."
        )
    _require_eval(module)
    kind = _kind(module)
    if kind == "Sequential":
        for part in module:
            yield from _parts(part)
        return
    if kind == "Flatten" and (module.start_dim, module.end_dim) not in ((1, -1), (1, 1)):
        raise UnsupportedModel(
            "Flatten in this Sequential must have start_dim=1. Drop it: rows are flat already."
        )
    if kind in _LAST and module.dim not in (1, -1):
        raise UnsupportedModel(
            f"{kind} in this Sequential must have dim=1, over the classes; got {module.dim}."
        )
    yield module


def _require_eval(module: Any) -> None:
    if any(part.training for part in module.modules()):
        raise UnsupportedModel(
            f"This {type(module).__name__} is in training mode, where answers may be random. "
            "Call .eval() on it before passing it on."
        )


def _precision(module: Any) -> np.dtype[Any]:
    """Give the one precision of all numbers in the module; they must be finite and on the CPU."""
    held = [tensor for tensor in (*module.parameters(), *module.buffers()) if tensor.is_floating_point()]
    kinds = {str(tensor.dtype).removeprefix("torch.") for tensor in held}
    if len(kinds) != 1 or not kinds <= {"float32", "float64"}:
        raise UnsupportedModel(
            f"This Sequential holds numbers of type {', '.join(sorted(kinds)) or 'none'}: float32 or float64 "
            "throughout can be read. Convert it with .float() or .double()."
        )
    if any(tensor.device.type != "cpu" for tensor in held):
        raise UnsupportedModel("This Sequential is not on the CPU. Pass a copy that is: module.cpu().")
    if not all(bool(tensor.isfinite().all()) for tensor in held):
        raise UnsupportedModel("This Sequential holds weights that are not finite numbers. Train it again.")
    return np.dtype(kinds.pop())


def _unit(dtype: np.dtype[Any]) -> float:
    """Give the rounding unit; PyTorch may have been told to multiply float32 matrices in bfloat16."""
    import torch

    if dtype == np.float64:
        return DOUBLE
    mkldnn = torch.backends.mkldnn
    places = (torch.backends, mkldnn, getattr(mkldnn, "matmul", None))
    told = {getattr(place, "fp32_precision", "none") for place in places}
    try:
        told.add(torch.get_float32_matmul_precision())
    except RuntimeError:  # newer releases do not answer where both ways of telling were used
        return BFLOAT
    return SINGLE if told <= {"none", "ieee", "highest"} else BFLOAT


def _layers(parts: list[Any]) -> list[Layer]:
    layers: list[Layer] = []
    for part in parts:
        kind = _kind(part)
        pending = layers[-1] if layers and layers[-1].activation == "identity" else None
        if kind == "Linear":
            layers.append(_linear(part))
        elif kind == "BatchNorm1d":
            layers.append(_normalisation(part))
        elif kind in _BENT or kind == "LeakyReLU":
            if not layers:
                raise UnsupportedModel(f"This Sequential begins with {kind}. Begin it with a Linear layer.")
            if pending is None:  # one activation after another
                layers.append(_diagonal(np.ones(len(layers[-1].bias)), np.zeros(len(layers[-1].bias))))
            layers[-1] = replace(
                layers[-1], activation=_BENT.get(kind, "leaky_relu"), slope=_slope(part, kind)
            )
            continue
        else:
            raise UnsupportedModel(f"{kind} can only be the last layer of a Sequential.")
        if pending is not None and _may_fold(pending, layers[-1]):
            layers[-2:] = [_folded(pending, layers[-1])]
    if not layers:
        raise UnsupportedModel("This Sequential has no layers. Pass one that ends with a Linear layer.")
    return layers


def _slope(part: Any, kind: str) -> float:
    slope = float(part.negative_slope) if kind == "LeakyReLU" else 0.0
    if not 0.0 <= slope <= 1.0:
        raise UnsupportedModel(f"LeakyReLU has slope {slope}; only slopes from 0 to 1 can be read.")
    return slope


def _linear(part: Any) -> Layer:
    weights = _numbers(part.weight).T
    return Layer(
        weights=weights, bias=np.zeros(weights.shape[1]) if part.bias is None else _numbers(part.bias)
    )


def _normalisation(part: Any) -> Layer:
    """Turn (x − mean) / √(variance + ε) · weight + bias into a product and a sum per column."""
    if part.running_mean is None:
        raise UnsupportedModel(
            "BatchNorm1d without running statistics looks at all rows together. Train it with them."
        )
    mean, variance = _numbers(part.running_mean), _numbers(part.running_var)
    weight = np.ones(len(mean)) if part.weight is None else _numbers(part.weight)
    bias = np.zeros(len(mean)) if part.bias is None else _numbers(part.bias)
    spread = variance + float(part.eps)
    largest = max(float(np.abs(array).max(initial=0.0)) for array in (mean, weight, bias, spread))
    if not (float(spread.min(initial=1.0)) >= 1e-12 and largest <= 1e12):
        raise UnsupportedModel(
            "BatchNorm1d holds numbers beyond 1e12 or a variance below 1e-12. Train it again."
        )
    scale = weight / np.sqrt(spread)
    return _diagonal(scale, bias - mean * scale, np.abs(bias) + np.abs(mean * scale))


def _diagonal(scale: FloatArray, shift: FloatArray, size: FloatArray | None = None) -> Layer:
    """Write a product and a sum per column as a layer."""
    bias_size = np.abs(shift) if size is None else size
    return Layer(weights=np.diag(scale), bias=shift, bias_size=bias_size, extra_steps=_NORMALISED)


def _may_fold(before: Layer, after: Layer) -> bool:
    """Tell whether two layers without an activation in between become one: one of them must be diagonal.

    What was folded once is not folded again, so that an overflow in between would be noticed.
    """
    if not {before.extra_steps, after.extra_steps} <= {0, _NORMALISED}:
        return False
    scales = [np.abs(np.diag(layer.weights)) for layer in (before, after) if layer.extra_steps == _NORMALISED]
    low, high = _FOLDED_RANGE
    return bool(scales) and all(bool(((scale >= low) & (scale <= high)).all()) for scale in scales)


def _folded(before: Layer, after: Layer) -> Layer:
    """Multiply two layers; terms keep the magnitudes, and the roundings, of both."""
    return Layer(
        weights=before.weights @ after.weights,
        bias=before.bias @ after.weights + after.bias,
        size=before.size @ after.size,
        bias_size=before.bias_size @ after.size + after.bias_size,
        extra_steps=before.extra_steps + after.extra_steps + len(after.weights),
    )


def _numbers(tensor: Any) -> FloatArray:
    return np.array(tensor.detach().numpy(), dtype=np.float64)
