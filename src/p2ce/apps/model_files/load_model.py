"""Load a model from a file in a safe format, from a trusted file that runs code, or from Python code."""

import functools
import hashlib
import importlib
import inspect
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2ce.apps.model_files import detect_format as kinds
from p2ce.apps.model_files.sandbox import read_in_sandbox, why
from p2ce.base.files import require_file
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed, one_line
from p2ce.errors import InvalidArgument, InvalidModel, MissingExtra, P2CEError, nearest

# The module in `formats` for each kind of file.
FORMATS = {
    kinds.LIGHTGBM: "lightgbm_text",
    kinds.XGBOOST: "xgboost_model",
    kinds.CATBOOST: "catboost_model",
    kinds.CATBOOST_JSON: "catboost_model",
    kinds.ONNX: "onnx_model",
}
# What each kind of file does to the process that loads it.
RUNS_CODE = {
    kinds.PICKLE: "a pickle, and loading it runs any code that its author put in",
    kinds.SKOPS: "a skops file, and loading it calls any class that its author named",
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
        model = _load_python(given, weights, limits)
        marks = given.encode() + _source_of(given) + (b"" if weights is None else weights.read_bytes())
        return LoadedModel(model, kind, hashlib.sha256(marks).hexdigest())
    path = Path(given)
    if kind in LOADERS:
        model = _load_trusted(path, kind, trusted=trust_model)
    else:
        model = read_in_sandbox(path, "--model", kind, FORMATS[kind], limits)
    return LoadedModel(model, kind, hashlib.sha256(path.read_bytes()).hexdigest())


def _load_trusted(path: Path, kind: str, *, trusted: bool) -> Any:
    """Load the model in a pickle or skops file, if the user trusts it."""
    if not trusted:
        raise InvalidArgument(
            f"--model {echoed(str(path))} is {RUNS_CODE[kind]}. If you made it or trust its author, add "
            "--trust-model. A safer way is to export the model as ONNX, or in its library's own format "
            "(LightGBM text, XGBoost JSON, CatBoost cbm)."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about other versions: p2ce checks what it parses
            model = LOADERS[kind](path)
    except P2CEError:
        raise
    except ImportError as error:
        raise MissingExtra(
            f"--model {echoed(str(path))} needs the package {echoed(error.name or one_line(error))}, which "
            "is not installed. Install the version that the model was saved with."
        ) from error
    except Exception as error:  # its objects may raise anything
        raise InvalidModel(
            f"--model {echoed(str(path))} is a {kind} file that cannot be loaded: {why(error)} "
            "Check that it is complete, and that a similar version of the library wrote it."
        ) from error
    if not callable(model) and not hasattr(model, "predict"):
        raise InvalidArgument(
            f"--model {echoed(str(path))} contains a {type(model).__name__}, which is not a model. Save the "
            "model itself."
        )
    return model


def _load_pickle(path: Path) -> Any:
    import joblib

    return joblib.load(path)  # which reads plain pickles too


def _load_skops(path: Path) -> Any:
    from skops.io import get_untrusted_types, load

    # All types that the file names. No list can tell which of them are harmless.
    return load(path, trusted=get_untrusted_types(file=path))


LOADERS = {kinds.PICKLE: _load_pickle, kinds.SKOPS: _load_skops}


def _load_python(given: str, weights: Path | None, limits: Limits) -> Any:
    """Import the module, from this folder or Python's path, and return the model that the name means.

    A function or class is called without arguments. Anything else is the model itself. ``weights`` are loaded
    into the model, which must be a PyTorch module.
    """
    module_name, _, name = given.partition(":")
    module = _module(given, module_name)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [one for one in vars(module) if not one.startswith("_")]
            raise InvalidArgument(f"{module_name} has no {echoed(name)}. {nearest(name, known)}")
        found = getattr(found, part)
    if inspect.isroutine(found) or inspect.isclass(found) or isinstance(found, functools.partial):
        try:
            found = found()
        except Exception as error:
            raise InvalidArgument(
                f"{given} raised {type(error).__name__}: {one_line(error)} It is called without arguments "
                "and must return the model."
            ) from error
    if found is None:
        raise InvalidArgument(f"{given} returned None. It must return the model.")
    return _with_weights(found, weights, limits, given)


def _source_of(given: str) -> bytes:
    """Return the text of the module, so that a change is noticed."""
    path = getattr(sys.modules.get(given.partition(":")[0]), "__file__", None)
    return Path(path).read_bytes() if path is not None and Path(path).exists() else b""


def _module(given: str, name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            scripts = [path.stem for path in Path.cwd().glob("*.py")]
            raise InvalidArgument(
                f"--model {echoed(given)} names the module {echoed(name)}, which is neither in this folder "
                "nor installed. "
                f"{nearest(name, scripts) if scripts else 'Run p2ce in its folder, or set PYTHONPATH.'}"
            ) from error
        raise InvalidArgument(f"{name} imports {echoed(error.name)}, which is not installed.") from error
    except P2CEError:
        raise
    except Exception as error:  # the user's own code
        raise InvalidArgument(f"Importing {name} raised {type(error).__name__}: {one_line(error)}") from error


def _with_weights(model: Any, weights: Path | None, limits: Limits, given: str) -> Any:
    is_torch = any(base.__module__.startswith("torch.nn") for base in type(model).__mro__)
    if weights is None:
        return model.eval() if is_torch else model
    if not is_torch:
        raise InvalidArgument(
            f"--weights needs a PyTorch module, but {given} returned {type(model).__name__}. Remove "
            "--weights."
        )
    tensors = read_in_sandbox(weights, "--weights", "PyTorch", "torch_weights", limits)
    try:
        model.load_state_dict(tensors)
    except Exception as error:
        raise InvalidArgument(
            f"--weights {echoed(str(weights))} do not fit the network of {given}: {one_line(error)[:200]}"
        ) from error
    return model.eval()
