"""Read a PyTorch Sequential of plain layers, and ask any other module.

What the outputs mean:

* one output: the logistic function of it is the probability of class 1, or the output itself is where the
  last layer is a Sigmoid; with ``target=(low, high)`` it is a number that has to lie in that range;
* several outputs, one logit per class: their softmax (a final Softmax or LogSoftmax is the same); of more
  than two classes the largest output wins.

The module runs in its own precision on the CPU; the logistic function or softmax on top is computed in
float64 from what it returns. Classes are 0, 1, … The module is never changed, not even put into eval mode.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from p2ce.adapters.library import library_class, overrides
from p2ce.arrays import FloatArray
from p2ce.decisions.black_box_decision import Question, about_number, about_probability, is_range
from p2ce.decisions.model_adapter import (
    PROBABILITY,
    ModelAdapter,
    Request,
    class_index,
    columns_by_count,
    probability_threshold,
)
from p2ce.decisions.network_outputs import (
    Outputs,
    difference,
    one_output,
    read_network_range,
    read_network_share,
    read_network_win,
)
from p2ce.decisions.targets import EvaluateAll, class_ask, read_range, refuse_scale
from p2ce.errors import UnsupportedModel
from p2ce.models.sklearn.fitted_attributes import require_numbers
from p2ce.models.torch.layers import (
    IGNORED,
    LAST,
    kind_of,
    layers_of,
    parts_of,
    precision_of,
    require_eval,
    unit_of,
)
from p2ce.scores.error_bands import Reported, logistic, sure_and_maybe
from p2ce.scores.network_rounding import DOUBLE, SINGLE
from p2ce.scores.score import seen_as_given, seen_in_single
from p2ce.visible import echoed

FAMILY = "PyTorch Sequential"
OPAQUE_FAMILY = "opaque torch module"
_NAMES = frozenset({"Sequential"})
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


def read(model: Any, request: Request) -> ModelAdapter:
    """Read the layers in order, and hold the outputs to what is asked of them."""
    dtype = precision_of(model)
    parts = [part for part in parts_of(model) if kind_of(part) not in IGNORED]
    ending = kind_of(parts[-1]) if parts and kind_of(parts[-1]) in ("Sigmoid", *LAST) else ""
    layers = layers_of(parts[:-1] if ending else parts)
    width = layers[-1].weights.shape[1]
    fits = width > 1 if ending in LAST else width == 1 if ending else True
    if layers[-1].activation != "identity" or not fits:
        raise UnsupportedModel(
            f"This Sequential ends with {width} outputs of {kind_of(parts[-1])}: only one logit, one "
            "probability, or one logit for each class can be read. End it with a Linear layer."
        )
    single = dtype == np.float32
    columns = columns_by_count(len(layers[0].weights), request.reference)
    require_numbers(request, columns, name=FAMILY)
    outputs = Outputs(
        family=FAMILY,
        columns=columns,
        layers=tuple(layers),
        see=seen_in_single if single else seen_as_given,
        unit=unit_of(dtype),
        single=bool(ending) and single,  # without an ending, softmax is computed here, in float64
        rows=request.codebook.of(columns).encode(request.reference.head(CHECKED_ROWS)),
    )
    returned = _asks(model, columns, request.reference)
    if is_range(request.target) and width == 1:
        if ending:
            raise UnsupportedModel(
                "This Sequential ends with a Sigmoid, whose output is asked for and not read. End it with a "
                "Linear layer to have a range of its output read."
            )
        wanted = read_range(request, name="module")
        return read_network_range(outputs, wanted, predict=class_ask(returned, 0))
    classes = tuple(range(max(2, width)))
    index = class_index(classes, request.target)
    refuse_scale(request, (PROBABILITY,), name="module")
    if width <= 2:
        return _read_one_of_two(request, outputs, index, ending, returned, single=single)
    probabilities = _probabilities(returned, ending)
    if request.threshold is None:
        return read_network_win(outputs, classes, index, ask_all=returned, ask_probabilities=probabilities)
    threshold = probability_threshold(request.threshold)
    return read_network_share(outputs, classes, index, threshold, ask_probabilities=probabilities)


def _read_one_of_two(
    request: Request, outputs: Outputs, index: int, ending: str, returned: EvaluateAll, *, single: bool
) -> ModelAdapter:
    threshold = probability_threshold(request.threshold)
    link = (
        _printed_link(index, ending, SINGLE if single else DOUBLE) if ending else logistic(complement=False)
    )
    last = outputs.layers[-1]
    if outputs.count == 1:
        last = one_output(last, 0, sign=1.0 if index == 1 else -1.0)
    else:
        last = difference(last, index, 1 - index)
    score = outputs.score(last, *sure_and_maybe(link, threshold))
    return ModelAdapter(
        family=FAMILY,
        score=score,
        columns=outputs.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=(0, 1),
        ask=class_ask(_probabilities(returned, ending), index),
        report=_expit,
        tolerance=score.tolerance(outputs.rows),
    )


def ask_module(module: Any, request: Request) -> ModelAdapter:
    """Take any module as one that can only be asked; its outputs are logits, or a number.

    (n,) or (n, 1) is the logit of class 1, or with ``target=(low, high)`` the number that has to lie there;
    (n, k) holds one logit for each of the classes 0 to k − 1. A module that ends with probabilities needs
    a callable around it that returns them.
    """
    require_eval(module)
    reference = request.reference
    columns = tuple(str(name) for name in reference.columns)
    categories = [name for name in columns if request.codebook[name].is_category]
    if categories:
        raise UnsupportedModel(
            f"This {type(module).__name__} takes rows of numbers; column {echoed(categories[0])} holds "
            "categories. Pass a function that encodes the rows of a frame and puts them to the module."
        )
    returned = _asks(module, columns, reference)
    rows = reference.head(2)
    shape = returned(rows).shape
    if len(shape) == 0 or len(shape) > 2 or shape[0] != len(rows):
        raise UnsupportedModel(
            f"This {type(module).__name__} returned a tensor of shape {shape} for {len(rows)} "
            "rows. It must give one logit per row, or one per row and class."
        )
    question = _question(request, returned, 1 if len(shape) == 1 else shape[1])
    return ModelAdapter(
        family=OPAQUE_FAMILY,
        score=None,
        columns=columns,
        scale=question.scale,
        threshold=question.threshold,
        classes=question.classes,
        ask=question.ask,
        predict=question.predict,
        report=_unchanged,
        tolerance=1e-9,
    )


def _question(request: Request, returned: EvaluateAll, width: int) -> Question:
    if is_range(request.target) and width == 1:
        return about_number(request, lambda frame: returned(frame).reshape(len(frame)), name="module")
    classes = tuple(range(max(2, width)))
    index = class_index(classes, request.target)
    refuse_scale(request, (PROBABILITY,), name="module")
    return about_probability(
        request, _probabilities(returned, ""), classes=classes, index=index, ask_largest=returned
    )


def _unchanged(scores: FloatArray) -> FloatArray:
    return scores


def _expit(scores: FloatArray) -> FloatArray:
    return np.asarray(expit(scores), dtype=np.float64)


def _asks(module: Any, columns: tuple[str, ...], reference: pd.DataFrame) -> EvaluateAll:
    """Build the call that gives what the module returns for a frame."""
    labels = {str(label): label for label in reference.columns}
    order = [labels[name] for name in columns]
    return lambda frame: run_module(module, frame[order].to_numpy(dtype=np.float64, na_value=np.nan))


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


def _probabilities(returned: EvaluateAll, ending: str) -> EvaluateAll:
    """Choose the formula that turns what the module returns into one probability per class."""

    def probabilities(frame: pd.DataFrame) -> FloatArray:
        found = returned(frame)
        if found.ndim == 1 or found.shape[1] == 1:
            one = found.reshape(-1)
            if ending == "Sigmoid":
                return np.column_stack([1.0 - one, one])
            return np.column_stack([_expit(-one), _expit(one)])
        if ending == "Softmax":
            return np.asarray(found)
        if ending == "LogSoftmax":
            return np.asarray(np.exp(found))
        if found.shape[1] == 2:
            ahead = found[:, 1] - found[:, 0]
            return np.column_stack([_expit(-ahead), _expit(ahead)])
        return np.asarray(softmax(found, axis=1))

    return probabilities


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
