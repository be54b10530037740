"""Does a network in single precision answer alike for a person alone and beside others?"""

import numpy as np
import pandas as pd
import pytest

import p2ce

torch = pytest.importorskip("torch")
nn = torch.nn
NAMES = list("abcd")


def whole_rows(count: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.integers(0, 8, (count, 4)).astype(np.float32), columns=NAMES)


def test_a_threshold_that_is_somebodys_score_decides_alike() -> None:
    """Kernels for one row and for many round differently: cells at exactly the threshold show it.

    Several people are one change away from the same cell, so that its row is asked about many times at once.
    """
    torch.manual_seed(1)
    layers = [nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1)]
    network = nn.Sequential(*layers).eval()
    reference = whole_rows(200, 1)
    actions = p2ce.ActionSet.infer(reference).values({name: list(range(8)) for name in NAMES})

    def score(rows: pd.DataFrame) -> np.ndarray:
        with torch.no_grad():
            given = torch.sigmoid(network(torch.tensor(rows.to_numpy(np.float32))))
        return given.numpy()[:, 0].astype(np.float64)

    cells = whole_rows(300, 51).drop_duplicates()
    alone = np.array([score(cells.iloc[[at]])[0] for at in range(len(cells))])
    beside = np.array([score(pd.concat([cells.iloc[[at]]] * 6))[0] for at in range(len(cells))])
    for at in np.flatnonzero(alone != beside)[:10].tolist():
        around = pd.DataFrame(
            [cells.iloc[at].to_dict() | {name: value} for name in NAMES for value in range(8)]
        )
        around = around.astype(np.float32).drop_duplicates()
        for threshold in {float(alone[at]), float(beside[at])}:
            people = around[score(around) < threshold - 1e-3]
            explainer = p2ce.Explainer(
                network, reference, actions=actions, threshold=threshold, plausibility=None, max_changes=2
            )
            together = explainer.explain_many(people)
            for place in range(len(people)):
                assert explainer.explain(people.iloc[place]) == together[place]
