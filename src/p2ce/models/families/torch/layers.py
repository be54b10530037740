"""Parse the layers of a PyTorch Sequential; normalisations are folded into an adjacent layer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class, overrides
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.network.network_rounding import DOUBLE, SINGLE
from p2ce.errors import ModelMismatch, UnsupportedModel
from p2ce.models.fitted import require_library_class

IGNORED = frozenset({"Identity", "Dropout", "AlphaDropout", "Flatten"})
LAST = frozenset({"Softmax", "LogSoftmax"})
_ACTIVATIONS = {"ReLU": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid"}
_KNOWN = frozenset({*_ACTIVATIONS, *IGNORED, *LAST, "Sequential", "Linear", "LeakyReLU", "BatchNorm1d"})
# Layers that compute the same in training mode. Dropout, batch normalisation and RReLU do not.
_ALIKE = frozenset({
    *(_KNOWN - {"Dropout", "AlphaDropout", "BatchNorm1d"}),
    *("CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LayerNorm"),
    *("LogSigmoid", "Mish", "PReLU", "ReLU6", "SELU", "SiLU", "Softmin", "Softplus", "Softshrink"),
    *("Softsign", "Tanhshrink", "Threshold"),
})  # fmt: skip
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
BFLOAT = 2.0**-8
# The roundings that a normalisation adds to a term: root, reciprocal, two products, two sums, plus a reserve.
_NORMALISED = 16
# Outside this range, a normalisation stays a separate layer, so an overflow before it is noticed.
_FOLDED_RANGE = (1e-12, 1e12)


def layer_kind(part: Any) -> str:
    """Return the kind of layer; empty if it is unknown."""
    kind = library_class(part, root="torch", names=_KNOWN)
    return "" if kind is None else kind.__name__


def plain_layers(module: Any) -> Iterator[Any]:
    """Yield the layers of nested Sequentials in order; raise for anything other than a plain layer."""
    if not layer_kind(module):
        raise UnsupportedModel(
            f"This Sequential contains {type(module).__name__}, which is not supported. Supported are "
            f"{', '.join(sorted(_KNOWN))}."
        )
    require_library_class(module, root="torch", names=_KNOWN)
    if any(getattr(module, name, None) for name in _HOOKS) or getattr(module, "_compiled_call_impl", None):
        raise UnsupportedModel(
            f"{type(module).__name__} in this Sequential has forward hooks or is compiled, so its result "
            "does not follow from its parameters. Pass the plain module."
        )
    require_eval(module)
    kind = layer_kind(module)
    if kind == "Sequential":
        for part in module:
            yield from plain_layers(part)
        return
    if kind == "Flatten" and (module.start_dim, module.end_dim) not in ((1, -1), (1, 1)):
        raise UnsupportedModel(
            "Flatten in this Sequential must have start_dim=1. Remove it: rows are already flat."
        )
    if kind in LAST and module.dim not in (1, -1):
        raise UnsupportedModel(
            f"{kind} in this Sequential must have dim=1, over the classes; got {module.dim}."
        )
    yield module


def require_eval(module: Any) -> None:
    """Raise if a module is in training mode, unless all of its parts compute the same in both modes."""
    for part in module.modules():
        if part.training and not _is_the_same_in_training(part):
            named = "" if part is module else f", and holds {type(part).__name__}"
            raise UnsupportedModel(
                f"This {type(module).__name__} is in training mode{named}, so its outputs may be random, or "
                "depend on the other rows. Call .eval() on it first."
            )


def _is_the_same_in_training(part: Any) -> bool:
    """Return whether a part is a layer of the library that does not look at its mode, and nothing else."""
    kind = library_class(part, root="torch", names=_ALIKE)
    return (
        kind is not None and not overrides(part, kind) and not any(getattr(part, one, None) for one in _HOOKS)
    )


def precision_of(module: Any) -> np.dtype[Any]:
    """Return the common precision of all numbers in the module, which must be finite and on the CPU."""
    held = [tensor for tensor in (*module.parameters(), *module.buffers()) if tensor.is_floating_point()]
    kinds = {str(tensor.dtype).removeprefix("torch.") for tensor in held}
    if len(kinds) != 1 or not kinds <= {"float32", "float64"}:
        raise UnsupportedModel(
            f"This Sequential holds numbers of type {', '.join(sorted(kinds)) or 'none'}, but all must be "
            "float32, or all float64. Convert it with .float() or .double()."
        )
    if any(tensor.device.type != "cpu" for tensor in held):
        raise UnsupportedModel("This Sequential is not on the CPU. Pass a copy on the CPU: module.cpu().")
    if not all(bool(tensor.isfinite().all()) for tensor in held):
        raise UnsupportedModel("This Sequential holds weights that are not finite numbers. Train it again.")
    return np.dtype(kinds.pop())


def unit_of(dtype: np.dtype[Any]) -> float:
    """Return the rounding unit; a setting of PyTorch may multiply float32 matrices in bfloat16."""
    import torch

    if dtype == np.float64:
        return DOUBLE
    mkldnn = torch.backends.mkldnn
    places = (torch.backends, mkldnn, getattr(mkldnn, "matmul", None))
    set_to = {getattr(place, "fp32_precision", "none") for place in places}
    try:
        set_to.add(torch.get_float32_matmul_precision())
    except RuntimeError:  # newer releases raise if both settings were used
        return BFLOAT
    return SINGLE if set_to <= {"none", "ieee", "highest"} else BFLOAT


def require_unit(module: Any, dtype: np.dtype[Any], unit: float) -> None:
    """Raise if PyTorch's settings let the module round more than when it was parsed."""
    if unit_of(dtype) > unit:
        raise ModelMismatch(
            f"PyTorch now multiplies the float32 matrices of this {type(module).__name__} in bfloat16, but "
            "not when the module was parsed, so nothing is proven about its outputs. Restore "
            'torch.set_float32_matmul_precision("highest"), or create the explainer again.'
        )


