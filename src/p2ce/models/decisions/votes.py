"""Call ``predict`` of a classifier, and find the classes that it predicts."""

from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import raw_outputs_of
from p2ce.base.visible import echoed
from p2ce.errors import InvalidOutput, UnsupportedModel
from p2ce.models.contract.model_adapter import Request
from p2ce.models.decisions.row_format import choose_row_format


def predictions(model: Any, given: Any, call: str) -> np.ndarray:
    """Return the predicted class of every row."""
    predicted = raw_outputs_of(model.predict, given, call=call)
    if predicted.shape not in ((len(given),), (len(given), 1)):
        raise InvalidOutput(
            f"{call} must return one class per row; for {len(given)} rows it returned shape "
            f"{predicted.shape}."
        )
    return predicted.reshape(-1)


def predicted_classes(model: Any, request: Request, call: str) -> tuple[Any, ...]:
    """Return the classes predicted for the reference, for a model that does not list its classes."""
    seen: list[Any] = []

    def remember(given: Any) -> FloatArray:
        seen[:] = predictions(model, given, call).tolist()
        return np.zeros(len(given))

    choose_row_format(model, remember, request, call)
    classes = tuple(dict.fromkeys(seen))
    if any(isinstance(one, float) and not one.is_integer() for one in classes):
        raise UnsupportedModel(
            f"{call} returns numbers such as {echoed(classes[0])}, whose meaning is unknown. Pass it as a "
            "function with the threshold= to reach, or pass the wanted range as target=(low, high)."
        )
    if len(classes) == 1:
        raise UnsupportedModel(
            f"{call} returns {echoed(classes[0])} for the whole reference, and the model lists no classes. "
            "Pass a function that scores rows."
        )
    return classes
