"""Load a pickle, which runs code; the user must trust its author."""

import warnings
from pathlib import Path
from typing import Any

from p2ce.errors import InvalidArgument
from p2ce.visible import echoed


def load_pickle(path: Path) -> Any:
    """Unpickle; the caller has checked --trust-pickle."""
    import joblib

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = joblib.load(path)  # which reads plain pickles too
    if not callable(found) and not hasattr(found, "predict"):
        raise InvalidArgument(
            f"--model {echoed(str(path))} holds a {type(found).__name__}, which is no model. Save the "
            "model itself."
        )
    return found
