"""Load a model from a file in a safe format, or from the user's own Python code."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2ce.apps.model_files import detect_format as kinds
from p2ce.apps.model_files.load_from_code import load_python, source_of
from p2ce.apps.model_files.load_pickle import load_pickle
from p2ce.apps.model_files.sandbox import read_file, why
from p2ce.check_paths import require_file
from p2ce.errors import InvalidArgument, InvalidModel, MissingExtra, P2CEError
from p2ce.limits import DEFAULT, Limits
from p2ce.visible import echoed, one_line

# The module of `formats` for each kind of file.
FORMATS = {
    kinds.LIGHTGBM: "lightgbm_text",
    kinds.XGBOOST: "xgboost_model",
    kinds.CATBOOST: "catboost_model",
    kinds.CATBOOST_JSON: "catboost_model",
    kinds.SKOPS: "skops_file",
    kinds.ONNX: "onnx_model",
}


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """A model, what its file is, and a mark by which a changed file is known."""

    model: Any
    kind: str  # of the file
    sha256: str


def load_model(
    given: str,
    *,
    weights: Path | None = None,
    trust_pickle: bool = False,
    limits: Limits = DEFAULT,
) -> LoadedModel:
    """Load the model that ``--model`` names; any error is one line.

    A file is parsed by a child process first, since a file made to do harm may end the library that reads it.
    """
    kind = kinds.detect(given, limits)
    if weights is not None and kind != kinds.PYTHON:
        raise InvalidArgument(
            "--weights go with a network that Python code builds: --model my_module:make_network. "
            f"{echoed(given)} is a file of its own."
        )
    if kind == kinds.PYTHON:
        weights = None if weights is None else require_file(weights, "--weights")
        model = load_python(given, weights, limits)
        marks = given.encode() + source_of(given) + (b"" if weights is None else weights.read_bytes())
        return LoadedModel(model, kind, hashlib.sha256(marks).hexdigest())
    path = Path(given)
    if kind == kinds.PICKLE and not trust_pickle:
        raise InvalidArgument(
            f"--model {echoed(given)} is a pickle, and unpickling runs whatever code its writer put in. If "
            "you "
            "made it yourself or trust who did, add --trust-pickle; safer is to save it with skops, or in "
            "its library's own format (LightGBM text, XGBoost JSON, CatBoost cbm)."
        )
    model = (
        _unpickled(path) if kind == kinds.PICKLE else read_file(path, "--model", kind, FORMATS[kind], limits)
    )
    return LoadedModel(model, kind, hashlib.sha256(path.read_bytes()).hexdigest())


def _unpickled(path: Path) -> Any:
    try:
        return load_pickle(path)
    except P2CEError:
        raise
    except ImportError as error:
        raise MissingExtra(
            f"The pickle needs the package {echoed(error.name or one_line(error))}, which is not installed "
            "here. Install it in the version that the model was saved with."
        ) from error
    except Exception as error:  # whatever the objects in it raise
        raise InvalidModel(
            f"--model {echoed(str(path))} is a pickle that cannot be loaded: {why(error)} "
            "Was it written to the end, and by a version like the installed one?"
        ) from error
