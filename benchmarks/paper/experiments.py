"""List what has to be asked: which method answers which experiment on which data and model."""

from dataclasses import dataclass

from benchmarks.paper.names import DATA_SETS, PEERS

PEER_ANSWERS = 4  # with three objectives DiCE is asked for so many, as in the paper

# Experiment → the models it looks at, how many objectives, and the methods. The paper has no peers beside
# logistic regression and no logistic regression beside three objectives; both are cheap, so they are here.
PLAN: dict[str, tuple[tuple[str, ...], int, tuple[str, ...]]] = {
    "inlierness": (
        ("logistic",),
        1,
        ("mapocam", "p2ce-ablation", "p2ce", "proven", "dice-genetic", "dice-random", "nice", "nice-bare"),
    ),
    "one": (
        ("lightgbm", "mlp"),
        1,
        ("mapocam", "p2ce", "proven", "dice-genetic", "dice-random", "nice", "nice-bare"),
    ),
    "three": (
        ("lightgbm", "mlp", "logistic"),
        3,
        ("mapocam", "p2ce", "proven", "dice-genetic", "dice-random"),
    ),
    "forests": (("forest",), 1, ("proven", "ocean")),
}

# Peers have the network in NumPy only, which is bare already.
LEFT_OUT = {("nice-bare", "mlp")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One method asked about all people of one study."""

    experiment: str
    data: str
    model: str
    method: str
    objectives: int

    @property
    def is_peer(self) -> bool:
        return self.method in PEERS

    @property
    def answers(self) -> int:
        """How many answers a peer is asked for."""
        return 1 if self.objectives == 1 else PEER_ANSWERS


def plan(
    *,
    experiments: tuple[str, ...] = tuple(PLAN),
    data: tuple[str, ...] = tuple(DATA_SETS),
    peers: bool = True,
) -> list[Task]:
    """All tasks, study by study: a model is trained once, and peers follow on what they stand beside."""
    tasks = [
        Task(experiment=experiment, data=name, model=model, method=method, objectives=objectives)
        for experiment in experiments
        for models, objectives, methods in [PLAN[experiment]]
        for name in data
        for model in models
        for method in methods
        if (method, model) not in LEFT_OUT
    ]
    order = list(dict.fromkeys((task.data, task.model) for task in tasks))
    chosen = [task for task in tasks if peers or not task.is_peer]
    return sorted(chosen, key=lambda task: order.index((task.data, task.model)))
