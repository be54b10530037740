"""List the tasks: which method runs in which experiment, on which data and model."""

from dataclasses import dataclass

from reproduction.names import AUTHORS, DATA_SETS, PEERS
from reproduction.settings import Limits

PEER_ANSWERS = 4  # counterfactuals of DiCE with three objectives, as in the paper
DICE = ("dice-genetic", "dice-free", "dice-random", "dice-code")

# Experiment → its models, the number of objectives, and the methods. The paper runs no peers with logistic
# regression, and the ablation only there. Both are cheap, so they run here.
PLAN: dict[str, tuple[tuple[str, ...], int, tuple[str, ...]]] = {
    "inlierness": (
        ("logistic",),
        1,
        ("mapocam", "p2ce-ablation", "p2ce", "proven", *AUTHORS, *DICE, "nice"),
    ),
    "one": (
        ("lightgbm", "mlp"),
        1,
        ("mapocam", "p2ce-ablation", "p2ce", "proven", "authors-mapocam", "authors-p2ce", *DICE, "nice"),
    ),
    "three": (
        ("lightgbm", "mlp"),
        3,
        ("mapocam", "p2ce", "proven", "authors-mapocam", "authors-p2ce", *DICE),
    ),
    "forests": (("forest",), 1, ("proven", "ocean")),
}
TABLES = {"1": "inlierness", "2": "three", "3": "three"}  # of the paper → the experiment
FIGURES = {"2": "one"}  # Figure 1 is the toy
EXAMPLE = ("three", "adult", "mlp")  # the cell of Table 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One method on the people of one study, with one seed."""

    experiment: str
    data: str
    model: str
    method: str
    objectives: int
    seed: int = 0

    @property
    def is_peer(self) -> bool:
        return self.method in PEERS

    @property
    def answers(self) -> int:
        """The number of counterfactuals that a peer must return."""
        return 1 if self.objectives == 1 else PEER_ANSWERS

    def people(self, limits: Limits, denied: int) -> int:
        """Return the number of people. Without a bound, the search of a network takes minutes."""
        if self.method in AUTHORS:
            return min(limits.authors_people, denied)
        return min(limits.slow_people, denied) if (self.method, self.model) == ("mapocam", "mlp") else denied


def plan(
    *,
    tables: tuple[str, ...] = tuple(TABLES),
    figures: tuple[str, ...] = tuple(FIGURES),
    forests: bool = True,
    data: tuple[str, ...] = tuple(DATA_SETS),
    peers: bool = True,
    authors: bool = True,
    seeds: int = 1,
) -> list[Task]:
    """Return all tasks, sorted by seed and study, so each model is trained once.

    Peers, the authors' code and the forests (which are not in the paper) run with the first seed only. Later
    seeds are for the paper's own methods.
    """
    wanted = {TABLES[name] for name in tables if name != "3"} | {
        FIGURES[name] for name in figures if name in FIGURES
    }
    wanted |= {"forests"} if forests else set()
    tasks = [
        Task(experiment=experiment, data=name, model=model, method=method, objectives=objectives, seed=seed)
        for seed in range(seeds)
        for experiment, (models, objectives, methods) in PLAN.items()
        for name in data
        for model in models
        for method in methods
        if (experiment in wanted and (experiment != "forests" or seed == 0))
        or ("3" in tables and seed == 0 and (experiment, name, model) == EXAMPLE)
    ]
    order = list(dict.fromkeys((task.seed, task.data, task.model) for task in tasks))
    chosen = [
        task
        for task in tasks
        if not task.is_peer or (task.seed == 0 and (authors if task.method in AUTHORS else peers))
    ]
    return sorted(chosen, key=lambda task: order.index((task.seed, task.data, task.model)))