def layers_of(parts: list[Any]) -> list[Layer]:
    """Convert the parts of a Sequential to layers."""
    layers: list[Layer] = []
    for part in parts:
        kind = layer_kind(part)
        pending = layers[-1] if layers and layers[-1].activation == "identity" else None
        if kind == "Linear":
            layers.append(_linear(part))
        elif kind == "BatchNorm1d":
            layers.append(_normalisation(part))
        elif kind in _ACTIVATIONS or kind == "LeakyReLU":
            if not layers:
                raise UnsupportedModel(f"This Sequential begins with {kind}. Begin it with a Linear layer.")
            if pending is None:  # the previous layer already has an activation
                layers.append(_diagonal(np.ones(len(layers[-1].bias)), np.zeros(len(layers[-1].bias))))
            layers[-1] = replace(
                layers[-1], activation=_ACTIVATIONS.get(kind, "leaky_relu"), slope=_slope(part, kind)
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
        raise UnsupportedModel(f"LeakyReLU has slope {slope}; only slopes from 0 to 1 are supported.")
    return slope


def _linear(part: Any) -> Layer:
    weights = _numbers(part.weight).T
    return Layer(
        weights=weights, bias=np.zeros(weights.shape[1]) if part.bias is None else _numbers(part.bias)
    )


def _normalisation(part: Any) -> Layer:
    """Convert (x − mean) / √(variance + ε) · weight + bias to a product and a sum per column."""
    if part.running_mean is None:
        raise UnsupportedModel(
            "BatchNorm1d without running statistics uses all rows together. Train it with them."
        )
    mean, variance = _numbers(part.running_mean), _numbers(part.running_var)
    weight = np.ones(len(mean)) if part.weight is None else _numbers(part.weight)
    bias = np.zeros(len(mean)) if part.bias is None else _numbers(part.bias)
    spread = variance + float(part.eps)
    largest = max(float(np.abs(array).max(initial=0.0)) for array in (mean, weight, bias, spread))
    if not (float(spread.min(initial=1.0)) >= 1e-12 and largest <= 1e12):
        raise UnsupportedModel(
            "BatchNorm1d holds numbers above 1e12 or a variance below 1e-12. Train it again."
        )
    scale = weight / np.sqrt(spread)
    return _diagonal(scale, bias - mean * scale, np.abs(bias) + np.abs(mean * scale))


def _diagonal(scale: FloatArray, shift: FloatArray, size: FloatArray | None = None) -> Layer:
    """Return the layer for a product and a sum per column."""
    bias_size = np.abs(shift) if size is None else size
    return Layer(weights=np.diag(scale), bias=shift, bias_size=bias_size, extra_steps=_NORMALISED)


def _may_fold(before: Layer, after: Layer) -> bool:
    """Return whether two layers without an activation in between can be folded: one must be diagonal.

    A folded layer is not folded again, so an overflow in between would be noticed.
    """
    if not {before.extra_steps, after.extra_steps} <= {0, _NORMALISED}:
        return False
    scales = [np.abs(np.diag(layer.weights)) for layer in (before, after) if layer.extra_steps == _NORMALISED]
    low, high = _FOLDED_RANGE
    return bool(scales) and all(bool(((scale >= low) & (scale <= high)).all()) for scale in scales)


def _folded(before: Layer, after: Layer) -> Layer:
    """Fold two layers into one; terms have the magnitudes and the roundings of both."""
    return Layer(
        weights=before.weights @ after.weights,
        bias=before.bias @ after.weights + after.bias,
        size=before.size @ after.size,
        bias_size=before.bias_size @ after.size + after.bias_size,
        extra_steps=before.extra_steps + after.extra_steps + len(after.weights),
    )


def _numbers(tensor: Any) -> FloatArray:
    return np.array(tensor.detach().numpy(), dtype=np.float64)
