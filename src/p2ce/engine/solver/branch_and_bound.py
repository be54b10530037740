"""Solve a batch of instances by branch and bound: every undominated cell that all scores accept."""

import sys
from typing import TYPE_CHECKING

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.solver.external_scores import CELL_WORK as CELL_WORK
from p2ce.engine.solver.external_scores import ExternalScores as ExternalScores
from p2ce.engine.solver.external_scores import SearchBudget as SearchBudget
from p2ce.engine.solver.fronts import Fronts as Fronts
from p2ce.engine.solver.fronts import Incumbents as Incumbents
from p2ce.engine.solver.fronts import Listener as Listener
from p2ce.engine.solver.fronts import Progress as Progress
from p2ce.engine.solver.fronts import no_fronts as no_fronts
from p2ce.engine.solver.settings import Settings as Settings
from p2ce.engine.solver.settings import make_settings as make_settings

if TYPE_CHECKING:
    from p2ce.engine.scores.flat.flat_arrays import FlatInstances, ScoreLayout

# The kernels import Numba, which takes a second, so they are only imported for a search.


def solve(
    layout: "ScoreLayout",
    instances: "FlatInstances",
    settings: Settings,
    external: ExternalScores | None = None,
    *,
    time_limits: FloatArray | None = None,
    work_limits: IntArray | None = None,
    listener: Listener | None = None,
    incumbents: Incumbents | None = None,
) -> Fronts:
    """Find the front of every instance of the batch.

    Without ``external`` scores, the kernel evaluates the cells itself. With them, it queues the cells, and
    they are evaluated for many instances at a time, one score after the other. ``time_limits`` (n,)
    are seconds per instance. ``work_limits`` (n,) limit each instance's counter WORK: they end a search at
    the same box on every machine and in any batch. An instance that reaches a limit keeps its incumbent
    front. Once the listener returns False, all searches stop. ``incumbents`` are accepted cells that are
    known in advance; they require external scores.
    """
    from p2ce.engine.solver.search_driver import SearchDriver

    driver = SearchDriver(layout, instances, settings, external, time_limits, work_limits, listener)
    return driver.run(incumbents)


def kernels_are_loaded(*, external: bool = False) -> bool:
    """Return whether a search, with ``external`` scores or without them, has run in this process.

    If so, the next one need not compile or load anything.
    """
    loaded = sys.modules.get("p2ce.engine.solver.expand")
    if loaded is None:
        return False
    from p2ce.engine.kernels.jit import types_loaded

    return any((kind != "none") == external for kind in types_loaded(loaded.expand, "queue"))


def compile_rest(
    layout: "ScoreLayout",
    instances: "FlatInstances",
    settings: Settings,
    external: ExternalScores,
) -> None:
    """Compile in advance what only some searches with external scores need."""
    from p2ce.engine.solver.search_driver import SearchDriver

    SearchDriver(layout, instances, settings, external, None, None, None).compile_rest()
