"""List the versions of p2ce, of the libraries that explanations depend on, and of the kernel's Landlock."""

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

from p2ce.apps.model_files import landlock

LIBRARIES = (
    *("numpy", "pandas", "scikit-learn", "numba", "lightgbm", "xgboost", "xgboost-cpu", "catboost", "torch"),
    *("onnxruntime", "skops", "shap", "pyarrow", "polars", "matplotlib"),
)


def lines(*, verbose: bool) -> list[str]:
    """Return the version line, and with ``verbose`` a line for each installed library."""
    own = f"p2ce {installed_version('p2ce')}"
    if not verbose:
        return [own]
    libraries = [f"{name} {version}" for name, version in _installed(LIBRARIES).items()]
    python = f"Python {platform.python_version()} ({platform.machine()})"
    return [own, python, *libraries, f"Landlock {landlock.version() or 'not available'}"]


def _installed(names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = installed_version(name)
        except PackageNotFoundError:
            continue
    return found
