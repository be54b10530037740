"""Load a model from a file in a safe format, or from the user's own Python code."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2ce.apps.model_files import detect as kinds
from p2ce.apps.model_files.boosters import load_catboost, load_catboost_json, load_lightgbm, load_xgboost
from p2ce.apps.model_files.python_entry import load_python, source_of
from p2ce.apps.model_files.sklearn_files import load_pickle, load_skops
from p2ce.apps.paths import require_file
from p2ce.apps.telling import one_line
from p2ce.errors import InvalidOption, MissingExtra, P2CEError
from p2ce.limits import DEFAULT, Limits


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
    limits: Limits = DEFAULT,  # noqa: ARG001
) -> LoadedModel:
    """Load the model that ``--model`` names; whatever is wrong is told in one line."""
    kind = kinds.detect(given)
    if weights is not None and kind != kinds.PYTHON:
        raise InvalidOption(
            "--weights go with a network that Python code builds: --model my_module:make_network. "
            f"{given!r} is a file of its own."
        )
    if kind == kinds.PYTHON:
        weights = None if weights is None else require_file(weights, "--weights")
        model = load_python(given, weights)
        marks = given.encode() + source_of(given) + (b"" if weights is None else weights.read_bytes())
        return LoadedModel(model, kind, hashlib.sha256(marks).hexdigest())
    path = Path(given)
    if kind == kinds.PICKLE and not trust_pickle:
        raise InvalidOption(
            f"--model {given!r} is a pickle, and unpickling runs whatever code its writer put in. If you "
            "made it yourself or trust who did, add --trust-pickle; safer is to save it with skops, or in "
            "its library's own format (LightGBM text, XGBoost JSON, CatBoost cbm)."
        )
    return LoadedModel(_loaded(kind, path), kind, hashlib.sha256(path.read_bytes()).hexdigest())


def _loaded(kind: str, path: Path) -> Any:
    try:
        return LOADERS[kind](path)
    except P2CEError:
        raise
    except ImportError as error:
        raise _missing(kind, error) from error
    except Exception as error:  # each library has its own for what it cannot read
        raise InvalidOption(
            f"--model {str(path)!r} looks like {kind} but cannot be loaded: {_why(error)} "
            "Was it written to the end, and by a version like the installed one?"
        ) from error


def _missing(kind: str, error: ImportError) -> MissingExtra:
    extra = {kinds.CATBOOST_JSON: "catboost"}.get(kind, kind.lower())
    if kind == kinds.PICKLE:
        return MissingExtra(
            f"The pickle needs the package {error.name or one_line(error)!r}, which is not installed here. "
            "Install it in the version that the model was saved with."
        )
    return MissingExtra(f"Reading {kind} files needs an extra: pip install 'p2ce[{extra}]'")


def _why(error: Exception) -> str:
    """Take the sentence out of a library's message: XGBoost writes a stack trace behind it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    text = first.rpartition(": ")[2] if first.startswith("[") else first
    return text[:200].rstrip(".") + "."


def _load_onnx(path: Path) -> Any:
    from p2ce.apps.model_files.onnx_model import load_onnx

    return load_onnx(path)


LOADERS: dict[str, Callable[[Path], Any]] = {
    kinds.LIGHTGBM: load_lightgbm,
    kinds.XGBOOST: load_xgboost,
    kinds.CATBOOST: load_catboost,
    kinds.CATBOOST_JSON: load_catboost_json,
    kinds.SKOPS: load_skops,
    kinds.ONNX: _load_onnx,
    kinds.PICKLE: load_pickle,
}
