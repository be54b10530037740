"""Compile the kernels ahead of time and keep them in the cache: ``p2ce warm-up``."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from os.path import commonpath
from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import counted, printable, stdout_console, working

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of problem that needs its own kernels: how to build its explainer, and how to call it."""

    name: str
    model: "Callable[[pd.DataFrame, Any], Any]"
    settings: "Callable[[], dict[str, Any]]" = dict
    call: "Callable[[], dict[str, Any]]" = dict
    usual: bool = False  # compiled without --all, too


def run_warm_up(*, everything: bool = False, console: "Console | None" = None) -> None:
    """Explain a tiny made-up problem of each kind, and print the time it took and the cache folder."""
    console = console or stdout_console()
    begun = time.perf_counter()
    with working("Loading the libraries …", always=True):
        from p2ce.engine.kernels.kernel_cache import cache_use

        people, outcome = _people()
    for kind in KINDS:
        if kind.usual or everything:
            before = cache_use()
            started = time.perf_counter()
            with working(f"Preparing {kind.name} …"):
                _explain(kind, people, outcome)
            after = cache_use()
            console.print(
                f"{kind.name}: {after.compiled - before.compiled} compiled, "
                f"{after.loaded - before.loaded} loaded from the cache, {time.perf_counter() - started:.1f} s"
            )
    use = cache_use()
    where = commonpath(use.folders) if use.folders else "none: no folder is writable"
    console.print(
        f"{counted(use.compiled, 'kernel')} compiled, {use.loaded:,} loaded, "
        f"{time.perf_counter() - begun:.1f} s. Cache: {printable(where)}",
        markup=False,
        soft_wrap=True,
    )


def _explain(kind: Kind, people: "pd.DataFrame", outcome: Any) -> None:
    import p2ce

    settings = {"target": 1, "max_changes": 2, "plausibility": None, **kind.settings()}
    explainer = p2ce.Explainer(kind.model(people, outcome), people, **settings)
    explainer.warm_up()
    explainer.explain(people.iloc[0], **kind.call())
    explainer.explain_many(people.head(2), **kind.call())


def _people() -> "tuple[pd.DataFrame, Any]":
    """Make a table of two whole numbers. Rows with a large sum are accepted."""
    import pandas as pd

    people = pd.DataFrame({"a": [row % 8 for row in range(ROWS)], "b": [row // 8 for row in range(ROWS)]})
    return people, (people["a"] + people["b"] >= 6).astype(int)


def _trees(people: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(people, outcome)


def _additive(people: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(people, outcome)


def _network(people: "pd.DataFrame", outcome: Any) -> Any:
    from sklearn.neural_network import MLPClassifier

    # lbfgs gives no warning on so few rows.
    return MLPClassifier((4,), solver="lbfgs", max_iter=2000, random_state=0).fit(people, outcome)


def _black_box(_: "pd.DataFrame", __: Any) -> Any:
    return lambda frame: (frame["a"] + frame["b"]) / 12


def _default_detector() -> dict[str, Any]:
    import p2ce

    return {"plausibility": p2ce.PlausibilityForest(n_estimators=5)}


def _by_paper(algorithm: str) -> dict[str, Any]:
    from p2ce import paper

    return {"method": getattr(paper, algorithm)()}


# All kinds of problem whose kernels differ. A library, a target or a rule needs no separate kernel.
KINDS = (
    Kind(name="trees and detector", model=_trees, settings=_default_detector, usual=True),
    Kind(name="additive models", model=_additive, settings=_default_detector),
    Kind(name="networks", model=_network, settings=_default_detector),
    Kind(name="black boxes", model=_black_box, settings=_default_detector),
    Kind(name="options of equal cost", model=_trees, settings=lambda: {"ties": True}),
    Kind(name="time limits", model=_trees, call=lambda: {"time_limit": 60.0}),
    Kind(name="any number of changes", model=_trees, settings=lambda: {"max_changes": None}),
    Kind(name="SHAP estimate", model=_black_box, settings=lambda: {"bound": "shap"}),
    Kind(name="the paper's P²CE", model=_trees, settings=lambda: _by_paper("P2CE")),
    Kind(name="the paper's MAPOCAM", model=_trees, settings=lambda: _by_paper("Mapocam")),
)
