"""Transcribe the paper's two listings a second time, from the paper alone, for plain Python functions.

Actions are tuples; 0 is "no change". The line numbers are those of Alg. 2; Alg. 1 lacks lines 6, 20 and 21.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Action = tuple[float, ...]


@dataclass
class Listing:
    """What a listing is given, and what it does with it, step by step."""

    algorithm: int
    as_printed: bool
    partial: bool
    k: int
    tau: float
    A: Sequence[Sequence[float]]
    f: Callable[[Action], float]
    u: Callable[[Action], bool]
    c: Callable[[Action], tuple[float, ...]]
    f_bar: Callable[[Action, int], float]
    u_partial: Callable[[Action, int], bool]  # all completions of the features from here on are outliers
    S: list[Action] = field(default_factory=list)
    visited: list[tuple[Action, int]] = field(default_factory=list)
    pruned: list[tuple[Action, int, str]] = field(default_factory=list)

    def run(self) -> None:
        d = len(self.A)
        Q = [((0.0,) * d, 0)]
        while Q:
            a, i = Q.pop()
            self.visited.append((a, i))
            f = self.f(a)
            strict = self.as_printed and self.algorithm == 2
            reaches = f > self.tau if strict else f >= self.tau
            if reaches and (self.algorithm == 1 or not self.u(a)):
                self.add(a)
                continue
            why = self.prune(a, i)
            if why:
                self.pruned.append((a, i, why))
                continue
            for v in sorted(self.A[i], key=abs, reverse=True):  # the last one pushed is popped first
                Q.append(((*a[:i], v, *a[i + 1 :]), i + 1))

    def add(self, a: Action) -> None:
        if self.as_printed:
            self.S.append(a)
        elif not any(no_worse(self.c(z), self.c(a)) for z in self.S):
            self.S = [z for z in self.S if not no_worse(self.c(a), self.c(z))] + [a]

    def prune(self, a: Action, i: int) -> str:
        for z in self.S:
            if no_worse(self.c(z), self.c(a)):
                return "dominated"
        changes = sum(v != 0 for v in a)
        if changes > self.k if self.as_printed else changes == self.k:
            return "too many changes"
        if i == len(self.A):
            return "too many changes"  # the listings have no Ā(i) here
        if self.f_bar(a, i) < self.tau:
            return "bound"
        if self.algorithm == 2 and self.partial and self.u_partial(a, i + 1 if self.as_printed else i):
            return "outlier"
        return ""


def no_worse(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """⪯ of the paper."""
    return all(mine <= theirs for mine, theirs in zip(one, other, strict=True))
