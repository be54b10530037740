"""Check the objects of a model that came from a file, before compiled code of their library uses them.

scikit-learn checks what users pass and trusts what is inside a fitted model. So every object in it is looked
at here: trees have to be trees, index arrays have to stay in their ranges, and settings that reach out of the
model (files, processes) have to be off.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from p2ce.apps.model_files.formats import catboost_model, lightgbm_text, xgboost_model
from p2ce.errors import InvalidModel
from p2ce.scores.tree_nodes import LEAF, TreeNodes, joined

MOST_OBJECTS = 5_000_000
MOST_JOBS = 64
MOST_CATEGORIES = 256  # of a column of histogram boosting, each a bit of eight words
KERNELS = ("linear", "poly", "rbf", "sigmoid")
NO_CHILDREN = (str, bytes, bytearray, int, float, complex, bool, type(None), np.generic, type)


def check_model(model: Any) -> None:
    """Raise InvalidModel for what would lead compiled code astray."""
    for one in _objects(model):
        _check_settings(one)
        check, fitted = CHECKS.get(type(one).__name__, (None, None))
        if check is None or type(one).__module__.partition(".")[0] not in LIBRARIES:
            continue
        # An estimator without fitted attributes is a template, which its library cannot use.
        if fitted is None or fitted in vars(one):
            check(one)


def _objects(model: Any) -> Iterator[Any]:
    """Give every object that a model is made of, once."""
    seen: dict[int, Any] = {}
    ahead = [model]
    while ahead:
        one = ahead.pop()
        if isinstance(one, NO_CHILDREN) or id(one) in seen:
            continue
        seen[id(one)] = one
        if len(seen) > MOST_OBJECTS:
            raise InvalidModel(f"It is made of more than {MOST_OBJECTS:,} objects.")
        yield one
        if isinstance(one, dict):
            ahead += one.values()
        elif isinstance(one, list | tuple | set | frozenset):
            ahead += one
        elif isinstance(one, np.ndarray):
            ahead += one.ravel().tolist() if one.dtype == object else ()
        else:
            ahead += vars(one).values() if hasattr(one, "__dict__") else ()


def _check_settings(one: Any) -> None:
    held = vars(one) if hasattr(one, "__dict__") else {}
    if held.get("memory") is not None:
        raise InvalidModel(
            f"A {type(one).__name__} in it keeps a cache in files (memory=…). Save it without."
        )
    jobs = held.get("n_jobs")
    if jobs is not None and not (isinstance(jobs, int | np.integer) and abs(int(jobs)) <= MOST_JOBS):
        raise InvalidModel(
            f"A {type(one).__name__} in it has n_jobs={str(jobs)[:40]}. At most {MOST_JOBS} is taken."
        )


def _check_tree(tree: Any) -> None:
    """Check a ``tree_`` of scikit-learn; its library has seen to the lengths of its arrays."""
    joined(
        [
            TreeNodes(
                left=tree.children_left,
                right=tree.children_right,
                feature=tree.feature,
                threshold=tree.threshold,
                value=np.abs(tree.value).sum(axis=(1, 2)),
            )
        ],
        columns=int(tree.n_features),
    )


def _check_member(estimator: Any) -> None:
    """Look whether trees see as many columns as rows are let have: forests do not look again."""
    held = vars(estimator)
    if "tree_" in held:
        _require(
            estimator, int(estimator.n_features_in_) == int(held["tree_"].n_features), "columns of its tree"
        )
    members = np.ravel(held.get("estimators_", [])).tolist()
    whole = np.arange(int(held.get("n_features_in_", 0)))
    own = held.get("estimators_features_", [whole] * len(members))
    _require(estimator, len(own) == len(members), "columns for each member")
    for member, features in zip(members, map(np.asarray, own), strict=True):
        known = bool(np.isin(features, whole).all()) and len(features) == held.get(
            "_max_features", len(features)
        )
        _require(estimator, known, "columns for a member")
        tree = vars(member).get("tree_") if hasattr(member, "__dict__") else None
        _require(estimator, tree is None or len(features) == int(tree.n_features), "columns of its trees")


def _check_boosting(estimator: Any) -> None:
    _check_member(estimator)
    trees = np.asarray(estimator.estimators_)
    wide = trees.ndim == 2 and trees.shape[1] == int(estimator.n_trees_per_iteration_)
    _require(estimator, wide, "trees for each class")


def _check_histogram(estimator: Any) -> None:
    """Check the trees of histogram boosting, which are records of their own, with categories first."""
    bins = estimator._bin_mapper
    columns = int(estimator.n_features_in_)
    categorical = np.asarray(bins.is_categorical_, dtype=np.bool_)
    sound = columns == int(estimator._n_features) == len(categorical) == len(bins.bin_thresholds_)
    _require(estimator, sound, "columns")
    for place in np.flatnonzero(categorical).tolist():
        held = np.asarray(bins.bin_thresholds_[place])
        _require(estimator, bool(((held >= 0) & (held < MOST_CATEGORIES)).all()), "categories")
    width = int(estimator.n_trees_per_iteration_)
    for round_ in estimator._predictors:
        _require(estimator, len(round_) == width, "trees for each class")
        for predictor in round_:
            _check_predictor(estimator, predictor, categorical)


def _check_predictor(estimator: Any, predictor: Any, categorical: np.ndarray) -> None:
    nodes = predictor.nodes
    inner = nodes["is_leaf"] == 0
    joined(
        [
            TreeNodes(
                left=np.where(inner, nodes["left"].astype(np.int64), LEAF),
                right=np.where(inner, nodes["right"].astype(np.int64), LEAF),
                feature=nodes["feature_idx"].astype(np.int64),
                threshold=np.where(nodes["is_categorical"] != 0, 0.0, nodes["num_threshold"]),
                value=nodes["value"],
            )
        ],
        columns=len(categorical),
    )
    by_category = inner & (nodes["is_categorical"] != 0)
    sets = np.asarray(predictor.raw_left_cat_bitsets)
    sound = ((sets.ndim == 2 and sets.shape[1] == 8) or not by_category.any()) and (
        bool(categorical[nodes["feature_idx"][by_category].astype(np.int64)].all())
        and bool((nodes["bitset_idx"][by_category] < len(sets)).all())
    )
    _require(estimator, sound, "sets of categories")


def _check_machine(machine: Any) -> None:
    """Check a support vector machine: libsvm walks its arrays by the counts in them."""
    vectors, dual = np.asarray(machine.support_vectors_), np.asarray(machine._dual_coef_)
    counts = np.asarray(machine._n_support)
    classifies = type(machine).__name__.endswith("SVC")
    classes = len(machine.classes_) if classifies else 2
    pairs = classes * (classes - 1) // 2
    sound = (
        machine.kernel in KERNELS
        and not machine._sparse
        and vectors.ndim == 2
        and vectors.shape[1] == int(machine.n_features_in_) == int(machine.shape_fit_[1])
        and vectors.dtype == dual.dtype == np.float64
        and dual.shape == (classes - 1, len(vectors))
        and len(machine.support_) == len(vectors)
        and bool((counts >= 0).all())
        and len(counts) == classes
        and (int(counts.sum()) == len(vectors) if classifies else bool((counts == len(vectors)).all()))
        and len(machine._intercept_) == pairs
        and all(len(part) in (0, pairs) for part in (machine._probA, machine._probB))
        and np.asarray(machine._dual_coef_).shape == np.asarray(machine.dual_coef_).shape
    )
    _require(machine, sound, "support vectors")


def _check_neighbours(estimator: Any) -> None:
    """Look at the classes of the rows, and build the search tree anew, which follows no index of the file."""
    from sklearn.neighbors import BallTree, KDTree

    makers: dict[str, Callable[..., Any]] = {"kd_tree": KDTree, "ball_tree": BallTree}
    rows = estimator._fit_X
    _require(estimator, rows.ndim == 2 and rows.shape[1] == int(estimator.n_features_in_), "columns")
    outcomes = np.asarray(estimator._y)
    _require(estimator, outcomes.ndim == 1 and len(outcomes) == len(rows), "outcomes")
    if "classes_" in vars(estimator):
        known = np.arange(len(estimator.classes_))
        _require(estimator, outcomes.dtype.kind in "iu" and bool(np.isin(outcomes, known).all()), "classes")
    if estimator._fit_method == "brute":
        estimator._tree = None
        return
    _require(estimator, estimator._fit_method in makers, "method to find neighbours")
    estimator._tree = makers[estimator._fit_method](
        np.asarray(rows, dtype=np.float64),
        estimator.leaf_size,
        metric=estimator.effective_metric_,
        **estimator.effective_metric_params_,
    )


def _check_sparse(matrix: Any) -> None:
    matrix.check_format(full_check=True)


def _check_booster(booster: Any) -> None:
    if type(booster).__module__.partition(".")[0] == "lightgbm":
        lightgbm_text.checked_text(booster.model_to_string(num_iteration=-1).encode())
    else:
        xgboost_model.check_json(bytes(booster.save_raw("json")))


def _require(one: Any, sound: bool, what: str) -> None:
    if not sound:
        raise InvalidModel(f"The {type(one).__name__} in it has not the right number of {what}.")


SPARSE = ("csr", "csc", "bsr")  # the forms whose products follow indices of their own
LIBRARIES = ("sklearn", "scipy", "lightgbm", "xgboost", "catboost")
_FORESTS = ("RandomForest", "ExtraTrees", "Bagging", "AdaBoost")
# By the name of a class: its check, and the attribute that fitting gives it.
CHECKS: dict[str, tuple[Callable[[Any], None], str | None]] = {
    "Tree": (_check_tree, None),
    **{
        f"{name}{kind}": (_check_member, "tree_")
        for name in ("DecisionTree", "ExtraTree")
        for kind in ("Classifier", "Regressor")
    },
    **{
        f"{name}{kind}": (_check_member, "estimators_")
        for name in _FORESTS
        for kind in ("Classifier", "Regressor")
    },
    **dict.fromkeys(("RandomTreesEmbedding", "IsolationForest"), (_check_member, "estimators_")),
    **{f"GradientBoosting{kind}": (_check_boosting, "estimators_") for kind in ("Classifier", "Regressor")},
    **{
        f"HistGradientBoosting{kind}": (_check_histogram, "_predictors")
        for kind in ("Classifier", "Regressor")
    },
    **dict.fromkeys(("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"), (_check_machine, "support_vectors_")),
    **dict.fromkeys(("KNeighborsClassifier", "KNeighborsRegressor"), (_check_neighbours, "_fit_X")),
    **{f"{form}_{kind}": (_check_sparse, None) for form in SPARSE for kind in ("matrix", "array")},
    "Booster": (_check_booster, None),
    **dict.fromkeys(
        ("CatBoost", "CatBoostClassifier", "CatBoostRegressor"), (catboost_model.check_exported, None)
    ),
}
