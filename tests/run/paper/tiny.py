"""Small search problems in tables, for the paper's algorithms as they stand."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from p2ce.paper import P2CE, Mapocam
from p2ce.run.paper.algorithm_1 import mapocam
from p2ce.run.paper.algorithm_2 import p2ce
from p2ce.run.paper.maximum import shap_maximum
from p2ce.run.paper.paper_problem import Node, PaperProblem, PaperSearch
from tests.run.paper.transcription import Action

Cell = tuple[int, ...]


def is_printed(settings: Mapocam) -> bool:
    return settings.errata == "as printed"


def prunes_outliers(settings: Mapocam) -> bool:
    return isinstance(settings, P2CE) and settings.partial_plausibility


@dataclass
class Tiny:
    """A random problem on a few features: all its values are looked up in a table."""

    A: list[list[float]]  # 0 first, then by magnitude
    k: int
    tau: float
    value: np.ndarray  # f, by candidate
    outlier: np.ndarray  # u, by candidate
    phi: np.ndarray  # SHAP values, by candidate: (..., d)
    phi_bar: np.ndarray

    def place(self, a: Action) -> Cell:
        return tuple(mine.index(v) for mine, v in zip(self.A, a, strict=True))

    def completions(self, a: Action, first_open: int) -> list[Cell]:
        decided = self.place(a)[:first_open]
        return [decided + rest for rest in product(*(range(len(mine)) for mine in self.A[first_open:]))]

    def f(self, a: Action) -> float:
        return float(self.value[self.place(a)])

    def u(self, a: Action) -> bool:
        return bool(self.outlier[self.place(a)])

    def u_partial(self, a: Action, first_open: int) -> bool:
        return all(self.outlier[cell] for cell in self.completions(a, first_open))

    def c(self, a: Action) -> tuple[float, ...]:
        sizes = [abs(v) for v in a]
        return float(sum(sizes)), float(max(sizes)), float(sum(v != 0 for v in a))

    def f_bar(self, bound: str, settings: Mapocam) -> Callable[[Action, int], float]:
        """Write the maximum prediction anew: the true one, the paper's estimate, or none."""

        def largest(a: Action, i: int) -> float:
            return float(max(self.value[cell] for cell in self.completions(a, i)))

        def estimate(a: Action, i: int) -> float:
            phi = self.phi[self.place(a)]
            gains = {j: self.phi_bar[j] - phi[j] for j in range(i, len(self.A))}
            left = self.k - sum(v != 0 for v in a)
            chosen = list(gains)
            if settings.form == "k-limited":
                by = (lambda j: -self.phi_bar[j]) if is_printed(settings) else (lambda j: -gains[j])
                chosen = sorted(gains, key=by)[:left] if left > 0 else []
            return self.f(a) + sum(gains[j] if is_printed(settings) else max(gains[j], 0.0) for j in chosen)

        return {"true": largest, "shap": estimate, "none": lambda a, i: np.inf}[bound]


@st.composite
def tinies(draw: st.DrawFn) -> Tiny:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = [
        [
            0.0,
            *sorted(
                rng.permutation(np.arange(1, 9))[: size - 1] * rng.choice([-1.0, 1.0], size - 1), key=abs
            ),
        ]
        for size in sizes
    ]
    return Tiny(
        A=[[float(v) for v in mine] for mine in A],
        k=draw(st.integers(1, len(sizes))),
        tau=draw(st.sampled_from([0.25, 0.5, 0.75, 0.875])),
        value=rng.integers(0, 9, size=sizes) / 8.0,  # scores that equal τ exactly are common
        outlier=rng.random(sizes) < draw(st.sampled_from([0.0, 0.3, 0.8])),
        # Eighths without ties, so the order of additions and of equal features cannot matter.
        phi=rng.integers(-8, 9, size=(*sizes, len(sizes))) / 8.0,
        phi_bar=rng.permutation(np.arange(-2, 9))[: len(sizes)] / 8.0,
    )


class Traced(PaperSearch):
    """A record that keeps the nodes."""

    def __init__(self, as_printed: bool, action: Callable[[np.ndarray], Action]) -> None:
        super().__init__(as_printed=as_printed)
        self.action = action
        self.seen: list[tuple[Action, int]] = []
        self.cut: list[tuple[Action, int, str]] = []
        self.at_once: set[tuple[Action, int]] = set()

    def visit(self, node: Node) -> None:
        super().visit(node)
        self.seen.append((self.action(node.cell), node.i))

    def prune(self, node: Node, why: str) -> bool:
        self.cut.append((self.action(node.cell), node.i, why))
        return super().prune(node, why)

    def prune_children(self, cells: np.ndarray, i: int) -> None:
        super().prune_children(cells, i)
        self.at_once |= {(self.action(cell), i) for cell in cells}


def run(tiny: Tiny, settings: Mapocam, bound: str) -> Traced:
    """Run the library's algorithm on a table."""
    d = len(tiny.A)

    def action(cell: np.ndarray) -> Action:
        return tuple(tiny.A[j][place] for j, place in enumerate(cell.tolist()))

    def evaluate(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.array([tiny.value[tuple(cell)] for cell in cells.tolist()])
        strict = is_printed(settings) and settings.plausible
        return values, values > tiny.tau if strict else values >= tiny.tau

    def falls_short(node: Node) -> bool:
        if bound == "none":
            return False
        if bound == "true":
            return tiny.f_bar("true", settings)(action(node.cell), node.i) < tiny.tau
        phi = tiny.phi[tuple(node.cell.tolist())][node.i :]
        left = tiny.k - node.changes
        return shap_maximum(node.value, phi, tiny.phi_bar[node.i :], left, settings) < tiny.tau

    def is_partial_outlier(cell: np.ndarray, open_axes: np.ndarray) -> bool:
        return tiny.u_partial(action(cell), d - len(open_axes))

    record = Traced(is_printed(settings), action)
    problem = PaperProblem(
        settings=settings,
        start=np.zeros(d, dtype=np.int32),
        features=np.arange(d),
        candidates=tuple(np.arange(len(mine), dtype=np.int32) for mine in tiny.A),
        max_changes=tiny.k,
        evaluate=evaluate,
        costs=lambda cells: np.array([tiny.c(action(cell)) for cell in cells]).reshape(len(cells), 3),
        is_outlier=lambda cell: tiny.u(action(cell)),
        keeps_rules=lambda cell: True,
        falls_short=falls_short,
        is_partial_outlier=is_partial_outlier if prunes_outliers(settings) else None,
    )
    (p2ce if settings.plausible else mapocam)(problem, record)
    return record


def found(tiny: Tiny, settings: Mapocam, bound: str = "none") -> list[Action]:
    """Return S as an algorithm leaves it."""
    record = run(tiny, settings, bound)
    return [record.action(node.cell) for node in record.solutions]
