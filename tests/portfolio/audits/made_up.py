"""Make explanations of people by how their search ended and what options cost them, and audits of them."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from p2ce import Audit, audit
from p2ce.result import Certificate, Counterfactual, Explanation, Explanations, Status

OBJECTIVES = ("mean_distance", "changes")


def explained(
    status: Status,
    costs: Sequence[tuple[float, float]] = (),
    *,
    changes: Sequence[str] = ("Income",),
    person: dict[str, object] | None = None,
    least: Sequence[float] | None = None,
) -> Explanation:
    """Make the explanation of one person; each pair of costs is an option.

    `least` is what an open box may cost, on a given grid.
    """
    return Explanation(
        status=status,
        person={} if person is None else person,  # type: ignore[arg-type]
        at_least=0.5,
        target=1,
        objectives=OBJECTIVES,
        dtypes={},
        counterfactuals=tuple(
            Counterfactual(
                number=number,
                values=dict.fromkeys(changes, 2),
                changes=dict.fromkeys(changes, (1, 2)),
                costs=dict(zip(OBJECTIVES, pair, strict=True)),
                score=0.6,
            )
            for number, pair in enumerate(costs, start=1)
        ),
        certificate=Certificate(
            proven=status in (Status.OPTIMAL, Status.NO_RECOURSE),
            method="exact",
            model_family="LightGBM",
            bound="tree leaves",
            cells=9,
            axes=1,
            open_costs=None if least is None else dict(zip(OBJECTIVES, least, strict=True)),
        ),
    )


ACCEPTED = explained(Status.ACCEPTED)
NONE = explained(Status.NO_RECOURSE)
ERROR = explained(Status.ERROR)
UNFINISHED = explained(Status.TIME_LIMIT)
UNSURE = explained(Status.HEURISTIC)


def optimal(cost: float, *changes: str) -> Explanation:
    """Make someone whose only option costs so much."""
    return explained(Status.OPTIMAL, [(cost, float(len(changes) or 1))], changes=changes or ("Income",))


def at_random(rng: np.random.Generator, people: int, *, rejected: float = 0.6) -> list[Explanation]:
    """Make people whose outcomes have nothing to do with anything."""
    kinds = rng.random(people)
    costs = rng.gamma(2.0, 0.1, people).tolist()
    return [
        ACCEPTED if kind > rejected else NONE if kind < 0.1 * rejected else optimal(cost)
        for kind, cost in zip(kinds, costs, strict=True)
    ]


def many(people: Sequence[Explanation], ids: Sequence[object] | None = None) -> Explanations:
    """Return the explanations of some people."""
    return Explanations(list(people), ids=ids)


@cache
def audited() -> Audit:
    """Make an audit that has everything: errors, unfinished searches, missing groups, small ones."""
    rng = np.random.default_rng(0)
    people = [*at_random(rng, 300), *[UNFINISHED] * 4, *[ERROR] * 3]
    people += [explained(Status.TIME_LIMIT, [(0.9, 2.0)], changes=("Age", "Income"))] * 40
    sex = rng.choice(["f", "m"], len(people)).tolist()
    band = rng.choice(["18–30", "31–60", "61–"], len(people), p=[0.45, 0.45, 0.1]).astype(object)
    band[5:20] = None
    return audit(many(people), {"sex": sex, "age band": band.tolist()}, resamples=200, permutations=2_000)


@cache
def hostile_groups() -> Audit:
    """Make an audit of groups with names that are not names, more of them than a chart holds."""
    names = ["<script>alert(1)</script>", "a" * 300, "$x^2$ \\frac", "", " ", "| *b* |", "\u202egnp\x00"]
    names += [f"group number {number}" for number in range(45)]
    people = at_random(np.random.default_rng(1), 3 * len(names))
    table = {"<b>group</b>": names * 3, "$one$": ["one"] * len(people)}
    return audit(many(people), table, min_size=2, resamples=100, permutations=100)
