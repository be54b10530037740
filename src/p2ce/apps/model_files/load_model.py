"""Load a model from a file in a safe format, or from Python code."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2ce.apps.model_files import detect_format as kinds
from p2ce.apps.model_files.load_from_code import load_python, source_of
from p2ce.apps.model_files.load_trusted import LOADERS, load_trusted
from p2ce.apps.model_files.sandbox import read_file
from p2ce.base.files import require_file
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

# The module in `formats` for each kind of file.
FORMATS = {
    kinds.LIGHTGBM: "lightgbm_text",
    kinds.XGBOOST: "xgboost_model",
    kinds.CATBOOST: "catboost_model",
    kinds.CATBOOST_JSON: "catboost_model",
    kinds.ONNX: "onnx_model",
}


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """A model, the kind of its file, and a hash that shows whether the file has changed."""

    model: Any
    kind: str  # of the file
    sha256: str


def load_model(
    given: str,
    *,
    weights: Path | None = None,
    trust_model: bool = False,
    limits: Limits = DEFAULT,
) -> LoadedModel:
    """Load the model that ``--model`` names. Any error is one line.

    A child process parses a file first, since a malicious file may crash the library that reads it. Pickles
    and skops files run code, so they are loaded only with ``trust_model``.
    """
    kind = kinds.detect(given, limits)
    if weights is not None and kind != kinds.PYTHON:
        raise InvalidArgument(
            "--weights needs a network that Python code builds: --model my_module:make_network. "
            f"{echoed(given)} is a complete model file. Remove --weights."
        )
    if kind == kinds.PYTHON:
        weights = None if weights is None else require_file(weights, "--weights")
        model = load_python(given, weights, limits)
        marks = given.encode() + source_of(given) + (b"" if weights is None else weights.read_bytes())
        return LoadedModel(model, kind, hashlib.sha256(marks).hexdigest())
    path = Path(given)
    if kind in LOADERS:
        model = load_trusted(path, kind, trusted=trust_model)
    else:
        model = read_file(path, "--model", kind, FORMATS[kind], limits)
    return LoadedModel(model, kind, hashlib.sha256(path.read_bytes()).hexdigest())
