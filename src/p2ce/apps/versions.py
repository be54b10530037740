"""Say which versions are installed: of p2ce, and of the libraries on which answers depend."""

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

LIBRARIES = (
    *("numpy", "pandas", "scikit-learn", "numba", "lightgbm", "xgboost", "xgboost-cpu", "catboost", "torch"),
    *("onnxruntime", "skops", "shap", "pyarrow", "polars", "matplotlib", "plotly"),
)


def lines(*, verbose: bool) -> list[str]:
    """Give one line, or one for each library that is installed."""
    own = [f"p2ce {installed_version('p2ce')}"]
    if not verbose:
        return own
    return [*own, f"Python {platform.python_version()} ({platform.machine()})", *libraries().values()]


def libraries() -> dict[str, str]:
    """Give each installed library with its version."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = f"{name} {installed_version(name)}"
        except PackageNotFoundError:
            continue
    return found
