"""skops files: scikit-learn models and pipelines, as a list of named types and arrays.

skops makes nothing that is not named in the file, so that a file is as safe as what its types do. Taken are
the types of `KNOWN_TYPES` and `PACKAGES`, and of those only objects that pass `sklearn_objects.check_model`.
"""

import contextlib
import importlib
import io
import json
import re
import warnings
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from p2ce.apps.model_files.formats import catboost_model
from p2ce.apps.model_files.formats.lightgbm_text import checked_text
from p2ce.apps.model_files.formats.sklearn_objects import check_model
from p2ce.errors import InvalidModel, MissingExtra
from p2ce.scores.tree_nodes import parsing
from p2ce.visible import listed

UNNEEDED = ("torch", "matplotlib", "dask", "polars", "pyarrow", "graphviz")
SCHEMA = "schema.json"
MOST_SCHEMA = 256 << 20
# What fitted models are made of, beyond what skops trusts by itself: classes only, each named in full. A
# function would run on what the file says: builtins.eval is one.
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
# Of scikit-learn's types that skops trusts, those that work on tables of numbers and labels, and whose
# compiled code follows no index of the model, or is checked in `sklearn_objects`. Vectorizers of text are
# none of them: with it, they read the files that cells name.
PACKAGES = frozenset(
    (
        *("_loss", "calibration", "compose", "discriminant_analysis", "dummy", "ensemble"),
        *("feature_selection", "impute", "linear_model", "model_selection", "multiclass"),
        *("naive_bayes", "neural_network", "pipeline", "preprocessing", "svm", "tree"),
    )
)
CLASSES = frozenset(
    (
        "sklearn.decomposition._pca.PCA",
        "sklearn.decomposition._truncated_svd.TruncatedSVD",
        "sklearn.neighbors._classification.KNeighborsClassifier",
        "sklearn.neighbors._regression.KNeighborsRegressor",
    )
)
LIBRARIES = ("lightgbm", "xgboost", "catboost")
FILES = catboost_model.FILES
OLDEST_SKOPS = (0, 16)  # earlier ones can be made to run code that no list of types shows


def prepare(content: bytes) -> None:
    """Import skops, which imports all of scikit-learn, and the libraries that the file names."""
    import skops.io  # noqa: F401
    from sklearn.utils import check_array

    _require_safe_skops()
    check_array(np.zeros((1, 1)))  # looks once which kinds of tables are installed
    with contextlib.suppress(InvalidModel):  # `parse` says so
        named = {name.partition(".")[0] for name, _ in _types(_schema(content))}
        for library in named.intersection(LIBRARIES):
            importlib.import_module(library)


def parse(content: bytes) -> bytes:
    """Load a file, check what came of it and try it on some rows; give skops's own writing of it."""
    from skops.io import dumps

    model = load(content)
    with contextlib.suppress(Exception), warnings.catch_warnings():  # whether it ends is what counts here
        warnings.simplefilter("ignore")
        names = getattr(model, "feature_names_in_", None)
        width = int(model.n_features_in_)
        rows: Any = np.vstack([np.zeros(width), np.ones(width), np.linspace(-1e3, 1e3, width)])
        if names is not None:
            import pandas as pd

            rows = pd.DataFrame(rows, columns=names)
        model.predict(rows)
    written: bytes = dumps(model)
    load(written)
    return written


def load(content: bytes) -> Any:
    """Make the model, after a look at every type in the file, and check it before it is used."""
    from skops.io import get_untrusted_types, loads

    with parsing("The skops file"):
        schema = _schema(content)
        present = {name for name, _ in _types(schema)}
    named = get_untrusted_types(data=content)
    unknown = sorted({*set(named) - KNOWN_TYPES, *filter(_is_other_sklearn, present)})
    if unknown:
        raise InvalidModel(
            f"It holds types or functions that are not known to be safe: {listed(unknown, 4)}. If this is "
            "your own code, build the model in a function of yours: --model my_module:my_factory"
        )
    _check_texts(schema)
    with warnings.catch_warnings(), parsing("The skops file"):
        warnings.simplefilter("ignore")  # of another version of scikit-learn: p2ce checks its own reading
        model = loads(content, trusted=named)
        check_model(model)
    return model


def _schema(content: bytes) -> Any:
    """Read the list of what the file holds, within its bounds."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = archive.getinfo(SCHEMA).file_size
            if size > MOST_SCHEMA:
                raise InvalidModel(f"It lists what it holds in {size:,} bytes.")
            return json.loads(archive.read(SCHEMA))
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, RuntimeError) as error:
        raise InvalidModel(f"It is no skops file that can be read: {error}"[:200]) from error


def _types(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every type that the file names, with what stands beside its name."""
    ahead = [schema]
    while ahead:
        part = ahead.pop()
        if isinstance(part, list):
            ahead += part
        elif isinstance(part, dict):
            ahead += part.values()
            if "__class__" in part:
                yield f"{part.get('__module__')}.{part['__class__']}", part


def _is_other_sklearn(name: str) -> bool:
    root, _, rest = name.partition(".")
    known = name in KNOWN_TYPES | CLASSES or rest.partition(".")[0] in PACKAGES
    return root == "sklearn" and not known


def _check_texts(schema: Any) -> None:
    """Check the model text of every LightGBM Booster: it is loaded as soon as the Booster is made."""
    for name, part in _types(schema):
        if name != "lightgbm.basic.Booster":
            continue
        with parsing("The LightGBM model in the file"):
            state = part["content"]["content"]
            text = json.loads((state.get("_handle") or state["handle"])["content"])
            checked_text(text.encode())


def _require_safe_skops() -> None:
    installed = version("skops")
    if tuple(int(part) for part in re.findall(r"\d+", installed)[:2]) < OLDEST_SKOPS:
        raise MissingExtra(
            f"skops {installed} can be made to run code that a file names. Get a newer one: "
            "pip install --upgrade skops"
        )
