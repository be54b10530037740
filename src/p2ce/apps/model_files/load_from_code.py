"""Load a model from Python code: ``my_module:make_network``, with or without PyTorch weights."""

import functools
import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

from p2ce.apps.model_files.sandbox import read_file
from p2ce.base.limits import Limits
from p2ce.base.visible import echoed, one_line
from p2ce.errors import InvalidArgument, P2CEError, nearest


def load_python(given: str, weights: Path | None, limits: Limits) -> Any:
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


def source_of(given: str) -> bytes:
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
    tensors = read_file(weights, "--weights", "PyTorch", "torch_weights", limits)
    try:
        model.load_state_dict(tensors)
    except Exception as error:
        raise InvalidArgument(
            f"--weights {echoed(str(weights))} do not fit the network of {given}: {one_line(error)[:200]}"
        ) from error
    return model.eval()
