"""Load scikit-learn models: skops files, and pickles of people who are trusted."""

import warnings
from pathlib import Path
from typing import Any

from p2ce.apps.telling import listed
from p2ce.errors import InvalidOption

# Types of libraries whose models p2ce reads; loading them runs their code and nobody else's.
KNOWN_ROOTS = ("sklearn", "numpy", "scipy", "lightgbm", "xgboost", "catboost", "collections", "builtins")


def load_skops(path: Path) -> Any:
    """Load a skops file, which names every type in it before one is made."""
    from skops.io import get_untrusted_types, load

    strange = get_untrusted_types(file=path)
    unknown = [name for name in strange if name.partition(".")[0] not in KNOWN_ROOTS]
    if unknown:
        raise InvalidOption(
            f"--model {str(path)!r} holds types that are not known to be safe: {listed(unknown, 4)}. If this "
            "is your own code, build the model in a function of yours: --model my_module:my_factory"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another version of scikit-learn: p2ce checks its own reading
        return load(path, trusted=strange)


def load_pickle(path: Path) -> Any:
    """Unpickle; whoever calls this has been told what that means."""
    import joblib

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = joblib.load(path)  # which reads plain pickles too
    if not callable(found) and not hasattr(found, "predict"):
        raise InvalidOption(
            f"--model {str(path)!r} holds a {type(found).__name__}, which is no model. Save the model itself."
        )
    return found
