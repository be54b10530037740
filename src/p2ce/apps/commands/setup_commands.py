"""Compile kernels ahead of time, and list versions: ``p2ce warm-up``, ``p2ce version``."""

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from os.path import commonpath
from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import count_of, printable, stdout_console, working
from p2ce.apps.model_files.landlock import landlock_version

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

ROWS = 40
LIBRARIES = (
    *("numpy", "pandas", "scikit-learn", "numba", "lightgbm", "xgboost", "xgboost-cpu", "catboost", "torch"),
    *("onnxruntime", "skops", "shap", "pyarrow", "polars", "matplotlib"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KernelKind:
    """A kind of problem that needs its own kernels: how to build its explainer, and how to call it."""

    name: str
    model: "Callable[[pd.DataFrame, Any], Any]"
    settings: "Callable[[], dict[str, Any]]" = dict
    call: "Callable[[], dict[str, Any]]" = dict
    usual: bool = False  # compiled without --all, too
    library: str = ""  # an optional library that the model needs


def run_warm_up(*, everything: bool = False, console: "Console | None" = None) -> None:
    """Explain a tiny made-up problem of each kind, and print the time it took and the cache folder."""
    console = console or stdout_console()
    begun = time.perf_counter()
    with working("Loading the libraries …", always=True):
        from p2ce.engine.kernels.kernel_cache import cache_use

        rows, outcome = _made_up_rows()
    for kind in KERNEL_KINDS:
        if kind.usual or (everything and (not kind.library or find_spec(kind.library))):
            before = cache_use()
            started = time.perf_counter()
            with working(f"Preparing {kind.name} …"):
                _explain(kind, rows, outcome)
            after = cache_use()
            console.print(
                f"{kind.name}: {after.compiled - before.compiled} compiled, "
                f"{after.loaded - before.loaded} loaded from the cache, {time.perf_counter() - started:.1f} s"
            )
    use = cache_use()
    where = commonpath(use.folders) if use.folders else "none: no folder is writable"
    console.print(
        f"{count_of(use.compiled, 'kernel')} compiled, {use.loaded:,} loaded, "
        f"{time.perf_counter() - begun:.1f} s. Cache: {printable(where)}",
        markup=False,
        soft_wrap=True,
    )


def _explain(kind: _KernelKind, rows: "pd.DataFrame", outcome: Any) -> None:
    import p2ce

    settings = {"target": 1, "max_changes": 2, "plausibility": None, **kind.settings()}
    explainer = p2ce.Explainer(kind.model(rows, outcome), rows, **settings)
    explainer.warm_up()
    explainer.explain(rows.iloc[0], **kind.call())
    explainer.explain_many(rows.head(2), **kind.call())


def _made_up_rows() -> "tuple[pd.DataFrame, Any]":
    """Make a table of two whole numbers. Rows with a large sum are accepted."""
    import pandas as pd

    rows = pd.DataFrame({"a": [row % 8 for row in range(ROWS)], "b": [row // 8 for row in range(ROWS)]})
    return rows, (rows["a"] + rows["b"] >= 6).astype(int)


def _trees(rows: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(rows, outcome)


def _additive(rows: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(rows, outcome)


def _network(rows: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.neural_network import MLPClassifier

    # lbfgs gives no warning on so few rows.
    return MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0).fit(rows, outcome)


def _ensemble(rows: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier, VotingClassifier
    from sklearn.linear_model import LogisticRegression

    # So many trees that their walks down single rows are compiled.
    trees = GradientBoostingClassifier(n_estimators=200, max_depth=1, random_state=0)
    members = [("trees", trees), ("sum", LogisticRegression())]
    return VotingClassifier(members, voting="soft").fit(rows, outcome)


def _curved(rows: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PowerTransformer

    return make_pipeline(PowerTransformer(), _trees(rows, outcome)).fit(rows, outcome)


def _linear_trees(rows: "pd.DataFrame", outcome: Any) -> Any:
    from lightgbm import LGBMClassifier

    settings = {"linear_tree": True, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
    return LGBMClassifier(n_estimators=3, num_leaves=4, **settings).fit(rows, outcome)


def _black_box(_: "pd.DataFrame", __: Any) -> Any:
    return lambda frame: (frame["a"] + frame["b"]) / 12


def _default_detector() -> dict[str, Any]:
    import p2ce

    return {"plausibility": p2ce.PlausibilityForest(n_estimators=5)}


def _by_paper(algorithm: str) -> dict[str, Any]:
    from p2ce import paper

    return {"method": getattr(paper, algorithm)()}


# All kinds of problem whose kernels differ. A library, a target or a rule needs no separate kernel.
KERNEL_KINDS = (
    _KernelKind(name="trees and detector", model=_trees, settings=_default_detector, usual=True),
    _KernelKind(name="additive models", model=_additive, settings=_default_detector),
    _KernelKind(name="networks", model=_network, settings=_default_detector),
    _KernelKind(name="ensembles", model=_ensemble, settings=_default_detector),
    _KernelKind(name="trees behind curves", model=_curved, settings=_default_detector),
    _KernelKind(name="linear trees", model=_linear_trees, settings=_default_detector, library="lightgbm"),
    _KernelKind(name="black boxes", model=_black_box, settings=_default_detector),
    _KernelKind(name="options of equal cost", model=_trees, settings=lambda: {"ties": True}),
    _KernelKind(name="time limits", model=_trees, call=lambda: {"time_limit": 60.0}),
    _KernelKind(name="any number of changes", model=_trees, settings=lambda: {"max_changes": None}),
    _KernelKind(name="SHAP estimate", model=_black_box, settings=lambda: {"bound": "shap"}),
    _KernelKind(name="the paper's P²CE", model=_trees, settings=lambda: _by_paper("P2CE")),
    _KernelKind(name="the paper's MAPOCAM", model=_trees, settings=lambda: _by_paper("Mapocam")),
)


def version_lines(*, verbose: bool) -> list[str]:
    """Return the version line, and with ``verbose`` a line for each installed library."""
    own = f"p2ce {installed_version('p2ce')}"
    if not verbose:
        return [own]
    libraries = [f"{name} {version}" for name, version in _installed(LIBRARIES).items()]
    python = f"Python {platform.python_version()} ({platform.machine()})"
    return [own, python, *libraries, f"Landlock {landlock_version() or 'not available'}"]


def _installed(names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = installed_version(name)
        except PackageNotFoundError:
            continue
    return found
