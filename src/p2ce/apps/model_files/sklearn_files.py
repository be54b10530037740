"""Load scikit-learn models: skops files, and pickles of people who are trusted."""

import re
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

from p2ce.apps.telling import listed
from p2ce.errors import InvalidOption, MissingExtra

# What fitted models are made of, beyond what skops trusts by itself: classes only, each named in full. A
# function, whoever wrote it, would run on what the file says: builtins.eval is one.
KNOWN_TYPES = frozenset(
    (
        "collections.OrderedDict",
        "numpy.dtype",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
        "sklearn.neighbors._ball_tree.BallTree",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        "sklearn.tree._tree.Tree",
        "sklearn.utils._bunch.Bunch",
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "lightgbm.sklearn.LGBMRegressor",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
        "xgboost.sklearn.XGBRegressor",
        "xgboost.sklearn.XGBRFClassifier",
        "xgboost.sklearn.XGBRFRegressor",
        "catboost.core.CatBoost",
        "catboost.core.CatBoostClassifier",
        "catboost.core.CatBoostRegressor",
    )
)
OLDEST_SKOPS = (0, 16)  # earlier ones can be made to run code that no list of types shows


def load_skops(path: Path) -> Any:
    """Load a skops file, which names every type and function in it before one is made."""
    from skops.io import get_untrusted_types, load

    _require_safe_skops()
    named = get_untrusted_types(file=path)
    unknown = sorted(set(named) - KNOWN_TYPES)
    if unknown:
        raise InvalidOption(
            f"--model {str(path)!r} holds types or functions that are not known to be safe: "
            f"{listed(unknown, 4)}. If this is your own code, build the model in a function of yours: "
            "--model my_module:my_factory"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another version of scikit-learn: p2ce checks its own reading
        return load(path, trusted=named)


def _require_safe_skops() -> None:
    installed = version("skops")
    if tuple(int(part) for part in re.findall(r"\d+", installed)[:2]) < OLDEST_SKOPS:
        raise MissingExtra(
            f"skops {installed} can be made to run code that a file names. Get a newer one: "
            "pip install 'p2ce[skops]'"
        )


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
