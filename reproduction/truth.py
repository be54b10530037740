"""Find the true fronts by brute force: the model itself evaluates every allowed row."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.brute_force import BruteForce
from p2ce.base.arrays import BoolArray, FloatArray
from reproduction.settings import MAX_CHANGES
from reproduction.store import Store
from reproduction.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The undominated costs (n, 3) on the grid, sorted: among plausible rows, and among all."""

    plausible: FloatArray
    anything: FloatArray
    resolution: FloatArray  # (3,) costs that differ by less are equal

    def of(self, *, plausible: bool, objectives: int) -> FloatArray:
        """Return the true front of one problem, as costs (n, objectives)."""
        front = self.plausible if plausible else self.anything
        return front if objectives == 3 else front[:1, :1]  # sorted by mean distance

    def equals(self, costs: FloatArray, *, plausible: bool, objectives: int) -> bool:
        """Check whether ``costs`` (n, 3) are exactly this front."""
        true = self.of(plausible=plausible, objectives=objectives)
        if len(costs) != len(true):
            return False
        # One unit of rounding on either side, and less than one change.
        near = np.minimum(1.5 * self.resolution, 0.5)[:objectives]
        apart = np.abs(costs[:, None, :objectives] - true[None]) <= near
        matches = apart.all(axis=2)
        return bool(matches.any(axis=0).all() and matches.any(axis=1).all())


def true_fronts(study: Study, store: Store, *, progress: Callable[[str], None] | None = None) -> list[Truth]:
    """Return the truth for every person of a study, and store it person by person."""
    found = []
    bar = brute_force(study)
    for number, person in enumerate(study.people.to_numpy(float)):
        key = f"{study.fingerprint}/truth-{number}"
        kept = store.read(key)
        if kept is None:
            if progress:
                progress(f"true front, person {number + 1} of {len(study.people)}")
            plausible, anything = bar.fronts(person, study.is_plausible, _anything)
            kept = {
                "plausible": (plausible.quanta * plausible.quantum).tolist(),
                "anything": (anything.quanta * anything.quantum).tolist(),
                "resolution": plausible.quantum.tolist(),
            }
            store.write(key, kept)
        found.append(
            Truth(
                plausible=np.array(kept["plausible"]).reshape(-1, 3),
                anything=np.array(kept["anything"]).reshape(-1, 3),
                resolution=np.array(kept["resolution"]),
            )
        )
    return found


def brute_force(study: Study) -> BruteForce:
    """Build the brute force over the methods' candidates, with the model and the detector themselves."""
    return BruteForce.over(
        study.policy,
        study.train,
        max_changes=MAX_CHANGES,
        accepts=study.accepts,
        is_plausible=study.is_plausible,
        scaled_maximum=study.settings.scaled_maximum,
    )


def _anything(rows: FloatArray) -> BoolArray:
    return np.ones(len(rows), dtype=bool)
