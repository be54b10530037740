"""Say what a kernel machine's score is: Σ weight · kernel(support vector, row) + intercept.

With φ(z) = exp z and z = −γ‖row − vector‖² (rbf), or φ(z) = z^degree and z = γ⟨row, vector⟩ + coef0 (poly),
it is Σ weight · φ(z) + intercept: the *arguments* z are sums over the columns, and only φ is curved. Cells
are therefore scored by adding their changes to a person's arguments (`kernel_people`), and boxes are bounded
by lines instead of φ (`kernel_bounds`). All of it is proven in floating point (`kernel_rounding`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.scores.external import Placed, PreparedScore, RowScore, Verdicts, verdicts
from p2ce.scores.kernel_curves import bend
from p2ce.scores.score import Bound, seen_as_given

RBF, POLY = "rbf", "poly"
# Rows times support vectors that are looked at together: a few arrays of these stay in the cache.
NUMBERS_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KernelMachine:
    """A support vector machine for two classes, its decision value pointing to the wanted one.

    A row whose decision value *as libsvm computes it* is at least ``sure`` is accepted by the user's own
    model, one below ``maybe`` is refused. Rounding comes on top: `evaluate_rows` and the people laid out move
    both thresholds outwards by it. ``see`` turns the user's values (n, d) into what the kernel reads, column
    by column and non-decreasing in each. libsvm computes in float64, whatever it is given.
    """

    name: str
    column_count: int
    support: FloatArray  # (vectors, d)
    weights: FloatArray  # (vectors,) dual coefficients
    intercept: float
    kernel: str  # RBF or POLY
    gamma: float
    coef0: float = 0.0  # POLY only, as is the degree
    degree: int = 3
    accept_from: float
    reject_below: float
    see: Callable[[FloatArray], FloatArray] = seen_as_given

    def __post_init__(self) -> None:
        assert self.reject_below <= self.accept_from
        assert self.kernel in (RBF, POLY)
        assert self.gamma >= 0.0
        assert self.degree >= 0
        assert self.support.shape == (len(self.weights), self.column_count)

    @property
    def bound(self) -> Bound:
        """Boxes are bounded by lines beside the kernel's curve."""
        return Bound.KERNEL

    @property
    def flat(self) -> None:
        """Evaluated in batches outside the kernel loop."""
        return

    def arguments(self, seen: FloatArray) -> FloatArray:
        """Compute z for rows as the kernel reads them, column by column: (n, d) → (n, vectors)."""
        total = np.zeros((len(seen), len(self.support)))
        for mine, theirs in zip(seen.T, self.support.T, strict=True):
            if self.kernel == RBF:
                total += (mine[:, None] - theirs) ** 2
            else:
                total += mine[:, None] * theirs
        return -self.gamma * total if self.kernel == RBF else self.gamma * total + self.coef0

    def score_rows(self, rows: FloatArray) -> FloatArray:
        """Compute the decision value of rows of the user's values the slow and obvious way: (n, d) → (n,)."""
        return self._valued(rows)[0]

    def evaluate_rows(self, rows: FloatArray) -> Verdicts:
        """Judge rows of the user's values, each with its own bound of the rounding."""
        value, margin = self._valued(rows)
        with np.errstate(all="ignore"):
            return Verdicts(verdicts(value, margin, self.accept_from, self.reject_below), value)

    def value_seen(self, seen: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute the decision value of rows as the kernel reads them, and a bound of its rounding."""
        from p2ce.scores.kernel_rounding import row_error

        value, margin = np.empty(len(seen)), np.empty(len(seen))
        step = max(1, NUMBERS_AT_ONCE // max(1, len(self.weights)))
        for start in range(0, len(seen), step):
            some = slice(start, start + step)
            z = self.arguments(seen[some])
            bent = bend(self.kernel, self.degree, z)
            value[some] = bent @ self.weights + self.intercept
            margin[some] = row_error(self, seen[some], z, bent)
        return value, margin

    def _valued(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        with np.errstate(all="ignore"):
            return self.value_seen(self.see(np.asarray(rows, dtype=np.float64)))

    def tolerance(self, largest: FloatArray) -> float:
        """Say how far a value may be from libsvm's, for rows that it reads as up to ``largest`` (d,)."""
        from p2ce.scores.kernel_rounding import reach_of

        with np.errstate(all="ignore"):
            return 1e-9 + float(reach_of(self, largest[None, :], axes=self.column_count).margin[0])

    def prepare(self, placed: Placed) -> PreparedScore:
        """Prepare the arguments of a batch; where columns move together, cells are evaluated as rows."""
        from p2ce.scores.kernel_people import lay_out

        if placed.is_grouped:
            return RowScore(evaluate_rows=self.evaluate_rows, placed=placed)
        return lay_out(self, placed)
