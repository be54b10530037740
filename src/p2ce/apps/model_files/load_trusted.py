"""Load a pickle or a skops file, if the user trusts its author: loading it runs code."""

import warnings
from pathlib import Path
from typing import Any

from p2ce.apps.model_files.detect_format import PICKLE, SKOPS
from p2ce.apps.model_files.sandbox import why
from p2ce.base.visible import echoed, one_line
from p2ce.errors import InvalidArgument, InvalidModel, MissingExtra, P2CEError

# What each kind of file does to the process that loads it.
RUNS_CODE = {
    PICKLE: "a pickle, and loading it runs any code that its author put in",
    SKOPS: "a skops file, and loading it calls any class that its author named",
}


def load_trusted(path: Path, kind: str, *, trusted: bool) -> Any:
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


LOADERS = {PICKLE: _load_pickle, SKOPS: _load_skops}
