"""Evaluate a model in an ONNX file with onnxruntime, as a black-box model.

The input is one float tensor (rows, columns) in the column order of the reference, or one input per column,
matched by name (numbers, whole numbers, bools or text). The output is probabilities: a tensor with a column
per class, or a list of {class: probability}. A label may come before them, as scikit-learn's converter writes
it. Without probabilities, one number per row is the score or prediction. Classes of a tensor are numbered.
"""

import os
from typing import Any

import numpy as np

from p2ce.base.visible import echoed, one_line
from p2ce.errors import InvalidModel, UnsupportedModel

UNNEEDED = ("onnx", "sklearn", "matplotlib", "pyarrow")
TEXT = "tensor(string)"
TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    TEXT: np.object_,
}


class OnnxModel:
    """A session that evaluates frames or arrays. It is pickled as the bytes of its file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._open()
        inputs = self._session.get_inputs()
        if len(inputs) > 1:
            self.feature_names_in_ = np.array([one.name for one in inputs], dtype=object)
        elif isinstance(width := (inputs[0].shape or [None])[-1], int) and len(inputs[0].shape) == 2:
            self.n_features_in_ = width
        strange = [one for one in inputs if one.type not in TYPES]
        if strange:
            raise UnsupportedModel(
                f"The ONNX model's input {echoed(strange[0].name)} has the unsupported type "
                f"{strange[0].type}. Supported are {', '.join(TYPES)}."
            )

    def _open(self) -> None:
        onnxruntime = _runtime()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # errors are raised, so they are reported once
        options.intra_op_num_threads = 1  # processes share the people, not threads
        self._session = onnxruntime.InferenceSession(
            self._content, options, providers=["CPUExecutionProvider"]
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_session"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def run(self, rows: Any) -> list[Any]:
        """Return all outputs for rows."""
        inputs = self._session.get_inputs()
        if len(inputs) == 1:
            values = np.asarray(rows.to_numpy() if hasattr(rows, "to_numpy") else rows)
            feed: dict[str, Any] = {inputs[0].name: np.ascontiguousarray(values, dtype=TYPES[inputs[0].type])}
        else:
            feed = {one.name: _column(rows[one.name], one.type) for one in inputs}
        outputs: list[Any] = self._session.run(None, feed)
        return outputs


class OnnxClassifier(OnnxModel):
    """An ONNX model with probabilities."""

    def __init__(self, content: bytes, output: int, classes: tuple[Any, ...] | None, count: int) -> None:
        super().__init__(content)
        self._output = output
        self.classes_ = np.array(range(count) if classes is None else classes)

    def predict_proba(self, rows: Any) -> "np.ndarray":
        """Return a column per class."""
        output = self.run(rows)[self._output]
        if isinstance(output, list):
            return np.array(
                [[row[one] for one in self.classes_.tolist()] for row in output], dtype=np.float32
            )
        return np.asarray(output)


class OnnxScore(OnnxModel):
    """An ONNX model that returns one number per row."""

    __name__ = "ONNX"

    def __call__(self, rows: Any) -> "np.ndarray":
        """Return the numbers."""
        return np.asarray(self.run(rows)[0]).reshape(len(rows), -1)


def prepare(_: bytes) -> None:
    """Import onnxruntime, and pandas for trial rows."""
    import pandas as pd

    _runtime()
    pd.DataFrame({"text": [""]})  # this loads what strings need


def parse_file(content: bytes) -> bytes:
    """Load a file and try it on a row, where no other file can be opened: ONNX may refer to other files."""
    load_parsed(content)
    return content


def load_parsed(content: bytes) -> OnnxModel:
    """Build the model, and choose its output with a trial row."""
    trial = OnnxModel(content)
    try:
        outputs = trial.run(_one_row(trial))
    except Exception as error:  # the errors of onnxruntime have no common base class
        if not any(one.type == TEXT for one in trial._session.get_inputs()):
            raise
        raise InvalidModel(
            "The ONNX model fails on a row of empty text. Export it with an encoder that ignores unseen "
            f"categories: handle_unknown='ignore' in scikit-learn ({one_line(error)[:200]})"
        ) from error
    for place, output in enumerate(outputs):
        if isinstance(output, list) and output and isinstance(output[0], dict):
            return OnnxClassifier(content, place, tuple(output[0]), len(output[0]))
    floats = [
        place
        for place, output in enumerate(outputs)
        if isinstance(output, np.ndarray) and output.dtype.kind == "f" and output.ndim <= 2
    ]
    if not floats:
        kinds = ", ".join(f"{one.name} {one.type}" for one in trial._session.get_outputs())
        raise UnsupportedModel(
            f"The ONNX model returns {kinds}, none of which is a probability or a score. "
            "Export it with its probabilities."
        )
    width = int(np.asarray(outputs[floats[-1]]).reshape(1, -1).shape[1])
    if width > 1:
        return OnnxClassifier(content, floats[-1], None, width)
    return OnnxScore(content)


def _runtime() -> Any:
    """Import onnxruntime without its telemetry, which is on by default since 1.29."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def _one_row(model: OnnxModel) -> Any:
    import pandas as pd

    inputs = model._session.get_inputs()
    if len(inputs) == 1:
        return np.zeros((1, int(getattr(model, "n_features_in_", 1))))
    return pd.DataFrame({one.name: ["" if one.type == TEXT else 0] for one in inputs})


def _column(column: Any, kind: str) -> "np.ndarray":
    values = np.asarray(column.astype(object) if kind == TEXT else column)
    return values.astype(TYPES[kind]).reshape(-1, 1)
